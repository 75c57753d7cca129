"""The data of a report: the runs that could be read, their measures, and what is missing."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from samsim.errors import InputError
from samsim.experiments.artefacts import CompleteRun, Run, RunSample, find_runs, read_run, run_folders
from samsim.metrics.comparison import Comparison, compare
from samsim.metrics.family_scores import FamilyScores
from samsim.metrics.outcomes import outcome_of
from samsim.metrics.repeats import RepeatMetrics, repeats
from samsim.metrics.statistics import DEFAULT_RESAMPLES
from samsim.metrics.summary import RunMetrics, summarise
from samsim.reports.page.sample_pack import DEFAULT_BUDGET, PackedSamples, SamplePacker
from samsim.reports.page.sample_rows import BrowsedSample
from samsim.rules.taxonomy_fit import TaxonomyFit
from samsim.schemas.protocols import is_conflict_review
from samsim.schemas.run_problems import RunProblem, problem_of
from samsim.schemas.runs import DataRecord
from samsim.schemas.scorecards import Family


@dataclass(frozen=True, slots=True)
class Problem:
    """Something missing from a run, or a hint about a complete one."""

    runs: tuple[str, ...]
    problem: RunProblem

    @property
    def run(self) -> str:
        """The names of the runs it is about."""
        return ", ".join(self.runs)

    @property
    def kind(self) -> Literal["missing", "hint"]:
        """Whether something is missing, or this is only a hint."""
        return "hint" if self.problem.code == "taxonomy_misfit" else "missing"


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run under its name in the tables, with everything measured of it.

    ``outcome`` is a digest of all its results. Runs with equal outcomes may share a row: ``same`` then lists
    these runs, and everything else is of the first of them. ``shared`` has the measures over the samples that
    no run of the comparison failed on, if some run failed on any.
    """

    name: str
    run: Run
    metrics: RunMetrics
    damaged: bool
    outcome: str = ""
    same: tuple[MeasuredRun, ...] = field(default=())
    shared: RunMetrics | None = None

    @property
    def tuples(self) -> Mapping[Family, FamilyScores]:
        """The scores by family; if a compared run failed on samples, over those that none of them failed on."""
        return (self.shared or self.metrics).tuples

    @property
    def members(self) -> tuple[MeasuredRun, ...]:
        """The runs behind the name: this one, or all with the same outcome."""
        return self.same or (self,)

    @property
    def outcome_key(self) -> Hashable:
        """The key that runs of other conditions share if every sample has the same outcome."""
        manifest, record = self.run.manifest, data_of(self.run)
        cell = manifest.cell
        if record is None or self.damaged or not self.has_cards:
            return self.name
        whose = (manifest.experiment, cell.protocol, cell.engine, cell.seed, cell.repeat)
        return (*whose, record.sha256, self.outcome)

    @property
    def has_review(self) -> bool:
        """Whether the protocol reviews the tuples of Stage 1; otherwise Stage 1 is final."""
        protocol = self.run.manifest.cell.protocol
        return is_conflict_review(protocol) or protocol == "debate"

    @property
    def is_evaluation(self) -> bool:
        """Whether the run was made for evaluation, not to fill a memory."""
        return self.run.manifest.cell.kind == "evaluation"

    @property
    def has_cards(self) -> bool:
        """Whether the facts known only at inference (risk, memory, cost) were recorded."""
        return self.metrics.cost.samples > 0


@dataclass(frozen=True, slots=True)
class RepeatedCell:
    """A cell that was run several times, with other seeds or as plain repeats."""

    name: str
    kind: Literal["seeds", "repeats"]
    runs: tuple[str, ...]
    metrics: RepeatMetrics


