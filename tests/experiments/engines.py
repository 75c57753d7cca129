"""Engines for tests of runs: the embedded one, late, failing or dear at will."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.factory import EngineSetup
from samsim.engines.interface import Engine, EngineReply, EngineRequest
from samsim.engines.pacing.limits import SpendingLimit
from samsim.engines.settings import EngineSettings
from samsim.engines.table import EngineTable
from samsim.experiments.config import Cell
from samsim.experiments.runner import EngineSource
from samsim.schemas.calls import AttemptRecord, Usage

MODEL = EngineSettings(kind="openai_compatible", model="tested", base_url="http://127.0.0.1:1/v1")


def serving(make: Callable[[SpendingLimit], Engine]) -> EngineSource:
    """The same engine for every agent of every cell, said to be a model's."""

    def source(_cell: Cell, spending: SpendingLimit) -> EngineSetup:
        return EngineSetup(table=EngineTable.of(make(spending)), settings=(MODEL,), spending=spending)

    return source


class LateEngine:
    """The embedded engine, answering after a random number of turns of the event loop."""

    name = "late"

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._engine = EmbeddedEngine()
        self.under_way = self.most_under_way = 0

    def for_anybody(self, _spending: SpendingLimit) -> Engine:
        """Itself, for whoever serves engines."""
        return self

    async def complete(self, request: EngineRequest) -> EngineReply:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        for _ in range(self._chance.randrange(40)):
            await asyncio.sleep(0)
        self.under_way -= 1
        return await self._engine.complete(request)


class FailingEngine:
    """The embedded engine, failing for some samples as long as it is told to."""

    name = "failing"

    def __init__(self, broken: set[str]) -> None:
        self.broken = broken
        self.asked: list[str] = []
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        self.asked.append(request.uid)
        if request.uid in self.broken:
            return EngineReply(output=None, failure="server_error")
        return await self._engine.complete(request)


class DearEngine:
    """The embedded engine at a price per call, keeping the spending limit as a model's engine does."""

    name = "dear"

    def __init__(self, spending: SpendingLimit, price: float) -> None:
        self._spending = spending
        self._price = price
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        if self._spending.exhausted:
            return EngineReply(output=None, failure="budget")
        self._spending.charge(self._price)
        reply = await self._engine.complete(request)
        used = Usage(input_tokens=100, output_tokens=10)
        return replace(reply, attempts=(AttemptRecord(kind="first", outcome="ok", usage=used, cost=self._price),))
