from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from samsim.agents.answers import ask
from samsim.engines.answers.structured import MAX_LENGTH
from samsim.engines.cache import ResponseCache
from samsim.engines.interface import ClosableEngine, EngineReply
from samsim.engines.model_engine import build_model_engine
from samsim.engines.pacing.limits import SpendingLimit
from samsim.engines.settings import EngineSettings
from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import ASTETripletItem, PerspectiveASTEStage1Schema
from tests.support.asking import KEY, Asked, asking, in_turn, outcomes
from tests.support.loopback import TRIPLET, Body, Handler, answers, chat_payload, chat_reply, stage1_request

pytestmark = pytest.mark.loopback
GOOD = answers(TRIPLET)
EXPECTED = PerspectiveASTEStage1Schema.model_validate(GOOD)
BROKEN_ITEM = {**TRIPLET, "polarity": "great"}


async def good(request: web.Request, body: Body) -> web.Response:
    return chat_reply(GOOD)


def status(code: int, text: str = "{}", **headers: str) -> Handler:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return web.Response(status=code, text=text, headers={name.replace("_", "-"): headers[name] for name in headers})

    return handler


def writes(content: object, finish: str = "stop", **message: Any) -> Handler:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return chat_reply(content, finish, **message)

    return handler


def sends(body_bytes: bytes) -> Handler:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return web.Response(body=body_bytes)

    return handler


async def resets(request: web.Request, body: Body) -> web.Response:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def stalls(request: web.Request, body: Body) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError("never reached")


def complete(handler: Handler, **options: Any) -> tuple[EngineReply, Asked]:
    async def use(asked: Asked) -> tuple[EngineReply, Asked]:
        return await asked.engine.complete(stage1_request()), asked

    return asking(handler, use, **options)


def test_a_good_answer_comes_validated_with_tokens_cost_and_messages() -> None:
    reply, asked = complete(good)
    assert reply.output == EXPECTED
    assert (reply.failure, reply.mode, reply.cached) == (None, "json_schema", False)
    assert [message.role for message in reply.messages] == ["system", "user"]
    (attempt,) = reply.attempts
    assert (attempt.kind, attempt.outcome, attempt.http_status) == ("first", "ok", 200)
    assert (attempt.usage.input_tokens, attempt.usage.output_tokens) == (100, 20)
    assert attempt.cost == asked.spending.spent == pytest.approx(300e-6)
    assert attempt.started < attempt.ended
    assert json.loads(attempt.raw) == GOOD
    assert asked.server.paths == ["/v1/chat/completions"]
    assert asked.server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("fault", "outcome", "http_status"),
    [
        (status(429), "rate_limited", 429),
        (status(500, "<html>oops</html>"), "server_error", 500),
        (status(503), "server_error", 503),
        (status(408), "timeout", 408),
        (status(409), "server_error", 409),
        (resets, "connection", None),
        (sends(b'{"choices": [{"mess'), "invalid_json", 200),
        (sends(b"[]"), "invalid_json", 200),
        (sends(b'{"a": "\xff"}'), "bad_encoding", 200),
        (sends(b'{"choices": [{"message": {"content": "\\ud800"}}]}'), "bad_encoding", 200),
        (sends(b'{"choices": []}'), "empty", 200),
        (writes(""), "empty", 200),
        (sends(b'{"error": {"code": 502, "message": "upstream"}}'), "server_error", 200),
    ],
)
def test_a_passing_fault_is_typed_and_the_retry_gives_the_same_answer(
    fault: Handler, outcome: str, http_status: int | None
) -> None:
    reply, asked = complete(in_turn(fault, good))
    assert reply.output == EXPECTED
    assert outcomes(reply) == [("first", outcome), ("retry", "ok")]
    assert reply.attempts[0].http_status == http_status
    assert len(asked.pauses) == 1
    reply.attempts[0].model_dump_json()


def test_a_stalled_server_is_a_timeout_and_asked_again() -> None:
    reply, _ = complete(in_turn(stalls, good), timeout_s=0.2)
    assert outcomes(reply) == [("first", "timeout"), ("retry", "ok")]


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (status(400, '{"error": {"message": "no"}}'), "bad_request"),
        (status(401), "auth"),
        (status(403), "auth"),
        (status(404), "bad_request"),
        (status(307, Location="/elsewhere"), "bad_request"),
        (status(429, '{"error": {"code": "insufficient_quota"}}'), "auth"),
        (status(400, '{"error": {"code": "content_filter"}}'), "refusal"),
        (writes('{"triplets": [{"aspect', "length"), "cut_off"),
        (writes(GOOD, "length"), "cut_off"),
        (writes("", "length"), "cut_off"),
        (writes("", refusal="I cannot do that."), "refusal"),
        (writes("", "content_filter"), "refusal"),
        (sends(b" " * (8 * 1024 * 1024 + 1)), "too_large"),
    ],
)
def test_a_lasting_fault_is_typed_and_not_repeated(fault: Handler, outcome: str) -> None:
    reply, asked = complete(fault)
    assert (reply.output, reply.failure) == (None, outcome)
    assert outcomes(reply) == [("first", outcome)]
    assert asked.pauses == []
    assert len(asked.server.bodies) == 1


