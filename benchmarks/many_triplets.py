"""Measure how long a reply with very many triplets blocks the event loop, with and without the read limits.

    python benchmarks/many_triplets.py [--triplets 4000]

Three perspectives answer with that many triplets each, once as plain data, to which no limit applies, and
once as a model's reply, which is cut at the limits of its schema. Exits with 1 if four times as many
triplets take more than twelve times as long (comparing every triplet with every other takes sixteen times;
garbage collection makes it more than four), or if a model's reply blocks the loop for more than a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from time import perf_counter

from samsim.engines.answers.judging import judge
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.engines.wire.base import BOUND_KEYWORDS, WireReply
from samsim.pipeline.api import Pipeline
from samsim.schemas.calls import Usage

TEXT = "The soup was cold but the screen is bright and the service was not slow. " * 20
_STEP_SECONDS = 0.005
_MOST_TIMES = 12.0
_MOST_SECONDS = 1.0


def triplets(count: int) -> list[dict[str, object]]:
    """Return triplets that are all different, have wrong spans, and contradict each other in halves."""
    return [
        {
            "aspect_term": f"term {number}",
            "aspect_ref": f"ref {number % 7}",
            "polarity": ("positive", "negative")[number % 2],
            "opinion_term": f"good {number}",
            "evidence": TEXT[number % 500 : number % 500 + 40],
            "span": {"start": number, "end": number + 4},
        }
        for number in range(count)
    ]


class Answering:
    """Returns ``count`` triplets, and a vote on each when it reviews."""

    name = "benchmark"

    def __init__(self, count: int, *, as_model: bool) -> None:
        self._count = count
        self._as_model = as_model

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer after rendering the prompt, as for a model."""
        request.messages()
        votes = [
            {"action_type": "KEEP", "target_tuple_ids": [f"t{number}"], "reason_code": "WEAK_EVIDENCE"}
            for number in range(self._count)
        ]
        output: dict[str, object] = (
            {"triplets": triplets(self._count)} if request.stage == "stage1" else {"review_actions": votes}
        )
        if not self._as_model:
            return EngineReply(output=output)
        reply = WireReply(json.dumps(output), "stop", Usage())
        judgement = judge(reply, request.output_schema, BOUND_KEYWORDS)
        return EngineReply(judgement.output, judgement.failure, cut=judgement.cut)


async def measure(count: int, *, as_model: bool) -> tuple[float, float]:
    """Return the total seconds, and the longest time for which nothing else could run."""
    longest = 0.0
    ended = asyncio.Event()

    async def look_on() -> None:
        nonlocal longest
        while not ended.is_set():
            started = perf_counter()
            await asyncio.sleep(_STEP_SECONDS)
            longest = max(longest, perf_counter() - started - _STEP_SECONDS)

    watcher = asyncio.create_task(look_on())
    await asyncio.sleep(0)
    started = perf_counter()
    await Pipeline(engine=Answering(count, as_model=as_model)).aanalyze(TEXT)
    seconds = perf_counter() - started
    ended.set()
    await watcher
    return seconds, longest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triplets", type=int, default=4_000)
    count = parser.parse_args().triplets
    asyncio.run(measure(8, as_model=True))
    few, _ = asyncio.run(measure(count // 4, as_model=False))
    many, blocked = asyncio.run(measure(count, as_model=False))
    print(f"{count:,} triplets per reply, no limit: {many:.2f} s, loop held up {blocked:.2f} s")
    print(f"{count // 4:,} triplets per reply, no limit: {few:.2f} s; four times as many take {many / few:.1f} times")
    seconds, blocked = asyncio.run(measure(count, as_model=True))
    print(f"{count:,} triplets in a model's reply: {seconds:.2f} s, loop held up {blocked:.2f} s")
    return int(many / few > _MOST_TIMES or blocked > _MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
