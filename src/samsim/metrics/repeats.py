"""RQ2: how stable a cell is over several runs (other seeds, or plain repeats).

Over the samples that have a result in every run:

- exact agreement: share of samples whose final tuples (term, ref, opinion, polarity) are the same set in
  all runs; ``exact_pairs`` is the mean over pairs of runs; ``identical`` is the share with the same outcome in
  every part (``outcomes``): tuples of both stages, flags, risks and marks;
- Jaccard: mean over samples and pairs of runs of |intersection| / |union|, 1 if both are empty;
- flip-flop: of the (sample, aspect) units that at least two runs found, the share whose polarity differs
  among these; presence: of all units, the share that not every run found;
- polarity agreement: raw and α over the same units, with runs as raters, None for a run that missed the unit;
- F1 per run with mean, variance (n - 1) and range: a spread over a few runs, not a confidence interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, variance

from pydantic import Field

from samsim.errors import InputError
from samsim.metrics.agent_labels import polarity_labels
from samsim.metrics.agreement import Agreement, Unit, agreement_of
from samsim.metrics.family_scores import STAGES
from samsim.metrics.outcomes import Outcome, outcome_of
from samsim.metrics.samples import MeasuredSample, judged
from samsim.metrics.statistics import Share
from samsim.metrics.systems import final_triplets
from samsim.metrics.tuples import FAMILIES, ComparableTuple, Score, comparable, count
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import Family, ScoredStage


@dataclass(frozen=True, slots=True)
class _Read:
    """The data kept of one sample of one run."""

    outcome: Outcome
    final: frozenset[ComparableTuple]
    scores: dict[tuple[Family, ScoredStage], Score]


class Spread(Written):
    """One measure over runs."""

    values: list[float]
    mean: float
    variance: float
    low: float
    high: float


class RepeatMetrics(Written):
    """How far several runs of the same cell agree."""

    runs: int
    samples: int
    left_out: int
    exact: Share
    identical: Share
    exact_pairs: float | None
    jaccard: float | None
    flip_flop: Share
    presence: Share
    polarity: Agreement
    f1: dict[Family, dict[ScoredStage, Spread]] = Field(default_factory=dict)


def repeats(
    runs: Sequence[Iterable[MeasuredSample]], *, gold_fields: Collection[str], names: Sequence[str] | None = None
) -> RepeatMetrics:
    """Measure the agreement of two or more runs over the same samples."""
    if len(runs) < 2:
        raise InputError("Agreement over repeats needs at least two runs. Repeat the run with another seed.")
    read = [_read(run, gold_fields) for run in runs]
    shared = [uid for uid in read[0] if all(uid in other for other in read[1:])]
    by_uid = [[found[uid].final for found in read] for uid in shared]
    units = _units(by_uid)
    return RepeatMetrics(
        runs=len(runs),
        samples=len(shared),
        left_out=len(set().union(*read)) - len(shared),
        exact=Share.of_cases(sum(len(set(sets)) == 1 for sets in by_uid), len(by_uid)),
        identical=Share.of_cases(sum(len({found[uid].outcome for found in read}) == 1 for uid in shared), len(shared)),
        exact_pairs=_mean_over_pairs(by_uid, lambda one, other: float(one == other)),
        jaccard=_mean_over_pairs(by_uid, jaccard),
        flip_flop=_flip_flop(units),
        presence=Share.of_cases(sum(n for unit, n in units.items() if None in unit), units.total()),
        polarity=agreement_of(units, names or [str(number) for number in range(1, len(runs) + 1)]),
        f1=_spreads([[found[uid] for uid in shared] for found in read]),
    )


def jaccard(one: frozenset[ComparableTuple], other: frozenset[ComparableTuple]) -> float:
    """Return |intersection| / |union|; 1 for two empty sets."""
    return len(one & other) / len(one | other) if one or other else 1.0


def _read(run: Iterable[MeasuredSample], gold_fields: Collection[str]) -> dict[str, _Read]:
    found: dict[str, _Read] = {}
    for sample in run:
        if sample.result is None:
            continue
        against_gold = judged(sample, gold_fields)
        keys = against_gold.keys if against_gold is not None else {}
        found[sample.uid] = _Read(
            outcome_of(sample.result),
            frozenset(comparable(final_triplets(sample.result.final_tuples))),
            {(family, stage): count(keys[family].of(stage), keys[family].gold) for family in keys for stage in STAGES},
        )
    return found


def _units(by_uid: Iterable[Sequence[frozenset[ComparableTuple]]]) -> Counter[Unit]:
    """Count the polarities each run gave, one unit per sample and aspect."""
    units: Counter[Unit] = Counter()
    for sets in by_uid:
        labels = [polarity_labels(found) for found in sets]
        for aspect in set().union(*labels):
            units[tuple(said.get(aspect) for said in labels)] += 1
    return units


def _flip_flop(units: Counter[Unit]) -> Share:
    found = changed = 0
    for unit, times in units.items():
        given = [label for label in unit if label is not None]
        if len(given) > 1:
            found += times
            changed += times * (len(set(given)) > 1)
    return Share.of_cases(changed, found)


def _mean_over_pairs(
    by_uid: Sequence[Sequence[frozenset[ComparableTuple]]],
    likeness: Callable[[frozenset[ComparableTuple], frozenset[ComparableTuple]], float],
) -> float | None:
    values = [likeness(one, other) for sets in by_uid for one, other in combinations(sets, 2)]
    return fmean(values) if values else None


def _spreads(runs: Sequence[Sequence[_Read]]) -> dict[Family, dict[ScoredStage, Spread]]:
    """Return the spread of F1 over the runs, for the families that the gold can score."""
    totals = [_totals(run) for run in runs]
    families = [family for family in FAMILIES if all((family, "final") in total for total in totals)]
    return {
        family: {stage: _spread([total[family, stage].f1 for total in totals]) for stage in STAGES}
        for family in families
        if any(total[family, "final"].gold for total in totals)
    }


def _totals(run: Sequence[_Read]) -> dict[tuple[Family, ScoredStage], Score]:
    totals: dict[tuple[Family, ScoredStage], Score] = {}
    for sample in run:
        for place, score in sample.scores.items():
            totals[place] = totals[place] + score if place in totals else score
    return totals


def _spread(values: list[float]) -> Spread:
    return Spread(values=values, mean=fmean(values), variance=variance(values), low=min(values), high=max(values))