def test_retries_end_after_the_allowed_attempts() -> None:
    reply, asked = complete(status(500), max_attempts=3)
    assert reply.failure == "server_error"
    assert outcomes(reply) == [("first", "server_error"), ("retry", "server_error"), ("retry", "server_error")]
    assert len(asked.pauses) == 2
    assert asked.pauses[0] < asked.pauses[1]
    assert [attempt.cost for attempt in reply.attempts] == [0.0, 0.0, 0.0]


def test_retry_after_is_honoured_and_the_limit_halved() -> None:
    reply, asked = complete(in_turn(status(429, Retry_After="7"), good))
    assert outcomes(reply) == [("first", "rate_limited"), ("retry", "ok")]
    assert 7 <= asked.pauses[0] <= 8
    assert asked.limit.current == 4


def test_calls_that_fail_together_come_back_apart_and_the_same_every_time() -> None:
    async def use(asked: Asked) -> list[float]:
        for uid in ("s1", "s2", "s3"):
            await asked.engine.complete(stage1_request(uid))
        return asked.pauses

    first = asking(status(500), use, max_attempts=2)
    assert len(set(first)) == 3
    assert asking(status(500), use, max_attempts=2) == first


def test_an_attempt_without_any_reply_has_an_unknown_cost() -> None:
    reply, asked = complete(resets, max_attempts=1)
    assert reply.attempts[0].cost is None
    assert reply.attempts[0].usage.input_tokens is None
    assert asked.spending.unknown == 1


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Of course! {json.dumps(GOOD)} I hope that helps.",
        f"<think>hm {{}}</think>{json.dumps(GOOD)}",
    ],
)
def test_chatty_answers_are_salvaged_and_counted(content: str) -> None:
    reply, asked = complete(writes(content))
    assert reply.output == EXPECTED
    assert outcomes(reply) == [("first", "salvaged")]
    assert len(asked.server.bodies) == 1


@pytest.mark.parametrize(
    ("content", "outcome", "complaint"),
    [
        (answers(BROKEN_ITEM), "schema", "triplets.0.polarity"),
        ({"tuples": []}, "schema", "triplets: Field required"),
        ([TRIPLET], "schema", "not a JSON object"),
        ('{"triplets": [', "invalid_json", "no JSON object"),
        ("I find nothing.", "invalid_json", "no JSON object"),
        ('{"triplets": [], "triplets": []}', "invalid_json", "duplicated key"),
    ],
)
def test_a_broken_answer_is_repaired_once_with_the_error(content: object, outcome: str, complaint: str) -> None:
    reply, asked = complete(in_turn(writes(content), good))
    assert reply.output == EXPECTED
    assert outcomes(reply) == [("first", outcome), ("repair", "ok")]
    assert asked.pauses == []
    first, second = asked.server.bodies
    raw = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    assert second["messages"][:2] == first["messages"]
    assert second["messages"][2] == {"role": "assistant", "content": raw}
    assert complaint in second["messages"][3]["content"]
    assert second["response_format"] == first["response_format"]
    assert asked.spending.spent == pytest.approx(600e-6)


def test_there_is_no_second_repair_and_tokens_of_both_attempts_count() -> None:
    reply, asked = complete(writes("No."))
    assert (reply.output, reply.failure) == (None, "invalid_json")
    assert outcomes(reply) == [("first", "invalid_json"), ("repair", "invalid_json")]
    assert len(asked.server.bodies) == 2
    assert sum(attempt.usage.output_tokens or 0 for attempt in reply.attempts) == 40


def test_a_repair_is_retried_like_any_request() -> None:
    reply, _ = complete(in_turn(writes("No."), status(503), good))
    assert outcomes(reply) == [("first", "invalid_json"), ("repair", "server_error"), ("retry", "ok")]
    assert reply.output == EXPECTED


