"""The experiments that come with the project are valid, need no key to be checked, and are what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.engines.factory import build_setup, distinct_settings
from samsim.experiments.config import load_config
from samsim.experiments.shipped import SHIPPED_EXPERIMENTS, shipped_experiment
from tests.experiments.config_files import FIVE, loaded, mistakes

FOLDER = Path(__file__).parents[2] / "experiments" / "configs"
CELLS = {
    "anthropic": 2,
    "arbiters": 3,
    "azure": 2,
    "gemini": 2,
    "local-server": 2,
    "memory_conditions": 8,
    "openai": 2,
    "protocols": 15,
    "protocols_server": 15,
    "quickstart": 3,
}
OFFLINE = {"arbiters", "memory_conditions", "protocols", "quickstart"}
KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")


def _place(name: str) -> Path:
    return shipped_experiment(name) if name in SHIPPED_EXPERIMENTS else FOLDER / f"{name}.yaml"


def test_every_file_is_known() -> None:
    assert {path.stem for path in FOLDER.iterdir()} | set(SHIPPED_EXPERIMENTS) == set(CELLS)


@pytest.mark.parametrize("name", CELLS)
def test_it_is_valid_without_any_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    config = load_config(_place(name))
    assert config.name == name
    assert config.description
    assert len(config.cells()) == CELLS[name]


@pytest.mark.parametrize("name", CELLS)
def test_its_engines_can_be_built_and_their_prices_are_known(name: str) -> None:
    for cell in load_config(_place(name), ["run.cache=false"]).cells():
        # A spending limit is refused for a model without a price.
        setup = build_setup(cell.plan, dict.fromkeys(KEYS, "any"))
        assert setup.settings == tuple(distinct_settings(cell.plan))
        assert all(settings.kind == "embedded" for settings in setup.settings) == (name in OFFLINE)


@pytest.mark.parametrize("name", ["openai", "azure", "anthropic", "gemini", "local-server"])
def test_a_provider_is_tried_with_little(name: str) -> None:
    config = load_config(_place(name))
    assert config.data.evaluation.limit == 20
    assert config.run.max_cost is not None
    assert config.run.max_cost <= 0.5


def test_the_memory_conditions_share_one_store() -> None:
    first, *others = load_config(FOLDER / "memory_conditions.yaml").cells()
    assert first.kind == "memory_building"
    assert {cell.condition.name for cell in others} == {
        "C1",
        "C2",
        "C2_silent",
        "C2_eval_only",
        "C2_frozen",
        "C2_placebo",
        "C2_shuffled",
    }
    assert {cell.builds_on for cell in others if cell.condition.retrieval_execute} == {first.cell_id}


def test_the_two_sweeps_of_protocols_are_the_same() -> None:
    offline, server = (load_config(_place(name)) for name in ("protocols", "protocols_server"))
    assert [cell.cell_id for cell in offline.cells()] == [cell.cell_id for cell in server.cells()]


def test_the_example_of_the_documentation_is_valid(tmp_path: Path) -> None:
    document = (FOLDER.parents[1] / "docs" / "experiments.md").read_text(encoding="utf-8")
    example = document.split("```yaml\n")[1].split("```")[0]
    cells = loaded(tmp_path, example).cells()
    assert len(cells) == 3 * 2 + (2 + 1) * 3 * 2
    assert "cr_v2-C2_frozen-mini-s1" in {cell.cell_id for cell in cells}


def test_the_mistakes_of_the_documentation_are_what_is_said(tmp_path: Path) -> None:
    document = (FOLDER.parents[1] / "docs" / "experiments.md").read_text(encoding="utf-8")
    shown = document.split("## Mistakes")[1].split("```")[1].strip().split("\n")[:-1]
    said = [str(mistake).removeprefix(f"{tmp_path}/experiment.yaml") for mistake in mistakes(tmp_path, FIVE)]
    assert len(said) == len(shown) == 5
    for told, line in zip(said, shown, strict=True):
        assert told.startswith(line.removeprefix("my.yaml").removesuffix(" …"))


@pytest.mark.parametrize("name", CELLS)
def test_every_file_is_in_the_documentation(name: str) -> None:
    called = name if name in SHIPPED_EXPERIMENTS else f"{name}.yaml"
    assert f"`{called}`" in (FOLDER.parents[1] / "docs" / "experiments.md").read_text(encoding="utf-8")
