"""What a report is made of: the runs that could be read, what was measured of them, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from samsim.errors import InputError
from samsim.experiments.artefacts import MANIFEST, Run, RunSample, find_runs, load_run
from samsim.metrics.comparison import Comparison, compare
from samsim.metrics.repeats import RepeatMetrics, repeats
from samsim.metrics.statistics import DEFAULT_RESAMPLES
from samsim.metrics.summary import RunMetrics, summarise
from samsim.reports.sample_pack import DEFAULT_BUDGET, PackedSamples, SamplePacker
from samsim.reports.sample_rows import BrowsedSample
from samsim.schemas.runs import DataRecord

# Two of anything make a comparison.
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Problem:
    """What is missing of a run, in words that say what to do."""

    run: str
    words: str


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run under the name the tables use, with everything measured of it."""

    name: str
    run: Run
    metrics: RunMetrics
    damaged: bool

    @property
    def is_evaluation(self) -> bool:
        """Whether it was run to be measured, not to fill a memory."""
        return self.run.manifest.cell.kind == "evaluation"

    @property
    def has_cards(self) -> bool:
        """Whether what is known at inference only (risk, memory, cost) was recorded."""
        return self.metrics.cost.samples > 0


@dataclass(frozen=True, slots=True)
class RepeatedCell:
    """The same cell, run several times with other seeds or as plain repeats."""

    name: str
    kind: Literal["seeds", "repeats"]
    runs: tuple[str, ...]
    metrics: RepeatMetrics


@dataclass(frozen=True, slots=True)
class Collected:
    """All that is known about the runs of a report."""

    experiment: str
    runs: tuple[MeasuredRun, ...]
    comparisons: tuple[Comparison, ...]
    repeated: tuple[RepeatedCell, ...]
    problems: tuple[Problem, ...]
    samples: PackedSamples

    @property
    def evaluated(self) -> tuple[MeasuredRun, ...]:
        """The runs that are compared; those that only filled a memory where there are no others."""
        return tuple(run for run in self.runs if run.is_evaluation) or self.runs


def collect(
    paths: Sequence[Path], *, resamples: int = DEFAULT_RESAMPLES, sample_budget: int = DEFAULT_BUDGET
) -> Collected:
    """Read and measure all runs in the folders; what cannot be read is told, not guessed."""
    runs, problems = readable_runs(paths)
    names = _names(runs)
    packer = SamplePacker(sample_budget)
    measured = []
    for number, (run, name) in enumerate(zip(runs, names, strict=True)):
        reading = _Reading(run, number, packer)
        metrics = summarise(reading.samples(), gold_fields=gold_fields_of(run), resamples=resamples)
        problems += [Problem(name, words) for words in (*run.problems, *reading.trouble)]
        measured.append(MeasuredRun(name, run, metrics, damaged=bool(reading.trouble)))
    comparisons, more = _comparisons(measured, resamples)
    return Collected(
        experiment=" + ".join(dict.fromkeys(run.manifest.experiment for run in runs)),
        runs=tuple(measured),
        comparisons=tuple(comparisons),
        repeated=tuple(_repeated(measured)),
        problems=(*problems, *more),
        samples=packer.pack(),
    )


def readable_runs(paths: Sequence[Path]) -> tuple[list[Run], list[Problem]]:
    """The runs in the folders; of an experiment, those that can be read. None at all is an error."""
    runs: list[Run] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            runs += find_runs([path])
        except InputError as error:
            inside = sorted(place.parent for place in path.glob(f"*/{MANIFEST}"))
            if (path / MANIFEST).exists() or not inside:
                if len(paths) == 1:
                    raise
                problems.append(Problem(path.name, str(error)))
                continue
            read, unread = _each(inside)
            runs += sorted(read, key=lambda run: (run.manifest.position, run.name))
            problems += unread
    if not runs:
        raise InputError(" ".join(problem.words for problem in problems) or "Give the folder of a run.")
    return list({run.path.resolve(): run for run in runs}.values()), problems


def _each(folders: Sequence[Path]) -> tuple[list[Run], list[Problem]]:
    runs, problems = [], []
    for folder in folders:
        try:
            runs.append(load_run(folder))
        except InputError as error:
            problems.append(Problem(folder.name, str(error)))
    return runs, problems


def data_of(run: Run) -> DataRecord | None:
    """What the run was run over."""
    return run.manifest.data.get("memory" if run.manifest.cell.kind == "memory_building" else "evaluation")


def gold_fields_of(run: Run) -> Collection[str]:
    """What the gold of the run says: term, ref, opinion."""
    record = data_of(run)
    return () if record is None else record.gold_fields


def _names(runs: Sequence[Run]) -> list[str]:
    """The cell's name; with the experiment's, and then a number, where that is not enough."""
    several = len({run.manifest.experiment for run in runs}) > 1
    names = [f"{run.manifest.experiment}/{run.name}" if several else run.name for run in runs]
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[place] = f"{name} ({seen[name]})"
    return names


class _Reading:
    """The samples of one run on their way to the measures, each packed for the page as it passes."""

    def __init__(self, run: Run, number: int, packer: SamplePacker) -> None:
        self._run = run
        self._number = number
        self._packer = packer
        self.trouble: list[str] = []

    def samples(self) -> Iterator[RunSample]:
        fields = gold_fields_of(self._run)
        position = 0
        try:
            for sample in self._run.samples():
                self._packer.add(self._number, position, BrowsedSample(sample, fields))
                position += 1
                yield sample
        except InputError as error:
            self.trouble.append(f"only the first {position} samples could be read. {error}")


def _comparisons(runs: Sequence[MeasuredRun], resamples: int) -> tuple[list[Comparison], list[Problem]]:
    """Runs over the same data with gold, compared with the first of them."""
    groups: dict[str, list[MeasuredRun]] = {}
    for run in runs:
        record = data_of(run.run)
        if run.is_evaluation and not run.damaged and run.metrics.scored and record is not None:
            groups.setdefault(record.sha256, []).append(run)
    found, problems = [], []
    for group in groups.values():
        if len(group) < _PAIR:
            continue
        names = [run.name for run in group]
        try:
            found.append(compare([run.run for run in group], names=names, resamples=resamples))
        except InputError as error:
            problems.append(Problem(", ".join(names), f"no comparison: {error}"))
    return found, problems


def _repeated(runs: Sequence[MeasuredRun]) -> Iterator[RepeatedCell]:
    cells: dict[tuple[str, ...], list[MeasuredRun]] = {}
    for run in runs:
        record = data_of(run.run)
        if run.is_evaluation and not run.damaged and record is not None and run.metrics.samples > run.metrics.errors:
            cell = run.run.manifest.cell
            key = run.run.manifest.experiment, cell.protocol, cell.condition, cell.engine, record.sha256
            cells.setdefault(key, []).append(run)
    for (_, protocol, condition, engine, _), same in cells.items():
        if len(same) < _PAIR:
            continue
        seeds = {run.run.manifest.cell.seed for run in same}
        yield RepeatedCell(
            name=f"{protocol}-{condition} ({engine})",
            kind="seeds" if len(seeds) > 1 else "repeats",
            runs=tuple(run.name for run in same),
            metrics=repeats(
                [run.run.samples() for run in same],
                gold_fields=gold_fields_of(same[0].run),
                names=[run.name for run in same],
            ),
        )
