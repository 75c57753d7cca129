"""Helpers for tests of runs: configurations in a folder, runs of them, and what two runs have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from samsim.experiments.artefacts import OUTPUTS, SCORECARDS, STORE, TRACES
from samsim.experiments.config import ExperimentConfig, load_config
from samsim.experiments.run_folder.signing import signed
from samsim.experiments.run_set import Experiment
from samsim.experiments.runner import EngineSource, cell_folders, run_experiment
from samsim.memory.store import ContentHash
from samsim.schemas.runs import CELL_DIGEST, LINE_DIGEST


def configure(folder: Path, **changes: Any) -> ExperimentConfig:
    """A small experiment on the English half of the shipped reviews, with some settings changed."""
    settings: dict[str, Any] = {
        "name": "tested",
        "data": {"evaluation": {"name": "reviews", "language": "en"}},
        "run": {"out": str(folder / "runs"), "workers": 1},
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "experiment.yaml"
    path.write_text(yaml.safe_dump(settings | changes, allow_unicode=True), encoding="utf-8")
    return load_config(path)


def run(config: ExperimentConfig, engines: EngineSource | None = None, **options: Any) -> Experiment:
    """Run it without anybody looking on."""
    return run_experiment(config, engines=engines, **options)


def only_folder(config: ExperimentConfig) -> Path:
    """The folder of the only run of an experiment."""
    (folder,) = cell_folders(config).values()
    return folder


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def rewrite(path: Path, changed: Iterable[dict[str, Any]]) -> None:
    """Lines in the place of a run's own, signed as the run would have signed them."""
    path.write_bytes(b"".join(map(_signed_again, changed)))


def _signed_again(row: dict[str, Any]) -> bytes:
    bare = {key: value for key, value in row.items() if key not in (CELL_DIGEST, LINE_DIGEST)}
    return signed(json.dumps(bare, ensure_ascii=False).encode() + b"\n", row.get(CELL_DIGEST))


def outputs_of(folder: Path) -> list[dict[str, Any]]:
    """The outputs of a run without the mark of its cell, so that those of two cells can be compared."""
    found = rows(folder / OUTPUTS)
    for row in found:
        assert row.pop(CELL_DIGEST)
        assert row.pop(LINE_DIGEST)
    return found


def timeless_cards(folder: Path) -> list[dict[str, Any]]:
    """The scorecards without the time the calls took, and the digests it is part of."""
    cards = rows(folder / SCORECARDS)
    for card in cards:
        assert card["usage"].pop("seconds") >= 0
        assert card.pop(LINE_DIGEST)
    return cards


def store_hash(folder: Path) -> str | None:
    """The hash of the run's store, its clock left out; None without a store."""
    if not (folder / STORE).exists():
        return None
    digest = ContentHash()
    for line in (folder / STORE).read_bytes().split(b"\n"):
        if line:
            digest.add(line)
    return digest.hexdigest()


def footprint(folder: Path) -> tuple[bytes, bytes, list[dict[str, Any]], str | None]:
    """Everything a run decided, times aside; equal for equal runs."""
    return (
        (folder / OUTPUTS).read_bytes(),
        (folder / TRACES).read_bytes(),
        timeless_cards(folder),
        store_hash(folder),
    )
