"""The scripted engine."""

from __future__ import annotations

import asyncio
from itertools import repeat

import pytest

from samsim.engines.interface import EngineReply, EngineRequest, Message, Stage1Inputs
from samsim.engines.scripted import ScriptedEngine
from samsim.errors import EngineError
from samsim.pipeline.api import Pipeline
from samsim.pipeline.epochs import SampleError
from samsim.schemas.protocol_conflict_review import Agent, PerspectiveASTEStage1Schema
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import analysis

NOTHING: dict[str, list[object]] = {"triplets": []}


def _request(agent: Agent = "A", uid: str = "7") -> EngineRequest:
    return EngineRequest(
        agent=agent,
        stage="stage1",
        uid=uid,
        inputs=Stage1Inputs(analysis("좋아요"), load_taxonomy("none")),
        output_schema=PerspectiveASTEStage1Schema,
        messages=lambda: (Message("user", "좋아요"),),
        prompt_hash="p",
    )


def _ask(engine: ScriptedEngine, *requests: EngineRequest) -> list[EngineReply]:
    async def ask_all() -> list[EngineReply]:
        return [await engine.complete(request) for request in requests]

    return asyncio.run(ask_all())


def test_an_iterable_answers_in_the_order_of_the_requests() -> None:
    failed = EngineReply(output=None, failure="timeout")
    engine = ScriptedEngine([NOTHING, failed])
    assert _ask(engine, _request("A"), _request("B")) == [EngineReply(output=NOTHING), failed]


def test_a_callable_answers_by_agent_and_sample() -> None:
    engine = ScriptedEngine(lambda request: f"{request.agent}{request.uid}")
    assert [reply.output for reply in _ask(engine, _request("C", "1"), _request("A", "2"))] == ["C1", "A2"]


def test_each_agent_may_have_a_script_of_its_own() -> None:
    engine = ScriptedEngine({"A": ["first", "second"], "B": lambda request: request.uid})
    replies = _ask(engine, _request("A"), _request("B", "x"), _request("A"))
    assert [reply.output for reply in replies] == ["first", "x", "second"]


def test_a_script_that_runs_dry_says_for_whom() -> None:
    engine = ScriptedEngine({"A": ["only"]})
    _ask(engine, _request("A"))
    with pytest.raises(EngineError, match=r"script_dry.*agent A, stage1, sample 7"):
        _ask(engine, _request("A"))
    with pytest.raises(EngineError, match=r"script_dry.*agent C"):
        _ask(engine, _request("C"))


def test_a_callable_that_gives_up_is_dry_too() -> None:
    replies = iter(["only"])
    engine = ScriptedEngine(lambda _request: next(replies))
    _ask(engine, _request())
    with pytest.raises(EngineError, match="script_dry"):
        _ask(engine, _request())


def test_a_pipeline_runs_on_a_script_until_it_is_dry() -> None:
    found = {"triplets": [{"aspect_term": "screen", "opinion_term": "great", "polarity": "positive"}]}
    pipeline = Pipeline({"enable_review": False}, ScriptedEngine([found] * 3, name="mine"))
    text = "The screen is great."
    result, dry = pipeline.stream([("1", text), ("2", text)])
    assert not isinstance(result, SampleError)
    assert [(final.aspect_term, final.support) for final in result.final_tuples] == [("screen", ["A", "B", "C"])]
    assert {call.engine for call in result.calls} == {"mine"}
    assert isinstance(dry, SampleError)
    assert "script_dry" in dry.message


def test_an_endless_script_never_runs_dry() -> None:
    engine = ScriptedEngine(repeat(NOTHING))
    assert len(_ask(engine, *[_request()] * 50)) == 50
