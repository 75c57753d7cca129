"""The cells of a sweep: which there are, what they are called, and what they start from."""

from __future__ import annotations

from pathlib import Path

from samsim.experiments.config.matrix import slug
from tests.experiments.config_files import loaded

HEAD = "name: x\ndata: {evaluation: reviews}\n"
BUILT = "name: x\ndata: {evaluation: reviews, memory: reviews_memory}\n"


def ids(folder: Path, content: str) -> list[str]:
    return [cell.cell_id for cell in loaded(folder, content).cells()]


def test_a_name_says_what_the_cell_is_whatever_stands_beside_it(tmp_path: Path) -> None:
    assert ids(tmp_path, f"{HEAD}seeds: [7]\n") == ["cr_v2-C1-s7"]
    assert ids(tmp_path, f"{HEAD}seeds: [7, 8]\n") == ["cr_v2-C1-s7", "cr_v2-C1-s8"]
    assert ids(tmp_path, f"{HEAD}repeats: 2\nprotocol: self_consistency:3\n") == [
        "self_consistency-3-C1",
        "self_consistency-3-C1-r1",
    ]
    assert ids(tmp_path, f"{HEAD}matrix: {{engine: [embedded, 'openai:org/gpt 4.1']}}\n") == [
        "cr_v2-C1-embedded",
        "cr_v2-C1-openai-org-gpt-4.1",
    ]


def test_a_list_of_protocols_is_a_factor(tmp_path: Path) -> None:
    swept = f"{HEAD}matrix: {{protocol: [cr_v1, debate]}}\n"
    assert ids(tmp_path, f"{HEAD}protocol: [cr_v1, debate]\n") == ids(tmp_path, swept) == ["cr_v1-C1", "debate-C1"]


def test_names_are_unique_and_can_be_folders(tmp_path: Path) -> None:
    engines = "{'a:b': embedded, 'a/b': embedded, 'A.B': embedded, 'a b': embedded, 가나: embedded}"
    names = ids(tmp_path, f"{HEAD}matrix: {{engine: {engines}}}\n")
    assert names == ["cr_v2-C1-a-b", "cr_v2-C1-a-b-2", "cr_v2-C1-A.B", "cr_v2-C1-a-b-3", "cr_v2-C1-가나"]
    assert (slug("../"), slug("x" * 200), slug("a..")) == ("x", "x" * 60, "a")


def test_each_lineage_builds_its_memory_once_and_first(tmp_path: Path) -> None:
    content = f"{BUILT}matrix: {{protocol: [cr_v2, single], condition: [C1, C2, C2_frozen], seed: [1, 2]}}\n"
    cells = loaded(tmp_path, content).cells()
    built = [cell.cell_id for cell in cells if cell.kind == "memory_building"]
    assert built == [cell.cell_id for cell in cells[:2]] == ["memory-cr_v2-C2-s1", "memory-cr_v2-C2-s2"]
    assert {cell.cell_id: cell.builds_on for cell in cells[2:]} == {
        "cr_v2-C1-s1": None,
        "cr_v2-C1-s2": None,
        "cr_v2-C2-s1": "memory-cr_v2-C2-s1",
        "cr_v2-C2-s2": "memory-cr_v2-C2-s2",
        "cr_v2-C2_frozen-s1": "memory-cr_v2-C2-s1",
        "cr_v2-C2_frozen-s2": "memory-cr_v2-C2-s2",
        "single-C1-s1": None,
        "single-C1-s2": None,
    }
    assert all(
        cell.role == ("memory" if cell.builds_on is None and cell in cells[:2] else "evaluation") for cell in cells
    )


def test_nothing_is_built_that_nobody_reads(tmp_path: Path) -> None:
    config = loaded(tmp_path, BUILT)
    assert [cell.kind for cell in config.cells()] == ["evaluation"]
    assert config.notes() == ("data.memory is not used: no condition retrieves episodes",)


def test_cells_without_a_reader_of_memory_are_left_out_and_told(tmp_path: Path) -> None:
    config = loaded(tmp_path, f"{HEAD}matrix: {{protocol: [single, cr_v1], condition: [C1, C2, C2_silent]}}\n")
    assert [cell.cell_id for cell in config.cells()] == ["single-C1", "cr_v1-C1", "cr_v1-C2", "cr_v1-C2_silent"]
    (skipped,) = config.cells_skipped()
    assert (skipped.protocol, skipped.conditions) == ("single", ("C2", "C2_silent"))
    told = "protocol single never reads the memory: its cells with C2, C2_silent are left out"
    equal = "C2_silent equals C1 by construction in every decision: the memory is recorded, but never shown"
    assert config.notes()[0] == told
    assert config.notes()[1].startswith(equal)
    assert len(config.notes()) == 2
    assert config.resolved()["facts"]["cells_skipped"] == [told]


def test_seeds_and_repeats_that_change_nothing_are_told(tmp_path: Path) -> None:
    seeds = loaded(tmp_path, f"{HEAD}seeds: [1, 2, 3]\n").notes()
    repeats = loaded(tmp_path, f"{HEAD}repeats: 3\n").notes()
    assert seeds == (
        "the embedded engine takes no seed: of its 3 cells, those that differ only in the seed will be equal",
    )
    assert repeats == (
        "the embedded engine always gives the same answer: of its 3 cells, those that differ only in the repeat"
        " will be equal",
    )


def test_engines_without_a_seed_of_their_own_are_told(tmp_path: Path) -> None:
    gpt = "{default: {kind: openai_compatible, model: gpt-4.1, seed: 4}}"
    engines = f"{{claude: 'anthropic:claude-haiku-4-5', gpt: {gpt}}}"
    assert loaded(tmp_path, f"{HEAD}seeds: [1, 2]\nmatrix: {{engine: {engines}}}\n").notes() == (
        "claude takes no seed: the seeds of its 2 cells are recorded, but the cells are only repeats",
        "the seeds of the experiment override the seed in the settings of gpt",
    )


def test_advice_that_no_reviewer_reads_is_told(tmp_path: Path) -> None:
    content = f"{HEAD}pipeline: {{enable_review: false}}\nepisodic_memory: {{condition: C2}}\n"
    assert loaded(tmp_path, content).notes() == (
        "pipeline.enable_review is false, so no reviewer reads the memory's advice",
    )
