"""Replies that are JSON and still no answer, and answers that must come through as they were written."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from samsim.agents.answers import ask
from samsim.engines.answers.judging import Judgement, judge
from samsim.engines.answers.limits import UNSTATED_ITEMS, UNSTATED_LENGTH
from samsim.engines.answers.structured import MAX_ITEMS, MAX_LENGTH, read_object
from samsim.engines.cache import CachedReply, ResponseCache
from samsim.engines.interface import EngineReply
from samsim.engines.model_engine import ModelEngine, build_model_engine
from samsim.engines.replay import RecordingEngine, ReplayEngine, TraceWriter
from samsim.engines.scripted import ScriptedEngine
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineKind, EngineSettings
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.base import BOUND_KEYWORDS, WireReply
from samsim.engines.wire.openai import OpenAIWire
from samsim.errors import ConfigError
from samsim.schemas.calls import Usage
from samsim.schemas.protocol_conflict_review import (
    ASTETripletItem,
    PerspectiveASTEStage1Schema,
    ReviewOutputSchema,
)
from tests.support.asking import Asked, asking, in_turn, outcomes
from tests.support.loopback import (
    TRIPLET,
    Body,
    Handler,
    Loopback,
    answers,
    chat_payload,
    chat_reply,
    serving,
    stage1_request,
)

pytestmark = pytest.mark.loopback
GOOD = answers(TRIPLET)
EXPECTED = PerspectiveASTEStage1Schema.model_validate(GOOD)
HALVES = [
    json.dumps(answers({**TRIPLET, "opinion_term": "\ud83d"})),
    json.dumps(answers({**TRIPLET, "opinion_term": "good \ude00 good"})),
    json.dumps({"triplets": [{**TRIPLET, "\ud83d": 1}]}),
    json.dumps({"triplets": [], "notes": {"deep": [["\udfff"]]}}),
    "Here you are: " + json.dumps(answers({**TRIPLET, "evidence": "\ud800"})),
]


def written(text: str) -> Judgement:
    return judge(WireReply(text, "stop", Usage()), PerspectiveASTEStage1Schema)


def complete(handler: Handler, **options: Any) -> EngineReply:
    async def use(asked: Asked) -> EngineReply:
        return await asked.engine.complete(stage1_request())

    return asking(handler, use, **options)


def writes(content: object) -> Handler:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return chat_reply(content)

    return handler


# --- half a surrogate pair (issue 11, 2) --------------------------------------------------------------


@pytest.mark.parametrize("text", HALVES)
def test_half_a_surrogate_pair_is_refused_where_it_is_parsed(text: str) -> None:
    judgement = written(text)
    assert judgement.failure == "bad_encoding"
    assert judgement.output is None
    assert "surrogate" in judgement.problem


def test_a_whole_pair_is_a_character_like_any_other() -> None:
    judgement = written(json.dumps(answers({**TRIPLET, "opinion_term": "😀"})))
    assert judgement.outcome == "ok"


@pytest.mark.parametrize("text", HALVES)
def test_the_model_is_told_once_and_only_the_good_answer_is_kept(text: str, tmp_path: Path) -> None:
    async def use(asked: Asked) -> tuple[EngineReply, EngineReply, int]:
        first = await asked.engine.complete(stage1_request())
        second = await asked.engine.complete(stage1_request())
        return first, second, len(asked.server.bodies)

    handler = in_turn(writes(text), writes(GOOD), writes(GOOD))
    first, second, sent = asking(handler, use, cache=ResponseCache(tmp_path / "c.sqlite"))
    assert outcomes(first) == [("first", "bad_encoding"), ("repair", "ok")]
    assert first.output == second.output == EXPECTED
    # The key is that of the first question, so the second time nobody is asked.
    assert (second.cached, sent) == (True, 2)


def test_a_model_that_cannot_do_better_fails_with_a_type_and_nothing_is_kept(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "c.sqlite")
    reply = complete(writes(HALVES[0]), cache=cache)
    assert (reply.output, reply.failure) == (None, "bad_encoding")
    assert cache.stats().entries == 0
    cache.close()


@pytest.mark.parametrize("text", HALVES)
def test_a_cache_that_holds_one_heals(text: str, tmp_path: Path) -> None:
    """Old versions kept such replies: they are a miss, and the next answer takes their place for good."""
    path = tmp_path / "c.sqlite"

    async def use(asked: Asked) -> tuple[list[EngineReply], int]:
        question = asked.sender.prepare(
            stage1_request().messages(), PerspectiveASTEStage1Schema, "json_schema", asked.engine.settings.seed
        )
        key = asked.engine._key(stage1_request(), question)
        spoilt = ResponseCache(path)
        spoilt.put(key, CachedReply(text=text, finish="stop", mode="json_schema"))
        spoilt.close()
        replies = []
        for _ in range(2):
            replies.append(await asked.engine.complete(stage1_request()))
            await asked.engine.aclose()
        healed = ResponseCache(path)
        kept = healed.get(key)
        assert kept is not None
        assert json.loads(kept.text) == GOOD
        assert healed.stats().entries == 1
        healed.close()
        return replies, len(asked.server.bodies)

    (first, second), sent = asking(writes(GOOD), use, cache=ResponseCache(path))
    assert first.output == second.output == EXPECTED
    assert (first.cached, second.cached, sent) == (False, True, 1)


SURROGATE_INPUT = {"triplets": [{**TRIPLET, "opinion_term": "\ud83d"}]}
WIRES: list[tuple[EngineKind, str, Body]] = [
    ("openai_compatible", "json_schema", chat_payload(json.dumps(SURROGATE_INPUT))),
    (
        "openai_compatible",
        "tool",
        chat_payload("", tool_calls=[{"function": {"name": "x", "arguments": json.dumps(SURROGATE_INPUT)}}]),
    ),
    ("openai_compatible", "tool", chat_payload("", tool_calls=[{"function": {"arguments": SURROGATE_INPUT}}])),
    (
        "anthropic",
        "json_schema",
        {"content": [{"type": "text", "text": json.dumps(SURROGATE_INPUT)}], "stop_reason": "end_turn"},
    ),
    ("anthropic", "tool", {"content": [{"type": "tool_use", "input": SURROGATE_INPUT}], "stop_reason": "tool_use"}),
    (
        "google",
        "json_schema",
        {"candidates": [{"content": {"parts": [{"text": json.dumps(SURROGATE_INPUT)}]}, "finishReason": "STOP"}]},
    ),
    (
        "google",
        "tool",
        {"candidates": [{"content": {"parts": [{"functionCall": {"args": SURROGATE_INPUT}}]}, "finishReason": "STOP"}]},
    ),
]


@pytest.mark.parametrize(("kind", "mode", "payload"), WIRES)
def test_every_wire_refuses_it(kind: EngineKind, mode: str, payload: Body, tmp_path: Path) -> None:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return web.json_response(payload)

    async def run() -> EngineReply:
        async with serving(handler) as server:
            settings = {"kind": kind, "model": "m", "base_url": f"{server.url}/v1", "output_mode": mode}
            engine = build_model_engine(
                EngineSettings.model_validate(settings | {"max_attempts": 1}),
                cache=ResponseCache(tmp_path / "c.sqlite"),
            )
            try:
                with TraceWriter(tmp_path / "trace.jsonl") as trace:
                    return await RecordingEngine(engine, trace).complete(stage1_request())
            finally:
                await engine.aclose()

    reply = asyncio.run(run())
    assert (reply.output, reply.failure) == (None, "bad_encoding")
    cache = ResponseCache(tmp_path / "c.sqlite")
    assert cache.stats().entries == 0
    cache.close()


def test_whoever_gives_it_the_call_fails_with_a_type(tmp_path: Path) -> None:
    """An engine of one's own, and a trace that an earlier version recorded."""
    path = tmp_path / "trace.jsonl"

    async def use() -> list[tuple[list[ASTETripletItem], str | None]]:
        with TraceWriter(path) as trace:
            own = RecordingEngine(ScriptedEngine([SURROGATE_INPUT]), trace)
            first = await ask(own, stage1_request(), "triplets", ASTETripletItem)
        replayed = await ask(ReplayEngine(path), stage1_request(), "triplets", ASTETripletItem)
        return [(items, call.problem) for items, call in (first, replayed)]

    assert asyncio.run(use()) == [([], "bad_encoding")] * 2


