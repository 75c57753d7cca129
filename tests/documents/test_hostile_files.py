"""Every way a file comes in: bottomless, endless or impossible content is a typed error, and nothing hangs."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.engines.cache import ResponseCache
from samsim.engines.factory import read_plan
from samsim.engines.replay import ReplayEngine
from samsim.errors import ConfigError, InputError, StoreError
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, TRACES, read_run
from samsim.experiments.config import ConfigMistakes, load_config
from samsim.experiments.run_folder.recovering import find_finished
from samsim.experiments.run_folder.writing import locked
from samsim.experiments.runner import run_experiment
from samsim.memory.conditions import load_conditions
from samsim.memory.jsonl.snapshot import read_snapshot
from samsim.memory.store import open_store, parse_line, seq_of
from samsim.schemas.taxonomy import load_taxonomy
from tests.documents.hostile import ALIAS_BOMB, DEEP_JSON, DEEP_YAML, with_number
from tests.experiments.config_files import write
from tests.experiments.runs import rewrite
from tests.memory.store_episodes import episode, signature
from tests.support.cached_replies import export_line, key

YAML_FILES: dict[str, Callable[[Path], object]] = {
    "engine": lambda path: read_plan(str(path)),
    "taxonomy": load_taxonomy,
    "conditions": load_conditions,
    "experiment": load_config,
}
MINIMAL = "name: small\ndata: {evaluation: reviews}\n"
LONG, HUGE = "9" * 5000, str(10**400)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run over four reviews."""
    folder = tmp_path_factory.mktemp("finished")
    config = "name: small\ndata: {evaluation: {name: reviews, language: en, limit: 4}}\nprotocol: cr_v1\n"
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    settings = [f"run.out={str(folder / 'runs')!r}", "run.workers=1"]
    return run_experiment(load_config(folder / "config.yaml", settings)).folder


@pytest.mark.parametrize("kind", YAML_FILES)
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (ALIAS_BOMB, "aliases"),
        (DEEP_YAML, "nested"),
        ("a: &a [*a]", "alias"),
        ("name: !!bool maybe", "does not fit"),
        (f"name: {LONG}", "characters"),
    ],
    ids=["bomb", "deep", "circle", "tag", "digits"],
)
def test_hostile_yaml_in_any_file_is_a_mistake_in_it(kind: str, content: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=why):
        YAML_FILES[kind](path)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("description=" + ALIAS_BOMB, "aliases"),
        ("description=" + DEEP_YAML.removeprefix("deep: "), "nested"),
        ("seeds=!!int ''", "not valid YAML"),
        ("description=!!timestamp soon", "not valid YAML"),
        ("a" + ".b" * 2000 + "=1", "keys deep"),
        (f"matrix.protocol.{LONG}=cr_v1", "not an item of this list"),
    ],
    ids=["bomb", "deep", "int", "timestamp", "path", "digits"],
)
def test_a_hostile_option_is_a_mistake(option: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakes, match=why):
        load_config(write(tmp_path, f"{MINIMAL}matrix: {{protocol: [cr_v1]}}\n"), [option])


def _import(folder: Path, content: str) -> Result:
    (folder / "in.jsonl").write_text(content, encoding="utf-8")
    return CliRunner().invoke(cli, ["memory", "import", str(folder / "s.jsonl"), str(folder / "in.jsonl")])


@pytest.mark.parametrize("number", [LONG, HUGE, "1e999", "NaN", DEEP_JSON])
def test_an_impossible_episode_is_not_imported(number: str, tmp_path: Path) -> None:
    record: dict[str, Any] = episode().with_id("epi_000001").model_dump(mode="json")
    ended = _import(tmp_path, with_number({**record, "outcome_delta": "HERE"}, number))
    assert ended.exit_code == ExitCode.STORE, ended.output
    assert "line 1" in ended.stderr


def test_a_bottomless_line_is_no_episode() -> None:
    with pytest.raises(StoreError, match="nested"):
        parse_line(DEEP_JSON)


def test_an_id_of_thousands_of_digits_is_no_id(tmp_path: Path) -> None:
    assert seq_of(f"epi_{LONG}") is None
    store = open_store(tmp_path / "store.jsonl")
    assert store.get(f"epi_{LONG}") is None
    assert store.query(signature(), "", 1, exclude=frozenset({f"epi_{LONG}"})) == []


