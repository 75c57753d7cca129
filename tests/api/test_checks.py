"""What ``samsim doctor``, ``memory grep-leaks`` and ``data convert`` do, done without the command line."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

import samsim
from samsim.cli.main import cli
from tests.data.reading import FIXTURES
from tests.memory.store_episodes import episode
from tests.servers.failing_first import server

LEAK = "포장이 많이 찢어져 있었어요"
COLUMNS = {"text": "review", "aspect_term": "target", "aspect_ref": "category", "polarity": "label"}


# --- engines


def names(engine: samsim.CheckedEngine) -> dict[str, str]:
    return {finding.name: finding.status for finding in engine.findings}


def test_the_embedded_engine_can_be_used() -> None:
    check = samsim.check_engine()
    assert check.ok
    (engine,) = check.engines
    assert (engine.name, engine.ok, engine.suggestion) == ("embedded", True, None)
    assert str(check) == repr(check) == "ok    configuration: embedded\n\nembedded\nok    needs no key and no server"


def test_a_missing_key_is_found_and_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    check = samsim.check_engine({"default": "embedded", "C": "openai:gpt-x"})
    assert not check.ok
    assert [(engine.name, engine.ok) for engine in check.engines] == [
        ("embedded", True),
        ("openai_compatible:gpt-x", False),
    ]
    assert names(check.engines[1]) == {"server": "note", "key": "failed"}
    assert "OPENAI_API_KEY" in check.engines[1].findings[-1].found


def test_only_what_the_protocol_asks_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    roles = {"debate": "openai:gpt-x"}
    assert samsim.check_engine(roles, protocol="cr_v2").ok
    assert not samsim.check_engine(roles, protocol="debate").ok


def test_wrong_settings_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(samsim.ConfigError, match="Did you mean openai:MODEL"):
        samsim.check_engine("opnai:gpt-x")
    with pytest.raises(samsim.ConfigError, match=r"Cannot read .*nowhere\.yaml"):
        samsim.check_engine(write=tmp_path / "nowhere.yaml")


@pytest.mark.loopback
def test_the_text_comes_piece_by_piece_and_is_what_the_command_prints() -> None:
    told: list[str] = []
    with server(503) as url:
        check = samsim.check_engine("openai:m", base_url=url, watcher=told.append)
    with server(503) as url_of_command:
        printed = CliRunner().invoke(cli, ["doctor", "--engine", "openai:m", "--base-url", url_of_command]).stdout
    assert check.ok
    assert "\n".join(told) == str(check)
    assert [line.partition(":")[0] for line in str(check).splitlines()] == [
        line.partition(":")[0] for line in printed.splitlines()
    ]
    assert names(check.engines[0]) == {
        "server": "note",
        "key": "ok",
        "price": "note",
        "output_mode": "warning",
        "call": "ok",
    }
    warning = next(finding for finding in check.engines[0].findings if finding.status == "warning")
    assert warning.attempts[0].startswith("attempt 1: server_error (503, loading)")
    assert warning.advice is not None


@pytest.mark.loopback
def test_a_refused_call_has_attempts_and_advice() -> None:
    with server(*[402] * 20) as url:
        (engine,) = samsim.check_engine(
            {"default": {"kind": "openai_compatible", "model": "m", "base_url": url, "output_mode": "json_schema"}}
        ).engines
    last = engine.findings[-1]
    assert (last.name, last.status, engine.ok) == ("call", "failed", False)
    assert last.attempts
    assert "no credit" in str(last.advice)


@pytest.mark.loopback
def test_what_suits_a_server_is_measured_once_for_all_engines_that_ask_it_and_written(tmp_path: Path) -> None:
    path = tmp_path / "engines.yaml"
    with server() as url:
        default = {"kind": "openai_compatible", "model": "m", "base_url": url}
        path.write_text(yaml.safe_dump({"engines": {"default": default, "reviewers": {"temperature": 0.5}}}))
        check = samsim.check_engine(path, write=path)
    first, second = check.engines
    assert first.suggestion is not None
    assert first.suggestion == second.suggestion
    assert {"round", "concurrency", "timeout_s"} <= names(first).keys()
    assert "round" not in names(second)
    settings = yaml.safe_load(path.read_text())["engines"]["default"]
    assert (settings["concurrency"], settings["timeout_s"]) == (
        first.suggestion.concurrency,
        first.suggestion.timeout_s,
    )
    assert check.written == (
        f"written to {path}: engines.default: concurrency {first.suggestion.concurrency}, timeout_s 60",
    )
    assert str(check).endswith(check.written[0])


@pytest.mark.loopback
def test_a_server_can_be_checked_where_an_event_loop_is_running() -> None:
    async def notebook(url: str) -> samsim.EngineCheck:
        return samsim.check_engine("openai:m", base_url=url)

    with server() as url:
        assert asyncio.run(notebook(url)).ok


# --- leaks


@pytest.fixture
def store(tmp_path: Path) -> Path:
    place = tmp_path / "store.jsonl"
    with closing(samsim.open_store(place)) as opened:
        opened.append(episode(0))
        opened.append(episode(1, f"INVALID_REF {LEAK}"))
    return place


def test_a_leak_is_found_with_its_place(store: Path) -> None:
    texts = {"good": "배터리가 정말 오래가요", "bad": f"배송은 빨랐지만, “{LEAK}”."}
    expected = [samsim.Leak("bad", LEAK, "epi_000002", "case_summary.symptom", 1)]
    assert samsim.find_leaks(store, texts) == expected
    with closing(samsim.open_store(store)) as opened:
        assert samsim.find_leaks(opened, texts.items()) == expected
    assert [leak.text_name for leak in samsim.find_leaks(str(store), list(texts.values()))] == ["1"]
    assert samsim.find_leaks(store, [texts["good"]]) == []


@pytest.mark.parametrize(
    ("texts", "words"),
    [(LEAK, "A single text was given"), ([], "no text to search for"), ([None], "The text of 0 is missing")],
)
def test_nothing_to_search_for_is_not_the_same_as_no_leak(store: Path, texts: Any, words: str) -> None:
    with pytest.raises(samsim.InputError, match=words):
        samsim.find_leaks(store, texts)


def test_a_store_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(samsim.ConfigError, match="There is no memory store"):
        samsim.find_leaks(tmp_path / "none.jsonl", [LEAK])
    with pytest.raises(samsim.ConfigError, match="There is no memory store"):
        samsim.open_store(tmp_path / "none.jsonl", create=False)
    assert list(tmp_path.iterdir()) == []


# --- data


def test_converted_data_reads_back_and_bad_rows_are_told(tmp_path: Path) -> None:
    source, out = FIXTURES / "tuples.csv", tmp_path / "out.jsonl"
    columns = COLUMNS | {"start": "from", "end": "to"}
    done = samsim.convert_data(source, out, columns=columns)
    loaded = samsim.load_samples(source, columns=columns)
    assert (done.path, done.texts, done.with_gold) == (out, 3, 3)
    assert done.problems == loaded.problems != ()
    again = samsim.load_samples(out)
    assert (again.samples, again.problems) == (loaded.samples, ())
    assert samsim.load_gold(out) == samsim.load_gold(source, columns=columns)


def test_a_file_that_is_there_stays_and_none_is_left_half_written(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(samsim.ConfigError, match="overwrite=True"):
        samsim.convert_data("reviews", out)
    assert out.read_text(encoding="utf-8") == "mine"
    assert samsim.convert_data("reviews", out, overwrite=True, limit=2).texts == 2
    with pytest.raises(samsim.ConfigError, match="is the input itself"):
        samsim.convert_data(out, out, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize(
    ("name", "words"), [("out.csv", "not CSV"), ("nowhere/out.jsonl", "Cannot write"), (".", "not a regular file")]
)
def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(samsim.ConfigError, match=words):
        samsim.convert_data("reviews", tmp_path / name)


def test_a_source_without_texts_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("not JSON\n", encoding="utf-8")
    with pytest.raises(samsim.InputError, match="all rows are bad"):
        samsim.convert_data(tmp_path / "bad.jsonl", tmp_path / "out.jsonl", format="jsonl")
    assert not (tmp_path / "out.jsonl").exists()
