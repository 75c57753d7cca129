"""A Stage 2 answer without a reasoning is sent back once; after that the change is rejected (seed 003 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from aiohttp import web

from samsim.agents.debate_agents import review_patch
from samsim.engines.interface import Stage2Inputs
from samsim.rules.stage2_answers import answer_patch
from samsim.schemas.protocol_debate import Stage2Record
from samsim.schemas.results import CallRecord
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.asking import Asked, asking, in_turn
from tests.support.builders import analysis, candidate
from tests.support.debate import patch_op
from tests.support.loopback import Body, Handler, chat_reply

pytestmark = pytest.mark.loopback

PATCH = [patch_op("set_polarity", "t0", "negative", "c0"), patch_op("drop_tuple", "t1", "", "c1")]
INPUTS = Stage2Inputs(
    analysis("The strap is soft.", language="en"),
    load_taxonomy("none"),
    [candidate("t0"), candidate("t1")],
    [],
    [],
    PATCH,
)


def told(*reasonings: str) -> Handler:
    """A server that accepts both changes with these reasonings."""
    changes: list[dict[str, Any]] = [
        {"change_id": op.change_id, "op": op.op, "target_tuple_id": op.target_tuple_id, "value": op.value}
        | {"reasoning": reasoning}
        for op, reasoning in zip(PATCH, reasonings, strict=True)
    ]

    async def handler(request: web.Request, body: Body) -> web.Response:
        return chat_reply({"accepted_changes": changes, "rejected_changes": []})

    return handler


def answered(*steps: Handler) -> tuple[Stage2Record, CallRecord, Sequence[Body]]:
    async def use(asked: Asked) -> tuple[Stage2Record, CallRecord, Sequence[Body]]:
        accepted, rejected, call = await review_patch(asked.engine, "s1", INPUTS)
        return answer_patch(PATCH, accepted, rejected, answered=call.problem is None), call, asked.server.bodies

    return asking(in_turn(*steps), use)


def test_an_answer_with_reasons_is_taken_at_once() -> None:
    record, call, _ = answered(told("the words say so", "it is not there"))
    assert [one.change_id for one in record.accepted_changes] == ["c0", "c1"]
    assert [(attempt.kind, attempt.outcome) for attempt in call.attempts] == [("first", "ok")]


def test_a_missing_reasoning_is_asked_for_once_more() -> None:
    record, call, bodies = answered(told("the words say so", " "), told("the words say so", "it is not there"))
    assert [one.change_id for one in record.accepted_changes] == ["c0", "c1"]
    assert [(attempt.kind, attempt.outcome) for attempt in call.attempts] == [("first", "schema"), ("repair", "ok")]
    assert "accepted_changes.1.reasoning" in bodies[-1]["messages"][-1]["content"]


def test_what_is_still_without_one_is_rejected_and_the_rest_is_kept() -> None:
    record, call, _ = answered(told("the words say so", ""))
    assert [one.change_id for one in record.accepted_changes] == ["c0"]
    assert [(one.change_id, one.reason) for one in record.rejected_changes] == [("c1", "no_reasoning")]
    assert [attempt.kind for attempt in call.attempts] == ["first", "repair"]
    assert call.problem is None
