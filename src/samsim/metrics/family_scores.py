"""The scores of one run in one family, and the small computations behind them.

Micro pools the counts of all samples. ``macro`` is the mean over samples of each sample's F1, 1.0
if neither gold nor prediction has a tuple. ``macro_polarity`` is the mean micro F1 over the polarities
that occur in the gold. A delta is final - Stage 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
from pydantic import Field

from samsim.metrics.baselines import BaselineName, trivial_answers
from samsim.metrics.statistics import CountTable, Interval
from samsim.metrics.tuples import Key, Score, count, spelled
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import ScoredStage

STAGES: tuple[ScoredStage, ...] = get_args(ScoredStage)


class Rates(Written):
    """Counts with the rates derived from them."""

    matched: int
    predicted: int
    gold: int
    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, score: Score) -> Rates:
        """Compute the rates from counts."""
        return cls(
            matched=score.matched,
            predicted=score.predicted,
            gold=score.gold,
            precision=score.precision,
            recall=score.recall,
            f1=score.f1,
        )


class StageScores(Written):
    """One stage in one family; ``interval`` is the 95 % bootstrap interval of micro F1 over samples.

    ``macro_polarity`` is None if the gold has no polarity to average over.
    """

    micro: Rates
    macro: float
    macro_polarity: float | None
    interval: Interval | None


class ScoreDelta(Written):
    """Final - Stage 1; ``p_value`` of the paired permutation test of the micro F1 difference."""

    precision: float
    recall: float
    f1: float
    macro: float
    macro_polarity: float | None
    interval: Interval | None
    p_value: float


class BaselineScores(Written):
    """The scores of a trivial answer; ``answer`` is that answer in words."""

    answer: list[str]
    micro: Rates
    macro: float


class SubsetPart(Written):
    """One part of a breakdown; ``samples`` is None if the parts are tuples."""

    samples: int | None
    stage1: Rates
    final: Rates


class FamilyScores(Written):
    """Everything about one family. ``subsets`` are breakdowns by name and part; each adds up to the total.

    ``unmatchable`` counts gold tuples that cannot be matched in this family (no ref, no attribute). ``ceiling``
    is the F1 of an answer that has all gold tuples, those included: the most a system can reach. None if the
    gold has no tuple.
    """

    samples: int
    exact_samples: dict[ScoredStage, int]
    stage1: StageScores
    final: StageScores
    delta: ScoreDelta
    subsets: dict[str, dict[str, SubsetPart]] = Field(default_factory=dict)
    baselines: dict[BaselineName, BaselineScores] = Field(default_factory=dict)
    unmatchable: int = 0
    ceiling: float | None = None


def sample_f1(score: Score) -> float:
    """Return the F1 of one sample; an empty prediction for empty gold is right."""
    return score.f1 if score.predicted or score.gold else 1.0


def count_table(rows: Sequence[tuple[int, int, int]]) -> CountTable:
    """Return rows of (matched, predicted, gold) as an array."""
    return np.asarray(rows, dtype=np.int64).reshape(-1, 3)


def total_of(table: CountTable) -> Score:
    """Return the pooled counts."""
    matched, predicted, gold = table.sum(axis=0).tolist()
    return Score(matched, predicted, gold)


def macro_of(table: CountTable) -> float:
    """Return the mean F1 of the samples."""
    return float(np.mean([sample_f1(Score(*row)) for row in table.tolist()])) if len(table) else 0.0


def baseline_scores(gold: Sequence[frozenset[Key]]) -> dict[BaselineName, BaselineScores]:
    """Return the scores of the trivial answers on this gold."""
    found = {}
    for name, answer in trivial_answers(gold).items():
        scores = [count(answer, right) for right in gold]
        table = count_table([(score.matched, score.predicted, score.gold) for score in scores])
        found[name] = BaselineScores(
            answer=[spelled(key) for key in sorted(answer)],
            micro=Rates.of(total_of(table)),
            macro=macro_of(table),
        )
    return found
