"""Servers on this machine that are slow, in virtual time: nothing is lost, and a fast one is used to the full."""

from __future__ import annotations

from typing import Any

import pytest

from samsim.engines.interface import EngineReply
from samsim.engines.model_engine import ModelEngine
from samsim.pipeline.api import Pipeline
from samsim.schemas.results import SampleResult
from tests.support.asking import outcomes
from tests.support.lanes import Lanes
from tests.support.loopback import stage1_request
from tests.support.virtual_time import simulate

pytestmark = pytest.mark.loopback
# The client looks at long timeouts once a second.
WHOLE_SECOND = 1.01


def analysed(lanes: Lanes, samples: int, **settings: Any) -> list[SampleResult]:
    """The results of so many samples, 16 at a time, as a run with these settings gives them."""
    results: list[SampleResult] = []

    async def use(engine: ModelEngine) -> None:
        pairs = ((str(number), f"Sentence {number} about the soup.") for number in range(samples))
        async for result in Pipeline(engine=engine).astream(pairs, concurrency=16):
            assert isinstance(result, SampleResult), result
            results.append(result)

    simulate(lambda: lanes.serve(use, **settings))
    return results


def durations(reply: EngineReply) -> list[float]:
    return [attempt.ended - attempt.started for attempt in reply.attempts]


def test_one_lane_loses_nothing_and_ends_at_one_call() -> None:
    lanes = Lanes(1, 1.5)
    results = analysed(lanes, 12, timeout_s=6.0)
    calls = [call for result in results for call in result.calls]
    assert len(results) == 12
    assert len(calls) == 36
    assert [call.problem for call in calls if call.problem] == []
    assert {attempt.outcome for call in calls for attempt in call.attempts} == {"ok"}
    assert lanes.present[-8:] == [1] * 8


def test_one_lane_with_answers_of_all_lengths_loses_nothing_and_stays_at_few_calls() -> None:
    lanes = Lanes(1, lambda number: 0.5 + number * 7 % 11 / 4)
    calls = [call for result in analysed(lanes, 60, timeout_s=6.0) for call in result.calls]
    assert len(calls) == 180
    assert [call.problem for call in calls if call.problem] == []
    # Three of the longest at once at the very start may be too many for the timeout.
    assert sum(attempt.outcome == "timeout" for call in calls for attempt in call.attempts) <= 3
    later = lanes.present[60:]
    assert sum(count > 2 for count in later) < 0.1 * len(later)


def test_a_server_with_many_lanes_is_soon_used_to_the_full() -> None:
    lanes = Lanes(64, lambda number: 1.0 + number * 7 % 11 / 11)
    results = analysed(lanes, 60)
    assert len(results) == 60
    # Two that leave in the same moment make room for two.
    assert set(lanes.present[90:150]) <= {15, 16}


def test_a_server_that_needs_longer_than_the_timeout_is_given_longer() -> None:
    lanes = Lanes(64, 185.0)
    replies: list[EngineReply] = []

    async def use(engine: ModelEngine) -> None:
        replies.extend([await engine.complete(stage1_request(f"s{number}")) for number in range(2)])

    simulate(lambda: lanes.serve(use, timeout_s=60.0, output_mode="json_schema"))
    slow, warned = replies
    assert outcomes(slow) == [("first", "timeout"), ("retry", "timeout"), ("retry", "ok")]
    assert durations(slow) == pytest.approx([60, 120, 185], abs=WHOLE_SECOND)
    assert outcomes(warned) == [("first", "ok")]


def test_no_call_is_waited_for_beyond_the_longest_timeout() -> None:
    lanes = Lanes(64, 10_000.0)
    replies: list[EngineReply] = []

    async def use(engine: ModelEngine) -> None:
        replies.append(await engine.complete(stage1_request()))

    simulate(lambda: lanes.serve(use, timeout_s=60.0, max_timeout_s=100.0, output_mode="json_schema"))
    assert replies[0].failure == "timeout"
    assert durations(replies[0]) == pytest.approx([60, 100, 100, 100, 100], abs=WHOLE_SECOND)
