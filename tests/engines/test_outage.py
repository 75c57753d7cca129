"""Servers that go away and come back, at one engine: what is waited for, for how long, and what is recorded."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.support.narrowing import some

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.factory import EnginePlan, build_setup
from samsim.engines.interface import EngineReply
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.outage import Outage, Servers, Sign, server_of, sign_of
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineSettings
from samsim.engines.transport.http import HttpReply, HttpTransport
from samsim.engines.wire.openai import OpenAIWire
from samsim.schemas.calls import Usage
from tests.servers.mortal import MortalServer, VirtualTime
from tests.support.loopback import stage1_request

SERVER = "http://127.0.0.1:8080"


def engine_for(server: MortalServer, outage: Outage, **settings: Any) -> ModelEngine:
    given = {"output_mode": "json_schema", "max_attempts": 2, **settings}
    asked = EngineSettings(kind="openai_compatible", model="m", base_url=server.url, **given)
    time = server.time
    return ModelEngine(Sender(asked, OpenAIWire(), HttpTransport(), outage=outage, clock=time.clock, sleep=time.sleep))


def outage_of(server: MortalServer, max_outage: float = 600.0) -> Outage:
    return Outage(SERVER, max_outage, Activity(server.time.clock), server.time.clock, server.time.sleep)


def replies(engine: ModelEngine, count: int, before: Callable[[int], None] = lambda _: None) -> list[EngineReply]:
    """Ask one after another."""

    async def ask() -> list[EngineReply]:
        try:
            found = []
            for number in range(count):
                before(number)
                found.append(await engine.complete(stage1_request(uid=str(number))))
            return found
        finally:
            await engine.aclose()

    return asyncio.run(ask())


def kinds(reply: EngineReply) -> list[tuple[str, str]]:
    return [(attempt.kind, attempt.outcome) for attempt in reply.attempts]


@pytest.mark.loopback
def test_a_server_that_answered_and_is_gone_is_waited_for_and_uses_up_no_attempt() -> None:
    with MortalServer(VirtualTime(), deaths=(2,), dead_for=100.0).running() as server:
        outage = outage_of(server)
        first, second, third = replies(engine_for(server, outage), 3)
    assert {first.failure, second.failure, third.failure} == {None}
    # The reset in the middle of a reply is an ordinary failure; what came after was the outage, in one record.
    assert kinds(second) == [("first", "connection"), ("outage", "connection"), ("retry", "ok")]
    lost = second.attempts[1]
    assert (lost.cost, lost.usage) == (0.0, Usage(input_tokens=0, output_tokens=0))
    assert lost.ended - lost.started == pytest.approx(91.0)
    assert lost.raw == "8 requests failed"
    assert kinds(third) == [("first", "ok")]
    assert outage.activity.pause() is None
    assert outage.activity.paused_seconds == pytest.approx(121.0)


@pytest.mark.loopback
def test_a_loading_server_is_waited_for_from_the_beginning() -> None:
    with MortalServer(VirtualTime(), loading=45.0).running() as server:
        (reply,) = replies(engine_for(server, outage_of(server), output_mode="auto"), 1)
    assert reply.failure is None
    assert kinds(reply)[0] == ("outage", "server_error")
    assert "Loading model" in reply.attempts[0].raw
    assert reply.attempts[0].cost == 0.0


@pytest.mark.loopback
def test_a_server_nobody_has_reached_yet_fails_soon() -> None:
    with MortalServer(VirtualTime()).running() as server:
        server.kill()
        outage = outage_of(server)
        (reply,) = replies(engine_for(server, outage), 1)
        assert reply.failure == "unreachable"
        assert kinds(reply) == [("first", "connection"), ("retry", "connection")]
        assert server.time.now < 5
        assert outage.activity.lost == f"{SERVER} cannot be reached; start the server, or correct base_url"


@pytest.mark.loopback
def test_without_max_outage_everything_is_as_it_was() -> None:
    with MortalServer(VirtualTime(), deaths=(2,), dead_for=100.0).running() as server:
        outage = outage_of(server, 0.0)
        first, second, third = replies(engine_for(server, outage), 3)
    assert (first.failure, second.failure, third.failure) == (None, "connection", "connection")
    assert kinds(second) == [("first", "connection"), ("retry", "connection")]
    assert outage.activity.lost is None
    with MortalServer(VirtualTime(), loading=100.0).running() as server:
        (reply,) = replies(engine_for(server, outage_of(server, 0.0)), 1)
    assert reply.failure == "server_error"


@pytest.mark.loopback
def test_one_that_stays_away_is_given_up_and_tried_again_by_whoever_asks_later() -> None:
    with MortalServer(VirtualTime(), deaths=(2,), dead_for=1000.0).running() as server:
        outage = outage_of(server, 100.0)
        engine = engine_for(server, outage)

        def back_again(number: int) -> None:
            if number == 3:
                server.revive()

        first, second, third, fourth = replies(engine, 4, back_again)
        assert [first.failure, second.failure, third.failure] == [None, "unreachable", "unreachable"]
        assert outage.activity.lost == f"no connection to {SERVER} for 100 s (max_outage)"
        assert 100 <= server.time.now < 102
        assert kinds(third) == [("outage", "connection")], "no waiting once it was given up"
        assert fourth.failure is None
        assert outage.activity.pause() is None


@pytest.mark.loopback
def test_engines_on_one_server_wait_together_and_one_of_them_probes() -> None:
    with MortalServer(VirtualTime(), deaths=(3,), dead_for=60.0).running() as server:
        outage = outage_of(server)
        engines = [engine_for(server, outage, temperature=heat / 10) for heat in range(4)]

        async def ask() -> list[EngineReply]:
            await engines[0].complete(stage1_request(uid="warm"))
            try:
                calls = (one.complete(stage1_request(uid=f"{k}")) for one in engines for k in range(8))
                return await asyncio.gather(*calls)
            finally:
                for one in engines:
                    await one.aclose()

        found = asyncio.run(ask())
    assert {reply.failure for reply in found} == {None}
    lost = [attempt for reply in found for attempt in reply.attempts if attempt.kind == "outage"]
    in_vain = sum(int(attempt.raw.split()[0]) for attempt in lost)
    probes = sum(seconds >= 1.0 for seconds in server.time.slept)
    # Everybody may find the server gone once; after that only one asks, at 1, 2, 4, 8, 16, 30 s.
    assert in_vain <= len(found) + probes
    assert probes <= 7
    assert outage.activity.waiting == outage.activity.under_way == 0


# --- without a server: the same by the signs alone ----------------------------------------------------


class Signs:
    """A server as its signs: away until a moment, counting who asks."""

    def __init__(self, time: VirtualTime, back_at: float, away: Sign = "unreached") -> None:
        self.time = time
        self.back_at = back_at
        self.away = away
        self.asked = 0

    async def attempt(self) -> Sign:
        self.asked += 1
        await asyncio.sleep(0)
        return "answered" if self.time.now >= self.back_at else self.away


def identity(sign: Sign | None) -> Sign:
    return some(sign)


def outlasting(time: VirtualTime, max_outage: float = 600.0) -> Outage:
    return Outage(SERVER, max_outage, Activity(time.clock), time.clock, time.sleep)


def test_the_delays_double_from_one_second_to_thirty() -> None:
    time = VirtualTime()
    signs, outage = Signs(time, 100.0, "loading"), outlasting(time)
    assert asyncio.run(outage.outlast(signs.attempt, identity)) == "answered"
    assert time.slept == [1, 2, 4, 8, 16, 30, 30, 30]


@given(
    calls=st.integers(1, 30),
    back_at=st.floats(0.1, 500.0),
    max_outage=st.floats(1.0, 400.0),
    cancelled=st.sets(st.integers(0, 29)),
)
def test_all_who_wait_share_the_end_whoever_leaves(
    calls: int, back_at: float, max_outage: float, cancelled: set[int]
) -> None:
    time = VirtualTime()
    signs, outage = Signs(time, back_at, "loading"), outlasting(time, max_outage)

    async def story() -> list[Sign | None]:
        tasks = [asyncio.ensure_future(outage.outlast(signs.attempt, identity)) for _ in range(calls)]
        await asyncio.sleep(0)
        for number, task in enumerate(tasks):
            if number in cancelled:
                task.cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        return [one for one in found if not isinstance(one, BaseException)]

    found = asyncio.run(story())
    assert len(found) == calls - len(cancelled & set(range(calls)))
    assert len(set(found)) <= 1
    if found:
        assert (found[0] is None) == (outage.activity.lost is not None)
        assert (found[0] is None) == (back_at > max_outage)
        assert time.now <= max_outage + 1e-9
        assert signs.asked <= 2 * calls + len(time.slept) + 1


def test_an_answer_from_before_the_outage_does_not_end_it() -> None:
    time = VirtualTime()
    outage = outlasting(time)
    drained = asyncio.Event()

    async def slow() -> Sign:
        await drained.wait()
        return "answered"

    async def story() -> None:
        await outage.outlast(Signs(time, 0.0).attempt, identity)
        draining = asyncio.ensure_future(outage.outlast(slow, identity))
        await asyncio.sleep(0)
        signs = Signs(time, 40.0)
        waiting = asyncio.ensure_future(outage.outlast(signs.attempt, identity))
        while outage.activity.pause() is None:
            await asyncio.sleep(0)
        drained.set()
        assert await draining == "answered"
        assert outage.activity.pause() is not None
        assert await waiting == "answered"

    asyncio.run(story())


def test_how_long_a_server_has_worked_on_the_call_that_looks_for_it_is_known() -> None:
    time = VirtualTime()
    outage = outlasting(time)
    signs: Iterator[Sign] = iter(("loading", "answered"))
    asked: list[float] = []

    async def slow() -> Sign:
        await time.sleep(40.0)
        pause = outage.activity.pause()
        asked.append(0.0 if pause is None else pause.asked_seconds)
        return next(signs)

    assert asyncio.run(outage.outlast(slow, identity)) == "answered"
    assert asked == [0.0, 40.0]
    assert outage.activity.pause() is None


@pytest.mark.parametrize(
    ("reply", "sign"),
    [
        (HttpReply(200), "answered"),
        (HttpReply(401), "answered"),
        (HttpReply(500, raw_text="Loading"), "answered"),
        (HttpReply(503, raw_text="overloaded"), "answered"),
        (HttpReply(503, raw_text='{"error":{"message":"Loading model"}}'), "loading"),
        (HttpReply(503, raw_text='{"error":"Model x is currently loading","estimated_time":20}'), "loading"),
        (HttpReply(None, failure="timeout"), "failed"),
        (HttpReply(None, failure="connection"), "failed"),
        (HttpReply(None, failure="connection", reached=False), "unreached"),
    ],
)
def test_what_a_reply_says_about_the_server(reply: HttpReply, sign: Sign) -> None:
    assert sign_of(reply) == sign


def test_engines_of_a_plan_share_what_is_known_of_a_server() -> None:
    def at(url: str, **more: Any) -> EngineSettings:
        return EngineSettings(kind="openai_compatible", model="m", base_url=url, **more)

    servers = Servers()
    one = servers.outage_of(at("http://user:secret@h:1/v1"), 5.0)
    assert servers.outage_of(at("http://h:1/v2?key=secret", temperature=1), 5.0) is one
    assert servers.outage_of(at("http://h:2/v1"), 5.0) is not one
    assert server_of(at("http://user:secret@h:1/v1?key=secret")) == one.server == "http://h:1"
    plan = EnginePlan(engines={"default": at("http://h:1/v1").model_dump(exclude_defaults=True)}, cache=False)
    assert plan.max_outage == 600
    assert build_setup(plan, {}, servers=servers).activity is servers.activity


@pytest.mark.loopback
def test_a_connection_that_does_not_come_about_in_time_was_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samsim.engines.transport.http._CONNECT_TIMEOUT_S", 0.05)

    async def ask() -> HttpReply:
        transport = HttpTransport(timeout_s=600.0)
        with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as stack:
            for _ in range(4):
                # They fill what waits to be accepted, so that nobody else gets through.
                filler = stack.enter_context(socket.socket())
                filler.setblocking(False)
                filler.connect_ex(full.getsockname())
            try:
                return await transport.post(f"http://127.0.0.1:{full.getsockname()[1]}/v1", {}, b"{}")
            finally:
                await transport.aclose()

    reply = asyncio.run(ask())
    assert (reply.failure, reply.reached) == ("timeout", False)
