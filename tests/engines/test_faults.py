"""Runs through a server that fails on purpose: nothing is lost, everything is typed, counted and recorded."""

from __future__ import annotations

import asyncio
import io
import itertools
import logging
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from samsim.data.shipped import load_reviews
from samsim.engines.cache import CACHE_VARIABLE, ResponseCache
from samsim.engines.model_engine import ModelEngine
from samsim.engines.replay import RecordingEngine, TraceLine, TraceWriter
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineSettings, PricePerMillion
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.openai import OpenAIWire
from samsim.pipeline.api import Pipeline
from samsim.pipeline.epochs import SampleError
from samsim.schemas.calls import Outcome
from samsim.schemas.results import CallRecord, SampleResult
from tests.servers.chat_requests import Asked
from tests.servers.faults import FAULTS, NO_FAULTS, Fault, FaultPlan
from tests.servers.faulty import RETRY_AFTER_SECONDS, UNKNOWN_TUPLE_ID, FaultyServer

pytestmark = [pytest.mark.slow, pytest.mark.loopback]

# How many samples of each protocol: a debate asks more often about each.
SAMPLES = {"cr_v2": 200, "debate": 100}
RATE = 0.2
CONCURRENCY = 16
# Shorter than the server's stalls and far longer than an answer takes.
TIMEOUT_SECONDS = 8.0
CANARY_KEY = "sk-canary-7f3a91c2e5d84b60"
# An answer in passing: such calls end well, and differ from a plain run in nothing but their attempts.
RECOVERABLE = tuple(fault for fault in FAULTS if not fault.is_final and fault.name != "unknown_ids")


@dataclass(frozen=True)
class Run:
    """What came of one run, and what the server did."""

    protocol: str
    server: FaultyServer
    results: list[SampleResult | SampleError]
    trace: list[TraceLine]
    delays: list[float]
    printed: str
    folder: Path

    @property
    def by_uid(self) -> dict[str, SampleResult]:
        return {result.uid: result for result in self.results if isinstance(result, SampleResult)}

    @property
    def hopeless(self) -> set[str]:
        """The samples that cannot be analysed: in a debate those without an answer of ATSA."""
        return {line.uid for line in self.trace if line.agent == "ATSA" and line.problem}


def reviews(count: int) -> list[tuple[str, str]]:
    """The shipped reviews, then pairs of them: all different, so that each asks for itself."""
    shipped = load_reviews()
    pairs = (
        f"{first.text} {second.text}"
        for first, second in itertools.combinations(shipped, 2)
        if first.language == second.language
    )
    texts = dict.fromkeys(itertools.chain((sample.text for sample in shipped), itertools.islice(pairs, count)))
    return [(str(number), text) for number, text in enumerate(itertools.islice(texts, count))]


def run(
    plan: FaultPlan,
    samples: list[tuple[str, str]],
    folder: Path,
    protocol: str = "cr_v2",
    *,
    cache: Path | None = None,
    meet: bool = False,
) -> Run:
    """Analyse the samples by a server of their own that fails by plan; waiting between attempts is skipped."""
    with FaultyServer(plan, meet=meet).running() as server:
        return ask(server, samples, folder, protocol, cache)


def ask(
    server: FaultyServer,
    samples: list[tuple[str, str]],
    folder: Path,
    protocol: str,
    cache: Path | None = None,
    concurrency: int = CONCURRENCY,
) -> Run:
    delays: list[float] = []

    async def skip(seconds: float) -> None:
        delays.append(seconds)
        await asyncio.sleep(0)

    settings = EngineSettings(
        kind="openai_compatible",
        model="test-model",
        base_url=server.url,
        timeout_s=TIMEOUT_SECONDS,
        # A stall stays a stall: no call waits for its end.
        max_timeout_s=TIMEOUT_SECONDS,
        concurrency=3 * CONCURRENCY,
    )
    sender = Sender(
        settings,
        OpenAIWire(),
        HttpTransport(timeout_s=settings.timeout_s),
        api_key=CANARY_KEY,
        price=PricePerMillion(input=1.0, output=2.0),
        sleep=skip,
    )
    engine = ModelEngine(sender, None if cache is None else ResponseCache(cache))
    folder.mkdir()

    async def analyse(trace: TraceWriter) -> list[SampleResult | SampleError]:
        config = {"protocol": protocol, "review_scope": "always"}
        pipeline = Pipeline(config, engine=RecordingEngine(engine, trace))
        try:
            return [result async for result in pipeline.astream(samples, concurrency=concurrency)]
        finally:
            await pipeline.aclose()

    path = folder / "trace.jsonl"
    printed = io.StringIO()
    with TraceWriter(path) as trace, redirect_stdout(printed), redirect_stderr(printed):
        results = asyncio.run(analyse(trace))
    (folder / "results.jsonl").write_text("\n".join(map(_as_line, results)))
    lines = [TraceLine.model_validate_json(line) for line in path.read_bytes().splitlines()]
    return Run(protocol, server, results, lines, delays, printed.getvalue(), folder)


