"""Analyze the samples of one cell in several processes, for the embedded engine, which is CPU-bound.

Only cells without a memory can be spread, since there no sample depends on another. The workers return finished
lines, so this process only has to write them in order.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process

from samsim.data.gold import GoldSample
from samsim.data.samples import Sample
from samsim.errors import EngineError
from samsim.experiments.execution import Gold, Inference, Sink, run_samples
from samsim.experiments.projection import SampleLines
from samsim.memory.conditions import MemoryCondition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.config import PipelineConfig

# Large enough to keep the overhead small, small enough for the workers to end at about the same time.
_CHUNK = 16
# Chunks under way per worker: enough to keep it busy, without many results waiting to be written.
_AHEAD = 3
# Starting a worker takes as long as analyzing about this many samples.
_WORTH_A_WORKER = 400


def workers_for(samples: int) -> int:
    """Return how many processes are worth starting for this many samples, at most one per core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, samples // _WORTH_A_WORKER))


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A few samples with their gold, which is joined to the results after inference in the same process."""

    config: PipelineConfig
    seed: int | None
    repeat: int
    condition: MemoryCondition | None
    samples: tuple[Sample, ...]
    gold: tuple[GoldSample, ...]
    gold_fields: frozenset[str]


def run_in_workers(inference: Inference, samples: Sequence[Sample], gold: Gold, sink: Sink, workers: int) -> None:
    """Analyze the samples with the embedded engine in several processes, and pass the lines to ``sink`` in order."""
    chunks = _chunks(inference, samples, gold)
    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_prepare_worker)
    under_way: deque[Future[list[SampleLines]]] = deque()
    try:
        for chunk in chunks:
            under_way.append(executor.submit(_analyse, chunk))
            if len(under_way) >= workers * _AHEAD:
                _hand_over(under_way.popleft(), sink)
        while under_way:
            _hand_over(under_way.popleft(), sink)
    except BrokenProcessPool as error:
        raise EngineError(
            "A worker process died, perhaps because it ran out of memory. Run again with run.workers=1; finished"
            " samples are kept."
        ) from error
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _chunks(inference: Inference, samples: Iterable[Sample], gold: Gold) -> Iterator[_Chunk]:
    source = iter(samples)
    while part := tuple(islice(source, _CHUNK)):
        known = tuple(gold.by_uid[sample.uid] for sample in part if sample.uid in gold.by_uid)
        fields = frozenset(gold.fields)
        condition = None if inference.memory is None else inference.memory.condition
        asked = inference.config, inference.seed, inference.repeat, condition
        yield _Chunk(*asked, part, known, fields)


def _hand_over(future: Future[list[SampleLines]], sink: Sink) -> None:
    for lines in future.result():
        sink(lines)


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent process, and end the worker if the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _analyse(chunk: _Chunk) -> list[SampleLines]:
    from samsim.engines.embedded.engine import EmbeddedEngine
    from samsim.engines.table import EngineTable

    engines = EngineTable.of(EmbeddedEngine())
    memory = None if chunk.condition is None else EpisodicOrchestrator.without_store(chunk.condition)
    inference = Inference(chunk.config, engines, chunk.seed, chunk.repeat, memory)
    gold = Gold({sample.uid: sample for sample in chunk.gold}, chunk.gold_fields)
    lines: list[SampleLines] = []
    asyncio.run(run_samples(inference, chunk.samples, gold, lines.append))
    return lines
