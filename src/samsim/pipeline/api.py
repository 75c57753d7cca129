"""The library's front door: ``analyze`` for one text, ``Pipeline`` for many."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.protocol import Engine
from samsim.errors import ConfigError, SamsimError
from samsim.language.analyze import analyze_text
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.conflict_review_runner import run_conflict_review
from samsim.pipeline.inputs import check_text
from samsim.schemas.protocol_conflict_review import AGENTS, Agent
from samsim.schemas.results import SampleResult

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class SampleError:
    """A sample that could not be analysed, and why."""

    uid: str
    message: str


class Pipeline:
    """Analyses texts by one configuration; engines are loaded once and shared.

    ``config`` may be a ``PipelineConfig`` or a mapping of its fields. ``engine`` answers for all
    three agents, or is a mapping with an engine for each; by default the embedded one answers.
    """

    def __init__(
        self,
        config: PipelineConfig | Mapping[str, Any] | None = None,
        engine: Engine | Mapping[Agent, Engine] | None = None,
    ) -> None:
        self.config = _as_config(config)
        answering = engine if engine is not None else EmbeddedEngine()
        self._engines: Mapping[Agent, Engine] = (
            answering if isinstance(answering, Mapping) else dict.fromkeys(AGENTS, answering)
        )

    async def aanalyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyse one text inside a running event loop."""
        checked = check_text(text)
        language = None if self.config.language == "auto" else self.config.language
        return await run_conflict_review(uid, analyze_text(checked, language), self._engines, self.config)

    def analyze(self, text: str, *, uid: str = "0") -> SampleResult:
        """Analyse one text; also works where an event loop is running already, as in a notebook."""
        return _run(self.aanalyze(text, uid=uid))

    def stream(self, samples: Iterable[tuple[str, str]]) -> Iterator[SampleResult | SampleError]:
        """Analyse (uid, text) pairs one by one, in order; a bad sample gives an error and the rest goes on."""
        for uid, text in samples:
            try:
                yield self.analyze(text, uid=uid)
            except SamsimError as error:
                yield SampleError(uid=uid, message=str(error))


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