# --- nesting, numbers, shapes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inner",
    [
        "[" * 600 + "]" * 600,
        '{"a":' * 600 + "1" + "}" * 600,
        "9" * 4_000,
        "-" + "9" * 400,
        "1e999",
        "NaN",
        "-Infinity",
    ],
)
def test_what_no_later_step_survives_is_invalid_json(inner: str) -> None:
    judgement = written(f'{{"triplets": [], "x": {inner}}}')
    assert judgement.failure == "invalid_json"
    assert judgement.problem


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters(codec=None), max_size=4),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
        max_leaves=8,
    )
)
def test_what_is_read_can_be_written_again(value: object) -> None:
    reading = read_object(json.dumps({"triplets": value}))
    if reading.value is not None:
        assert json.loads(json.dumps(reading.value, ensure_ascii=False, allow_nan=False).encode()) == reading.value


@pytest.mark.parametrize(
    "error",
    [{"code": []}, {"code": {}}, {"code": {"a": 1}, "type": ["x"]}, {"type": {}}, {"code": True}, {"code": 1e999}],
)
@pytest.mark.parametrize("status", [200, 429, 500])
def test_an_error_of_any_shape_is_typed(error: Body, status: int) -> None:
    assert OpenAIWire().failure_of(status, {"error": error}) is not None


