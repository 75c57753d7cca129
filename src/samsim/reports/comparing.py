"""Comparing runs and experiments, given as objects or folders, with the first of them."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from samsim.arguments import check_number, check_several
from samsim.errors import ConfigError
from samsim.experiments.artefacts import CompleteRun, Run, find_runs
from samsim.experiments.run_set import Experiment, RunSource, folders_of
from samsim.metrics.comparison import Comparison
from samsim.metrics.comparison import compare as compare_runs
from samsim.metrics.statistics import DEFAULT_RESAMPLES, DEFAULT_SEED
from samsim.metrics.tuples import FAMILIES
from samsim.schemas.scorecards import Family


@dataclass(frozen=True, slots=True)
class RunsToCompare:
    """The evaluation runs, with unique names, and notes for the reader."""

    runs: Sequence[Run]
    names: Sequence[str]
    notes: Sequence[str]
    damaged: bool


def compare(
    *runs: str | Path | Run | Experiment,
    families: Iterable[str] | None = None,
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
    check_number(resamples, "resamples", least=1, whole=True)
    check_number(seed, "seed", least=0, whole=True)
    check_several(families, "families", '"triplet"')
    wanted = None if families is None else list(families)
    if wanted == []:
        raise ConfigError(f"families is empty. Give some of {', '.join(FAMILIES)}, or leave it out for all.")
    read = runs_to_compare(runs, complete_only=complete_only)
    for note in read.notes:
        warnings.warn(note, stacklevel=2)
    found = compare_runs(
        read.runs, families=cast("list[Family] | None", wanted), names=read.names, resamples=resamples, seed=seed
    )
    flipped = {flip.uid for contrast in found.contrasts for flip in contrast.tuple_flips}
    return found.model_copy(update={"texts": texts_of(read.runs[0], flipped)})


def texts_of(run: Run, uids: Collection[str]) -> dict[str, str]:
    """Return the texts of some samples; all runs of a comparison are over the same ones."""
    if not uids:
        return {}
    results = (sample.result for sample in run.samples() if sample.uid in uids)
    return {result.uid: result.text for result in results if result is not None}


def runs_to_compare(sources: Iterable[RunSource], *, complete_only: bool = False) -> RunsToCompare:
    """Find the evaluation runs; those that only filled a memory use other data on purpose and are left out."""
    found: list[Run] = find_runs(folders_of(sources, "compare(one, two)"))
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
