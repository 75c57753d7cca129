"""Fuzz the reading side of the engines: whatever a server sends, the outcome is typed.

    python benchmarks/fuzz_replies.py [--count 20000] [--seconds 60] [--seed 0] [--only NUMBER]

Every reply depends only on its number and the seed, so a failure can be reproduced with ``--only``. A reply
goes all the way: the bytes of an HTTP response, the wire format of one of three providers, the judging, the
response cache and back, the trace and its replay, the agents, a sample's rules and the lines of its result.
Exits with 1 if anything but a typed failure or an answer comes out, if a result cannot be written as JSON or
read back, or if one reply takes longer than five seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, time
from typing import Any, get_args

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.servers.chat_requests import embedded_output

from samsim.engines.cache import ResponseCache
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.retry import delay_before, retry_after_of
from samsim.engines.replay import RecordingEngine, ReplayEngine, TraceWriter
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineSettings
from samsim.engines.transport.http import MAX_REPLY_BYTES, HttpReply, HttpTransport, _interpret
from samsim.engines.wire.anthropic import AnthropicWire
from samsim.engines.wire.base import WireAdapter
from samsim.engines.wire.google import GoogleWire
from samsim.engines.wire.openai import OpenAIWire
from samsim.errors import EngineError
from samsim.pipeline.api import Pipeline
from samsim.pipeline.epochs import SampleError
from samsim.schemas.calls import FailureKind
from samsim.schemas.protocol_conflict_review import REASON_CODES
from samsim.schemas.results import SampleResult

_MOST_SECONDS = 5.0
_TEXTS = ("The soup was cold but the staff were kind.", "화면은 밝은데 배터리가 빨리 닳지 않아요.")
_PROTOCOLS = ("cr_v2", "cr_v1", "debate", "single", "self_consistency:3", "stage1_only")
_WIRES: tuple[WireAdapter, ...] = (OpenAIWire(), AnthropicWire(), GoogleWire())
_KINDS = ("openai_compatible", "anthropic", "google")
_FAILURES = frozenset(get_args(FailureKind))
_SCALARS: tuple[str, ...] = (
    "null", "true", "false", "0", "-0", "1", "-1", "0.5", "1e5", "1e308", "1e309", "-1e999", "1e-999", "NaN",
    "Infinity", "-Infinity", "9" * 19, "9" * 400, "9" * 4_300, "9" * 4_301, "9" * 100_000, "0" * 50 + "1", "01",
    '""', '"t0"', '"positive"', '"FLIP"', '"\\ud83d"', '"\\udc00"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\ud800\\ud800"',
    '"\\ufeff"', '"\\u202e"', '"é"', '"e\\u0301"', '"각"', '"\\u1100\\u1161\\u11a8"', '"x" "y"', '"\\x"', "'a'", '"',
    "[]", "{}", "[[]]", "[{}]", '{"a":1,"a":2}', "//", "undefined", "\x00", "\ufeff", "\u2028",
    f'"{"가" * 5_000}"',
)  # fmt: skip


class Maker:
    """Makes one reply; every choice depends only on its number."""

    def __init__(self, seed: int, number: int) -> None:
        self.random = random.Random(f"{seed}:{number}")
        # Values that JSON cannot hold are written as marks first and substituted in the text.
        self._marks: list[tuple[str, str]] = []

    def answer(self, request: EngineRequest) -> str:
        """Return what the model writes: a good answer with mutations, or something made up."""
        self._marks.clear()
        good = embedded_output(request).model_dump_json()
        make = self.random.choice(
            [self._mutated, self._mutated, self._mutated, self._retyped, self._spliced, self._wrapped, self._huge]
        )
        return make(good)

    def _mutated(self, good: str) -> str:
        """Replace, repeat or remove values of the good answer."""
        value = json.loads(good)
        for _ in range(self.random.randint(1, 4)):
            self._change_somewhere(value)
        return self._written(value, ensure_ascii=self.random.random() < 0.5)

    def _written(self, value: Any, *, ensure_ascii: bool) -> str:
        text = json.dumps(value, ensure_ascii=ensure_ascii)
        for mark, scalar in self._marks:
            text = text.replace(json.dumps(mark), scalar)
        return text

    def _change_somewhere(self, value: Any) -> None:
        place: Any = value
        while isinstance(place, dict | list) and place:
            key: Any = self.random.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if isinstance(place[key], dict | list) and place[key] and self.random.random() < 0.8:
                place = place[key]
                continue
            self._change(place, key)
            return

    def _change(self, place: Any, key: Any) -> None:
        kind = self.random.randrange(6)
        if kind <= 2:
            mark = f"mark{len(self._marks)}"
            self._marks.append((mark, self.random.choice(_SCALARS)))
            place[key] = mark
        elif kind == 3 and isinstance(place, list):
            place.extend([place[key]] * self.random.choice([1, 5, 40, 200]))
        elif kind == 4 and isinstance(place, dict):
            place[self.random.choice(["", "\ud83d", "__class__", "model_config", "tuple_id", "🙂"])] = place.pop(key)
        else:
            place[key] = self.random.choice(["t0", "t1", "t9999", *REASON_CODES, "", [], {}, None, 1, "x" * 3_000])

    def _retyped(self, good: str) -> str:
        """Put another value where the list should be, or a list of anything."""
        names = list(json.loads(good))
        items = ",".join(self.random.choice(_SCALARS) for _ in range(self.random.choice([0, 1, 3, 200])))
        value = self.random.choice([*_SCALARS, f"[{items}]", f'{{"0":{{{items}}}}}'])
        return "{" + ",".join(f'"{name}":{value}' for name in names) + "}"

    def _spliced(self, good: str) -> str:
        """Replace, remove or double characters of the text."""
        text = list(good)
        for _ in range(self.random.randint(1, 6)):
            at = self.random.randrange(len(text) + 1)
            text[at : at + self.random.randint(0, 5)] = list(self.random.choice([*_SCALARS, "{", "}", "[", ",", '"']))
        return "".join(text)

    def _wrapped(self, good: str) -> str:
        """Put prose, fences, thoughts and second objects around the answer."""
        around = ["```json\n", "<think>", "</think>", "Sure! {", "}", '{"triplets": []}', "\ufeff", "\x00", '"', "null"]
        before, after = (self.random.choice(around) * self.random.choice([1, 1, 2, 500]) for _ in range(2))
        return before + good + after

    def _huge(self, good: str) -> str:
        """Make the answer deep, long or wide."""
        name = next(iter(json.loads(good)))
        depth = self.random.choice([60, 66, 190, 210, 500, 990, 1_010, 100_000])
        size = self.random.choice([1_000, 30_000])
        return self.random.choice(
            [
                f'{{"{name}":' + "[" * depth + "]" * depth + "}",
                '{"a":' * depth + "1" + "}" * depth,
                f'{{"{name}":[' + ",".join(["{}"] * size) + "]}",
                f'{{"{name}":["' + '","'.join(["t0"] * size) + '"]}',
                f'{{"{name}":[{{"' + '":1,"'.join(f"k{number}" for number in range(size)) + '":1}]}',
                f'{{"{name}":"' + "a" * 200_000 + '"}',
                good[:-1] + ',"' + "k" * 200_000 + '":1}',
                good.replace(":[", ":[" + ",".join(["null"] * size) + ",", 1),
            ]
        )

    def body(self, answer: str, wire: WireAdapter, mode: str) -> bytes:
        """Return the bytes of the HTTP response around the answer."""
        self._marks.clear()
        payload: Any = _payload(wire, mode, self._arguments(answer))
        for _ in range(self.random.choice([0, 0, 0, 1, 3])):
            self._change_somewhere(payload)
        return self._encoded(self._written(payload, ensure_ascii=self.random.random() < 0.7))

    def _arguments(self, answer: str) -> Any:
        """Return the answer as text, as most servers do, or as an object, as some do for tools."""
        if self.random.random() < 0.7:
            return answer
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            return answer

    def _encoded(self, text: str) -> bytes:
        encoding = self.random.choice(["utf-8"] * 8 + ["utf-8-sig", "utf-16", "utf-32", "cp949", "latin-1"])
        content = text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")
        cut = self.random.random()
        if cut < 0.05:
            return content[: self.random.randrange(len(content) + 1)]
        if cut < 0.1:
            at = self.random.randrange(len(content) + 1)
            return content[:at] + bytes(self.random.randrange(256) for _ in range(4)) + content[at:]
        return content

    def headers(self) -> dict[str, str]:
        """Return retry headers of every kind."""
        values = ["1", "-5", "1e999", "nan", "0x10", "9" * 400, "Mon, 01 Jan 0001 00:00:00 GMT", "Wed, 99 Foo", "٣", ""]
        values += ["Fri, 31 Dec 9999 23:59:59 -2359", "Fri, 31 Dec 9999 23:59:59 GMT", "1 Jan 99999 00:00:00 +9999"]
        return {name: self.random.choice(values) for name in ("Retry-After", "retry-after-ms")}


def _payload(wire: WireAdapter, mode: str, answer: Any) -> dict[str, Any]:
    text = answer if isinstance(answer, str) else None
    if isinstance(wire, OpenAIWire):
        call = {"function": {"name": "answer", "arguments": answer}}
        message = {"content": text, "tool_calls": [call]} if mode == "tool" else {"content": text or [{"text": ""}]}
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    if isinstance(wire, AnthropicWire):
        block = {"type": "tool_use", "input": answer} if mode == "tool" else {"type": "text", "text": text}
        return {"content": [block], "stop_reason": "end_turn", "usage": {"input_tokens": 10, "output_tokens": 5}}
    part = {"functionCall": {"args": answer}} if mode == "tool" else {"text": text}
    return {"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}], "usageMetadata": {}}


class HostileTransport(HttpTransport):
    """Returns made-up bytes instead of a server's response."""

    def __init__(self, make: Callable[[], tuple[int, dict[str, str], bytes]]) -> None:
        super().__init__()
        self._make = make

    async def post(self, *_request: Any, **_options: Any) -> HttpReply:
        """Return the next reply, interpreted like any other."""
        status, given, content = self._make()
        return _interpret(status, given, content if len(content) <= MAX_REPLY_BYTES else None)


