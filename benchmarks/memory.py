"""Measure the JSONL episode store with 100,000 and 1,000,000 episodes, against reading the whole file per query.

    python benchmarks/memory.py

Episodes are made up, with a fixed seed, from the codes the pipeline writes (risk types, flag types, cue
forms, actions, reasons). They are more varied than real ones: 4,000 of them fall into about 3,000 groups of
equal signature and tokens, while 3,895 real reviews gave 967.
Queries are timed one by one in CPU time of this process, in the three ways a run asks: after each
new episode (sequential), as of an epoch's start, and as of any moment (a rerun). The naive way reads
and scores every line, and must give the same answers. Prints a Markdown table; exits with 1 if a
bound is missed or an answer differs.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from samsim.memory.index import KeyReader
from samsim.memory.jsonl.files import StoreFiles
from samsim.memory.jsonl.store import JsonlStore
from samsim.memory.lexical import tokens
from samsim.memory.scoring import (
    combined_score,
    idf,
    lexical_similarity,
    passes_filters,
    signature_similarity,
)
from samsim.memory.store import canonical_bytes, episode_id_of
from samsim.schemas.memory_v1_1 import EpisodeDraftV1_1, InputSignatureV1_1
from samsim.schemas.protocol_conflict_review import ConflictType, DecidedAction, ReasonCode, RiskType

K = 3
SIZES = {100_000: 5.0, 1_000_000: 30.0}
"""Number of episodes, and the maximum CPU milliseconds for 99 of 100 queries."""
NAIVE_AT = 100_000
MIN_TIMES_NAIVE = 500
QUERIES = 400
APPENDS = 2_000

RISKS = (*get_args(RiskType), *get_args(ConflictType))
CUES = {
    "ko": "negation:않다 negation:없다 contrast:지만 contrast:는데 negation:안 contrast:고 negation:못하다"
    " negation:아니다 negation:별로 contrast:하지만 contrast:그런데 contrast:으나 contrast:다만"
    " contrast:어도 contrast:반면 irony",
    "en": "negation:not negation:no negation:never contrast:but contrast:although negation:without contrast:however"
    " negation:nothing contrast:while contrast:yet negation:hardly contrast:despite irony",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One measured line; a row without a bound is for information."""

    what: str
    episodes: int
    measured: str
    bound: str = ""
    is_met: bool = True


def made_up_case(source: random.Random) -> tuple[dict[str, Any], str]:
    """Return a signature and matching symptoms; the first codes of each kind are the frequent ones."""
    language = source.choice(("ko", "ko", "en"))
    found = {
        frequent_first(CUES[language].split(), 0.5, source) for _ in range(source.choice((0, 0, 0, 1, 1, 1, 2, 3)))
    }
    risks = {frequent_first(RISKS, 0.6, source) for _ in range(source.choice((0, 0, 0, 1, 1, 2)))}
    kinds = {cue.partition(":")[0] for cue in found}
    structure: list[str] = [kind for kind in ("negation", "contrast", "irony") if kind in kinds] or ["none"]
    signature = {
        "language": language,
        "detected_structure": structure,
        "has_negation": "negation" in structure,
        "num_aspects": min(int(source.expovariate(0.6)), 12),
        "length_bucket": frequent_first(("short", "medium", "long"), 1.0, source),
    }
    return signature, " ".join([*(sorted(risks) or ["no_risk"]), *sorted(found)])


def frequent_first(codes: Sequence[str], rate: float, source: random.Random) -> str:
    return codes[min(int(source.expovariate(rate)), len(codes) - 1)]


def made_up_query(source: random.Random) -> tuple[InputSignatureV1_1, str]:
    signature, symptoms = made_up_case(source)
    return InputSignatureV1_1.model_validate(signature), symptoms


def made_up_episode(source: random.Random) -> dict[str, Any]:
    signature, symptom = made_up_case(source)
    action = frequent_first(get_args(DecidedAction), 1.0, source)
    reason = frequent_first(get_args(ReasonCode), 0.7, source)
    outcome = frequent_first(("risk_unchanged", "risk_down", "risk_up"), 1.5, source)
    snapshot = {"aspects_norm": ["배터리", "배송"], "polarities": ["positive", "negative"], "confidence": 0.75}
    return {
        "schema_version": "1.1",
        "episode_type": "neutral",
        "input_signature": signature,
        "case_summary": {
            "target_aspect_type": "explicit",
            "symptom": symptom,
            "rationale_summary": f"{action} {reason} {outcome}",
        },
        "stage_snapshot": {"stage1": snapshot, "final": snapshot},
        "correction": {
            "principle_id": "negation_scope_flip",
            "corrective_principle": "부정어가 걸리는 범위부터 확인하고, 다른 절에 걸리면 극성을 그대로 두세요.",
            "applicable_conditions": ["risk:NEGATION_SCOPE", "structure:negation"],
        },
        "evaluation": {
            "risk_before": {"tags": ["NEGATION_SCOPE"], "severity_sum": 3},
            "risk_after": {"tags": [], "severity_sum": 0},
            "override_applied": True,
            "override_success": True,
            "override_harm": False,
        },
        "provenance": {"created_from_split": "train", "timestamp": "2026-01-02T03:04:05Z", "version": "0.1.0"},
        "risk_type": "NEGATION_SCOPE",
        "action_taken": action,
        "outcome_delta": -3,
        "moderator_summary": "",
    }


def fill(path: Path, count: int, source: random.Random) -> None:
    """Write ``count`` episodes at once; the bytes equal those of single appends (``verify`` is run)."""
    files = StoreFiles(path)
    with closing(files), files.locked() as last:
        records = (made_up_episode(source) | {"episode_id": episode_id_of(seq)} for seq in range(1, count + 1))
        files.append((canonical_bytes(record) for record in records), last)


