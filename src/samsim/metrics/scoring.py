"""The counts of one sample: Stage 1 and final against gold, in every family the gold can score."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from samsim.metrics.systems import final_triplets
from samsim.metrics.tuples import (
    FAMILIES,
    ComparableTuple,
    Key,
    TupleLike,
    comparable,
    count,
    families_of,
    gold_keys,
    predicted_keys,
)
from samsim.schemas.results import SampleResult
from samsim.schemas.scorecards import Counts, Family, GoldRecord, ScoredStage


@dataclass(frozen=True, slots=True)
class FamilyKeys:
    """One sample in one family: the gold's keys, those claimed in Stage 1 and those claimed finally."""

    gold: frozenset[Key]
    stage1: frozenset[Key]
    final: frozenset[Key]

    def of(self, stage: ScoredStage) -> frozenset[Key]:
        """Return the keys that a stage claimed."""
        return self.stage1 if stage == "stage1" else self.final


@dataclass(frozen=True, slots=True)
class JudgedTuples:
    """The tuples of one sample in comparable form.

    Stage 1 is the union of all candidates; final are the remaining tuples, one per opinion.
    """

    gold: Sequence[ComparableTuple]
    stage1: Sequence[ComparableTuple]
    final: Sequence[ComparableTuple]

    @classmethod
    def of(cls, result: SampleResult, gold: Sequence[TupleLike]) -> JudgedTuples:
        """Build the comparable tuples of a result and its gold."""
        return cls(comparable(gold), comparable(result.stage1_tuples), comparable(final_triplets(result.final_tuples)))

    def keys(self, gold_fields: Collection[str]) -> dict[Family, FamilyKeys]:
        """Return the keys in every family that the gold can score.

        A sample whose gold has tuples, but none with a ref (an attribute), says nothing about ``ref_pol``
        (``attr_pol``) and is left out of it. Gold annotated as empty makes every claim wrong; if all gold is
        empty, and so has no fields either, that holds in every family.
        """
        found = {}
        for family in families_of(gold_fields) if gold_fields or self.gold else FAMILIES:
            right = gold_keys(self.gold, family)
            if self.gold and not right:
                continue
            found[family] = FamilyKeys(right, predicted_keys(self.stage1, family), predicted_keys(self.final, family))
        return found


def counts_of(keys: Mapping[Family, FamilyKeys]) -> dict[Family, dict[ScoredStage, Counts]]:
    """Return the counts of both stages."""
    return {
        family: {"stage1": _counts(found.stage1, found.gold), "final": _counts(found.final, found.gold)}
        for family, found in keys.items()
    }


def score_card_counts(
    result: SampleResult, gold: Sequence[GoldRecord], gold_fields: Collection[str]
) -> dict[Family, dict[ScoredStage, Counts]]:
    """Return the counts for a scorecard: both stages in every family that the gold's fields support."""
    return counts_of(JudgedTuples.of(result, gold).keys(gold_fields))


def _counts(claimed: frozenset[Key], right: frozenset[Key]) -> Counts:
    found = count(claimed, right)
    return Counts(matched=found.matched, predicted=found.predicted, gold=found.gold)
