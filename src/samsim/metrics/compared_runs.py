"""Runs brought together sample by sample, or refused with what keeps them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from samsim.errors import ConfigError, InputError
from samsim.metrics.samples import MeasuredSample, judged
from samsim.metrics.tuples import Key
from samsim.schemas.runs import DataRecord, Manifest
from samsim.schemas.scorecards import Family

_LISTED = 5
_Keys = tuple[frozenset[Key], frozenset[Key]]


class ComparedRun(Protocol):
    """A run with its manifest and its samples."""

    @property
    def name(self) -> str:
        """How tables call it."""

    @property
    def manifest(self) -> Manifest:
        """What decided it."""

    def samples(self) -> Iterable[MeasuredSample]:
        """Every finished sample, in order."""


@dataclass(frozen=True, slots=True)
class PairedRun:
    """What is kept of a run: per sample and family the gold's keys and the final ones."""

    name: str
    run_id: str
    errors: int
    keys: Mapping[str, Mapping[Family, _Keys]]

    def of(self, family: Family) -> dict[str, _Keys]:
        """The (gold, final) keys of every sample that the family can judge."""
        return {uid: found[family] for uid, found in self.keys.items() if family in found}


def paired(runs: Sequence[ComparedRun], names: Sequence[str]) -> tuple[list[PairedRun], list[str]]:
    """The runs over the samples that all of them finished, and the samples that failed in any of them."""
    if len(runs) < 2:
        raise ConfigError("A comparison needs two runs or more. Give the folders of two runs.")
    records = [_data_of(run, name) for run, name in zip(runs, names, strict=True)]
    for name, record in zip(names[1:], records[1:], strict=True):
        _require_same_data(names[0], records[0], name, record)
    read = [_read(run, name, records[0].gold_fields) for run, name in zip(runs, names, strict=True)]
    first_run, first_failed = read[0]
    for other, failed in read[1:]:
        _require_same_samples(first_run, first_failed, other, failed)
    failed_anywhere = {uid for _, failed in read for uid in failed}
    kept = [
        PairedRun(
            run.name,
            run.run_id,
            run.errors,
            {uid: run.keys[uid] for uid in first_run.keys if uid not in failed_anywhere},
        )
        for run, _ in read
    ]
    if not kept[0].keys:
        raise InputError("No sample was finished by all of these runs: there is nothing to compare. Repeat the runs.")
    for other in kept[1:]:
        _require_same_gold(kept[0], other)
    return kept, sorted(failed_anywhere)


def _data_of(run: ComparedRun, name: str) -> DataRecord:
    manifest = run.manifest
    role = "memory" if manifest.cell.kind == "memory_building" else "evaluation"
    record = manifest.data.get(role)
    if record is None:
        raise InputError(f"The manifest of {name} does not say what it was evaluated on. Repeat the run.")
    if not record.gold_fields:
        raise InputError(f"{name} ran over {record.source}, which has no gold: there is nothing to compare it with.")
    return record


def _require_same_data(first_name: str, first: DataRecord, name: str, record: DataRecord) -> None:
    if record.sha256 != first.sha256:
        raise InputError(
            f"{first_name} and {name} ran over different data: {_said(first)}, but {_said(record)}."
            " Runs can be compared over the same samples only: repeat one of them on the other's data."
        )
    if set(record.gold_fields) != set(first.gold_fields):
        raise InputError(
            f"{first_name} and {name} have gold with different fields: {', '.join(sorted(first.gold_fields))}, but"
            f" {', '.join(sorted(record.gold_fields))}. Repeat one of them with the other's gold."
        )


def _said(record: DataRecord) -> str:
    return f"{record.source} ({record.samples} samples, sha256 {record.sha256[:12]})"


def _read(run: ComparedRun, name: str, gold_fields: Sequence[str]) -> tuple[PairedRun, set[str]]:
    keys: dict[str, Mapping[Family, _Keys]] = {}
    failed: set[str] = set()
    for sample in run.samples():
        found = judged(sample, gold_fields)
        if found is not None:
            keys[sample.uid] = {family: (one.gold, one.final) for family, one in found.keys.items()}
        elif sample.result is None:
            failed.add(sample.uid)
        else:
            raise InputError(f"Sample {sample.uid} of {name} has no gold in its scorecard. Repeat the run.")
    return PairedRun(name, run.manifest.run_id, len(failed), keys), failed


def _require_same_samples(first: PairedRun, first_failed: set[str], other: PairedRun, failed: set[str]) -> None:
    here, there = first.keys.keys() | first_failed, other.keys.keys() | failed
    for has, lacks, missing in ((first.name, other.name, here - there), (other.name, first.name, there - here)):
        if missing:
            raise InputError(
                f"{lacks} lacks {len(missing)} of the samples of {has}: {_listed(missing)}."
                f" Finish {lacks} (run its configuration again) before comparing."
            )


def _require_same_gold(first: PairedRun, other: PairedRun) -> None:
    def gold(run: PairedRun, uid: str) -> dict[Family, frozenset[Key]]:
        return {family: keys[0] for family, keys in run.keys[uid].items()}

    changed = [uid for uid in first.keys if gold(first, uid) != gold(other, uid)]
    if changed:
        raise InputError(
            f"{first.name} and {other.name} were scored against different gold in {len(changed)} samples:"
            f" {_listed(changed)}. Repeat one of them with the other's gold."
        )


def _listed(uids: Iterable[str]) -> str:
    ordered = sorted(uids)
    return ", ".join(ordered[:_LISTED]) + (", …" if len(ordered) > _LISTED else "")
