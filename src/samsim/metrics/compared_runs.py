"""Pairing runs sample by sample, or refusing with the reason why they cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from samsim.errors import ConfigError, InputError
from samsim.metrics.outcomes import Outcome, outcome_of
from samsim.metrics.samples import MeasuredSample, judged
from samsim.metrics.tuples import Key
from samsim.plurals import how_many
from samsim.schemas.runs import DataRecord, Manifest
from samsim.schemas.scorecards import Family

_LISTED = 5
Keys = tuple[frozenset[Key], frozenset[Key]]


class ComparedRun(Protocol):
    """A run with its manifest and its samples."""

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def manifest(self) -> Manifest:
        """Everything that determined the run."""

    @property
    def data(self) -> DataRecord | None:
        """The data of the run."""

    def samples(self) -> Iterable[MeasuredSample]:
        """Return every finished sample, in order."""


@dataclass(frozen=True, slots=True)
class PairedRun:
    """What is kept of a run: per sample and family the gold's keys and the final ones, and the outcome.

    ``partial`` are the samples that lack the answer to a call.
    """

    name: str
    manifest: Manifest
    errors: int
    keys: Mapping[str, Mapping[Family, Keys]]
    outcomes: Mapping[str, Outcome]
    partial: frozenset[str] = frozenset()

    def of(self, family: Family) -> dict[str, Keys]:
        """Return the (gold, final) keys of every sample that can be scored in the family."""
        return {uid: found[family] for uid, found in self.keys.items() if family in found}


@dataclass(frozen=True, slots=True)
class PairedRuns:
    """The runs restricted to the annotated samples that all of them finished.

    ``failed`` are annotated samples that failed in any run; ``unannotated`` counts those without gold.
    """

    runs: list[PairedRun]
    failed: list[str]
    unannotated: int

    @property
    def partial(self) -> list[str]:
        """The shared samples that are partial in any run."""
        return sorted(frozenset[str]().union(*(run.partial for run in self.runs)))


@dataclass(frozen=True, slots=True)
class _Read:
    """A run as it was read, with its samples that cannot be compared."""

    run: PairedRun
    failed: frozenset[str]
    # It is not known whether a failed sample without a scorecard is annotated.
    unknown: frozenset[str]
    unannotated: frozenset[str]

    @property
    def annotated(self) -> frozenset[str]:
        return frozenset(self.run.keys) | (self.failed - self.unknown - self.unannotated)

    @property
    def uids(self) -> frozenset[str]:
        return self.annotated | self.failed | self.unannotated


def paired(runs: Sequence[ComparedRun], names: Sequence[str]) -> PairedRuns:
    """Return the runs over the samples they share; raise if they cannot be compared, with the reason."""
    if len(runs) < 2:
        raise ConfigError("A comparison needs at least two runs. Give the folders of two or more runs.")
    records = [_data_of(run, name) for run, name in zip(runs, names, strict=True)]
    for name, record in zip(names[1:], records[1:], strict=True):
        _require_same_data(names[0], records[0], name, record)
    read = [_read(run, name, records[0].gold_fields) for run, name in zip(runs, names, strict=True)]
    for other in read[1:]:
        _require_same_samples(read[0], other)
        _require_same_annotation(read[0], other)
    unannotated = frozenset[str]().union(*(reading.unannotated for reading in read))
    failed = frozenset[str]().union(*(reading.failed for reading in read)) - unannotated
    _require_something(read, records[0])
    kept = [_without(reading.run, failed | unannotated, list(read[0].run.keys)) for reading in read]
    for run in kept[1:]:
        _require_same_gold(kept[0], run)
    return PairedRuns(kept, sorted(failed), len(unannotated))


def _without(run: PairedRun, left_out: frozenset[str], order: Iterable[str]) -> PairedRun:
    keys = {uid: run.keys[uid] for uid in order if uid not in left_out}
    return replace(run, keys=keys, partial=run.partial & keys.keys())


def _data_of(run: ComparedRun, name: str) -> DataRecord:
    if run.data is None:
        raise InputError(f"The manifest of {name} does not say what it was evaluated on. Repeat the run.")
    return run.data


def _require_same_data(first_name: str, first: DataRecord, name: str, record: DataRecord) -> None:
    if record.sha256 != first.sha256:
        raise InputError(
            f"{first_name} and {name} ran over different data: {_said(first)}, but {_said(record)}."
            " Runs can be compared over the same samples only: repeat one of them on the other's data."
        )
    if set(record.gold_fields) != set(first.gold_fields):
        raise InputError(
            f"{first_name} and {name} have gold with different fields: {_fields(first)}, but {_fields(record)}."
            " Repeat one of them with the other's gold."
        )


def _said(record: DataRecord) -> str:
    return f"{record.source} ({counted(record.samples)}, sha256 {record.sha256[:12]})"


def _fields(record: DataRecord) -> str:
    return ", ".join(sorted(record.gold_fields)) or "none"


def _read(run: ComparedRun, name: str, gold_fields: Sequence[str]) -> _Read:
    keys: dict[str, Mapping[Family, Keys]] = {}
    outcomes: dict[str, Outcome] = {}
    partial: set[str] = set()
    failed: set[str] = set()
    unknown: set[str] = set()
    unannotated: set[str] = set()
    lost: set[str] = set()
    for sample in run.samples():
        found = judged(sample, gold_fields)
        if found is not None:
            keys[sample.uid] = {family: (tuples.gold, tuples.final) for family, tuples in found.keys.items()}
            outcomes[sample.uid] = outcome_of(found.result)
            if found.result.completeness == "partial":
                partial.add(sample.uid)
            continue
        if sample.result is None:
            failed.add(sample.uid)
        if sample.card is None:
            (unknown if sample.result is None else lost).add(sample.uid)
        elif sample.card.gold is None:
            unannotated.add(sample.uid)
    if lost:
        raise InputError(
            f"{name} has no scorecard for {counted(len(lost))}: {_listed(lost)}."
            " The gold and with it all scores are gone there. Repeat the run."
        )
    paired_run = PairedRun(name, run.manifest, len(failed), keys, outcomes, frozenset(partial))
    return _Read(paired_run, frozenset(failed), frozenset(unknown), frozenset(unannotated))


def _require_same_samples(first: _Read, other: _Read) -> None:
    for has, lacks in ((first, other), (other, first)):
        missing = has.uids - lacks.uids
        if missing:
            raise InputError(
                f"{lacks.run.name} lacks {counted(len(missing))} of {has.run.name}: {_listed(missing)}."
                f" Finish {lacks.run.name} (run its configuration again) before comparing."
            )


def _require_same_annotation(first: _Read, other: _Read) -> None:
    for has, lacks in ((first, other), (other, first)):
        only_here = has.annotated & lacks.unannotated
        if only_here:
            raise InputError(
                f"{first.run.name} and {other.run.name} ran over different data: {counted(len(only_here))} with gold in"
                f" {has.run.name}, without in {lacks.run.name}: {_listed(only_here)}."
                " Repeat one of them with the other's gold."
            )


def _require_something(read: Sequence[_Read], record: DataRecord) -> None:
    first = read[0]
    if first.uids and first.uids == first.unannotated:
        raise InputError(
            f"{first.run.name} ran over {record.source}, which has no gold: there is nothing to compare. Repeat the run"
            " on data with gold."
        )
    failures = [reading.run.name for reading in read if not reading.run.keys]
    if failures:
        raise InputError(f"All samples of {', '.join(failures)} failed: there is nothing to compare. Repeat the run.")
    if not frozenset(first.run.keys).intersection(*(reading.run.keys for reading in read)):
        raise InputError("No sample was finished by all of these runs: there is nothing to compare. Repeat the runs.")


def _require_same_gold(first: PairedRun, other: PairedRun) -> None:
    def gold(run: PairedRun, uid: str) -> dict[Family, frozenset[Key]]:
        return {family: keys[0] for family, keys in run.keys[uid].items()}

    changed = [uid for uid in first.keys if gold(first, uid) != gold(other, uid)]
    if changed:
        raise InputError(
            f"{first.name} and {other.name} were scored against different gold in {counted(len(changed))}:"
            f" {_listed(changed)}. Repeat one of them with the other's gold."
        )


def counted(samples: int) -> str:
    """Return the number of samples in words."""
    return how_many(samples, "sample")


def _listed(uids: Iterable[str]) -> str:
    ordered = sorted(uids)
    return ", ".join(ordered[:_LISTED]) + (", …" if len(ordered) > _LISTED else "")