def _as_line(result: SampleResult | SampleError) -> str:
    return repr(result) if isinstance(result, SampleError) else result.model_dump_json()


@pytest.fixture(scope="module", params=list(SAMPLES))
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def samples(protocol: str) -> list[tuple[str, str]]:
    return reviews(SAMPLES[protocol])


@pytest.fixture(scope="module")
def logged() -> Iterator[list[str]]:
    """Everything logged while the runs go on, down to the finest level."""
    lines: list[str] = []

    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler = Noting()
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lines
    root.setLevel(before)
    root.removeHandler(handler)


@pytest.fixture(scope="module")
def plain(samples: list[tuple[str, str]], protocol: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(NO_FAULTS, samples, tmp_path_factory.mktemp("plain") / "run", protocol)


@pytest.fixture(scope="module")
def faulted(
    samples: list[tuple[str, str]], protocol: str, logged: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    folder = tmp_path_factory.mktemp("faulted")
    return run(FaultPlan(RATE), samples, folder / "run", protocol, cache=folder / "cache.sqlite")


def decided(result: SampleResult, *, with_refusals: bool = True) -> dict[str, Any]:
    """A result without the story of how the answers were got."""
    story: dict[str, Any] = {"calls": True}
    return result.model_dump(exclude=story if with_refusals else story | {"refusals": True, "debate": {"refusals"}})


def strangers_in(result: SampleResult) -> list[object]:
    """The refusals of a tuple id that does not exist, of whichever protocol."""
    edits = result.debate.refusals if result.debate is not None else []
    return [one for one in result.refusals if one.tuple_id == UNKNOWN_TUPLE_ID] + [
        one for one in edits if one.target_tuple_id == UNKNOWN_TUPLE_ID
    ]


def faults_of(run: Run, text: str, call: CallRecord) -> list[Fault | None]:
    return run.server.served[Asked(call.agent, call.stage, text)]


def test_every_kind_of_fault_was_served(faulted: Run) -> None:
    assert set(faulted.server.faults) == {fault.name for fault in FAULTS}
    asked = len(faulted.server.served)
    hit = sum(attempts[0] is not None for attempts in faulted.server.served.values())
    assert RATE * 0.75 < hit / asked < RATE * 1.25


def test_nothing_is_lost(faulted: Run, samples: list[tuple[str, str]]) -> None:
    assert [result.uid for result in faulted.results] == [uid for uid, _ in samples]
    lost = {result.uid for result in faulted.results if isinstance(result, SampleError)}
    assert lost == faulted.hopeless
    assert bool(lost) == (faulted.protocol == "debate")


def test_every_attempt_is_in_the_trace_under_its_type(faulted: Run) -> None:
    outcomes = {fault.name: fault.outcome for fault in FAULTS}
    expected: Counter[Outcome] = Counter()
    for name, count in faulted.server.faults.items():
        expected[outcomes[name]] += count
    recorded = Counter(attempt.outcome for line in faulted.trace for attempt in line.attempts)
    assert recorded.total() == faulted.server.requests
    expected["ok"] = faulted.server.requests - expected.total() + expected["ok"]
    assert recorded == expected


def test_each_call_tells_its_own_story(faulted: Run, samples: list[tuple[str, str]]) -> None:
    """Attempt by attempt what the server did, and no failure that is not the server's last word."""
    texts = dict(samples)
    for call in faulted.trace:
        served = faults_of(faulted, texts[call.uid], call)
        told = [attempt.outcome for attempt in call.attempts][-len(served) :]
        assert told == [fault.outcome if fault else "ok" for fault in served]
        last = served[-1]
        assert call.problem == (last.outcome if last is not None and last.is_final else None)
    assert len(faulted.server.served) == len(faulted.trace)
    recorded = Counter((uid, call.agent, call.stage) for uid, result in faulted.by_uid.items() for call in result.calls)
    traced = Counter((line.uid, line.agent, line.stage) for line in faulted.trace if line.uid not in faulted.hopeless)
    assert recorded == traced


def test_where_a_retry_succeeded_the_result_is_that_of_the_plain_run(faulted: Run, plain: Run) -> None:
    troubled = 0
    for uid, result in faulted.by_uid.items():
        faults = {fault for call in result.calls for fault in faults_of(faulted, result.text, call) if fault}
        if any(fault.is_final for fault in faults):
            continue
        with_strangers = any(fault.name == "unknown_ids" for fault in faults)
        met, unmet = (decided(one, with_refusals=not with_strangers) for one in (result, plain.by_uid[uid]))
        assert met == unmet
        assert bool(strangers_in(result)) == with_strangers
        troubled += bool(faults)
    assert troubled > len(faulted.results) / 4
    assert len(plain.by_uid) == SAMPLES[plain.protocol]


def test_a_lost_answer_takes_nothing_else_with_it(faulted: Run) -> None:
    """A sample with a refused, cut-off or oversized answer is decided by the other agents' answers."""
    lamed = 0
    for result in faulted.by_uid.values():
        silent = {call.agent for call in result.calls if call.problem}
        if result.debate is not None:
            mute = {turn.persona for turn in result.debate.turns if not turn.answered}
            assert mute == silent & {"EPM", "TAN", "CJ"}
        else:
            silent = {call.agent for call in result.calls if call.stage == "stage1" and call.problem}
        assert not silent & {candidate.origin_agent for candidate in result.stage1_tuples}
        lamed += bool(silent) and bool(result.final_tuples)
    assert lamed > 0


def test_retry_after_is_honoured(faulted: Run) -> None:
    long = [delay for delay in faulted.delays if delay >= RETRY_AFTER_SECONDS]
    assert len(long) == faulted.server.faults["rate_limited"]


def test_failed_attempts_count_as_used_and_paid(faulted: Run) -> None:
    repairs = [line.attempts for line in faulted.trace if any(attempt.outcome == "schema" for attempt in line.attempts)]
    assert len(repairs) == faulted.server.faults["wrong_schema"]
    for broken, repair in (attempts[-2:] for attempts in repairs):
        assert (broken.outcome, repair.kind, repair.outcome) == ("schema", "repair", "ok")
        assert broken.usage.input_tokens
        assert broken.cost
        assert repair.cost


def test_the_key_is_written_nowhere(faulted: Run, logged: list[str], tmp_path: Path) -> None:
    """Not in results, traces, the cache, logs, output or exceptions, though the server quotes it in every error."""
    written = [path for path in faulted.folder.parent.rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"results.jsonl", "trace.jsonl", "cache.sqlite"}
    secret = CANARY_KEY.encode()
    assert [path for path in written if secret in path.read_bytes()] == []
    assert [line for line in logged if CANARY_KEY in line] == []
    hopeless = Fault("server_error", "server_error", times=10**6)
    failed = run(FaultPlan(1.0, (hopeless,)), reviews(2), tmp_path / "hopeless")
    assert all(isinstance(result, SampleError) for result in failed.results)
    assert CANARY_KEY not in repr((failed.results, failed.trace))
    assert secret not in (failed.folder / "trace.jsonl").read_bytes()
    assert CANARY_KEY not in faulted.printed + failed.printed


@pytest.mark.parametrize("command", ["analyze", "doctor"])
@pytest.mark.parametrize("hopeless", [False, True])
def test_the_command_shows_and_writes_the_key_nowhere(command: str, hopeless: bool, tmp_path: Path) -> None:
    """The key comes from the environment; the server quotes it back, and even a traceback is asked for."""
    quoting = Fault("server_error", "server_error", times=10**6 if hopeless else 1)
    reviews_path = tmp_path / "reviews.txt"
    reviews_path.write_text("\n".join(text.replace("\n", " ") for _, text in reviews(6)), encoding="utf-8")
    files = ["--file", str(reviews_path), "-o", str(tmp_path / "out.jsonl"), "--trace", str(tmp_path / "trace.jsonl")]
    with FaultyServer(FaultPlan(1.0 if hopeless else 0.5, (quoting,))).running() as server:
        done = samsim(command, *(files if command == "analyze" else []), server=server, folder=tmp_path)
    assert server.keys_seen == {f"Bearer {CANARY_KEY}"}
    assert (done.returncode != 0) == hopeless, done.stderr
    assert CANARY_KEY not in done.stdout + done.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in written if CANARY_KEY.encode() in path.read_bytes()] == []


def samsim(command: str, *options: str, server: FaultyServer, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, with the key in the environment."""
    plan = folder / "engines.yaml"
    engine = {"kind": "openai_compatible", "model": "m", "base_url": server.url, "api_key_env": "CANARY_KEY_VARIABLE"}
    plan.write_text(yaml.safe_dump({"engines": {"default": engine | {"max_attempts": 2}}}))
    return subprocess.run(
        [str(Path(sys.executable).with_name("samsim")), command, "--engine", str(plan), *options],
        capture_output=True,
        encoding="utf-8",
        timeout=900,
        env=os.environ
        | {"CANARY_KEY_VARIABLE": CANARY_KEY, CACHE_VARIABLE: str(folder / "cache.sqlite"), "SAMSIM_DEBUG": "1"},
        check=False,
    )


def test_the_second_run_makes_no_call_and_gives_the_same(
    samples: list[tuple[str, str]], protocol: str, tmp_path: Path
) -> None:
    cache = tmp_path / "cache.sqlite"
    few = samples[:40]
    with FaultyServer(FaultPlan(RATE, RECOVERABLE)).running() as server:
        first = ask(server, few, tmp_path / "first", protocol, cache)
        asked = server.requests
        second = ask(server, few, tmp_path / "second", protocol, cache)
        assert asked >= len(first.trace) > 0
        assert server.requests == asked
    assert list(map(decided, second.by_uid.values())) == list(map(decided, first.by_uid.values()))
    assert len(second.by_uid) == len(few)
    assert all(line.cached for line in second.trace)
    assert {attempt.cost for line in second.trace for attempt in line.attempts} == {0.0}
    assert not any(line.cached for line in first.trace)


def test_errors_are_not_cached(protocol: str, tmp_path: Path) -> None:
    """A call that ended in a failure is asked again by the next run, and answered."""
    refusal = next(fault for fault in FAULTS if fault.name == "refusal")
    plan = FaultPlan(0.5, (refusal,), seed=3)
    few = reviews(12)
    with FaultyServer(plan).running() as server:
        first = ask(server, few, tmp_path / "first", protocol, tmp_path / "cache.sqlite")
        second = ask(server, few, tmp_path / "second", protocol, tmp_path / "cache.sqlite")
    refused = {(line.uid, line.agent) for line in first.trace if line.stage == "stage1" and line.problem}
    asked_again = {(line.uid, line.agent) for line in second.trace if line.stage == "stage1" and not line.cached}
    assert refused
    assert asked_again >= refused
    # In a debate the next one is asked something else once the one before has an answer.
    assert protocol == "debate" or asked_again == refused
    still = {(line.uid, line.agent) for line in second.trace if line.stage == "stage1" and line.problem}
    assert not refused & still


def test_the_three_agents_are_asked_at_the_same_time(tmp_path: Path) -> None:
    """The server answers only when all three have asked; the trace's times say the same."""
    met = run(NO_FAULTS, reviews(8), tmp_path / "met", meet=True)
    stages = 0
    for result in met.by_uid.values():
        for _, calls in itertools.groupby(result.calls, key=lambda call: call.stage):
            attempts = [call.attempts[-1] for call in calls]
            assert len(attempts) == 3
            assert max(attempt.started for attempt in attempts) < min(attempt.ended for attempt in attempts)
            stages += 1
    assert len(met.by_uid) == 8
    assert stages == 2 * 8


def test_the_outcome_is_the_same_whatever_the_concurrency(protocol: str, tmp_path: Path) -> None:
    quick = FaultPlan(RATE, [fault for fault in FAULTS if fault.name != "stall"])
    few = reviews(30)
    with FaultyServer(quick).running() as one_by_one, FaultyServer(quick).running() as at_once:
        alone = ask(one_by_one, few, tmp_path / "alone", protocol, concurrency=1)
        together = ask(at_once, few, tmp_path / "together", protocol, concurrency=CONCURRENCY)
    assert one_by_one.faults
    assert one_by_one.served == at_once.served
    assert list(map(decided, alone.by_uid.values())) == list(map(decided, together.by_uid.values()))