def naive_query(path: Path, signature: InputSignatureV1_1, symptoms: str) -> list[tuple[str, float]]:
    """Query like a store without an index: read the file, score every episode, sort.

    In its favor, lines are only parsed as JSON, and equal texts are tokenized once.
    """
    reader = KeyReader()
    with path.open("rb") as file:
        keys = [reader.key_of(line) for line in file]
    frequencies = Counter(token for _, found in keys for token in found)
    wanted = tokens(symptoms)

    def weight(token: str) -> float:
        return idf(len(keys), frequencies[token])

    scored = [
        (combined_score(signature_similarity(signature, other), lexical_similarity(wanted, found, weight)), seq)
        for seq, (other, found) in enumerate(keys, start=1)
        if passes_filters(signature, other)
    ]
    return [(episode_id_of(seq), score) for score, seq in sorted(scored, reverse=True)[:K]]


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def cpu_ms(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def query_times(store: JsonlStore, source: random.Random, way: str) -> list[float]:
    """Return the CPU milliseconds of each query."""
    last = store.last_seq()
    times = []
    for _ in range(QUERIES):
        as_of = {"sequential": None, "epoch": last // 2}.get(way, source.randint(1, last))
        if way == "sequential":
            store.append(EpisodeDraftV1_1.model_validate(made_up_episode(source)))
        times.append(cpu_ms(partial(store.query, *made_up_query(source), K, as_of)))
    return times


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def opening_rows(path: Path, episodes: int, source: random.Random) -> list[Row]:
    """Measure the time from nothing to the first answer, without and with a snapshot of the index."""
    rows = []
    for what in ("open and build the index, then the first query", "open with the index kept, then the first query"):

        def first_answer() -> None:
            with closing(JsonlStore(path)) as store:
                store.query(*made_up_query(source), K)

        rows.append(Row(what, episodes, f"{seconds(first_answer):.2f} s"))
    return rows


def query_rows(store: JsonlStore, episodes: int, source: random.Random, most: float) -> tuple[list[Row], float]:
    rows, medians = [], []
    for way in ("sequential", "epoch", "any moment"):
        times = query_times(store, source, way)
        medians.append(statistics.median(times))
        worst = percentile(times, 0.99)
        measured = f"median {medians[-1]:.2f}, p99 {worst:.2f} ms CPU"
        rows.append(Row(f"query, {way}", episodes, measured, f"p99 ≤ {most:g} ms", worst <= most))
    return rows, max(medians)


def naive_rows(path: Path, store: JsonlStore, episodes: int, source: random.Random, median_ms: float) -> list[Row]:
    times, same = [], True
    for _ in range(2):
        query = made_up_query(source)
        started = time.process_time()
        answer = naive_query(path, *query)
        times.append(1000 * (time.process_time() - started))
        same = same and answer == [(hit.entry.episode_id, hit.score) for hit in store.query(*query, K)]
    ratio = min(times) / median_ms
    return [
        Row("query by reading the whole file", episodes, f"{min(times):.0f} ms CPU"),
        Row("the same answers", episodes, "yes" if same else "no", "yes", same),
        Row(
            "times faster (slowest median)", episodes, f"{ratio:.0f}", f"≥ {MIN_TIMES_NAIVE}", ratio >= MIN_TIMES_NAIVE
        ),
    ]


def append_row(store: JsonlStore, episodes: int, source: random.Random) -> Row:
    drafts = [EpisodeDraftV1_1.model_validate(made_up_episode(source)) for _ in range(APPENDS)]
    used = time.process_time()
    taken = seconds(lambda: [store.append(draft) for draft in drafts])
    used = time.process_time() - used
    return Row("durable appends", episodes, f"{APPENDS / taken:.0f}/s ({1000 * used / APPENDS:.2f} ms CPU each)")


def verify_row(store: JsonlStore, episodes: int) -> Row:
    started = time.perf_counter()
    report = store.verify()
    taken = time.perf_counter() - started
    return Row("verify all", episodes, f"{taken:.0f} s, {len(report.problems)} problems", "0 problems", report.ok)


def measure(folder: Path, episodes: int, most: float) -> Iterator[Row]:
    source = random.Random(episodes)
    path = folder / f"{episodes}.jsonl"
    fill(path, episodes, source)
    yield from opening_rows(path, episodes, source)
    with closing(JsonlStore(path)) as store:
        rows, median_ms = query_rows(store, episodes, source, most)
        yield from rows
        if episodes == NAIVE_AT:
            yield from naive_rows(path, store, episodes, source, median_ms)
            yield verify_row(store, episodes)
        yield append_row(store, episodes, source)
    sizes = [path.with_name(path.name + suffix).stat().st_size / 1e6 for suffix in ("", ".journal", ".index")]
    yield Row("log, journal, index", episodes, ", ".join(f"{size:.1f} MB" for size in sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where to write (about 1.5 GB); a temporary folder otherwise")
    parser.add_argument("--small", action="store_true", help="only 100,000 episodes")
    options = parser.parse_args()
    all_met = True
    print("| what | episodes | measured | bound | met |", flush=True)
    print("|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for episodes, most in list(SIZES.items())[: 1 if options.small else None]:
            for row in measure(Path(folder), episodes, most):
                met = ("yes" if row.is_met else "NO") if row.bound else ""
                print(f"| {row.what} | {row.episodes:,} | {row.measured} | {row.bound} | {met} |", flush=True)
                all_met = all_met and row.is_met
    sys.exit(0 if all_met else 1)


if __name__ == "__main__":
    main()