def test_of_a_partly_broken_answer_the_valid_items_are_kept_and_the_rest_counted() -> None:
    async def use(asked: Asked) -> tuple[list[ASTETripletItem], list[str], str | None]:
        items, record = await ask(asked.engine, stage1_request(), "triplets", ASTETripletItem)
        return items, record.rejected, record.problem

    items, rejected, problem = asking(writes(answers(TRIPLET, BROKEN_ITEM, TRIPLET)), use)
    assert items == [*EXPECTED.triplets, *EXPECTED.triplets]
    assert len(rejected) == 1
    assert problem is None


@pytest.mark.parametrize("repair", [status(400), writes("No."), writes("", "length"), writes("", refusal="no")])
def test_a_repair_that_goes_wrong_does_not_take_away_the_first_answer(repair: Handler) -> None:
    partly = answers(TRIPLET, BROKEN_ITEM)
    reply, _ = complete(in_turn(writes(partly), repair))
    assert (reply.output, reply.failure) == (partly, None)
    assert len(reply.attempts) == 2


def test_five_megabytes_of_answer_are_read_and_held_to_the_schema() -> None:
    long = answers({**TRIPLET, "rationale": "x" * 5_000_000})
    reply, _ = complete(writes(long))
    short = answers({**TRIPLET, "rationale": "x" * MAX_LENGTH})
    assert reply.output == PerspectiveASTEStage1Schema.model_validate(short)
    assert reply.cut == (f"triplets[0].rationale: 5,000,000 characters, the first {MAX_LENGTH} kept",)


def test_in_prompted_mode_the_schema_is_in_the_messages_that_are_reported() -> None:
    reply, asked = complete(good, output_mode="prompted")
    assert "response_format" not in asked.server.bodies[0]
    assert "additionalProperties" in asked.server.bodies[0]["messages"][0]["content"]
    sent = [{"role": message.role, "content": message.content} for message in reply.messages]
    assert sent == asked.server.bodies[0]["messages"]


def test_a_spent_budget_stops_cleanly() -> None:
    async def use(asked: Asked) -> tuple[Sequence[EngineReply], int]:
        replies = [await asked.engine.complete(stage1_request(f"s{number}")) for number in range(4)]
        return replies, len(asked.server.bodies)

    replies, sent = asking(good, use, max_cost=500e-6)
    assert [reply.failure for reply in replies] == [None, None, "budget", "budget"]
    assert replies[2].attempts == ()
    assert sent == 2


