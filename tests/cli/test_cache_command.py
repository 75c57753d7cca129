"""``samsim cache`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.cache import cache
from samsim.cli.exit_codes import ExitCode
from samsim.engines.cache import CACHE_VARIABLE, CachedReply, ResponseCache
from samsim.errors import ConfigError, InputError
from samsim.schemas.calls import Usage

TEXT = '{"triplets": []} 배터리\x9b'


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "kept.sqlite"
    store = ResponseCache(path, clock=lambda: 1_700_000_000.0)
    for number in (2, 1, 3):
        reply = CachedReply(text=TEXT, finish="stop", mode="tool", usage=Usage(input_tokens=number))
        store.put(f"{number:064x}", reply)
    store.close()
    return path


def _run(*arguments: object, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cache, [str(argument) for argument in arguments], input=stdin)


def _entries(path: Path) -> int:
    store = ResponseCache(path)
    count = store.stats().entries
    store.close()
    return count


def test_stats(kept: Path) -> None:
    result = _run("stats", "--cache", kept)
    assert result.exit_code == ExitCode.OK
    assert str(kept) in result.stdout
    assert "responses: 3" in result.stdout
    assert "2023-11-14 22:13 UTC" in result.stdout


def test_the_usual_cache_is_used_unless_one_is_named(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(kept))
    assert "responses: 3" in _run("stats").stdout


@pytest.mark.parametrize("command", [("stats",), ("clear", "--yes")])
def test_no_cache_yet_is_said_and_none_is_made(tmp_path: Path, command: tuple[str, ...]) -> None:
    result = _run(*command, "--cache", tmp_path / "none.sqlite")
    assert result.exit_code == ExitCode.OK
    assert "no cache yet" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_clear_asks_first(kept: Path) -> None:
    refused = _run("clear", "--cache", kept, stdin=b"n\n")
    assert refused.exit_code != ExitCode.OK
    assert "Delete 3 cached responses" in refused.stderr
    assert _entries(kept) == 3
    assert _run("clear", "--cache", kept, stdin=b"y\n").exit_code == ExitCode.OK
    assert _entries(kept) == 0


def test_clear_without_asking(kept: Path) -> None:
    assert "3 cached responses deleted" in _run("clear", "--cache", kept, "--yes").stdout
    assert _entries(kept) == 0


def test_export_is_readable_sorted_and_safe_for_a_terminal(kept: Path) -> None:
    result = _run("export", "--cache", kept)
    assert result.exit_code == ExitCode.OK
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["key"] for line in lines] == [f"{number:064x}" for number in (1, 2, 3)]
    assert {line["reply"]["text"] for line in lines} == {TEXT}
    assert "배터리" in result.stdout
    assert "\x9b" not in result.stdout


def test_export_to_a_file_and_import_elsewhere(kept: Path, tmp_path: Path) -> None:
    exported, copy = tmp_path / "replies.jsonl", tmp_path / "copy.sqlite"
    assert "3 cached responses" in _run("export", "--cache", kept, "-o", exported).stderr
    assert isinstance(_run("export", "--cache", kept, "-o", exported).exception, ConfigError)
    assert _run("export", "--cache", kept, "-o", exported, "--force").exit_code == ExitCode.OK
    first = _run("import", exported, "--cache", copy)
    assert (first.exit_code, "3 added, 0 known, 0 bad" in first.stderr) == (ExitCode.OK, True)
    again = _run("import", exported, "--cache", copy)
    assert (again.exit_code, "0 added, 3 known, 0 bad" in again.stderr) == (ExitCode.OK, True)
    assert _run("export", "--cache", copy).stdout_bytes == exported.read_bytes()


def test_an_export_never_overwrites_the_cache(kept: Path) -> None:
    assert isinstance(_run("export", "--cache", kept, "-o", kept, "--force").exception, ConfigError)
    assert _entries(kept) == 3


def test_import_from_stdin_with_bad_lines(kept: Path, tmp_path: Path) -> None:
    lines = _run("export", "--cache", kept).stdout_bytes.splitlines(keepends=True)
    stdin = lines[0] + b"\x1b[31mnot JSON\n" + lines[1] + lines[2].replace(b'"stop"', b'"length"')
    result = _run("import", "-", "--cache", tmp_path / "copy.sqlite", stdin=stdin)
    assert result.exit_code == ExitCode.SOME_BAD
    assert "line 2: " in result.stderr
    assert "line 4: " in result.stderr
    assert "2 added, 0 known, 2 bad" in result.stderr
    assert "\x1b" not in result.stderr
    assert _entries(tmp_path / "copy.sqlite") == 2


def test_a_reply_that_differs_is_said_and_not_taken(kept: Path, tmp_path: Path) -> None:
    exported = _run("export", "--cache", kept).stdout_bytes.replace(b'"input_tokens":2', b'"input_tokens":9')
    result = _run("import", "-", "--cache", kept, stdin=exported)
    assert result.exit_code == ExitCode.OK
    assert "1 differ" in result.stderr
    assert b'"input_tokens":2' in _run("export", "--cache", kept).stdout_bytes


def test_a_file_without_any_reply_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "reviews.jsonl"
    file.write_text('{"text": "a review"}\n')
    result = _run("import", file, "--cache", tmp_path / "copy.sqlite")
    assert isinstance(result.exception, InputError)
    assert "line 1: " in result.stderr


def test_an_empty_export_is_an_empty_import(tmp_path: Path) -> None:
    empty = tmp_path / "empty.sqlite"
    store = ResponseCache(empty)
    store.open()
    store.close()
    exported = _run("export", "--cache", empty)
    assert (exported.exit_code, exported.stdout) == (ExitCode.OK, "")
    assert _run("import", "-", "--cache", empty, stdin=exported.stdout_bytes).exit_code == ExitCode.OK


def test_export_of_a_missing_cache_is_an_error(tmp_path: Path) -> None:
    result = _run("export", "--cache", tmp_path / "none.sqlite")
    assert isinstance(result.exception, ConfigError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("stats",), ("clear", "--yes"), ("export",), ("import", "-")])
def test_a_damaged_cache_is_named_and_left_alone(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(b"garbage" * 500)
    result = _run(*command, "--cache", path)
    assert isinstance(result.exception, ConfigError)
    assert "move the file away" in str(result.exception)
    assert path.read_bytes() == b"garbage" * 500
