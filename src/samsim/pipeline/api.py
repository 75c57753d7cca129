"""The main entry points of the library: ``analyze`` for one text, ``Pipeline`` for many."""

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
    """Analyzes texts with one configuration; engines are opened once and shared.

    ``config`` is a ``PipelineConfig`` or a mapping of its fields. ``engine`` is a name, file or mapping as accepted by
    ``open_engine`` ("openai:gpt-4.1-mini"), what ``open_engine`` returned, your own ``Engine``, or a mapping from
    agents (A, B, C …) to engines and names; the default is the embedded engine.
    With a ``memory`` (see ``open_memory``), samples are analyzed one after another, because each may learn from the
    previous ones, or epoch by epoch (visibility ``epoch:N``), where results do not depend on the concurrency.
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
        # A caller who opened the engines has already seen their warnings.
        if opened is not engine:
            for words in opened.warnings:
                warnings.warn(words, stacklevel=2)

    async def aanalyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyze one text inside a running event loop."""
        checked = check_text(text)
        check_type(uid, str, "uid", "a string")
        language = None if self.config.language == "auto" else self.config.language
        analysis = analyze_text(checked, language)
        return await supervise(uid, analysis, self._engines, self.config, self._memory)

    def analyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyze one text; also works if an event loop is already running, as in a notebook."""
        return run_to_end(self._analyze_and_close(text, uid))

    async def astream(
        self, samples: Texts, *, concurrency: int | None = None, continued: Continuation | None = None
    ) -> AsyncGenerator[SampleResult | SampleError, None]:
        """Analyze many texts concurrently and yield the results in order; a bad sample yields a ``SampleError``.

        ``samples`` are strings (numbered from 0), what ``load_samples`` read, (uid, text) pairs or records with
        "text" and "uid" in any iterable, a mapping of uid to text, or a pandas Series, whose index is the uid.
        Anything else raises an ``InputError``. ``concurrency`` is how many samples run at once, by default what suits
        the engine; it does not affect results. ``continued`` says where an interrupted run with a memory resumes.
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
        """Analyze many texts and yield the results in order; the synchronous version of ``astream``."""
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
        except Exception as error:  # one sample must never end the run, whatever a user's engine raises
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
    """Analyze one text with the embedded engine; ``settings`` are the fields of ``PipelineConfig``."""
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