@pytest.mark.parametrize("count", [10**400, 10**30, -1, 1.5, "7", None, True], ids=lambda count: str(count)[:9])
def test_a_token_count_that_cannot_be_true_is_unknown(count: object) -> None:
    payload = chat_payload(GOOD) | {"usage": {"prompt_tokens": count, "completion_tokens": 3}}
    assert OpenAIWire().parse(payload, "json_schema").usage == Usage(input_tokens=None, output_tokens=3)


# --- the API key (issue 11, 6) ------------------------------------------------------------------------


def asked_with_key(key: str, payload: object, status: int = 200, cache: ResponseCache | None = None) -> EngineReply:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return web.json_response(payload, status=status)

    async def run() -> EngineReply:
        async with serving(handler) as server:
            settings = EngineSettings(
                kind="openai_compatible",
                model="m",
                base_url=f"{server.url}/v1",
                output_mode="json_schema",
                max_attempts=1,
            )
            engine = ModelEngine(Sender(settings, OpenAIWire(), HttpTransport(), api_key=key), cache)
            try:
                reply = await engine.complete(stage1_request())
            finally:
                await engine.aclose()
            assert server.headers[0]["Authorization"] == f"Bearer {key}"
            return reply

    return asyncio.run(run())


@pytest.mark.parametrize("key", ["test", "a", "screen!", "sk-proj-0123456789", "great-screen-key"])
def test_an_answer_is_never_altered(key: str) -> None:
    spoken = answers({**TRIPLET, "evidence": f"the {key} screen", "opinion_term": key})
    reply = asked_with_key(key, chat_payload(spoken))
    assert reply.output == PerspectiveASTEStage1Schema.model_validate(spoken)


def test_a_placeholder_is_sent_and_never_searched_for(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "c.sqlite")
    spoken = answers({**TRIPLET, "evidence": "test screen"})
    reply = asked_with_key("test", chat_payload(spoken), cache=cache)
    assert json.loads(reply.attempts[0].raw) == spoken
    assert cache.stats().entries == 1
    cache.close()
    refused = asked_with_key("test", {"error": "the test failed"}, status=401)
    assert "the test failed" in refused.attempts[0].raw


def test_a_real_key_is_redacted_in_what_is_recorded() -> None:
    key = "sk-proj-0123456789"
    spoken = answers({**TRIPLET, "rationale": f"your key {key}"})
    for reply in (
        asked_with_key(key, chat_payload(spoken)),
        asked_with_key(key, {"error": f"bad key {key}"}, status=401),
        asked_with_key(key, chat_payload(f"No. {key}")),
    ):
        assert key not in repr(reply.attempts)
        assert "[API key]" in reply.attempts[0].raw


# --- the limits of the schema (issue 11, 7) -----------------------------------------------------------


def many(count: int) -> Body:
    return answers(*({**TRIPLET, "aspect_term": f"term {number}"} for number in range(count)))


