"""Conditions that must equal C1: the notes say so, and they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samsim.experiments.config import ExperimentConfig
from samsim.experiments.planning import plan_experiment
from samsim.experiments.runner import cell_folders
from tests.experiments.runs import configure, outputs_of, run

EMPTY = "the memory is empty and nothing is written to it"
HIDDEN = "the memory is recorded, but never shown to a reviewer"
LATE = "sees what another one wrote"
SMALL = {"evaluation": {"name": "reviews", "language": "en", "limit": 6}}


def comparing(folder: Path, *conditions: str, **changes: Any) -> ExperimentConfig:
    return configure(folder, **({"data": SMALL, "matrix": {"condition": ["C1", *conditions]}} | changes))


def about(notes: tuple[str, ...], reason: str) -> list[str]:
    """The conditions a note with this reason names."""
    return [name for note in notes if reason in note for name in note.split(" equal")[0].split(" and ")]


def test_the_plan_says_that_an_empty_store_without_writing_equals_c1(tmp_path: Path) -> None:
    config = comparing(tmp_path, "C2", "C2_eval_only", "C2_frozen", "C2_placebo", "C2_shuffled", "C2_silent")
    notes = plan_experiment(config, probes=0).notes
    assert about(notes, EMPTY) == ["C2_eval_only", "C2_frozen", "C2_placebo", "C2_shuffled"]
    assert about(notes, HIDDEN) == ["C2_silent"]
    assert about(notes, LATE) == []


@pytest.mark.parametrize("size", [0, 1])
def test_a_named_store_counts_by_what_it_holds(size: int, tmp_path: Path) -> None:
    store = tmp_path / "store.jsonl"
    store.write_bytes(b"\n" * size)
    config = comparing(tmp_path, "C2_eval_only", "C2_frozen", episodic_memory={"store": str(store)})
    assert about(config.notes(), EMPTY) == ([] if size else ["C2_eval_only", "C2_frozen"])
    assert about(config.notes(), HIDDEN) == (["C2_eval_only"] if size else [])


def test_a_memory_that_is_built_first_is_not_empty(tmp_path: Path) -> None:
    data = SMALL | {"memory": {"name": "reviews", "language": "ko", "limit": 4}}
    notes = comparing(tmp_path, "C2_frozen", "C2_eval_only", data=data).notes()
    assert about(notes, EMPTY) == []
    assert about(notes, HIDDEN) == ["C2_eval_only"]


@pytest.mark.parametrize(("visibility", "late"), [("epoch:6", ["C2"]), ("epoch:5", []), ("sequential", [])])
def test_one_epoch_for_all_samples_shows_none_of_them_anything(
    visibility: str, late: list[str], tmp_path: Path
) -> None:
    config = comparing(tmp_path, "C2", episodic_memory={"visibility": visibility})
    assert about(plan_experiment(config, probes=0).notes, LATE) == late
    assert about(config.notes(), LATE) == [], "without the data nobody knows how many samples there are"


def test_they_do_equal_c1(tmp_path: Path) -> None:
    names = ("C2", "C2_silent", "C2_eval_only", "C2_frozen", "C2_placebo", "C2_shuffled")
    config = comparing(tmp_path, *names, episodic_memory={"visibility": "epoch:6"})
    run(config)
    outputs = [outputs_of(folder) for folder in cell_folders(config).values()]
    assert len(outputs) == 7
    assert all(one == outputs[0] for one in outputs)
