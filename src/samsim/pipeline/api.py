"""The library's front door: ``analyze`` for one text, ``Pipeline`` for many."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from samsim.arguments import check_number, check_type
from samsim.engines.interface import Engine
from samsim.engines.opening import OpenEngine, engines_for
from samsim.errors import ConfigError, SamsimError
from samsim.language.analyze import analyze_text
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.epochs import Continuation, SampleError, by_epoch
from samsim.pipeline.inputs import Texts, as_samples, check_text
from samsim.pipeline.streaming import in_order, iterate, run_to_end
from samsim.pipeline.supervisor import supervise
from samsim.schemas.results import SampleResult
from samsim.validation_words import in_words

_ADVICE = "Use analyze(text), or put it in a list."


class Pipeline:
    """Analyse texts by one configuration; engines are opened once and shared.

    ``config`` is a ``PipelineConfig`` or a mapping of its fields. ``engine`` says who answers: a name, file or
    mapping as ``open_engine`` takes it ("openai:gpt-4.1-mini"), what ``open_engine`` returned, an ``Engine`` of your
    own, or a mapping of agent (A, B, C …) to engines and names; by default the embedded engine answers.
    With a ``memory`` (see ``open_memory``), samples are analysed one after another, since each may learn from those
    before it, or epoch by epoch (visibility ``epoch:N``), where results do not depend on the concurrency.
    """

    def __init__(
        self,
        config: PipelineConfig | Mapping[str, Any] | None = None,
        engine: str | Path | Mapping[Any, Any] | Engine | OpenEngine | None = None,
        memory: EpisodicOrchestrator | None = None,
    ) -> None:
        self.config = _as_config(config)
        if memory is not None:
            check_type(memory, EpisodicOrchestrator, "memory", "what open_memory returned")
        self._memory = memory
        opened = engines_for(engine, self.config.protocol)
        self._engines, self._concurrency = opened.table, opened.concurrency
        # Whoever opened the engines has seen what they warn of.
        if opened is not engine:
            for words in opened.warnings:
                warnings.warn(words, stacklevel=2)

    async def aanalyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyse one text inside a running event loop."""
        checked = check_text(text)
        check_type(uid, str, "uid", "a string")
        language = None if self.config.language == "auto" else self.config.language
        analysis = analyze_text(checked, language)
        return await supervise(uid, analysis, self._engines, self.config, self._memory)

    def analyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyse one text; also works where an event loop is running already, as in a notebook."""
        return run_to_end(self._analyze_and_close(text, uid))

    async def astream(
        self, samples: Texts, *, concurrency: int | None = None, continued: Continuation | None = None
    ) -> AsyncGenerator[SampleResult | SampleError, None]:
        """Analyse many texts, some at a time, in order; a bad sample gives an error and the rest goes on.

        ``samples`` are strings (numbered from 0), what ``load_samples`` read, (uid, text) pairs or records with
        "text" and "uid" in any iterable, a mapping of uid to text, or a pandas Series, whose index is the uid.
        Anything else is an ``InputError``. ``concurrency`` is how many are under way at once, by default what suits
        the engine; it changes no result. ``continued`` says where an interrupted run with a memory resumes.
        """
        pairs = as_samples(samples, _ADVICE)
        at_once = self._concurrency if concurrency is None else concurrency
        if self._memory is None or not self._memory.condition.uses_store:
            results = in_order(pairs, self._attempt, at_once)
        else:
            results = by_epoch(pairs, self._attempt, self._memory, at_once, continued)
        async with aclosing(results):
            async for result in results:
                yield result

    def stream(self, samples: Texts, *, concurrency: int | None = None) -> Iterator[SampleResult | SampleError]:
        """Analyse many texts and yield the results in order: ``astream`` for ordinary code."""
        if concurrency is not None:
            check_number(concurrency, "concurrency", least=1, whole=True)
        pairs = as_samples(samples, _ADVICE)  # here, so that a wrong collection is refused by the call itself
        return iterate(lambda: self._stream_and_close(pairs, concurrency))

    async def aclose(self) -> None:
        """Close connections; only needed after ``aanalyze`` and ``astream``."""
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
        self, pairs: Iterator[tuple[str, Any]], concurrency: int | None
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
        known = ", ".join(PipelineConfig.model_fields)
        raise ConfigError(
            f"The configuration is wrong: {in_words(error, 'config')}. Known settings: {known}."
        ) from error