def test_a_list_that_is_too_long_is_cut_counted_and_traced(tmp_path: Path) -> None:
    async def use(asked: Asked) -> tuple[list[ASTETripletItem], list[str], EngineReply]:
        with TraceWriter(tmp_path / "trace.jsonl") as trace:
            items, record = await ask(
                RecordingEngine(asked.engine, trace), stage1_request(), "triplets", ASTETripletItem
            )
        replayed = await ReplayEngine(tmp_path / "trace.jsonl").complete(stage1_request())
        return items, record.rejected, replayed

    items, rejected, replayed = asking(writes(many(800)), use)
    told = f"triplets: 800 items, the first {MAX_ITEMS} kept"
    assert [item.aspect_term for item in items] == [f"term {number}" for number in range(MAX_ITEMS)]
    assert rejected == [told]
    assert json.loads((tmp_path / "trace.jsonl").read_text(encoding="utf-8"))["cut"] == [told]
    assert replayed.cut == (told,)


def test_what_comes_from_the_cache_is_held_to_the_same_limits(tmp_path: Path) -> None:
    async def use(asked: Asked) -> list[EngineReply]:
        return [await asked.engine.complete(stage1_request()) for _ in range(2)]

    first, second = asking(writes(many(40)), use, cache=ResponseCache(tmp_path / "c.sqlite"))
    assert second.cached
    assert first.output == second.output
    assert first.cut == second.cut == (f"triplets: 40 items, the first {MAX_ITEMS} kept",)


def test_an_answer_within_the_limits_is_left_alone() -> None:
    judgement = written(json.dumps(many(MAX_ITEMS)))
    assert judgement.cut == ()
    assert judgement.output == PerspectiveASTEStage1Schema.model_validate(many(MAX_ITEMS))


def test_a_partly_broken_answer_is_cut_too() -> None:
    judgement = written(json.dumps(answers(*[{"polarity": "x"}] * 5_000)))
    assert judgement.outcome == "schema"
    assert isinstance(judgement.output, dict)
    assert len(judgement.output["triplets"]) == MAX_ITEMS


def test_every_list_and_text_is_held_also_inside_of_choices() -> None:
    action = {
        "action_type": "FLIP",
        "target_tuple_ids": [f"t{number}" for number in range(100)],
        "new_value": {"polarity": "p" * 500, "normalized_ref": None},
        "reason_code": "WEAK_EVIDENCE",
    }
    reply = WireReply(json.dumps({"review_actions": [action]}), "stop", Usage())
    judgement = judge(reply, ReviewOutputSchema)
    assert isinstance(judgement.output, ReviewOutputSchema)
    (read,) = judgement.output.review_actions
    assert len(read.target_tuple_ids) == MAX_ITEMS
    assert read.new_value is not None
    assert read.new_value["polarity"] == "p" * MAX_LENGTH
    assert len(judgement.cut) == 2


def test_a_server_that_takes_no_bounds_is_held_to_wider_ones() -> None:
    text = json.dumps(many(UNSTATED_ITEMS + 1) | {"x": "y" * (UNSTATED_LENGTH + 1)})
    judgement = judge(WireReply(text, "stop", Usage()), PerspectiveASTEStage1Schema, BOUND_KEYWORDS)
    assert isinstance(judgement.output, PerspectiveASTEStage1Schema)
    assert len(judgement.output.triplets) == UNSTATED_ITEMS
    assert len(judgement.cut) == 2


# --- addresses ----------------------------------------------------------------------------------------


def test_a_user_in_the_address_and_a_key_are_an_error_that_says_so() -> None:
    settings = EngineSettings(kind="openai_compatible", model="m", base_url="http://me:hush-hush@127.0.0.1:9/v1")
    engine = build_model_engine(settings, api_key="sk-proj-0123456789")

    async def run() -> None:
        try:
            await engine.complete(stage1_request())
        finally:
            await engine.aclose()

    with pytest.raises(ConfigError, match="base_url") as caught:
        asyncio.run(run())
    assert "hush" not in str(caught.value)


def test_a_query_in_the_address_stays_behind_the_path() -> None:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return chat_reply(GOOD)

    async def run() -> Loopback:
        async with serving(handler) as server:
            settings = EngineSettings(
                kind="openai_compatible",
                model="m",
                base_url=f"{server.url}/v1/?api_key=hush-hush-hush",
                output_mode="json_schema",
            )
            engine = build_model_engine(settings)
            try:
                reply = await engine.complete(stage1_request())
            finally:
                await engine.aclose()
            assert reply.failure is None
            return server

    assert asyncio.run(run()).paths == ["/v1/chat/completions?api_key=hush-hush-hush"]
