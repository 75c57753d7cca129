"""The funnel from all samples to those that were helped or harmed.

flagged: a conflict flag or a validator risk was raised; reviewed: something was put to a decision;
changed: a tuple was dropped or altered. Helped and harmed count the changed samples that the run's primary
family can score, by the sample's F1 in it (final above or below Stage 1). They are 0 if nothing was
changed and None without gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from samsim.metrics.family_scores import STAGES, sample_f1
from samsim.metrics.samples import JudgedSample
from samsim.metrics.scoring import FamilyKeys
from samsim.metrics.tuples import count
from samsim.rules.decided import CHANGING, decisions_of, was_reviewed
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.results import SampleResult
from samsim.schemas.scorecards import Family


class Funnel(Written):
    """How many samples reached each step; ``judged`` are the changed ones that the family can score."""

    samples: int
    failed: int
    flagged: int
    reviewed: int
    changed: int
    judged: int
    helped: int | None
    harmed: int | None
    unaffected: int | None
    family: Family | None


@dataclass(slots=True)
class FunnelTally:
    """Counts how many samples reach each step."""

    counts: Counter[str] = field(default_factory=Counter)
    by_family: dict[Family, Counter[str]] = field(default_factory=dict)

    def add_failed(self) -> None:
        """Count a sample without a result."""
        self.counts["samples"] += 1
        self.counts["failed"] += 1

    def add(self, result: SampleResult, gold: JudgedSample | None) -> None:
        """Count one sample."""
        changed = any(decision.effect in CHANGING for decision in decisions_of(result))
        self.counts["samples"] += 1
        self.counts["flagged"] += bool(result.conflict_flags or result.validator_risks)
        self.counts["reviewed"] += was_reviewed(result)
        self.counts["changed"] += changed
        if changed and gold is not None:
            self._judge(gold.keys)

    def _judge(self, keys: Mapping[Family, FamilyKeys]) -> None:
        # The run's primary family is known only at the end.
        for family, found in keys.items():
            before, after = (sample_f1(count(found.of(stage), found.gold)) for stage in STAGES)
            counts = self.by_family.setdefault(family, Counter())
            counts["judged"] += 1
            counts["helped"] += after > before
            counts["harmed"] += after < before

    def funnel(self, primary: Family | None) -> Funnel:
        """Return the counts so far, judged in the run's primary family (None without gold)."""
        counts = Counter() if primary is None else self.by_family.get(primary, Counter())
        judged, helped, harmed = counts["judged"], counts["helped"], counts["harmed"]
        has_gold = primary is not None
        return Funnel(
            samples=self.counts["samples"],
            failed=self.counts["failed"],
            flagged=self.counts["flagged"],
            reviewed=self.counts["reviewed"],
            changed=self.counts["changed"],
            judged=judged,
            helped=helped if has_gold else None,
            harmed=harmed if has_gold else None,
            unaffected=judged - helped - harmed if has_gold else None,
            family=primary,
        )
