"""Decisions against gold, by rule and by reason code.

A decision is right if its result is right: DROP if the tuple is not in the gold, FLIP (or a new ref) if
the changed tuple is, KEEP and FLAG (which keeps the tuple, marked) if the unchanged tuple is. It helped
if the tuple was wrong and the result is right; it harmed if it was the other way around. A decision
that changes nothing neither helps nor harms.

Agents that found the same tuple each have a copy of it, and copies are decided alike: per sample, decisions of
one rule (or reason) that do the same to the same tuple (term, ref and polarity; in ``triplet`` the opinion
too) count once. ``copies`` counts the rest. Wilson's interval assumes independent cases, which the
decisions of one sample are not quite: it is somewhat too narrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from samsim.metrics.samples import JudgedSample
from samsim.metrics.statistics import Interval, wilson
from samsim.metrics.tuples import ComparableTuple, key_of
from samsim.rules.decided import CHANGING, Decided, decisions_of
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import Family
from samsim.schemas.taxonomy import clean_ref

Outcome = Literal["judged", "right", "helped", "harmed"]
_Row = tuple[str, str]
_Counted = Counter[Outcome | Literal["copies"]]


class DecisionRow(Written):
    """All decisions of one rule (or reason code) and action."""

    name: str
    action: str
    judged: int
    right: int
    helped: int
    harmed: int
    copies: int = 0
    accuracy: float
    interval: Interval | None


class DecisionTables(Written):
    """How often the decisions were right according to the gold."""

    by_rule: list[DecisionRow]
    by_reason: list[DecisionRow]


@dataclass(slots=True)
class DecisionTally:
    """Counts the decisions of one family."""

    family: Family
    by_rule: dict[_Row, _Counted] = field(default_factory=dict)
    by_reason: dict[_Row, _Counted] = field(default_factory=dict)

    def add(self, sample: JudgedSample) -> None:
        """Count the decisions of one sample."""
        seen: set[tuple[str, _Row, Hashable]] = set()
        for decision, about, outcomes in judged_decisions(sample, self.family):
            for kind, table, name in (
                ("rule", self.by_rule, decision.rule),
                ("reason", self.by_reason, decision.reason),
            ):
                row = name, decision.label
                counted = table.setdefault(row, Counter())
                if (kind, row, about) in seen:
                    counted["copies"] += 1
                else:
                    seen.add((kind, row, about))
                    counted.update(outcomes)

    def tables(self) -> DecisionTables:
        """Return the tables over the samples counted so far."""
        return DecisionTables(by_rule=_rows(self.by_rule), by_reason=_rows(self.by_reason))


def judged_decisions(sample: JudgedSample, family: Family) -> Iterator[tuple[Decided, Hashable, set[Outcome]]]:
    """Yield each decision on a Stage 1 tuple with a key that its copies share and the outcome."""
    right = sample.keys[family].gold
    ids = (candidate.tuple_id for candidate in sample.result.stage1_tuples)
    candidates = dict(zip(ids, sample.tuples.stage1, strict=True))
    for decision in decisions_of(sample.result):
        before = candidates.get(decision.tuple_id)
        if before is None:
            continue
        was_right = key_of(before, family) in right
        after = left_of(before, decision)
        # Losing a wrong tuple is a gain, losing a right one a loss.
        is_right = not was_right if after is None else key_of(after, family) in right
        outcomes: set[Outcome] = {"judged"}
        if is_right:
            outcomes.add("right")
        if decision.effect in CHANGING and was_right != is_right:
            outcomes.add("helped" if is_right else "harmed")
        opinion = before.opinion if family == "triplet" else ""
        about = before.term, before.ref, opinion, before.polarity, decision.value
        yield decision, about, outcomes


def left_of(before: ComparableTuple, decision: Decided) -> ComparableTuple | None:
    """Return the tuple after a decision; None if it was dropped."""
    match decision.effect:
        case "DROP":
            return None
        case "FLIP":
            return replace(before, polarity=decision.value or before.polarity)
        case "REF":
            return replace(before, ref=clean_ref(decision.value).casefold())
        case _:
            return before


def _rows(counted: Mapping[_Row, _Counted]) -> list[DecisionRow]:
    return [
        DecisionRow(
            name=name,
            action=action,
            judged=found["judged"],
            right=found["right"],
            helped=found["helped"],
            harmed=found["harmed"],
            copies=found["copies"],
            accuracy=found["right"] / found["judged"],
            interval=wilson(found["right"], found["judged"]),
        )
        for (name, action), found in sorted(counted.items())
    ]