@dataclass(frozen=True)
class Collected:
    """Everything known about the runs of a report."""

    experiment: str
    runs: tuple[MeasuredRun, ...]
    comparisons: tuple[Comparison, ...]
    repeated: tuple[RepeatedCell, ...]
    problems: tuple[Problem, ...]
    samples: PackedSamples
    complete_only: bool = False

    @property
    def partial(self) -> int:
        """How many samples of all runs were decided without some of their calls and are measured anyway."""
        return sum(run.metrics.partial for run in self.runs)

    @property
    def evaluated(self) -> tuple[MeasuredRun, ...]:
        """The runs to compare; if there are none, those that only filled a memory."""
        return tuple(run for run in self.runs if run.is_evaluation) or self.runs

    @cached_property
    def shown(self) -> tuple[MeasuredRun, ...]:
        """The runs to compare, with equal ones merged into one."""
        together: dict[Hashable, list[MeasuredRun]] = {}
        for run in self.evaluated:
            together.setdefault(run.outcome_key, []).append(run)
        return tuple(as_one(runs) for runs in together.values())


def as_one(runs: Sequence[MeasuredRun]) -> MeasuredRun:
    """Merge runs with the same outcome under one name that lists all of theirs."""
    if len(runs) == 1:
        return runs[0]
    return replace(runs[0], name=equal_names([run.name for run in runs]), same=tuple(runs))


def equal_names(names: Sequence[str]) -> str:
    """Return one name for all, in which the later ones do not repeat what they share with the first."""
    parts = [name.split("-") for name in names]
    common = next((at for at, column in enumerate(zip(*parts, strict=False)) if len(set(column)) > 1), 0)
    return " = ".join([names[0], *("-".join(part[common:]) for part in parts[1:])])


def collect(
    paths: Sequence[Path],
    *,
    resamples: int = DEFAULT_RESAMPLES,
    sample_budget: int = DEFAULT_BUDGET,
    complete_only: bool = False,
) -> Collected:
    """Read and measure all runs in the folders; whatever cannot be read is reported as a problem.

    With ``complete_only``, partial samples are treated as failed.
    """
    runs, problems = readable_runs(paths)
    if complete_only:
        runs = [CompleteRun(run.path, run.manifest) for run in runs]
    names = _names(runs)
    packer = SamplePacker(sample_budget)
    measured = []
    for number, (run, name) in enumerate(zip(runs, names, strict=True)):
        reading = _Reading(run, number, packer)
        metrics = summarise(reading.samples(), gold_fields=gold_fields_of(run), resamples=resamples)
        problems += [Problem((name,), found) for found in (*run.problems, *reading.trouble, *reading.fit.hints())]
        measured.append(MeasuredRun(name, run, metrics, bool(reading.trouble), reading.outcome))
    comparisons, more = _comparisons(measured, resamples)
    measured = [_over_shared(run, comparisons, resamples) for run in measured]
    return Collected(
        experiment=" + ".join(dict.fromkeys(run.manifest.experiment for run in runs)),
        runs=tuple(measured),
        comparisons=tuple(comparisons),
        repeated=tuple(_repeated(measured)),
        problems=(*problems, *more),
        samples=packer.pack(),
        complete_only=complete_only,
    )


def readable_runs(paths: Sequence[Path]) -> tuple[list[Run], list[Problem]]:
    """Return the readable runs in the folders, and the problems of the others; raise if none can be read."""
    runs: list[Run] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            runs += find_runs([path])
        except InputError as error:
            inside = run_folders(path)
            if inside in ([], [path]):
                if len(paths) == 1:
                    raise
                problems.append(Problem((path.name,), problem_of(error)))
                continue
            read, unread = _each(inside)
            runs += sorted(read, key=lambda run: (run.manifest.position, run.name))
            problems += unread
    if not runs:
        raise InputError(" ".join(str(found.problem) for found in problems) or "Give the folder of a run.")
    return list({run.path.resolve(): run for run in runs}.values()), problems


