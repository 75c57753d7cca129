"""The response cache: what is kept, when it is on disk, and what goes in and out as a file."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.engines.cache import (
    CACHE_VARIABLE,
    FLUSH_PUTS,
    CachedReply,
    ImportReport,
    ResponseCache,
    cache_key,
    default_cache_path,
)
from samsim.schemas.calls import Usage
from tests.support.cached_replies import REPLY, committed, export_line, key, no_bad_line
from tests.support.strategies import steady


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "replies.sqlite"


# --- keys


def test_every_part_of_a_request_is_in_its_key() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "좋아요"}], "temperature": 0}
    keys = {
        cache_key("engine", "http://host/v1", body, None, 0),
        cache_key("other", "http://host/v1", body, None, 0),
        cache_key("engine", "http://host/v2", body, None, 0),
        cache_key("engine", "http://host/v1", {**body, "temperature": 1}, None, 0),
        cache_key("engine", "http://host/v1", {**body, "top_p": None}, None, 0),
        cache_key("engine", "http://host/v1", {**body, "messages": [{"role": "user", "content": "좋아요 "}]}, None, 0),
        cache_key("engine", "http://host/v1", body, 0, 0),
        cache_key("engine", "http://host/v1", body, 1, 0),
        cache_key("engine", "http://host/v1", body, None, 1),
    }
    assert len(keys) == 9
    assert all(len(key) == 64 for key in keys)


def test_the_order_of_a_body_does_not_matter() -> None:
    assert cache_key("e", "u", {"a": {"x": 1, "y": 2}, "b": 3}, 1, 2) == cache_key(
        "e", "u", {"b": 3, "a": {"y": 2, "x": 1}}, 1, 2
    )


def test_half_a_surrogate_pair_has_a_key() -> None:
    assert cache_key("e", "u", {"text": "\ud83d"}, None, 0) != cache_key("e", "u", {"text": "\ud83e"}, None, 0)


# --- what is kept


def test_a_reply_comes_back_as_it_was(path: Path) -> None:
    async def run() -> None:
        kept = ResponseCache(path)
        assert kept.get(key(1)) is None
        kept.put(key(1), REPLY)
        assert kept.get(key(1)) == REPLY
        await kept.aclose()
        assert kept.get(key(1)) == REPLY
        assert kept.get(key(2)) is None
        await kept.aclose()

    asyncio.run(run())


@settings(steady, max_examples=20)
@given(replies=st.lists(st.tuples(st.text(min_size=1), st.none() | st.integers(0, 10**9)), max_size=40))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, replies: list[tuple[str, int | None]]) -> None:
    kept = ResponseCache(tmp_path_factory.mktemp("cache") / "c.sqlite")
    given_replies = [replace(REPLY, text=text, usage=Usage(input_tokens=tokens)) for text, tokens in replies]
    for number, reply in enumerate(given_replies):
        kept.put(key(number), reply)
    kept.close()
    assert [kept.get(key(number)) for number in range(len(given_replies))] == given_replies
    kept.close()


def test_half_a_surrogate_pair_is_not_kept(path: Path) -> None:
    kept = ResponseCache(path)
    kept.put(key(1), replace(REPLY, text="\ud83d"))
    assert kept.stats().entries == 0
    kept.close()


@pytest.mark.parametrize(
    "failed",
    [
        replace(REPLY, text=""),
        replace(REPLY, finish="length"),
        replace(REPLY, finish="refusal"),
        replace(REPLY, refusal="I will not."),
    ],
)
def test_failures_are_never_kept(path: Path, failed: CachedReply) -> None:
    kept = ResponseCache(path)
    kept.put(key(1), failed)
    assert kept.get(key(1)) is None
    kept.put(key(1), REPLY)
    assert kept.get(key(1)) == REPLY
    kept.close()


def test_the_first_reply_stays(path: Path) -> None:
    async def run() -> None:
        kept = ResponseCache(path)
        for text in ("first", "second"):
            kept.put(key(1), replace(REPLY, text=text))
        await kept.aclose()
        kept.put(key(1), replace(REPLY, text="third"))
        await kept.aclose()

    asyncio.run(run())
    assert committed(path)[key(1)]["text"] == "first"


def test_rows_are_plain_json(path: Path) -> None:
    kept = ResponseCache(path)
    kept.put(key(1), REPLY)
    kept.close()
    assert committed(path) == {
        key(1): {
            "text": REPLY.text,
            "finish": "stop",
            "mode": "json_schema",
            "refusal": None,
            "usage": {"input_tokens": 900, "output_tokens": None},
        }
    }


# --- when it is on disk


def test_puts_are_committed_together_at_the_latest_after_so_many(path: Path) -> None:
    async def run() -> None:
        kept = ResponseCache(path)
        kept.open()
        for number in range(FLUSH_PUTS - 1):
            kept.put(key(number), REPLY)
        assert committed(path) == {}
        kept.put(key(FLUSH_PUTS), REPLY)
        assert len(committed(path)) == FLUSH_PUTS
        kept.put(key(FLUSH_PUTS + 1), REPLY)
        await kept.aclose()

    asyncio.run(run())
    assert len(committed(path)) == FLUSH_PUTS + 1


def test_puts_are_committed_by_a_timer(path: Path) -> None:
    async def run() -> None:
        kept = ResponseCache(path, flush_seconds=0.0)
        kept.put(key(1), REPLY)
        for _ in range(5):
            await asyncio.sleep(0)
        assert list(committed(path)) == [key(1)]
        await kept.aclose()

    asyncio.run(run())


def test_what_an_ended_event_loop_left_is_committed_by_the_next_put(path: Path) -> None:
    now = 1000.0
    kept = ResponseCache(path, clock=lambda: now)

    async def put(number: int) -> None:
        kept.put(key(number), REPLY)

    asyncio.run(put(1))
    assert not path.exists()
    now += 0.6
    asyncio.run(put(2))
    assert set(committed(path)) == {key(1), key(2)}
    kept.close()


def test_without_an_event_loop_every_put_is_committed_at_once(path: Path) -> None:
    kept = ResponseCache(path)
    kept.put(key(1), REPLY)
    assert list(committed(path)) == [key(1)]
    kept.close()


def test_closing_leaves_one_file_and_may_be_repeated(path: Path) -> None:
    kept = ResponseCache(path)
    kept.close()
    assert not path.exists()
    kept.put(key(1), REPLY)
    kept.close()
    kept.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


# --- stats, clear, export, import


def test_stats_and_clear(path: Path) -> None:
    kept = ResponseCache(path)
    empty = kept.stats()
    assert (empty.entries, empty.oldest, empty.newest) == (0, None, None)
    kept.import_lines(map(export_line, range(500)), no_bad_line)
    full = kept.stats()
    assert (full.entries, full.oldest, full.newest) == (500, 1000.0, 1499.0)
    assert full.file_bytes > 500 * 64
    assert kept.clear() == 500
    cleared = kept.stats()
    assert cleared.entries == 0
    assert cleared.file_bytes < full.file_bytes / 2
    kept.close()


def test_an_export_is_sorted_and_comes_back_identical(path: Path, tmp_path: Path) -> None:
    kept = ResponseCache(path)
    kept.import_lines(map(export_line, (5, 3, 9, 1)), no_bad_line)
    kept.put(key(4), REPLY)
    exported = [entry.model_dump_json().encode() for entry in kept.entries()]
    assert [json.loads(line)["key"] for line in exported] == [key(number) for number in (1, 3, 4, 5, 9)]
    assert "배터리 🔋".encode() in exported[2]
    copy = ResponseCache(tmp_path / "copy.sqlite")
    assert copy.import_lines(exported, no_bad_line) == ImportReport(added=5)
    assert copy.import_lines(exported, no_bad_line) == ImportReport(known=5)
    assert [entry.model_dump_json().encode() for entry in copy.entries()] == exported
    assert copy.get(key(4)) == REPLY
    kept.close()
    copy.close()


def test_a_kept_reply_is_not_overwritten_by_an_import(path: Path) -> None:
    kept = ResponseCache(path)
    kept.put(key(1), REPLY)
    lines = [export_line(1), export_line(2), export_line(2), export_line(2, created=5)]
    assert kept.import_lines(lines, no_bad_line) == ImportReport(added=1, known=2, different=1)
    assert kept.get(key(1)) == REPLY
    kept.close()


BAD_LINES = {
    "no JSON": b"{\n",
    "a list": b"[]\n",
    "no UTF-8": export_line(1).replace(b"reply 1", b"\xff"),
    "a short key": export_line(1, key="abc"),
    "no time": export_line(1, created=float("nan")),
    "an unknown field": export_line(1, api_key="x"),
    "an unknown field inside": export_line(1).replace(b'"refusal"', b'"extra"'),
    "a missing reply": export_line(1, reply=None),
    "another mode": export_line(1).replace(b'"tool"', b'"magic"'),
    "a failure": export_line(1).replace(b'"stop"', b'"length"'),
    "a refusal": export_line(1).replace(b"null", b'"no"'),
    "tokens in words": export_line(1).replace(b"{}", b'{"input_tokens": "many"}'),
}


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_is_reported_by_its_number_and_the_rest_is_imported(path: Path, bad: bytes) -> None:
    kept = ResponseCache(path)
    reported: list[tuple[int, str]] = []
    report = kept.import_lines(
        [export_line(7), b"\n", bad, export_line(8)], lambda number, reason: reported.append((number, reason))
    )
    assert (report.added, report.bad) == (2, 1)
    assert [number for number, _ in reported] == [3]
    assert reported[0][1]
    assert kept.stats().entries == 2
    kept.close()


def test_a_long_import_is_committed_in_batches(path: Path) -> None:
    kept = ResponseCache(path)
    assert kept.import_lines(map(export_line, range(1201)), no_bad_line).added == 1201
    kept.close()
    assert len(committed(path)) == 1201


# --- where it is


def test_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "mine.sqlite"))
    assert default_cache_path() == tmp_path / "mine.sqlite"
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_path() == tmp_path / "samsim" / "responses.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_path() == Path.home() / ".cache" / "samsim" / "responses.sqlite"
