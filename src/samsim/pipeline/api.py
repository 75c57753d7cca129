"""The library's front door: ``analyze`` for one text, ``Pipeline`` for many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any, TypeVar

from pydantic import ValidationError

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import Engine
from samsim.engines.table import EngineTable
from samsim.errors import ConfigError, SamsimError
from samsim.language.analyze import analyze_text
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.epochs import Continuation, SampleError, by_epoch
from samsim.pipeline.inputs import Texts, as_samples, check_text
from samsim.pipeline.streaming import in_order, iterate
from samsim.pipeline.supervisor import supervise
from samsim.schemas.protocol_conflict_review import Agent
from samsim.schemas.results import SampleResult

ResultT = TypeVar("ResultT")


class Pipeline:
    """Analyses texts by one configuration; engines are loaded once and shared.

    ``config`` may be a ``PipelineConfig`` or a mapping of its fields. ``engine`` answers for all
    agents, or is a mapping or table with an engine for each; by default the embedded one answers.
    With a ``memory``, samples are analysed one after another, since each may learn from those before
    it, or epoch by epoch (visibility ``epoch:N``), where results do not depend on the concurrency.
    """

    def __init__(
        self,
        config: PipelineConfig | Mapping[str, Any] | None = None,
        engine: Engine | Mapping[Agent, Engine] | EngineTable | None = None,
        memory: EpisodicOrchestrator | None = None,
    ) -> None:
        self.config = _as_config(config)
        self._memory = memory
        self._engines = EngineTable.of(engine if engine is not None else EmbeddedEngine())

    async def aanalyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyse one text inside a running event loop."""
        checked = check_text(text)
        language = None if self.config.language == "auto" else self.config.language
        analysis = analyze_text(checked, language)
        return await supervise(uid, analysis, self._engines, self.config, self._memory)

    def analyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyse one text; also works where an event loop is running already, as in a notebook."""
        return _run(self._analyze_and_close(text, uid))

    async def astream(
        self, samples: Texts, *, concurrency: int = 1, continued: Continuation | None = None
    ) -> AsyncGenerator[SampleResult | SampleError, None]:
        """Analyse many texts, some at a time, in order; a bad sample gives an error and the rest goes on.

        ``samples`` are strings (numbered from 0), (uid, text) pairs or records with "text" and "uid" in any
        iterable, a mapping of uid to text, or a pandas Series, whose index is the uid. Anything else is an
        ``InputError``. ``continued`` says where an interrupted run with a memory goes on.
        """
        pairs = as_samples(samples)
        if self._memory is None or not self._memory.condition.uses_store:
            results = in_order(pairs, self._attempt, concurrency)
        else:
            results = by_epoch(pairs, self._attempt, self._memory, concurrency, continued)
        async with aclosing(results):
            async for result in results:
                yield result

    def stream(self, samples: Texts, *, concurrency: int = 1) -> Iterator[SampleResult | SampleError]:
        """The same for ordinary code: analyse many texts and yield the results in order."""
        pairs = as_samples(samples)  # here, so that a wrong collection is refused by the call itself
        return iterate(lambda: self._stream_and_close(pairs, concurrency))

    async def aclose(self) -> None:
        """Let go of connections; only needed after ``aanalyze`` and ``astream``."""
        await self._engines.aclose()

    async def _attempt(self, sample: tuple[str, str]) -> SampleResult | SampleError:
        uid, text = sample
        try:
            return await self.aanalyze(text, uid=uid)
        except SamsimError as error:
            return SampleError(uid=uid, message=str(error))
        except Exception as error:  # one sample must never end the run, whatever a foreign engine raises
            return SampleError(uid=uid, message=f"Unexpected {type(error).__name__}: {error}")

    async def _analyze_and_close(self, text: str, uid: str) -> SampleResult:
        try:
            return await self.aanalyze(text, uid=uid)
        finally:
            await self.aclose()

    async def _stream_and_close(
        self, pairs: Iterator[tuple[str, Any]], concurrency: int
    ) -> AsyncGenerator[SampleResult | SampleError, None]:
        try:
            async with aclosing(self.astream(pairs, concurrency=concurrency)) as results:
                async for result in results:
                    yield result
        finally:
            await self.aclose()


def analyze(text: str, **settings: Any) -> SampleResult:
    """Analyse one text with the embedded engine; settings are the fields of ``PipelineConfig``."""
    return Pipeline(settings).analyze(text)


def _as_config(config: PipelineConfig | Mapping[str, Any] | None) -> PipelineConfig:
    if isinstance(config, PipelineConfig):
        return config
    try:
        return PipelineConfig.model_validate(config or {})
    except ValidationError as error:
        details = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        known = ", ".join(PipelineConfig.model_fields)
        raise ConfigError(f"The configuration is wrong: {details}. Known settings: {known}.") from error


def _run(coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(max_workers=1) as executor:
        return executor.submit(asyncio.run, coroutine).result()
