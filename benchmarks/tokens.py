"""Count the tokens per sample of a conflict review (cr_v2): input and output, with full and terse answers.

    python -m benchmarks.tokens              count, at equal results
    python -m benchmarks.tokens --ask        ask the small model itself about one review (some minutes on one core)
    python -m benchmarks.tokens --bytes      count without any model: four bytes are a token

Counting: the embedded engine answers for all agents over the shipped reviews. Each prompt, and each answer
as the schema of its call states it, is counted by the tokenizer of the small model of the tests. Answers are
written like the examples in the prompts. The results are therefore the same in every row, and only the form
differs. ``uncached`` leaves out the prefix shared with the previous call of the same stage: a server that
caches prompt prefixes (llama.cpp, vLLM and most providers do) does not read it again.

Asking: the usage that the server reports for each call.

Prints Markdown tables; exits with 1 if a bound relative to the previous version (``BEFORE``) is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel
from tests.servers.smollm import asking, bounded, smollm_server

from samsim.data.shipped import Sample, load_reviews
from samsim.engines.answers.shape import as_stated, stated_schema
from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.factory import EnginePlan, build_setup
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.engines.opening import OpenEngine
from samsim.engines.sending import estimated_tokens
from samsim.pipeline.api import Pipeline
from samsim.schemas.protocol_conflict_review import AnswerForm
from samsim.schemas.results import SampleResult

MAX_SHARE = 0.60
# A small model rambles until it is stopped; bounds on its lists and texts imitate one that knows when to stop.
MAX_ITEMS, MAX_TEXT, MAX_TOKENS = 2, 40, 640
TIMEOUT_SECONDS = 1800
FORMS: tuple[AnswerForm, ...] = get_args(AnswerForm)
# Short, with several opinions, and reviewed.
ASKED = "ko-021"
Tokenizer = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of some calls: input, the part of it not shared with the previous call, and output."""

    calls: int
    read: int
    anew: int
    written: int


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of one answer form over some samples."""

    name: str
    samples: int
    stage1: Tokens
    review: Tokens

    @property
    def written(self) -> float:
        """Output tokens per sample."""
        return (self.stage1.written + self.review.written) / self.samples

    @property
    def review_read(self) -> float:
        """Input tokens of one review call."""
        return self.review.read / max(self.review.calls, 1)


# The version before shared prefixes, tables and terse answers, measured in the same ways.
BEFORE = {
    "counted": Counted("before", 84, Tokens(252, 577_140, 575_964, 21_349), Tokens(51, 129_035, 128_797, 5_357)),
    "asked": Counted("before", 1, Tokens(3, 7_740, 7_740, 639), Tokens(3, 10_540, 10_540, 994)),
    "bytes": Counted("before", 84, Tokens(252, 351_868, 351_028, 13_223), Tokens(51, 91_721, 91_551, 3_501)),
}


class CountingStandIn:
    """Answers like the embedded engine and records the texts of every call."""

    name = "embedded"

    def __init__(self) -> None:
        self._engine = EmbeddedEngine()
        self.calls: list[tuple[str, str, str, str]] = []

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Return the embedded engine's answer."""
        reply = await self._engine.complete(request)
        assert isinstance(reply.output, BaseModel)
        schema = stated_schema(request.output_schema, shape=request.shape)
        answer = as_stated(_grouped(reply.output.model_dump(mode="json")), schema)
        prompt = "\n".join(message.content for message in request.messages())
        written = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        self.calls.append((request.uid, request.stage, prompt, written))
        return reply


def _grouped(answer: dict[str, Any]) -> dict[str, Any]:
    """Merge actions with the same content into one, as the prompt of a review asks."""
    groups: dict[str, dict[str, Any]] = {}
    for action in answer.get("review_actions", []):
        same = json.dumps({**action, "target_tuple_ids": None})
        group = groups.setdefault(same, {**action, "target_tuple_ids": []})
        group["target_tuple_ids"] += action["target_tuple_ids"]
    return {**answer, "review_actions": list(groups.values())} if groups else answer


def count(samples: Sequence[Sample], answer: AnswerForm, tokens: Tokenizer) -> Counted:
    """Count all calls of the samples in one answer form."""
    engine = CountingStandIn()
    pipeline = Pipeline({"answer": answer}, engine)
    for sample in samples:
        pipeline.analyze(sample.text, uid=sample.uid)
    return Counted(answer, len(samples), *(_counted(engine.calls, stage, tokens) for stage in ("stage1", "review")))


