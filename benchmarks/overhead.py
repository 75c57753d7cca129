"""Measure what samsim adds to a model's own time: latency hidden, CPU per call, memory of a long run.

    python benchmarks/overhead.py

Three bounds are checked, each against a loopback server in a separate process:

1. 200 ms per answer: samples/s against the ideal of the call graph (three calls at once, then three
   more, which makes two answers' time per sample), with 64 samples at a time and as many calls as
   they need, and with 64 calls at a time.
2. 0 ms per answer, 64 calls at a time: calls/s through the engine and through the raw client it uses,
   with the same bytes, in alternating rounds.
3. 0 ms per answer: resident memory after a tenth of the samples and after all of them.

Prints a Markdown table; exits with 1 if a bound is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.loopback_server import ASPECT

from samsim.agents.perspective_agents import PERSPECTIVE_AGENTS, render_stage1
from samsim.agents.prompt_files import load_prompt
from samsim.engines.interface import EngineRequest, Stage1Inputs
from samsim.engines.model_engine import ModelEngine
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineSettings
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.openai import OpenAIWire
from samsim.language.analyze import analyze_text
from samsim.pipeline.api import Pipeline
from samsim.schemas.protocol_conflict_review import PerspectiveASTEStage1Schema
from samsim.schemas.results import SampleResult
from samsim.schemas.taxonomy import FREE_TAXONOMY, load_taxonomy

CONCURRENCY = 64
CALLS_AT_ONCE = 3
STAGES = 2
DELAY_MS = 200
MIN_SHARE_OF_IDEAL = 0.90
MAX_TIMES_RAW = 2.0
# What a run may still allocate after its first tenth: leftovers of the allocator, not samples.
MAX_GROWTH_MB = 8.0


@dataclass(frozen=True, slots=True)
class Row:
    """One measured line."""

    what: str
    measured: str
    bound: str
    is_met: bool


@contextmanager
def loopback_server(delay_ms: float) -> Iterator[str]:
    """Start the server as a separate process, which ends when its standard input is closed."""
    script = Path(__file__).with_name("loopback_server.py")
    command = [sys.executable, str(script), "--delay-ms", str(delay_ms)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


def engine_for(url: str, calls_at_once: int = CONCURRENCY * CALLS_AT_ONCE) -> ModelEngine:
    """Build an engine as a configuration would, by default with room for all calls of 64 samples."""
    settings = EngineSettings(
        kind="openai_compatible",
        model="canned",
        base_url=url,
        output_mode="json_schema",
        concurrency=calls_at_once,
    )
    transport = HttpTransport(max_connections=settings.concurrency)
    return ModelEngine(Sender(settings, OpenAIWire(), transport))


def samples(count: int) -> Iterator[tuple[str, str]]:
    """Return texts that are all different."""
    return ((str(number), f"Ordered it {number} days ago, the {ASPECT} is fine.") for number in range(count))


async def latency_hidden(url: str, seconds: float, rounds: int, calls_at_once: int) -> Row:
    """Measure samples per second against what the call graph allows; the best round is the least disturbed one."""
    pipeline = Pipeline(engine=engine_for(url, calls_at_once))
    # A first round, which does not count, sets up connections, prompts and parsers.
    await _analyse(pipeline, CONCURRENCY)
    ideal = min(CONCURRENCY, calls_at_once / CALLS_AT_ONCE) / (STAGES * DELAY_MS / 1000.0)
    count = round(ideal * seconds)
    best = max([await _samples_per_second(pipeline, count) for _ in range(rounds)])
    await pipeline.aclose()
    return Row(
        f"samples/s, {DELAY_MS} ms server, {CONCURRENCY} samples and {calls_at_once} calls at once "
        f"(best of {rounds} × {count} samples)",
        f"{best:.1f} of {ideal:.1f} ideal = {best / ideal:.1%}",
        f"≥ {MIN_SHARE_OF_IDEAL:.0%}",
        best / ideal >= MIN_SHARE_OF_IDEAL,
    )


async def _samples_per_second(pipeline: Pipeline, count: int) -> float:
    started = time.perf_counter()
    calls = await _analyse(pipeline, count)
    elapsed = time.perf_counter() - started
    if calls != count * STAGES * CALLS_AT_ONCE:
        raise SystemExit(f"{calls} calls for {count} samples: the canned answers do not lead to a review")
    return count / elapsed


async def _analyse(pipeline: Pipeline, count: int) -> int:
    calls = 0
    async for result in pipeline.astream(samples(count), concurrency=CONCURRENCY):
        if not isinstance(result, SampleResult) or any(call.problem for call in result.calls):
            raise SystemExit(f"a sample failed: {result}")
        calls += len(result.calls)
    return calls


async def cpu_per_call(url: str, calls: int, rounds: int) -> Row:
    """Measure calls per second through the engine and through the bare client, alternately."""
    engine = engine_for(url)
    request = stage1_request()
    wire = Sender(engine.settings, OpenAIWire(), HttpTransport()).prepare(
        request.messages(), request.output_schema, "json_schema", None
    )
    body = json.dumps(wire.wire.body, ensure_ascii=False).encode()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as session:

        async def raw() -> None:
            async with session.post(wire.wire.url, data=body, headers=wire.wire.headers) as response:
                json.loads(await response.read())

        async def through_engine() -> None:
            reply = await engine.complete(request)
            if reply.failure is not None:
                raise SystemExit(f"a call failed: {reply.failure}")

        rates: dict[str, list[float]] = {"raw": [], "engine": []}
        for _ in range(rounds + 1):
            rates["raw"].append(await _calls_per_second(raw, calls))
            rates["engine"].append(await _calls_per_second(through_engine, calls))
    await engine.aclose()
    # The first round warms up; the median of the others tolerates other load on the machine.
    bare, ours = (statistics.median(rates[name][1:]) for name in ("raw", "engine"))
    return Row(
        f"calls/s, 0 ms server, {CONCURRENCY} calls at once (median of {rounds} × {calls} calls)",
        f"{ours:.0f} engine, {bare:.0f} raw aiohttp = {bare / ours:.2f}×",
        f"≤ {MAX_TIMES_RAW:g}×",
        bare / ours <= MAX_TIMES_RAW,
    )


def stage1_request() -> EngineRequest:
    """Return a real Stage 1 request, with the real prompt and schema."""
    agent = PERSPECTIVE_AGENTS[0]
    prompt = load_prompt(agent.prompt_name)
    inputs = Stage1Inputs(analyze_text(next(samples(1))[1]), load_taxonomy(FREE_TAXONOMY))
    return EngineRequest(
        agent=agent.agent,
        stage="stage1",
        uid="0",
        inputs=inputs,
        output_schema=PerspectiveASTEStage1Schema,
        messages=lambda: render_stage1(prompt, inputs),
        prompt_hash=prompt.digest,
    )


async def _calls_per_second(call: Callable[[], Awaitable[None]], calls: int) -> float:
    numbers = iter(range(calls))

    async def work() -> None:
        for _ in numbers:
            await call()

    started = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return calls / (time.perf_counter() - started)


async def memory(url: str, count: int) -> Row:
    """Measure resident memory after a tenth of a run and at its end."""
    pipeline = Pipeline(engine=engine_for(url))
    early = count // 10
    seen = 0
    resident: dict[int, float] = {}
    async for result in pipeline.astream(samples(count), concurrency=CONCURRENCY):
        if not isinstance(result, SampleResult):
            raise SystemExit(f"a sample failed: {result}")
        seen += 1
        if seen in (early, count):
            resident[seen] = resident_mb()
    await pipeline.aclose()
    growth = resident[count] - resident[early]
    return Row(
        f"resident memory, 0 ms server, {count:,} samples",
        f"{resident[early]:.0f} MB after {early:,}, {resident[count]:.0f} MB after {count:,} = {growth:+.1f} MB",
        f"≤ +{MAX_GROWTH_MB:g} MB",
        growth <= MAX_GROWTH_MB,
    )


def resident_mb() -> float:
    """Return the current resident memory of this process in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(kilobytes) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="what a round of the 200 ms runs ideally takes")
    parser.add_argument("--calls", type=int, default=3_000, help="calls of each round of the 0 ms run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--long", type=int, default=10_000, help="samples of the memory run")
    options = parser.parse_args()
    with loopback_server(DELAY_MS) as url:
        rows = [
            asyncio.run(latency_hidden(url, options.seconds, options.rounds, calls_at_once))
            for calls_at_once in (CONCURRENCY * CALLS_AT_ONCE, CONCURRENCY)
        ]
    with loopback_server(0) as url:
        rows.append(asyncio.run(cpu_per_call(url, options.calls, options.rounds)))
        rows.append(asyncio.run(memory(url, options.long)))
    print("| what | measured | bound | met |")
    print("|---|---|---|---|")
    for row in rows:
        print(f"| {row.what} | {row.measured} | {row.bound} | {'yes' if row.is_met else 'NO'} |")
    sys.exit(0 if all(row.is_met for row in rows) else 1)


if __name__ == "__main__":
    main()
