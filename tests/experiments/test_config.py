"""What a valid configuration means: defaults, paths, options, what is recorded of it, and its hash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samsim.engines.settings import EngineSettings
from samsim.experiments.config import ExperimentConfig, load_config
from samsim.experiments.config.fingerprints import NOT_DECIDING
from samsim.pipeline.config import PipelineConfig
from tests.experiments.config_files import RICH, loaded, mistakes, only_mistake, write

MINIMAL = "name: x\ndata: {evaluation: reviews}\n"


def test_defaults(tmp_path: Path) -> None:
    config = loaded(tmp_path, MINIMAL)
    (cell,) = config.cells()
    assert (cell.cell_id, cell.protocol, cell.condition.name, cell.engine) == ("cr_v2-C1", "cr_v2", "C1", "embedded")
    assert (cell.seed, cell.repeat, cell.builds_on, cell.kind) == (None, 0, None, "evaluation")
    assert type(cell.pipeline) is PipelineConfig
    assert (str(config.run.out), config.run.workers, config.run.concurrency, config.run.max_error_rate) == (
        "runs",
        "auto",
        None,
        None,
    )
    assert config.notes() == ()


def test_empty_sections_are_as_if_left_out(tmp_path: Path) -> None:
    empty = f"{MINIMAL}matrix:\nrun:\nepisodic_memory:\npipeline:\nseeds:\n"
    assert loaded(tmp_path, empty).resolved() == loaded(tmp_path, MINIMAL).resolved()


@pytest.mark.parametrize(
    ("memory", "condition"),
    [
        ("memory: {enable: true}", "C2"),
        ("memory: {enable: true, mode: silent}", "C2_silent"),
        ("memory: {enable: true, mode: off}", "C1"),
        ("memory: {enable: false, mode: advisory}", "C1"),
        ("episodic_memory: {condition: M1}", "C2_frozen"),
        ("episodic_memory: {topk: 2}", "C1"),
    ],
)
def test_how_a_condition_is_named(tmp_path: Path, memory: str, condition: str) -> None:
    assert [cell.condition.name for cell in loaded(tmp_path, MINIMAL + memory).cells()] == [condition]


def test_settings_reach_the_cells(tmp_path: Path) -> None:
    cells = loaded(tmp_path, RICH).cells()
    frozen = next(cell for cell in cells if cell.kind == "evaluation" and cell.condition.name == "C2_frozen")
    building = next(cell for cell in cells if cell.cell_id == frozen.builds_on)
    assert (frozen.memory.topk, frozen.memory.epoch_size, frozen.memory.opfb_scope) == (2, 4, "store")
    assert (frozen.memory.require_same_language, frozen.memory.require_structure_overlap) == (False, False)
    assert (frozen.memory.created_from_split, building.memory.created_from_split) == ("evaluation", "memory")
    assert (frozen.pipeline.protocol, frozen.pipeline.conflict_mode) == (frozen.protocol, "primary")
    assert (frozen.plan.max_cost, frozen.plan.cache) == (2.5, False)
    assert frozen.plan.settings_for("A", reviewing=True).model == "gpt-4.1"
    assert frozen.record().model_dump() == {
        "cell_id": "cr_v1-C2_frozen-s1",
        "kind": "evaluation",
        "protocol": "cr_v1",
        "condition": "C2_frozen",
        "engine": "openai_compatible:gpt-4.1-mini+openai_compatible:gpt-4.1+embedded",
        "seed": 1,
        "repeat": 0,
    }


def test_paths_are_looked_for_beside_the_file_and_then_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, here = tmp_path / "configs", tmp_path / "here"
    folder.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    for place in (folder, here):
        (place / "both.jsonl").write_text("{}", encoding="utf-8")
    (here / "here.jsonl").write_text("{}", encoding="utf-8")
    content = "name: x\ndata: {evaluation: both.jsonl, memory: {path: here.jsonl, format: jsonl}}\n"
    sources = loaded(folder, content).sources()
    assert (sources["evaluation"].path, sources["memory"].path) == (folder / "both.jsonl", Path("here.jsonl"))
    found = only_mistake(folder, content.replace("here.jsonl", "gone.jsonl"))
    assert f"tried {folder / 'gone.jsonl'} and gone.jsonl" in found.text


def test_files_of_engines_conditions_and_a_store(tmp_path: Path) -> None:
    write(tmp_path, "engines: {default: {kind: google, model: m}}\nmax_cost: 1\ncache: false\n", "engines.yaml")
    flags = "{memory_mode: 'on', retrieval_execute: true, injection_mask: false, store_write: true,"
    mine = f"version: '9'\nconditions:\n  Mine: {flags} exposed_to_debate: true}}\n"
    write(tmp_path, mine, "mine.yaml")
    (tmp_path / "store.jsonl").touch()
    memory = "episodic_memory: {conditions: mine.yaml, condition: Mine, store: store.jsonl}"
    config = loaded(tmp_path, f"{MINIMAL}engines: engines.yaml\n{memory}\n")
    (cell,) = config.cells()
    assert (cell.condition.name, cell.engine, cell.plan.max_cost, cell.plan.cache) == ("Mine", "google:m", 1, False)
    assert (config.store, config.max_cost) == (str(tmp_path / "store.jsonl"), 1)
    assert list(config.resolved()["facts"]["files"]) == [str(tmp_path / "mine.yaml")]


def test_what_is_wrong_in_an_engine_file_is_said(tmp_path: Path) -> None:
    write(tmp_path, "engines: {default: {knd: google, model: m}}\n", "engines.yaml")
    found = only_mistake(tmp_path, f"{MINIMAL}engines: engines.yaml\n")
    assert (found.place.label[-2:], found.keys) == (":3", ("engines", "default", "knd"))
    assert "Did you mean kind?" in found.text


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("matrix.seed=[4, 5]", {"matrix": {"seed": [4, 5]}}),
        ("run.concurrency=3", {"run": {"concurrency": 3}}),
        ("data.evaluation.limit=2", {"data": {"evaluation": {"name": "reviews", "limit": 2}}}),
        ("episodic_memory.visibility=epoch:8", {"episodic_memory": {"visibility": "epoch:8"}}),
        ("matrix.condition={a: 1}", None),
        ("data.memory=reviews_memory", {"data": {"memory": {"name": "reviews_memory"}}}),
    ],
)
def test_options_are_set_over_the_file(tmp_path: Path, option: str, expected: dict[str, object] | None) -> None:
    if expected is None:
        assert only_mistake(tmp_path, MINIMAL, [option]).place.label == "--set matrix.condition"
        return
    resolved = loaded(tmp_path, MINIMAL, [option]).resolved()
    assert _holds(resolved, expected)


def _holds(whole: object, part: object) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(_holds(whole[key], value) for key, value in part.items())
    return whole == part


def test_an_item_of_a_list_can_be_set(tmp_path: Path) -> None:
    swept = f"{MINIMAL}matrix: {{protocol: [cr_v1, cr_v2]}}\n"
    config = loaded(tmp_path, swept, ["matrix.protocol.0=single", "engines=embedded"])
    assert [cell.protocol for cell in config.cells()] == ["single", "cr_v2"]


def test_wrong_options_are_reported_after_the_lines(tmp_path: Path) -> None:
    options = [
        "run.concurency=3",
        "a.b=c",
        "nothing",
        "name.x=1",
        "seeds=[1",
        "matrix.protocol.5=cr_v1",
        "engines={default: {knd: google, model: m}}",
    ]
    found = mistakes(tmp_path, f"{MINIMAL}matrix: {{protocol: [cr_v1]}}\nrepeats: 0\n", options)
    assert str(found[0]).endswith(
        ".yaml:4: repeats: should be greater than or equal to 1. Give a larger number, or leave it out for the default."
    )
    assert [str(one).split(". ")[0] for one in found[1:]] == [
        "--set run.concurency: unknown key",
        "--set a.b: a: unknown key",
        "--set nothing: not a setting",
        "--set name.x: name is a single value without keys",
        "--set seeds: the value is not valid YAML",
        "--set matrix.protocol.5: 5 is not an item of this list of 1",
        "--set engines: engines.default.knd: unknown key",
    ]


def test_what_is_resolved_is_json_and_a_configuration(tmp_path: Path) -> None:
    config = loaded(tmp_path, RICH)
    resolved = json.loads(json.dumps(config.resolved()))
    assert resolved["facts"]["conditions"]["C2_frozen"]["store_write"] is False
    del resolved["facts"]
    again = ExperimentConfig.model_validate(resolved)
    assert again.config_hash() == config.config_hash()
    assert [cell.cell_id for cell in again.cells()] == [cell.cell_id for cell in config.cells()]


def test_passwords_are_not_recorded(tmp_path: Path) -> None:
    secret = "postgresql://me:hush@db/episodes"
    engine = "engines: {default: {kind: google, model: m, base_url: 'https://me:hush@host/v1'}}"
    config = loaded(tmp_path, f"{MINIMAL}{engine}\nepisodic_memory: {{condition: C2, store: '{secret}'}}\n")
    assert config.store == secret
    recorded = json.dumps(config.resolved())
    assert "hush" not in recorded
    assert "postgresql://db/episodes" in recorded


SECRET_BODY = """\
engines:
  default:
    kind: openai_compatible
    model: m
    base_url: 'http://me:p@hush/x@host.example/v1?api_key=hush1&token=hush2#hush3'
    extra_body: {user: hush4, temperature: 0.5, stop: [hush5, 7], nested: {deep: true, name: hush6}}
