"""Samples with a memory: what each may see depends on its position, never on the concurrency.

All samples of an epoch see the store as it was at the start of the epoch; episodes are written in the
order of the samples. Sequential visibility is an epoch of one sample.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice

from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.assembly import with_episode
from samsim.pipeline.streaming import in_order
from samsim.schemas.results import SampleResult


@dataclass(frozen=True, slots=True)
class SampleError:
    """A sample that could not be analyzed, and why."""

    uid: str
    message: str


@dataclass(frozen=True, slots=True)
class Continuation:
    """Where an interrupted run resumes: its position in an epoch, and what the store held when that epoch started."""

    done_in_epoch: int
    as_of: int


Outcome = SampleResult | SampleError


async def by_epoch(
    samples: Iterable[tuple[str, str]],
    attempt: Callable[[tuple[str, str]], Awaitable[Outcome]],
    memory: EpisodicOrchestrator,
    concurrency: int,
    continued: Continuation | None = None,
) -> AsyncGenerator[Outcome, None]:
    """Run epoch by epoch; yield the results in order, each with the id of the episode it wrote."""
    source = iter(samples)
    size = memory.epoch_size or 1
    done, as_of = (continued.done_in_epoch, continued.as_of) if continued is not None else (0, None)
    try:
        while epoch := list(islice(source, size - done)):
            memory.begin_epoch(as_of)
            async with aclosing(in_order(epoch, attempt, concurrency)) as results:
                async for result in results:
                    yield _remembered(result, memory)
            done, as_of = 0, None
    finally:
        memory.end_epoch()


def _remembered(result: Outcome, memory: EpisodicOrchestrator) -> Outcome:
    if isinstance(result, SampleError):
        memory.discard(result.uid)
        return result
    return with_episode(result, memory.commit(result.uid))
