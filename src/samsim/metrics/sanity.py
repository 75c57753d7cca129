"""Checks of the measures themselves, computed from the run's own data; each of them can fail.

- ``gold_as_prediction``: the gold tuples that can be matched in a family, given as an answer, have F1 = 1
  (not checked if there are none). The loss from the others is in ``FamilyScores.ceiling`` and no failure;
- ``no_change``: using the final tuples for both stages gives a delta of 0 and no fix or break;
- ``subsets_add_up``: the parts of every breakdown sum to the total, for every count and stage;
- ``scorecards_agree``: the counts recorded in the scorecards are the ones recomputed now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from samsim.metrics.correction import gold_changes, spurious_changes
from samsim.metrics.family_scores import STAGES, FamilyScores, Rates
from samsim.metrics.samples import JudgedSample
from samsim.metrics.scoring import FamilyKeys, counts_of
from samsim.metrics.tuples import Score, count, key_of, predicted_keys
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import Family


class SanityCheck(Written):
    """One check: the actual value, the expected value and the number of samples."""

    name: str
    family: Family | None
    ok: bool
    value: float
    expected: float
    samples: int


@dataclass(slots=True)
class _FamilyTally:
    gold_to_gold: Score = field(default_factory=lambda: Score(0, 0, 0))
    stage1: Score = field(default_factory=lambda: Score(0, 0, 0))
    final: Score = field(default_factory=lambda: Score(0, 0, 0))
    changes: int = 0
    samples: int = 0


@dataclass(slots=True)
class SanityTally:
    """Runs the checks that need every sample."""

    families: dict[Family, _FamilyTally] = field(default_factory=dict)
    cards: int = 0
    disagreeing_cards: int = 0

    def add(self, sample: JudgedSample) -> None:
        """Check one sample."""
        for family, keys in sample.keys.items():
            tally = self.families.setdefault(family, _FamilyTally())
            tally.samples += 1
            asking = [item for item in sample.tuples.gold if key_of(item, family) in keys.gold]
            tally.gold_to_gold += count(predicted_keys(asking, family), keys.gold)
            unchanged = FamilyKeys(keys.gold, stage1=keys.final, final=predicted_keys(sample.tuples.final, family))
            tally.stage1 += count(unchanged.stage1, unchanged.gold)
            tally.final += count(unchanged.final, unchanged.gold)
            found = [*gold_changes(unchanged), *spurious_changes(unchanged)]
            tally.changes += sum(change in ("fix", "break") for change in found)
        if sample.card.scores:
            self.cards += 1
            self.disagreeing_cards += sample.card.scores != counts_of(sample.keys)

    def checks(self, scores: Mapping[Family, FamilyScores]) -> list[SanityCheck]:
        """Return all checks of the reported families."""
        found = [check for family in scores for check in self._family_checks(family, scores[family])]
        if self.cards:
            agreeing = self.cards - self.disagreeing_cards
            found.append(_check("scorecards_agree", None, agreeing / self.cards, 1.0, self.cards))
        return found

    def _family_checks(self, family: Family, scores: FamilyScores) -> list[SanityCheck]:
        tally = self.families[family]
        moved = abs(tally.final.f1 - tally.stage1.f1) + tally.changes
        wrong = sum(not adds_up(scores, name) for name in scores.subsets)
        own = [_check("gold_as_prediction", family, tally.gold_to_gold.f1, 1.0, tally.samples)]
        return [
            *(own if tally.gold_to_gold.gold else []),
            _check("no_change", family, moved, 0.0, tally.samples),
            _check("subsets_add_up", family, wrong, 0.0, tally.samples),
        ]


def adds_up(scores: FamilyScores, subset: str) -> bool:
    """Return whether the parts of a breakdown sum to the total in both stages."""
    parts = scores.subsets[subset].values()
    for stage in STAGES:
        total = getattr(scores, stage).micro
        summed = Score(0, 0, 0)
        for part in parts:
            rates: Rates = getattr(part, stage)
            summed += Score(rates.matched, rates.predicted, rates.gold)
        if (summed.matched, summed.predicted, summed.gold) != (total.matched, total.predicted, total.gold):
            return False
    return True


def _check(name: str, family: Family | None, value: float, expected: float, samples: int) -> SanityCheck:
    return SanityCheck(name=name, family=family, ok=value == expected, value=value, expected=expected, samples=samples)