"""


def test_no_text_of_a_body_and_no_value_of_a_query_is_recorded(tmp_path: Path) -> None:
    config = loaded(tmp_path, f"{MINIMAL}{SECRET_BODY}")
    recorded = config.resolved()["engines"]["engines"]["default"]
    assert "hush" not in json.dumps(recorded)
    hidden = "[hidden]"
    assert recorded["base_url"] == f"http://host.example/v1?api_key={hidden}&token={hidden}"
    assert recorded["extra_body"] == {
        "user": hidden,
        "temperature": 0.5,
        "stop": [hidden, 7],
        "nested": {"deep": True, "name": hidden},
    }
    assert any("plain http" in note for note in config.notes())
    assert any(note.startswith("the price of ") for note in config.notes())
    assert not any("hush" in note for note in config.notes())


def test_another_key_in_an_address_is_the_same_experiment(tmp_path: Path) -> None:
    before = loaded(tmp_path, f"{MINIMAL}{SECRET_BODY}").config_hash()
    assert loaded(tmp_path, f"{MINIMAL}{SECRET_BODY.replace('hush1', 'other')}").config_hash() == before
    assert loaded(tmp_path, f"{MINIMAL}{SECRET_BODY.replace('hush4', 'other')}").config_hash() != before


REORDERED = """\
# a comment
run: {max_cost: 9, out: there}
matrix: {condition: [C2, C1]}
data: {evaluation: {name: reviews}}   # the same set
description: other words
name: other
"""


def test_the_hash_is_of_what_decides_results(tmp_path: Path) -> None:
    base = loaded(tmp_path, f"{MINIMAL}matrix: {{condition: [C1, C2]}}\n").config_hash()
    assert loaded(tmp_path, REORDERED).config_hash() == base
    assert loaded(tmp_path, f"{REORDERED}engines: {{default: {{kind: embedded}}}}\n").config_hash() == base


@pytest.mark.parametrize(
    "option",
    [
        "pipeline.conflict_mode=primary",
        "pipeline.taxonomy=none",
        "data.evaluation.limit=4",
        "matrix.condition=[C1, C2_silent]",
        "matrix.protocol=[cr_v1]",
        "matrix.seed=[1]",
        "repeats=2",
        "episodic_memory.topk=1",
        "episodic_memory.opfb_scope=retrieved",
        "episodic_memory.require_same_language=false",
        "episodic_memory.require_structure_overlap=false",
        "data.memory=reviews_memory",
        "engines=openai:gpt-4.1",
    ],
)
def test_a_setting_that_decides_changes_the_hash(tmp_path: Path, option: str) -> None:
    base = f"{MINIMAL}matrix: {{condition: [C1, C2]}}\n"
    assert loaded(tmp_path, base, [option]).config_hash() != loaded(tmp_path, base).config_hash()


def test_limits_of_an_engine_do_not_change_the_hash_but_its_temperature_does(tmp_path: Path) -> None:
    assert set(EngineSettings.model_fields) >= NOT_DECIDING
    engine = f"{MINIMAL}engines: {{default: {{kind: google, model: m}}}}\n"
    base = loaded(tmp_path, engine).config_hash()
    for limit in ("concurrency=2", "timeout_s=5", "max_timeout_s=100"):
        assert loaded(tmp_path, engine, [f"engines.default.{limit}"]).config_hash() == base
    assert loaded(tmp_path, engine, ["engines.default.temperature=1"]).config_hash() != base


def test_the_content_of_a_data_file_counts_and_not_its_place(tmp_path: Path) -> None:
    hashes = []
    for name, content in [("a", "{}\n"), ("b", "{}\n"), ("c", "{ }\n")]:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "texts.jsonl").write_text(content, encoding="utf-8")
        hashes.append(loaded(folder, "name: x\ndata: {evaluation: texts.jsonl}\n").config_hash())
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_cell_keeps_its_hash_when_the_experiment_grows(tmp_path: Path) -> None:
    path = write(tmp_path, f"{MINIMAL}matrix: {{seed: [1, 2], condition: [C1, C2]}}\n")
    small, large = load_config(path), load_config(path, ["matrix.seed=[1, 2, 3]"])
    grown = {cell.cell_id: large.cell_hash(cell) for cell in large.cells()}
    assert {cell.cell_id: small.cell_hash(cell) for cell in small.cells()}.items() < grown.items()
    assert len(set(grown.values())) == len(grown) == 6