class HostileEngine:
    """A model engine over hostile replies; every reply it gives is checked."""

    name = "hostile"

    def __init__(self, maker: Maker, cache: ResponseCache, trace: TraceWriter) -> None:
        self._request: EngineRequest | None = None
        self._maker = maker
        self._wire = maker.random.choice(_WIRES)
        self._mode = maker.random.choice(self._wire.modes)
        settings = EngineSettings.model_validate(
            {
                "kind": _KINDS[_WIRES.index(self._wire)],
                "model": "m",
                "base_url": maker.random.choice(["http://127.0.0.1:9/v1", "https://api.openai.com/v1"]),
                "output_mode": self._mode,
                "max_attempts": 2,
            }
        )
        sender = Sender(settings, self._wire, HostileTransport(self._bytes), api_key="sk-0123456789", sleep=_no_wait)
        self.engine = RecordingEngine(ModelEngine(sender, cache), trace)

    def _bytes(self) -> tuple[int, dict[str, str], bytes]:
        assert self._request is not None
        random_ = self._maker.random
        content = self._maker.body(self._maker.answer(self._request), self._wire, self._mode)
        headers = self._maker.headers()
        wait = retry_after_of(headers, time())
        assert 0 <= delay_before(1, wait, 0.5) <= 121, headers
        return random_.choice([200] * 12 + [201, 400, 401, 429, 500, 529]), headers, content

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer, and check that the reply is valid."""
        self._request = request
        reply = await self.engine.complete(request)
        assert reply.failure is None or reply.failure in _FAILURES
        assert (reply.output is None) == (reply.failure is not None)
        return reply


async def _no_wait(_seconds: float) -> None:
    return None


async def one(seed: int, number: int, folder: Path, cache: ResponseCache) -> str:
    """Analyze one sample with hostile replies only; return how it ended."""
    maker = Maker(seed, number)
    protocol = maker.random.choice(_PROTOCOLS)
    config = {
        "protocol": protocol,
        "review_scope": "always",
        "semantic_conflict_enabled": maker.random.random() < 0.3,
        "recheck": protocol == "cr_v2" and maker.random.random() < 0.3,
    }
    trace_path = folder / "trace.jsonl"
    with TraceWriter(trace_path, overwrite=True) as trace:
        engine = HostileEngine(maker, cache, trace)
        text = f"{maker.random.choice(_TEXTS)} {number}"
        pipeline = Pipeline(config, engine=engine)
        try:
            result: SampleResult | SampleError = await pipeline.aanalyze(text, uid="s")
        except EngineError as error:
            result = SampleError("s", str(error))
    for line in trace_path.read_bytes().splitlines():
        json.loads(line.decode(), parse_constant=_refused)
    if isinstance(result, SampleError):
        return "no answer"
    written = result.model_dump_json()
    json.loads(written, parse_constant=_refused)
    assert SampleResult.model_validate_json(written) == result
    replay = ReplayEngine(trace_path)
    try:
        again = await Pipeline(config, engine=replay).aanalyze(text, uid="s")
    finally:
        await replay.aclose()
    assert again.outputs_json() == result.outputs_json(), "the replay gives something else"
    cut = any("kept" in note for call in result.calls for note in call.rejected)
    return "cut" if cut else "answered in part" if any(call.problem for call in result.calls) else "answered"


def _refused(name: str) -> None:
    raise AssertionError(f"{name} was written, which is no JSON")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    given = parser.parse_args()
    numbers = range(given.count) if given.only is None else range(given.only, given.only + 1)
    ends: Counter[str] = Counter()
    for text in _TEXTS:
        Pipeline().analyze(text)  # the models of both languages are loaded once
    slowest, failed, started = (0.0, -1), 0, perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        cache = ResponseCache(Path(folder) / "cache.sqlite")
        for number in numbers:
            if perf_counter() - started > given.seconds:
                break
            began = perf_counter()
            try:
                ends[asyncio.run(one(given.seed, number, Path(folder), cache))] += 1
            except Exception:  # whatever it is, it is what is looked for
                failed += 1
                print(f"--seed {given.seed} --only {number}:\n{traceback.format_exc(limit=-6)}", file=sys.stderr)
            slowest = max(slowest, (perf_counter() - began, number))
        cache.close()
    done = sum(ends.values()) + failed
    print(f"{done:,} samples in {perf_counter() - started:.0f} s: {dict(ends)}, {failed} not typed")
    print(f"slowest: {slowest[0]:.2f} s (--only {slowest[1]})")
    return int(failed > 0 or slowest[0] > _MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
