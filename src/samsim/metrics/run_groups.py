"""Grouping of runs that differ only in their seed or repeat.

The unit of every test is the sample: repeats of a cell are more observations of the same samples, never more
samples. A group's counts of a sample are therefore the sums over its runs, and resampling or swapping moves a
sample with everything its group said about it. Flips and verdicts need a single answer: the tuples that more
than half of the group's runs claim.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from samsim.metrics.compared_runs import Keys, PairedRun
from samsim.metrics.family_scores import count_table
from samsim.metrics.outcomes import PARTS, Part
from samsim.metrics.statistics import CountTable
from samsim.metrics.tuples import count
from samsim.schemas.scorecards import Family

# The suffix of a cell's name with its seed or repeat.
_WHICH = re.compile(r"(-s-?\d+)?(-r\d+)?$")


@dataclass(frozen=True, slots=True)
class RunGroup:
    """One run, or several of the same cell."""

    name: str
    runs: tuple[PairedRun, ...]

    def table(self, family: Family) -> CountTable:
        """Return the counts per sample, summed over the runs."""
        tables = [run_table(run, family) for run in self.runs]
        total = tables[0]
        for table in tables[1:]:
            total = total + table
        return total

    def answers(self, family: Family) -> dict[str, Keys]:
        """Return, per sample, the gold's keys and those that more than half of the runs claim."""
        if len(self.runs) == 1:
            return self.runs[0].of(family)
        said = [run.of(family) for run in self.runs]
        return {uid: (gold, _majority([answers[uid][1] for answers in said])) for uid, (gold, _) in said[0].items()}

    def claims(self, family: Family) -> Hashable:
        """Return the runs' claims in every sample with their shares; groups with equal claims pass every test alike."""
        said = [run.of(family) for run in self.runs]
        return tuple(_shares(answers[uid][1] for answers in said) for uid in said[0])

    def differs_from(self, other: RunGroup) -> dict[Part, int]:
        """Return the parts in which the groups differ, with the number of samples in which they do."""
        found: Counter[Part] = Counter()
        for uid in self.runs[0].keys:
            mine, theirs = ([run.outcomes[uid] for run in group.runs] for group in (self, other))
            if mine != theirs:
                found.update(part for at, part in enumerate(PARTS) if _part(mine, at) != _part(theirs, at))
        return {part: found[part] for part in PARTS if found[part]}


def _part(outcomes: Iterable[Sequence[bytes]], at: int) -> Hashable:
    return _shares(outcome[at] for outcome in outcomes)


def _shares(answers: Iterable[Hashable]) -> Hashable:
    """Return each answer with the share of runs that gave it, which makes groups of different size comparable."""
    times = Counter(answers)
    return frozenset((answer, Fraction(found, times.total())) for answer, found in times.items())


def run_table(run: PairedRun, family: Family) -> CountTable:
    """Return the counts of one run per sample."""
    scores = (count(final, gold) for gold, final in run.of(family).values())
    return count_table([(score.matched, score.predicted, score.gold) for score in scores])


def grouped(runs: Sequence[PairedRun]) -> list[RunGroup]:
    """Group the runs, in the order of their first runs; a copy (same seed and repeat) is a separate group.

    If all runs are repeats of one cell, there is nothing else to compare them with, so each is its own group.
    """
    found: list[list[PairedRun]] = []
    # The group of each cell that is being filled.
    open_groups: dict[Hashable, list[PairedRun]] = {}
    for run in runs:
        group = open_groups.get(_cell_of(run))
        if group is None or _draw_of(run) in map(_draw_of, group):
            group = open_groups[_cell_of(run)] = []
            found.append(group)
        group.append(run)
    if len(found) == 1:
        found = [[run] for run in runs]
    names = unique([_name(group) for group in found])
    return [RunGroup(name, tuple(group)) for name, group in zip(names, found, strict=True)]


def unique(names: Iterable[str]) -> list[str]:
    """Return the names with a number appended to repeated ones."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _cell_of(run: PairedRun) -> Hashable:
    """Return everything that determines a run except its seed and repeat."""
    manifest = run.manifest
    cell = manifest.cell
    pipeline = json.dumps(manifest.config.get("pipeline"), sort_keys=True, default=str)
    prompts = tuple(sorted(manifest.prompt_hashes.items()))
    return manifest.experiment, cell.kind, cell.protocol, cell.condition, cell.engine, pipeline, prompts


def _draw_of(run: PairedRun) -> tuple[int | None, int]:
    return run.manifest.cell.seed, run.manifest.cell.repeat


def _name(group: Sequence[PairedRun]) -> str:
    name = group[0].name
    return name if len(group) == 1 else _WHICH.sub("", name, count=1) or name


def _majority(claims: Sequence[frozenset[tuple[str, ...]]]) -> frozenset[tuple[str, ...]]:
    times = Counter(key for claimed in claims for key in claimed)
    return frozenset(key for key, found in times.items() if 2 * found > len(claims))