def _counted(calls: Iterable[tuple[str, str, str, str]], wanted: str, tokens: Tokenizer) -> Tokens:
    number = read = anew = written = 0
    before = ("", "")
    for uid, stage, prompt, answer in calls:
        if stage != wanted:
            continue
        kept = _common_beginning(before[1], prompt) if before[0] == uid else ""
        number, read, written = number + 1, read + tokens(prompt), written + tokens(answer)
        anew += tokens(prompt) - tokens(kept)
        before = uid, prompt
    return Tokens(number, read, anew, written)


def _common_beginning(one: str, other: str) -> str:
    length = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]


def ask(samples: Sequence[Sample], answer: AnswerForm, url: str) -> Counted:
    """Ask the model itself; its server reports the usage of each call."""
    engine = OpenEngine(build_setup(EnginePlan.model_validate(_plan(answer, url)), protocol="cr_v2").table)
    results = [Pipeline({"answer": answer}, engine).analyze(sample.text, uid=sample.uid) for sample in samples]
    return Counted(answer, len(samples), *(_asked(results, stage) for stage in ("stage1", "review")))


def _plan(answer: AnswerForm, url: str) -> dict[str, Any]:
    texts = ["aspect_term", "opinion_term", "evidence", *(["rationale"] if answer == "full" else [])]
    server = asking(url, max_tokens=MAX_TOKENS, timeout_s=TIMEOUT_SECONDS, output_mode="json_schema")
    default = server | bounded("triplets", MAX_ITEMS, {name: {"maxLength": MAX_TEXT} for name in texts})
    reviewers = bounded("review_actions", MAX_ITEMS, {"new_value": {"anyOf": [{"type": "null"}]}})
    return {"engines": {"default": default, "reviewers": reviewers}, "cache": False}


def _asked(results: Sequence[SampleResult], stage: str) -> Tokens:
    attempts = [call.attempts[-1] for result in results for call in result.calls if call.stage == stage]
    read = sum(attempt.usage.input_tokens or 0 for attempt in attempts)
    return Tokens(len(attempts), read, read, sum(attempt.usage.output_tokens or 0 for attempt in attempts))


def table(rows: Sequence[Counted]) -> str:
    """Return the rows as Markdown, each with its share of the first."""
    first = rows[0]
    lines = [
        "| cr_v2 | input per Stage 1 call | input per review call | of that uncached | input per sample "
        "| output per sample | review input, output: share of before |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        per_sample = (row.stage1.read + row.review.read) / row.samples
        anew = row.review.anew / max(row.review.calls, 1)
        share = f"{row.review_read / first.review_read:.1%}, {row.written / first.written:.1%}"
        lines.append(
            f"| {row.name} | {row.stage1.read / row.stage1.calls:,.0f} | {row.review_read:,.0f} | {anew:,.0f} "
            f"| {per_sample:,.0f} | {row.written:,.0f} | {'' if row is first else share} |"
        )
    return "\n".join(lines)


def missed(rows: Sequence[Counted]) -> list[str]:
    """Return the bounds that do not hold."""
    before, full, terse = rows
    found = []
    if full.review_read > MAX_SHARE * before.review_read:
        found.append(f"a review call reads more than {MAX_SHARE:.0%} of what it read before")
    if terse.written > MAX_SHARE * before.written:
        found.append(f"terse answers write more than {MAX_SHARE:.0%} of what was written before")
    return found


def main() -> None:
    """Measure, print, and fail if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ask", action="store_true", help="ask the model itself about one review")
    parser.add_argument("--bytes", action="store_true", help="count four bytes as a token")
    options = parser.parse_args()
    samples = load_reviews()
    if options.ask:
        samples = [one for one in samples if one.uid == ASKED]
    with ExitStack() as stack:
        if options.bytes:
            name, rows = "bytes", [count(samples, form, lambda text: estimated_tokens(text.encode())) for form in FORMS]
        else:
            url = stack.enter_context(smollm_server())
            name = "asked" if options.ask else "counted"
            rows = [ask(samples, form, url) if options.ask else count(samples, form, _tokenizer(url)) for form in FORMS]
    rows = [BEFORE[name], *rows]
    print(table(rows))
    for problem in missed(rows):
        print(f"MISSED: {problem}")
    sys.exit(bool(missed(rows)))


def _tokenizer(url: str) -> Tokenizer:
    address = f"{url.removesuffix('/v1')}/tokenize"

    @cache
    def tokens(text: str) -> int:
        body = json.dumps({"content": text}).encode()
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return len(json.load(reply)["tokens"])

    return tokens


if __name__ == "__main__":
    main()