def test_a_bottomless_index_is_made_again(tmp_path: Path) -> None:
    header = DEEP_JSON.encode()
    body = b"samsim episode index 1\n" + struct.pack("<I", len(header)) + header
    (tmp_path / "hostile.index").write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    assert read_snapshot(tmp_path / "hostile.index") is None


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["lengths"].update(flat_tokens=2**62),
        lambda header: header["lengths"].update(of_episode=-1),
        lambda header: header["lengths"].update(of_episode=0),
        lambda header: header["lengths"].update(set_of=header["lengths"]["set_of"] - 1),
        lambda header: header.update(vocabulary=header["vocabulary"][:1]),
        lambda header: header.update(vocabulary=[[]] * len(header["vocabulary"])),
        lambda header: header.update(signatures=header["signatures"][:1]),
        lambda header: header.update(upto=[1]),
    ],
)
def test_an_index_whose_parts_do_not_fit_is_made_again(
    change: Callable[[dict[str, Any]], object], tmp_path: Path
) -> None:
    store = open_store(tmp_path / "store.jsonl")
    for number in range(12):
        store.append(episode(number))
    store.compact()
    store.close()
    (index,) = tmp_path.glob("*index*")
    assert read_snapshot(index) is not None
    magic, data = b"samsim episode index 1\n", index.read_bytes()
    (size,) = struct.unpack_from("<I", data, len(magic))
    start = len(magic) + 4
    header = json.loads(data[start : start + size])
    change(header)
    described = json.dumps(header).encode()
    body = magic + struct.pack("<I", len(described)) + described + data[start + size : -4]
    index.write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    assert read_snapshot(index) is None


@pytest.mark.parametrize("content", [DEEP_JSON, LONG, '{"uid": NaN}', "[]"])
@pytest.mark.parametrize("name", [OUTPUTS, SCORECARDS])
def test_a_report_over_a_hostile_line_ends(name: str, content: str, finished: Path, tmp_path: Path) -> None:
    run = _copied(finished, tmp_path)
    lines = (run / name).read_text(encoding="utf-8").splitlines(keepends=True)
    (run / name).write_text("".join([*lines[:2], content + "\n", *lines[3:]]), encoding="utf-8")
    assert any("line 3 is damaged" in problem for problem in _reported(run, tmp_path, ExitCode.SOME_BAD))


@pytest.mark.parametrize("number", [LONG, HUGE, "1e999", "1e308", "-Infinity"])
@pytest.mark.parametrize("field", ["input_tokens", "cost", "seconds"])
def test_a_report_over_an_impossible_number_ends(field: str, number: str, finished: Path, tmp_path: Path) -> None:
    run = _copied(finished, tmp_path)
    lines = (run / SCORECARDS).read_text(encoding="utf-8").splitlines()
    card = json.loads(lines[1])
    card["usage"][field] = "HERE"
    lines[1] = with_number(card, number)
    (run / SCORECARDS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert _reported(run, tmp_path, ExitCode.SOME_BAD)


@pytest.mark.parametrize("content", [DEEP_JSON, '{"format_version": ' + LONG + "}", "{", "[]"])
def test_a_hostile_manifest_is_no_run(content: str, finished: Path, tmp_path: Path) -> None:
    run = _copied(finished, tmp_path)
    (run / MANIFEST).write_text(content, encoding="utf-8")
    ended = CliRunner().invoke(cli, ["report", str(run), "--out", str(tmp_path / "out")])
    assert ended.exit_code == ExitCode.NO_INPUT, ended.output
    with locked(run) as folder, pytest.raises(InputError, match="cannot be read"):
        folder.read_manifest()


@pytest.mark.parametrize("name", [OUTPUTS, SCORECARDS, TRACES])
def test_a_run_is_resumed_before_a_bottomless_line(name: str, finished: Path, tmp_path: Path) -> None:
    run = _copied(finished, tmp_path)
    uids = [json.loads(line)["uid"] for line in (run / OUTPUTS).read_bytes().splitlines()]
    lines = (run / name).read_text(encoding="utf-8").splitlines(keepends=True)
    last = {OUTPUTS: 3, SCORECARDS: 3, TRACES: len(lines) - 1}[name]
    (run / name).write_text("".join([*lines[:last], DEEP_JSON + "\n"]), encoding="utf-8")
    assert find_finished(run, uids, read_run(run).manifest).finished.samples == 3


@pytest.mark.parametrize("change", [{"uid": []}, {"memory": []}, {"memory": "none"}, {"usage": []}])
def test_a_run_is_resumed_whatever_its_scorecards_hold(change: dict[str, Any], finished: Path, tmp_path: Path) -> None:
    run = _copied(finished, tmp_path)
    uids = [json.loads(line)["uid"] for line in (run / OUTPUTS).read_bytes().splitlines()]
    cards = [json.loads(line) for line in (run / SCORECARDS).read_bytes().splitlines()]
    cards[1] |= change
    rewrite(run / SCORECARDS, cards)
    # What no run writes is damage: the samples from there on are done again.
    assert find_finished(run, uids, read_run(run).manifest).finished.samples == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("acos", f"nice soup\t0,{LONG} FOOD#QUALITY 2 0,1\n"),
        ("csv", f"text,aspect_term,polarity,start,end\nnice soup,soup,positive,{LONG},{LONG}\n"),
        (
            "semeval2014_terms",
            '<sentences><sentence id="1"><text>nice soup</text><aspectTerms><aspectTerm term="soup" polarity="positive"'
            f' from="{LONG}" to="9"/></aspectTerms></sentence></sentences>',
        ),
    ],
)
def test_an_offset_of_thousands_of_digits_is_a_bad_row(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / "rows").write_text(content, encoding="utf-8")
    loaded = load_samples(DataSource(path=tmp_path / "rows", format=name))
    assert (len(loaded.samples), len(loaded.problems)) == (0, 1)


