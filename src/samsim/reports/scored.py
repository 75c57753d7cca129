"""The scores of the runs in one family as tables, figures and the terminal show them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from samsim.metrics.baselines import BaselineName
from samsim.metrics.comparison import Contrast, GroupRow
from samsim.metrics.family_scores import BaselineScores, FamilyScores, Rates, ScoreDelta
from samsim.metrics.statistics import Interval
from samsim.metrics.tuples import Score
from samsim.reports.collecting import Collected, MeasuredRun, data_of, equal_names
from samsim.schemas.scorecards import Family


@dataclass(frozen=True, slots=True)
class Scored:
    """One row: a run, pooled repeats of a run, or several of these with the same outcome.

    ``spread`` is the range of F1 over repeats, None for a single run. ``delta`` is None if the protocol has no
    review, and for repeats, which are not tested stage against stage.
    """

    name: str
    runs: tuple[MeasuredRun, ...]
    repeats: int
    samples: int
    stage1: Rates
    final: Rates
    interval: Interval | None
    spread: tuple[float, float] | None
    delta: ScoreDelta | None
    contrast: Contrast | None

    @property
    def row_name(self) -> str:
        """The name, with how many runs were pooled."""
        return self.name if self.repeats == 1 else f"{self.name} ×{self.repeats}"

    @property
    def failed(self) -> int:
        """How many samples failed in the runs of this row."""
        return sum(run.metrics.errors for run in self.runs[: self.repeats])

    @property
    def partial(self) -> int:
        """How many samples in the runs of this row were decided without some of their calls."""
        return sum(run.metrics.partial for run in self.runs[: self.repeats])


@dataclass(frozen=True, slots=True)
class _Cell:
    """Runs of one cell; those that were compared together have a group."""

    name: str
    runs: tuple[MeasuredRun, ...]
    group: GroupRow | None = None


def scored_runs(collected: Collected, family: Family, *, single: bool = False) -> list[Scored]:
    """Return the rows that the family can score, in their order: repeats pooled, or every run by itself."""
    contrasts = contrasts_of(collected, family)
    together: dict[Hashable, list[_Cell]] = {}
    for cell in _cells(collected, single=single):
        if all(family in run.tuples for run in cell.runs):
            together.setdefault(tuple(run.outcome_key for run in cell.runs), []).append(cell)
    return [_scored(cells, family, contrasts.get(cells[0].name)) for cells in together.values()]


def has_repeats(collected: Collected) -> bool:
    """Return whether any row stands for several runs of one cell."""
    return any(len(cell.runs) > 1 for cell in _cells(collected, single=False))


def _cells(collected: Collected, *, single: bool) -> list[_Cell]:
    by_name = {run.name: run for run in collected.evaluated}
    groups = {} if single else {row.runs[0]: row for found in collected.comparisons for row in found.groups}
    pooled = {name for row in groups.values() for name in row.runs[1:]}
    found = []
    for run in collected.evaluated:
        row = groups.get(run.name)
        if row is not None and len(row.runs) > 1:
            found.append(_Cell(row.name, tuple(by_name[name] for name in row.runs), row))
        elif run.name not in pooled:
            found.append(_Cell(run.name, (run,)))
    return found


def _scored(cells: Sequence[_Cell], family: Family, contrast: Contrast | None) -> Scored:
    first = cells[0]
    scores = [run.tuples[family] for run in first.runs]
    pooled = None if first.group is None else first.group.scores.get(family)
    stage1 = [score.stage1.micro for score in scores]
    return Scored(
        name=equal_names([cell.name for cell in cells]),
        runs=tuple(run for cell in cells for run in cell.runs),
        repeats=len(first.runs),
        samples=min(score.samples for score in scores),
        stage1=_together(stage1),
        final=scores[0].final.micro if pooled is None else pooled.micro,
        interval=scores[0].final.interval if pooled is None else pooled.interval,
        spread=None if pooled is None else (min(pooled.f1_runs), max(pooled.f1_runs)),
        delta=scores[0].delta if first.runs[0].has_review and pooled is None else None,
        contrast=contrast,
    )


def _together(rates: Sequence[Rates]) -> Rates:
    """Return the rates of the pooled counts."""
    counts = ([rate.matched for rate in rates], [rate.predicted for rate in rates], [rate.gold for rate in rates])
    return Rates.of(Score(*map(sum, counts)))


def contrasts_of(collected: Collected, family: Family) -> dict[str, Contrast]:
    """Return each run's contrast with the baseline of its comparison."""
    return {
        contrast.run: contrast
        for found in collected.comparisons
        for contrast in found.contrasts
        if contrast.family == family
    }


def trivial_scores(collected: Collected, family: Family) -> list[tuple[int, dict[BaselineName, BaselineScores]]]:
    """Return the trivial answers once per data set, with the number of samples of the run that has the most."""
    most: dict[str, FamilyScores] = {}
    for run in collected.evaluated:
        scores, record = run.metrics.tuples.get(family), data_of(run.run)
        key = "" if record is None else record.sha256
        if scores is not None and (key not in most or scores.samples > most[key].samples):
            most[key] = scores
    return [(scores.samples, scores.baselines) for scores in most.values()]


def best_trivial(collected: Collected, family: Family) -> float | None:
    """Return the best score of a trivial answer."""
    found = trivial_scores(collected, family)
    return max((score.micro.f1 for _, answers in found for score in answers.values()), default=None)
