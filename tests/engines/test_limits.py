"""Limits, simulated in virtual time: hours pass in milliseconds, and a deadlock is an error at once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.pacing.limits import AdaptiveLimit, FifoGate, RateLimit, Slot, SpendingLimit
from samsim.engines.settings import PricePerMillion
from samsim.errors import ConfigError
from tests.support.strategies import steady
from tests.support.virtual_time import simulate, virtual_clock

# --- how many at once


async def _call(limit: AdaptiveLimit, seconds: float = 1.0, outcome: str = "ok") -> None:
    async with limit as slot:
        await asyncio.sleep(seconds)
        _report(slot, outcome)


def _report(slot: Slot, outcome: str) -> None:
    if outcome in ("ok", "late"):
        slot.succeeded(is_late=outcome == "late")
    elif outcome == "429":
        slot.rate_limited()
    elif outcome == "timeout":
        slot.timed_out()


async def _together(*calls: Coroutine[Any, Any, None]) -> None:
    await asyncio.gather(*calls)


def test_one_wave_of_429_halves_once() -> None:
    limit = AdaptiveLimit(16)
    simulate(lambda: _together(*(_call(limit, outcome="429") for _ in range(16))))
    assert limit.current == 8
    assert limit.active == limit.waiting == 0


def test_it_halves_down_to_one_and_no_further() -> None:
    limit = AdaptiveLimit(20)
    widths = []

    async def waves() -> None:
        for _ in range(6):
            await _call(limit, outcome="429")
            widths.append(limit.current)

    simulate(waves)
    assert widths == [10, 5, 2, 1, 1, 1]


def test_it_grows_by_one_per_window_and_never_over_the_cap() -> None:
    limit = AdaptiveLimit(4)
    widths = []

    async def story() -> None:
        for _ in range(2):
            await _call(limit, outcome="429")
        for _ in range(20):
            await _call(limit)
            widths.append(limit.current)

    simulate(story)
    assert widths[:6] == [2, 2, 3, 3, 3, 4]
    assert set(widths[6:]) == {4}


def test_a_429_starts_the_window_anew() -> None:
    limit = AdaptiveLimit(8)

    async def story() -> None:
        for outcome in ("429", "ok", "ok", "ok", "429", "ok"):
            await _call(limit, outcome=outcome)

    simulate(story)
    assert limit.current == 2


def test_a_wider_limit_lets_the_next_one_in_at_once() -> None:
    limit = AdaptiveLimit(2)

    async def story() -> None:
        await _call(limit, outcome="429")
        async with limit as slot:
            waiting = asyncio.create_task(_call(limit))
            await asyncio.sleep(1)
            assert (limit.active, limit.waiting) == (1, 1)
            slot.succeeded()
            assert (limit.active, limit.waiting) == (2, 0)
            await waiting

    simulate(story)


def test_who_gives_up_leaves_the_line_at_once() -> None:
    gate = FifoGate(1)

    async def wait() -> None:
        async with gate:
            pass

    async def story() -> None:
        async with gate:
            tasks = [asyncio.create_task(wait()) for _ in range(3)]
            await asyncio.sleep(1)
            tasks[1].cancel()
            await asyncio.sleep(1)
            assert gate.waiting == 2
        await asyncio.gather(*tasks, return_exceptions=True)

    simulate(story)
    assert gate.active == gate.waiting == 0


def test_other_failures_change_nothing() -> None:
    limit = AdaptiveLimit(4)
    simulate(lambda: _together(*(_call(limit, outcome="500") for _ in range(9))))
    assert limit.current == 4


def test_one_wave_of_timeouts_halves_once_down_to_one() -> None:
    limit = AdaptiveLimit(16)
    simulate(lambda: _together(*(_call(limit, outcome="timeout") for _ in range(16))))
    assert limit.current == 8
    for _ in range(5):
        simulate(lambda: _call(limit, outcome="timeout"))
    assert limit.current == 1
    assert limit.active == limit.waiting == 0


def test_it_settles_below_what_a_server_bears_and_loses_nobody() -> None:
    limit = AdaptiveLimit(64)
    served = refused = under_way = 0
    widths = []

    async def until_served() -> None:
        nonlocal served, refused, under_way
        while True:
            async with limit as slot:
                under_way += 1
                borne = under_way <= 10
                await asyncio.sleep(1.0)
                under_way -= 1
                if borne:
                    slot.succeeded()
                    served += 1
                    widths.append(limit.current)
                    return
                slot.rate_limited()
                refused += 1
            await asyncio.sleep(0.5)

    simulate(lambda: _together(*(until_served() for _ in range(1000))))
    assert served == 1000
    assert refused < 200
    assert max(widths[200:]) <= 12
    assert min(widths[200:]) >= 4


@steady
@given(
    cap=st.integers(1, 8),
    start=st.none() | st.integers(1, 8),
    calls=st.lists(
        st.tuples(st.floats(0, 5), st.floats(0, 3), st.sampled_from(("ok", "late", "429", "timeout", "error"))),
        min_size=1,
        max_size=40,
    ),
)
def test_never_over_the_cap_first_come_first_served(
    cap: int, start: int | None, calls: list[tuple[float, float, str]]
) -> None:
    limit = AdaptiveLimit(cap, start=start, clock=virtual_clock)
    arrived: list[int] = []
    admitted: list[int] = []

    async def one(number: int, arrival: float, seconds: float, outcome: str) -> None:
        await asyncio.sleep(arrival)
        arrived.append(number)
        async with limit as slot:
            admitted.append(number)
            assert 1 <= limit.current <= cap
            assert 1 <= limit.active <= cap
            await asyncio.sleep(seconds)
            _report(slot, outcome)

    simulate(lambda: _together(*(one(number, *call) for number, call in enumerate(calls))))
    assert admitted == arrived
    assert limit.active == limit.waiting == 0


@steady
@given(
    cap=st.integers(1, 3),
    plans=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=25),
)
def test_cancelled_calls_leave_no_place_behind(cap: int, plans: list[tuple[int, int, int]]) -> None:
    """Whole numbers on purpose: arrivals, ends and cancellations then fall on the same moment."""
    limit = AdaptiveLimit(cap)

    async def one(arrival: int, seconds: int) -> None:
        await asyncio.sleep(arrival)
        async with limit:
            assert limit.active <= cap
            await asyncio.sleep(seconds)

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        tasks = [asyncio.create_task(one(arrival, seconds)) for arrival, seconds, _ in plans]
        for task, (_, _, cancelled_at) in zip(tasks, plans, strict=True):
            if cancelled_at < 6:
                loop.call_later(cancelled_at, task.cancel)
        endings = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(ending is None or isinstance(ending, asyncio.CancelledError) for ending in endings)
        assert limit.active == limit.waiting == 0
        async with asyncio.timeout(1), limit:
            pass

    simulate(scenario)


def test_a_place_given_to_a_call_cancelled_in_the_same_moment_goes_on_to_the_next() -> None:
    gate = FifoGate(1)
    order: list[str] = []

    async def enter(name: str) -> None:
        async with gate:
            order.append(name)

    async def scenario() -> None:
        async with gate:
            unlucky = asyncio.create_task(enter("unlucky"))
            lucky = asyncio.create_task(enter("lucky"))
            await asyncio.sleep(0)
        # The gate has let "unlucky" in, which does not know yet.
        assert gate.active == 1
        unlucky.cancel()
        await asyncio.gather(unlucky, lucky, return_exceptions=True)

    simulate(scenario)
    assert order == ["lucky"]
    assert gate.active == 0


def test_a_limit_serves_one_event_loop_after_another() -> None:
    limit = AdaptiveLimit(2)
    for _ in range(3):
        simulate(lambda: _together(*(_call(limit) for _ in range(7))))
    assert limit.active == limit.waiting == 0


def test_a_cap_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="concurrency"):
        AdaptiveLimit(0)


# --- how many per minute


def _admissions(requests: int, *, tokens: int = 0, apart: float = 0.0, **limits: Any) -> list[float]:
    """When each of the requests, which come ``apart`` seconds from each other, is let through."""

    async def scenario() -> list[float]:
        rate = RateLimit(**limits, clock=virtual_clock)
        moments: list[float] = []

        async def one(number: int) -> None:
            await asyncio.sleep(number * apart)
            await rate.acquire(tokens)
            moments.append(virtual_clock())

        await asyncio.gather(*(one(number) for number in range(requests)))
        return moments

    return simulate(scenario)


def _most_in_a_minute(moments: list[float]) -> int:
    # A hair less than a minute: sums of floats do not end on it exactly.
    return max(sum(start <= moment < start + 60 - 1e-6 for moment in moments) for start in moments)


@steady
@given(
    per_minute=st.integers(1, 400), requests=st.integers(1, 150), apart=st.sampled_from((0.0, 0.01, 0.37, 1.0, 45.0))
)
def test_never_more_requests_in_any_minute(per_minute: int, requests: int, apart: float) -> None:
    moments = _admissions(requests, apart=apart, requests_per_minute=per_minute)
    assert len(moments) == requests
    assert _most_in_a_minute(moments) <= per_minute


@pytest.mark.parametrize("per_minute", [1, 7, 60, 500, 6000])
def test_the_limit_is_used(per_minute: int) -> None:
    moments = _admissions(per_minute * 3, requests_per_minute=per_minute)
    assert moments == sorted(moments)
    assert moments[-1] <= 180 * 1.02


@steady
@given(per_minute=st.integers(60, 5000), tokens=st.integers(0, 8000))
def test_never_more_tokens_in_any_minute_but_for_one_request(per_minute: int, tokens: int) -> None:
    moments = _admissions(30, tokens=tokens, tokens_per_minute=per_minute)
    assert _most_in_a_minute(moments) * tokens <= per_minute + tokens


def test_both_limits_hold_together() -> None:
    by_tokens = _admissions(20, tokens=1000, requests_per_minute=600, tokens_per_minute=6000)
    assert all(later - earlier >= 9.9 for earlier, later in pairwise(by_tokens[1:]))
    by_requests = _admissions(20, tokens=1, requests_per_minute=6, tokens_per_minute=6000)
    assert all(later - earlier == pytest.approx(10) for earlier, later in pairwise(by_requests))


def test_an_estimate_is_corrected_by_what_was_used() -> None:
    async def third_start(used: int) -> float:
        rate = RateLimit(tokens_per_minute=600, clock=virtual_clock)
        for _ in range(2):
            await rate.acquire(600)
            rate.correct(600, used)
        await rate.acquire(600)
        return virtual_clock()

    assert simulate(lambda: third_start(6)) < 5
    assert simulate(lambda: third_start(600)) > 115
    assert simulate(lambda: third_start(1200)) > 230


def test_idle_time_is_not_saved_up() -> None:
    async def burst_after_an_hour() -> list[float]:
        rate = RateLimit(requests_per_minute=30, tokens_per_minute=60, clock=virtual_clock)
        await rate.acquire(50)
        await asyncio.sleep(3600)
        rate.correct(50, 0)
        moments = []
        for _ in range(60):
            await rate.acquire(1)
            moments.append(virtual_clock())
        return moments

    assert _most_in_a_minute(simulate(burst_after_an_hour)) <= 30

    async def large_ones_after_an_hour() -> float:
        rate = RateLimit(tokens_per_minute=60, clock=virtual_clock)
        await rate.acquire(500)
        await asyncio.sleep(3600)
        rate.correct(500, 0)
        for _ in range(11):
            await rate.acquire(10)
        return virtual_clock() - 3600

    assert simulate(large_ones_after_an_hour) > 90


def test_without_limits_nobody_waits() -> None:
    assert set(_admissions(1000, tokens=10**9)) == {0.0}


def test_a_cancelled_wait_holds_up_nobody() -> None:
    async def scenario() -> float:
        rate = RateLimit(requests_per_minute=1, clock=virtual_clock)
        await rate.acquire(0)
        waiting = [asyncio.create_task(rate.acquire(0)) for _ in range(100)]
        await asyncio.sleep(1)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await rate.acquire(0)
        return virtual_clock()

    assert simulate(scenario) == pytest.approx(60)


def test_the_clock_and_the_sleep_are_given() -> None:
    now = 100.0
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal now
        slept.append(seconds)
        now += seconds

    async def scenario() -> None:
        rate = RateLimit(requests_per_minute=30, clock=lambda: now, sleep=sleep)
        for _ in range(3):
            await rate.acquire(0)

    asyncio.run(scenario())
    assert slept == pytest.approx([2, 2])


# --- how much money


def test_money_is_added_exactly() -> None:
    spending = SpendingLimit(1.0)
    for _ in range(9):
        spending.charge(0.1)
        assert not spending.exhausted
    spending.charge(0.1)
    assert spending.exhausted
    assert spending.spent == 1.0


@steady
@given(st.lists(st.integers(0, 10**6).map(lambda millionths: millionths / 10**6), max_size=50))
def test_the_sum_is_the_decimal_one(costs: list[float]) -> None:
    spending = SpendingLimit()
    for cost in costs:
        spending.charge(cost)
    assert Decimal(repr(spending.spent)) == sum((Decimal(repr(cost)) for cost in costs), Decimal(0))
    assert not spending.exhausted


def test_nothing_may_be_spent_under_a_limit_of_zero() -> None:
    assert SpendingLimit(0.0).exhausted


def test_an_unknown_cost_is_counted_as_unknown() -> None:
    spending = SpendingLimit(1.0)
    spending.charge(None)
    spending.charge(0.25)
    assert (spending.spent, spending.unknown, spending.exhausted) == (0.25, 1, False)


def test_a_limit_that_cannot_be_kept_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"price of local-7b is unknown.*price_per_million"):
        SpendingLimit(2.5).require_price(None, "local-7b")
    SpendingLimit(2.5).require_price(PricePerMillion(input=0, output=0), "local-7b")
    SpendingLimit().require_price(None, "local-7b")
