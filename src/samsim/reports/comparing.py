"""Comparing runs and experiments, given as objects or folders, with the first of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from samsim.experiments.artefacts import CompleteRun, Run, find_runs
from samsim.experiments.run_set import RunSource, folders_of
from samsim.metrics.comparison import Comparison
from samsim.metrics.comparison import compare as compare_runs
from samsim.metrics.statistics import DEFAULT_RESAMPLES, DEFAULT_SEED
from samsim.schemas.scorecards import Family


@dataclass(frozen=True, slots=True)
class RunsToCompare:
    """The evaluation runs, with unique names, and notes for the reader."""

    runs: Sequence[Run]
    names: Sequence[str]
    notes: Sequence[str]
    damaged: bool


def compare(
    *runs: RunSource,
    families: Iterable[Family] | None = None,
    complete_only: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Comparison:
    """Compare runs over the same samples with the first one: paired tests, intervals, and every tuple that flipped.

    ``runs`` are runs, experiments, or their folders; runs over different data raise an error that says what differs.
    ``families`` says which parts of a tuple must be right (triplet, ref_pol, ote_pol, attr_pol); the default is all
    families that the gold can score. ``complete_only`` leaves out samples that are partial in a run. Warns about
    anything missing from a run.
    """
    read = runs_to_compare(runs, complete_only=complete_only)
    for note in read.notes:
        warnings.warn(note, stacklevel=2)
    return compare_runs(read.runs, families=families, names=read.names, resamples=resamples, seed=seed)


def runs_to_compare(sources: Iterable[RunSource], *, complete_only: bool = False) -> RunsToCompare:
    """Find the evaluation runs; those that only filled a memory use other data on purpose and are left out."""
    found: list[Run] = find_runs(folders_of(sources))
    if complete_only:
        found = [CompleteRun(run.path, run.manifest) for run in found]
    kept, names, notes = [], [], []
    for run, name in zip(found, _names(found), strict=True):
        notes += [f"{name}: {problem}" for problem in run.problems]
        if run.manifest.cell.kind == "memory_building":
            notes.append(f"{name} only filled a memory; it is left out.")
        else:
            kept.append(run)
            names.append(name)
    return RunsToCompare(kept, names, notes, damaged=any(run.problems for run in found))


def _names(runs: Sequence[Run]) -> list[str]:
    """Return the short names if they are unique, else the folders."""
    short = [run.name for run in runs]
    return short if len(set(short)) == len(short) else [str(run.path) for run in runs]
