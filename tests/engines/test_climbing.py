"""How many calls at once a server is worth, found in virtual time by asking servers with so many lanes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from samsim.engines.pacing.limits import AdaptiveLimit
from tests.support.virtual_time import simulate, virtual_clock

CAP = 16
Seconds = Callable[[random.Random], float]


def always(seconds: float) -> Seconds:
    return lambda _: seconds


def now_short_now_long(seconds: float) -> Seconds:
    return lambda chance: seconds * chance.uniform(0.4, 1.6)


@dataclass
class Story:
    """What came of many calls."""

    widths: list[int] = field(default_factory=list)
    timeouts: int = 0
    seconds: float = 0.0


def asked(
    lanes: int,
    seconds: Seconds,
    *,
    calls: int = 300,
    callers: int = 48,
    start: int | None = 3,
    timeout: float | None = None,
    late: float | None = None,
) -> Story:
    """So many callers ask one call after another until all calls are answered; who times out asks again."""
    story = Story()
    chance = random.Random(1)

    async def scenario() -> None:
        limit = AdaptiveLimit(CAP, start=start, clock=virtual_clock)
        server = asyncio.Semaphore(lanes)
        left = iter(range(calls))

        async def until_answered() -> None:
            while True:
                async with limit as slot:
                    came = virtual_clock()
                    try:
                        async with asyncio.timeout(timeout), server:
                            await asyncio.sleep(seconds(chance))
                    except TimeoutError:
                        story.timeouts += 1
                        slot.timed_out()
                        continue
                    slot.succeeded(is_late=late is not None and virtual_clock() - came > late)
                    story.widths.append(limit.current)
                    return

        async def caller() -> None:
            for _ in left:
                await until_answered()

        await asyncio.gather(*(caller() for _ in range(callers)))
        story.seconds = virtual_clock()

    simulate(scenario)
    assert len(story.widths) == calls
    return story


@pytest.mark.parametrize("seconds", [always(1.5), now_short_now_long(1.5)])
def test_one_lane_ends_at_one_call_but_for_short_looks_at_two(seconds: Seconds) -> None:
    story = asked(1, seconds)
    settled = story.widths[60:]
    assert max(settled) <= 2
    assert settled.count(1) > 0.8 * len(settled)


@pytest.mark.parametrize("seconds", [always(1.5), now_short_now_long(1.5)])
def test_many_lanes_are_used_to_the_cap_for_good(seconds: Seconds) -> None:
    story = asked(64, seconds)
    assert set(story.widths[90:]) == {CAP}
    assert story.seconds < 1.5 * 300 * 1.5 / CAP


@pytest.mark.parametrize("lanes", [2, 3, 4, 6, 8])
def test_some_lanes_are_all_used_and_few_calls_wait(lanes: int) -> None:
    story = asked(lanes, always(1.5))
    assert story.seconds < 1.25 * 300 * 1.5 / lanes
    assert max(story.widths[60:]) <= 4 * lanes


def test_answers_that_cost_nothing_climb_at_once() -> None:
    assert asked(1, always(0.001)).widths[-1] == CAP


def test_who_asks_for_no_more_is_not_tried_with_more() -> None:
    assert set(asked(64, always(1.5), callers=2).widths) == {3}


def test_a_server_far_away_starts_at_the_cap_and_slow_answers_alone_change_nothing() -> None:
    assert set(asked(64, now_short_now_long(50.0), start=None).widths) == {CAP}


def test_a_server_far_away_with_one_lane_is_found_by_its_timeouts() -> None:
    story = asked(1, always(1.5), start=None, timeout=6.0)
    assert story.timeouts < 40
    assert max(story.widths[80:]) <= 2
    assert story.widths[80:].count(1) > 0.8 * len(story.widths[80:])


def test_a_stalled_call_costs_a_fast_server_little() -> None:
    stalls = iter([1.5] * 100 + [1000.0])
    story = asked(64, lambda _: next(stalls, 1.5), start=None, timeout=6.0)
    assert story.timeouts == 1
    assert story.widths.count(CAP) > 0.85 * len(story.widths)
    assert story.widths[-1] == CAP


def test_answers_that_come_late_bring_the_calls_down_before_any_is_given_up() -> None:
    story = asked(1, always(1.5), start=None, late=12.0)
    assert story.widths[0] == CAP
    assert story.widths[-1] <= 2


def test_answers_that_come_late_on_a_server_with_lanes_enough_cost_little() -> None:
    story = asked(64, always(20.0), start=None, late=12.0, calls=600)
    assert story.seconds < 1.25 * 600 * 20.0 / CAP
