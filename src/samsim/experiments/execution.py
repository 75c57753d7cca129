"""Analyze the samples of one cell in this process, several at a time, and hand over the results in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from samsim.data.gold import GoldSample
from samsim.data.samples import Sample
from samsim.engines.interface import Engine
from samsim.engines.opening import OpenEngine
from samsim.engines.pacing.activity import Activity
from samsim.engines.replay import TraceLine
from samsim.engines.seeding import SeededEngine
from samsim.engines.table import EngineTable
from samsim.experiments.projection import Asked, SampleLines, project
from samsim.experiments.recording import CollectingEngine, SampleTraces
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.api import Pipeline
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.epochs import Continuation
from samsim.plurals import how_many
from samsim.schemas.results import SampleResult
from samsim.schemas.run_problems import USE_RETRY

Sink = Callable[[SampleLines], None]
# Too few samples say little about the rate; a start with fewer is judged at its end.
ENOUGH_FOR_A_RATE = 20


class RunStopped(Exception):  # noqa: N818 - not an error: a limit the user set was reached
    """The run stops before its end and can be resumed later."""


@dataclass(slots=True)
class ErrorRate:
    """Counts failed samples and stops the run if there are too many (``run.max_error_rate``).

    Only this start counts, so a run can be resumed once its server works again.
    """

    limit: float | None
    done: int = 0
    errors: int = 0

    def add(self, error: str | None) -> None:
        """Count one sample; raise ``RunStopped`` if too many have failed."""
        self.done += 1
        self.errors += error is not None
        if self.done >= ENOUGH_FOR_A_RATE:
            self._check(error)

    def end(self) -> None:
        """Check the rate of a start that was too small to be checked earlier."""
        if self.done < ENOUGH_FOR_A_RATE:
            self._check(None)

    def _check(self, error: str | None) -> None:
        if self.limit is not None and self.errors > self.limit * self.done:
            raise RunStopped(
                f"{self.errors} of {how_many(self.done, 'sample')} failed, more than max_error_rate {self.limit:g}"
                f" ({USE_RETRY} to run them again); the last error: {error or 'see outputs.jsonl'}"
            )


@dataclass(frozen=True, slots=True)
class Gold:
    """The annotations that are joined to the results after inference."""

    by_uid: Mapping[str, GoldSample] = field(default_factory=dict)
    fields: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Inference:
    """Everything that determines the answers of one cell.

    ``activity`` has no effect on them; it knows why a server was given up.
    """

    config: PipelineConfig
    engines: EngineTable
    seed: int | None = None
    repeat: int = 0
    memory: EpisodicOrchestrator | None = None
    concurrency: int = 1
    activity: Activity | None = None


async def run_samples(
    inference: Inference,
    samples: Iterable[Sample],
    gold: Gold,
    sink: Sink,
    continued: Continuation | None = None,
) -> None:
    """Analyze the samples and pass the lines of each to ``sink``, in order.

    Raises ``RunStopped`` if the spending limit is reached or a server is unreachable; the sample at which that
    happened is not passed on.
    """
    traces = SampleTraces()

    def watched(engine: Engine) -> Engine:
        return SeededEngine(CollectingEngine(engine, traces), inference.seed, inference.repeat)

    pipeline = Pipeline(inference.config, OpenEngine(inference.engines.mapped(watched)), inference.memory)
    pairs = ((sample.uid, sample.text) for sample in samples)
    try:
        stream = pipeline.astream(pairs, concurrency=inference.concurrency, continued=continued)
        async with aclosing(stream) as results:
            async for outcome in results:
                asked = Asked(*traces.take(outcome.uid))
                _stop_if_nobody_answers(asked.calls, inference.activity)
                taxonomy = (
                    inference.config.taxonomy_for(outcome.language) if isinstance(outcome, SampleResult) else None
                )
                sink(project(outcome, asked, gold.by_uid.get(outcome.uid), gold.fields, taxonomy))
    finally:
        await pipeline.aclose()


def _stop_if_nobody_answers(calls: Iterable[TraceLine], activity: Activity | None) -> None:
    """Raise ``RunStopped`` if a call was not made for lack of budget or of a server; its sample has not failed."""
    problems = {call.problem for call in calls}
    if "budget" in problems:
        raise RunStopped("the spending limit is reached")
    if "unreachable" in problems:
        raise RunStopped((activity and activity.lost) or "a server cannot be reached")
