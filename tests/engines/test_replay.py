"""Recording a run and replaying it without the engine."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import Engine, EngineReply, EngineRequest, Message, ReviewInputs, Stage1Inputs
from samsim.engines.replay import RecordingEngine, ReplayEngine, TraceWriter
from samsim.engines.scripted import ScriptedEngine
from samsim.errors import ConfigError, EngineError, InputError
from samsim.pipeline.api import Pipeline
from samsim.schemas.calls import AttemptRecord, Usage
from samsim.schemas.protocol_conflict_review import PerspectiveASTEStage1Schema
from samsim.schemas.results import SampleResult
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import analysis

TEXTS = [
    ("1", "The screen is great, but the battery doesn't last."),
    ("2", "I wouldn't say the camera is bad. The price, on the other hand!"),
    ("3", "Nothing to complain about, except that the fan is loud."),
    ("2", "The same id, another text: the keyboard feels cheap."),
]
CONFIG = {"language": "en", "recheck": True, "review_scope": "always"}

ANSWER = EngineReply(
    output={"triplets": []},
    mode="json_schema",
    messages=(Message("system", "규칙"), Message("user", "좋아요\u2028🙂")),
    attempts=(
        AttemptRecord(kind="first", outcome="rate_limited", http_status=429, started=1.25, ended=1.5),
        AttemptRecord(
            kind="retry",
            outcome="salvaged",
            http_status=200,
            usage=Usage(input_tokens=90, output_tokens=7),
            cost=0.00012,
            started=2.0,
            ended=2.75,
            raw='Here you are: {"triplets": []}',
        ),
    ),
)


def _request(content: str = "좋아요", **changes: Any) -> EngineRequest:
    request = EngineRequest(
        agent="A",
        stage="stage1",
        uid="7",
        inputs=Stage1Inputs(analysis("좋아요"), load_taxonomy("none")),
        output_schema=PerspectiveASTEStage1Schema,
        messages=lambda: (Message("user", content),),
        prompt_hash="p",
    )
    return replace(request, **changes)


def _ask(engine: Engine, *requests: EngineRequest) -> list[EngineReply]:
    async def ask_all() -> list[EngineReply]:
        return [await engine.complete(request) for request in requests]

    return asyncio.run(ask_all())


def _record(path: Path, engine: Engine, *requests: EngineRequest) -> list[EngineReply]:
    with TraceWriter(path) as trace:
        return _ask(RecordingEngine(engine, trace), *requests)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def _results(engine: Engine) -> list[SampleResult]:
    pipeline = Pipeline(CONFIG, engine)
    return [pipeline.analyze(text, uid=uid) for uid, text in TEXTS]


def test_a_replayed_run_gives_the_same_results_without_the_engine(trace: Path) -> None:
    plain = _results(EmbeddedEngine())
    with TraceWriter(trace) as writer:
        recorded = _results(RecordingEngine(EmbeddedEngine(), writer))
    assert recorded == plain
    assert any(result.review_actions for result in plain)
    replay = ReplayEngine(trace, name="embedded")
    assert _results(replay) == plain
    assert _results(replay) == plain
    asyncio.run(replay.aclose())
    assert _results(replay) == plain


def test_a_recorded_replay_can_be_replayed(trace: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    with TraceWriter(trace) as writer:
        plain = _results(RecordingEngine(EmbeddedEngine(), writer))
    with TraceWriter(again) as writer:
        _results(RecordingEngine(ReplayEngine(trace, name="embedded"), writer))
    assert again.read_bytes() == trace.read_bytes()
    assert _results(ReplayEngine(again, name="embedded")) == plain


def test_a_reply_comes_back_with_messages_attempts_tokens_cost_and_times(trace: Path) -> None:
    cached = replace(ANSWER, cached=True, attempts=())
    failed = EngineReply(output=None, failure="cut_off", attempts=ANSWER.attempts)
    replies = [ANSWER, cached, failed]
    requests = [_request(agent=agent) for agent in ("A", "B", "C")]
    assert _record(trace, ScriptedEngine(replies), *requests) == replies
    replay = ReplayEngine(trace)
    assert _ask(replay, *reversed(requests)) == replies[::-1]
    assert replay.name == "replay"


def test_a_trace_line_is_the_whole_call(trace: Path) -> None:
    _record(trace, ScriptedEngine([ANSWER], name="openai_compatible:m"), _request(seed=3, repeat=2))
    (line,) = [json.loads(line) for line in trace.read_bytes().splitlines()]
    assert line.pop("request_hash")
    assert line == {
        "cut": [],
        "uid": "7",
        "order": 0,
        "repeat": 2,
        "seed": 3,
        "agent": "A",
        "stage": "stage1",
        "engine": "openai_compatible:m",
        "prompt_hash": "p",
        "mode": "json_schema",
        "cached": False,
        "kept_usage": None,
        "problem": None,
        "messages": [{"role": message.role, "content": message.content} for message in ANSWER.messages],
        "attempts": [attempt.model_dump() for attempt in ANSWER.attempts],
        "output": {"triplets": []},
    }


def test_whatever_a_model_may_have_written_is_replayed(trace: Path) -> None:
    odd = {
        "half": "\ud83d",
        "tiny": 5e-324,
        "huge": 10**30,
        "": [None, True, {"깊이": [[]]}],
        "separator": "\u2028\x00",
    }
    outputs: list[object] = [odd, [], "text", None, 1.5, float("inf")]
    requests = [_request(uid=str(number)) for number in range(len(outputs))]
    _record(trace, ScriptedEngine([EngineReply(output=output) for output in outputs]), *requests)
    assert [reply.output for reply in _ask(ReplayEngine(trace), *requests)] == outputs


def test_a_full_disk_is_an_error_of_the_engine(trace: Path) -> None:
    if not Path("/dev/full").exists():
        # Only Linux has this always-full device; a full disk cannot be had portably.
        pytest.skip("needs /dev/full")
    writer = TraceWriter(Path("/dev/full"), overwrite=True)
    with pytest.raises(EngineError, match="Cannot write to the trace"):
        _ask(RecordingEngine(ScriptedEngine([ANSWER]), writer), _request())


def test_lines_are_on_disk_as_soon_as_a_call_ends(trace: Path) -> None:
    with TraceWriter(trace) as writer:
        engine = RecordingEngine(ScriptedEngine(["x", "y"]), writer)
        for count in (1, 2):
            _ask(engine, _request())
            assert [json.loads(line)["order"] for line in trace.read_bytes().splitlines()] == list(range(count))


@pytest.mark.parametrize(
    "other",
    [
        _request("좋아요!"),
        _request(uid="8"),
        _request(agent="B"),
        _request(stage="review"),
        _request(repeat=1),
        _request(seed=1),
    ],
)
def test_what_was_not_recorded_is_a_failure_that_names_the_request(trace: Path, other: EngineRequest) -> None:
    _record(trace, ScriptedEngine([ANSWER]), _request())
    (reply,) = _ask(ReplayEngine(trace), other)
    assert (reply.output, reply.failure) == (None, "not_recorded")
    (attempt,) = reply.attempts
    assert attempt.outcome == "not_recorded"
    assert f"sample {other.uid}, agent {other.agent}, {other.stage}" in attempt.raw


def test_the_inputs_count_only_as_far_as_the_prompt_shows_them(trace: Path) -> None:
    """The messages hold the same facts as the inputs; an engine that reads only one of them replays the same."""
    _record(trace, ScriptedEngine(["x"]), _request())
    inputs = ReviewInputs(analysis("좋아요"), load_taxonomy("none"), [], [], [], memory_context="")
    assert _ask(ReplayEngine(trace), _request(inputs=inputs))[0].output == "x"


def test_equal_requests_get_their_answers_in_order_and_start_over(trace: Path) -> None:
    _record(trace, ScriptedEngine(["one", "two", "three"]), *[_request()] * 3)
    outputs = [reply.output for reply in _ask(ReplayEngine(trace), *[_request()] * 7)]
    assert outputs == ["one", "two", "three", "one", "two", "three", "one"]


def test_the_unfinished_last_line_of_a_killed_run_is_not_a_recorded_call(trace: Path) -> None:
    _record(trace, ScriptedEngine([ANSWER, ANSWER]), _request(), _request(uid="8"))
    trace.write_bytes(trace.read_bytes()[:-20])
    first, second = _ask(ReplayEngine(trace), _request(), _request(uid="8"))
    assert (first.failure, second.failure) == (None, "not_recorded")


@pytest.mark.parametrize("bad", [b"{}\n", b"no JSON\n", b'{"uid": "\xff"}\n', b"[]\n"])
def test_a_line_that_is_no_call_is_named(trace: Path, bad: bytes) -> None:
    _record(trace, ScriptedEngine([ANSWER]), _request())
    trace.write_bytes(trace.read_bytes() + b"\n" + bad)
    with pytest.raises(InputError, match=r"trace\.jsonl, line 3 is not a recorded call"):
        ReplayEngine(trace)


def test_a_missing_trace_is_named(trace: Path) -> None:
    with pytest.raises(InputError, match="Cannot read the trace"):
        ReplayEngine(trace)


def test_a_trace_is_not_overwritten_by_accident(trace: Path, tmp_path: Path) -> None:
    TraceWriter(trace).close()
    with pytest.raises(ConfigError, match="already exists"):
        TraceWriter(trace)
    TraceWriter(trace, overwrite=True).close()
    with pytest.raises(ConfigError, match="Check the folder"):
        TraceWriter(tmp_path / "missing" / "trace.jsonl")


def test_recording_keeps_the_name_and_closes_the_engine(trace: Path) -> None:
    class Closable(ScriptedEngine):
        closed = 0

        async def aclose(self) -> None:
            self.closed += 1

    inner = Closable(["x"], name="inner")
    with TraceWriter(trace) as writer:
        engine = RecordingEngine(inner, writer)
        assert engine.name == "inner"
        asyncio.run(engine.aclose())
        asyncio.run(RecordingEngine(ScriptedEngine([]), writer).aclose())
    assert inner.closed == 1