def test_the_key_is_nowhere_but_in_the_header() -> None:
    echo = status(401, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    reply, asked = complete(echo)
    assert "Incorrect API key provided: [API key]" in reply.attempts[0].raw
    spoken, _ = complete(writes(answers({**TRIPLET, "rationale": KEY})))
    broken, _ = complete(writes(f"Your key is {KEY}"))
    for text in (repr(reply), repr(asked.engine), repr(vars(asked.engine)), repr(spoken.attempts), repr(broken)):
        assert KEY not in text


def test_seed_and_limits_of_the_settings_reach_the_server() -> None:
    async def use(asked: Asked) -> list[Body]:
        await asked.engine.complete(stage1_request())
        await asked.engine.complete(stage1_request(seed=9))
        return asked.server.bodies

    bodies = asking(good, use, seed=5, max_tokens=77)
    assert [body["seed"] for body in bodies] == [5, 9]
    assert bodies[0]["max_tokens"] == 77


def test_one_engine_serves_several_event_loops() -> None:
    engines = []

    async def use(asked: Asked) -> EngineReply:
        engines.append(asked.engine)
        return await asked.engine.complete(stage1_request())

    assert asking(good, use).output == EXPECTED
    (engine,) = engines
    assert isinstance(engine, ClosableEngine)

    async def again() -> EngineReply:
        reply = await engine.complete(stage1_request())
        await engine.aclose()
        return reply

    # Its server is gone; what matters is that the old loop is not touched.
    assert asyncio.run(again()).failure == "connection"


def test_calls_run_at_the_same_time_up_to_the_limit() -> None:
    together = asyncio.Barrier(8)

    async def meeting(request: web.Request, body: Body) -> web.Response:
        await together.wait()
        return chat_reply(GOOD)

    async def use(asked: Asked) -> list[EngineReply]:
        return await asyncio.gather(*(asked.engine.complete(stage1_request(f"s{n}")) for n in range(16)))

    replies = asking(meeting, use, timeout_s=600)
    assert all(reply.output == EXPECTED for reply in replies)


def test_an_identical_second_run_makes_no_call_and_gives_the_same(tmp_path: Path) -> None:
    async def use(asked: Asked) -> tuple[list[EngineReply], int]:
        replies = [await asked.engine.complete(stage1_request(f"s{n}", text=f"글 {n}")) for n in range(3)]
        return replies, len(asked.server.bodies)

    async def both(asked: Asked) -> tuple[list[EngineReply], list[EngineReply], int]:
        first, _ = await use(asked)
        await asked.engine.aclose()
        second, sent = await use(asked)
        return first, second, sent

    partly = answers(TRIPLET, BROKEN_ITEM)
    steps = in_turn(good, status(500), writes(f"So: {json.dumps(GOOD)}"), writes(partly), writes(partly))
    first, second, sent = asking(steps, both, cache=ResponseCache(tmp_path / "c.sqlite"))
    assert sent == 5
    assert [reply.output for reply in second] == [reply.output for reply in first] == [EXPECTED, EXPECTED, partly]
    assert [reply.cached for reply in first + second] == [False] * 3 + [True] * 3
    assert [outcomes(reply) for reply in second] == [[("first", "ok")], [("first", "salvaged")], [("first", "schema")]]
    assert all(reply.attempts[0].cost == 0.0 and reply.attempts[0].http_status is None for reply in second)


@pytest.mark.parametrize(
    "failing", [status(400), writes("No."), writes("", "length"), writes("", refusal="no"), writes({"tuples": []})]
)
def test_failures_are_never_cached(failing: Handler, tmp_path: Path) -> None:
    async def use(asked: Asked) -> tuple[list[EngineReply], list[int]]:
        replies, sent = [], []
        for _ in range(2):
            replies.append(await asked.engine.complete(stage1_request()))
            sent.append(len(asked.server.bodies))
        return replies, sent

    replies, sent = asking(failing, use, cache=ResponseCache(tmp_path / "c.sqlite"))
    assert all(reply.failure is not None and not reply.cached for reply in replies)
    assert sent[1] == 2 * sent[0]


def test_another_repeat_or_seed_is_another_request(tmp_path: Path) -> None:
    async def use(asked: Asked) -> int:
        changes: list[dict[str, Any]] = [{}, {"repeat": 1}, {"seed": 1}, {}]
        for fields in changes:
            await asked.engine.complete(stage1_request(**fields))
        return len(asked.server.bodies)

    assert asking(good, use, cache=ResponseCache(tmp_path / "c.sqlite")) == 3


def test_the_cache_holds_no_key(tmp_path: Path) -> None:
    async def use(asked: Asked) -> None:
        await asked.engine.complete(stage1_request())

    asking(writes(answers({**TRIPLET, "rationale": KEY})), use, cache=ResponseCache(tmp_path / "c.sqlite"))
    written = [file.read_bytes() for file in tmp_path.iterdir()]
    assert written
    assert not any(KEY.encode() in content for content in written)


def test_engines_are_built_from_settings() -> None:
    engine = build_model_engine(EngineSettings(kind="anthropic", model="claude-haiku-4-5"), api_key=KEY)
    assert engine.name == "anthropic:claude-haiku-4-5"
    for wrong in ("sk-canary\nX-Evil: 1", "sk-카나리아"):
        with pytest.raises(ConfigError, match="API key") as caught:
            build_model_engine(EngineSettings(kind="anthropic", model="m"), api_key=wrong)
        assert wrong not in str(caught.value)
    with pytest.raises(ConfigError, match="calls no model"):
        build_model_engine(EngineSettings())
    with pytest.raises(ConfigError, match="has no output mode json_object"):
        build_model_engine(EngineSettings(kind="anthropic", model="m", output_mode="json_object"))
    with pytest.raises(ConfigError, match="price"):
        build_model_engine(EngineSettings(kind="google", model="unheard-of"), spending=SpendingLimit(1.0))


def test_every_shape_of_reply_gives_a_reply_and_no_exception() -> None:
    async def use(asked: Asked) -> list[EngineReply]:
        return [await asked.engine.complete(stage1_request()) for _ in range(len(shapes))]

    shapes: list[object] = [{}, {"choices": {}}, {"choices": [[]]}, {"choices": [{"message": []}]}, {"error": "no"}]
    usages: list[object] = [None, [], {"prompt_tokens": -1}]
    shapes += [chat_payload("x") | {"usage": usage} for usage in usages]
    handlers = [sends(json.dumps(shape).encode()) for shape in shapes]
    replies = asking(in_turn(*handlers, handlers[0]), use, max_attempts=1)
    assert all(reply.failure in ("empty", "invalid_json") for reply in replies)