@pytest.mark.parametrize(
    ("section", "why"),
    [
        ("data: {evaluation: " + "a" * 5000 + "}", "data.evaluation"),
        ("data: {evaluation: {path: " + "a" * 5000 + "}}", "data.evaluation"),
        ("data: {evaluation: reviews}\nengines: " + "a" * 5000 + ".yaml", "engines"),
        (f"data: {{evaluation: reviews}}\nepisodic_memory: {{visibility: 'epoch:{LONG}'}}", "visibility"),
    ],
    ids=["name", "path", "engines", "epoch"],
)
def test_a_name_that_nothing_can_have_is_a_mistake(section: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakes, match=why):
        load_config(write(tmp_path, f"name: small\n{section}\n"))


def test_a_file_with_an_impossible_name_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no file"):
        load_samples(DataSource(path=tmp_path / ("a" * 5000)))


def test_a_bottomless_trace_is_not_replayed(tmp_path: Path) -> None:
    (tmp_path / "trace.jsonl").write_text(DEEP_JSON + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="nested"):
        ReplayEngine(tmp_path / "trace.jsonl")


@pytest.mark.parametrize("number", [LONG, HUGE, DEEP_JSON])
def test_a_hostile_line_of_a_cache_export_is_a_bad_line(number: str, tmp_path: Path) -> None:
    record = json.loads(export_line(1))
    record["reply"]["usage"] = {"input_tokens": "HERE"}
    bad: list[int] = []
    cache = ResponseCache(tmp_path / "cache.sqlite")
    report = cache.import_lines(
        [with_number(record, number).encode(), export_line(2)], lambda line, _reason: bad.append(line)
    )
    assert (bad, report.added, cache.get(key(2)) is not None) == ([1], 1, True)
    cache.close()


@pytest.mark.parametrize("content", [DEEP_JSON, '{"id": ' + LONG + ', "text": "a"}', '{"text": 1e999}'])
def test_a_hostile_row_of_reviews_is_a_bad_row(content: str, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(content + '\n{"text": "The soup was cold."}\n', encoding="utf-8")
    ended = CliRunner().invoke(cli, ["analyze", "--file", str(tmp_path / "in.jsonl"), "--json"])
    assert ended.exit_code == ExitCode.SOME_BAD, ended.output
    assert "line 1" in ended.stderr


def _copied(finished: Path, target: Path) -> Path:
    return Path(shutil.copytree(finished, target / "run"))


def _reported(run: Path, folder: Path, code: ExitCode) -> list[str]:
    """The problems in the metrics of a report, which must end with this code and leave valid JSON."""
    ended = CliRunner().invoke(cli, ["report", str(run), "--out", str(folder / "out"), "--quiet"])
    assert ended.exit_code == code, ended.output

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in metrics.json")

    measured = json.loads((folder / "out" / "metrics.json").read_text(encoding="utf-8"), parse_constant=refuse)
    return [str(problem["problem"]) for problem in measured["problems"]]