def _each(folders: Sequence[Path]) -> tuple[list[Run], list[Problem]]:
    runs, problems = [], []
    for folder in folders:
        try:
            runs.append(read_run(folder))
        except InputError as error:
            problems.append(Problem((folder.name,), problem_of(error)))
    return runs, problems


def data_of(run: Run) -> DataRecord | None:
    """Return the data of the run."""
    return run.data


def gold_fields_of(run: Run) -> Collection[str]:
    """Return the fields of the run's gold: term, ref, opinion."""
    record = data_of(run)
    return () if record is None else record.gold_fields


def _names(runs: Sequence[Run]) -> list[str]:
    """Return the names of the cells, with the experiment's name and then a number added to make them unique."""
    several = len({run.manifest.experiment for run in runs}) > 1
    names = [f"{run.manifest.experiment}/{run.name}" if several else run.name for run in runs]
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[place] = f"{name} ({seen[name]})"
    return names


class _Reading:
    """The samples of one run on their way to the measures; each is packed for the page as it passes."""

    def __init__(self, run: Run, number: int, packer: SamplePacker) -> None:
        self._run = run
        self._number = number
        self._packer = packer
        self.trouble: list[RunProblem] = []
        self.fit = TaxonomyFit()
        self._digest = hashlib.sha256()

    @property
    def outcome(self) -> str:
        """A digest of all results so far."""
        return self._digest.hexdigest()

    def samples(self) -> Iterator[RunSample]:
        fields = gold_fields_of(self._run)
        position = 0
        try:
            for sample in self._run.samples():
                self._packer.add(self._number, position, BrowsedSample(sample, fields))
                position += 1
                if sample.result is not None:
                    self.fit.add(sample.result)
                self._digest.update(_outcome(sample))
                yield sample
        except InputError as error:
            self.trouble.append(RunProblem("unreadable_sample", {"samples": position, "cause": str(error)}))


def _outcome(sample: RunSample) -> bytes:
    outcome = sample.error if sample.result is None else outcome_of(sample.result)
    return repr((sample.uid, outcome)).encode("utf-8", "surrogatepass")


def _comparisons(runs: Sequence[MeasuredRun], resamples: int) -> tuple[list[Comparison], list[Problem]]:
    """Compare the runs over the same data with gold, each with the first of them."""
    groups: dict[str, list[MeasuredRun]] = {}
    for run in runs:
        record = data_of(run.run)
        if run.is_evaluation and not run.damaged and run.metrics.scored and record is not None:
            groups.setdefault(record.sha256, []).append(run)
    found, problems = [], []
    for group in groups.values():
        if len(group) == 1:
            continue
        names = [run.name for run in group]
        try:
            found.append(compare([run.run for run in group], names=names, resamples=resamples))
        except InputError as error:
            problems.append(Problem(tuple(names), RunProblem("no_comparison", {"cause": str(error)})))
    return found, problems


def _over_shared(run: MeasuredRun, comparisons: Sequence[Comparison], resamples: int) -> MeasuredRun:
    """Return the run with its scores over the samples that no run of its comparison failed on."""
    left_out = {uid for found in comparisons if run.name in {row.name for row in found.runs} for uid in found.left_out}
    if not left_out:
        return run
    samples = (sample for sample in run.run.samples() if sample.uid not in left_out)
    return replace(run, shared=summarise(samples, gold_fields=gold_fields_of(run.run), resamples=resamples))


def _repeated(runs: Sequence[MeasuredRun]) -> Iterator[RepeatedCell]:
    cells: dict[tuple[str, ...], list[MeasuredRun]] = {}
    for run in runs:
        record = data_of(run.run)
        if run.is_evaluation and not run.damaged and record is not None and run.metrics.samples > run.metrics.errors:
            cell = run.run.manifest.cell
            key = run.run.manifest.experiment, cell.protocol, cell.condition, cell.engine, record.sha256
            cells.setdefault(key, []).append(run)
    for (_, protocol, condition, engine, _), same in cells.items():
        if len(same) == 1:
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
