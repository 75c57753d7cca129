"""The samples of one cell, analysed in this process: some at a time, handed over in order."""

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
# The first few samples say little. A smaller start is judged when it is through.
ENOUGH_FOR_A_RATE = 20


class RunStopped(Exception):  # noqa: N818 - not an error: a limit the user set was reached
    """The run stops before its end, and may go on later."""


@dataclass(slots=True)
class ErrorRate:
    """How many samples fail, and when that is too many (``run.max_error_rate``).

    Counts this start only, so that a run whose server is well again can be resumed.
    """

    limit: float | None
    done: int = 0
    errors: int = 0

    def add(self, error: str | None) -> None:
        """Count one sample; raises ``RunStopped`` where more than the limit have failed."""
        self.done += 1
        self.errors += error is not None
        if self.done >= ENOUGH_FOR_A_RATE:
            self._check(error)

    def end(self) -> None:
        """Judge a start that was too small to be judged on the way."""
        if self.done < ENOUGH_FOR_A_RATE:
            self._check(None)

    def _check(self, error: str | None) -> None:
        if self.limit is not None and self.errors > self.limit * self.done:
            raise RunStopped(
                f"{self.errors} of {how_many(self.done, 'sample')} failed, more than max_error_rate {self.limit:g}"
                f" ({USE_RETRY} to do them again); the last: {error or 'see outputs.jsonl'}"
            )


@dataclass(frozen=True, slots=True)
class Gold:
    """What is joined to the results when they are there."""

    by_uid: Mapping[str, GoldSample] = field(default_factory=dict)
    fields: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Inference:
    """Everything that decides the answers of one cell.

    ``activity`` decides nothing; it knows why a server was given up.
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
    """Analyse the samples and hand the lines of each to ``sink``, in order.

    Raises ``RunStopped`` when the spending limit is reached or a server cannot be; the sample it happened to
    is not handed over.
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
    """A sample that was not asked about, for want of money or of a server, did not fail: it is still to be done."""
    problems = {call.problem for call in calls}
    if "budget" in problems:
        raise RunStopped("the spending limit is reached")
    if "unreachable" in problems:
        raise RunStopped((activity and activity.lost) or "a server cannot be reached")
