"""A chat-completions server that fails on purpose, by plan, and remembers what it did."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.chat_requests import Asked, answer_to, asked_by, completion
from tests.servers.faults import NO_FAULTS, Fault, FaultName, FaultPlan
from tests.servers.hosting import PATIENCE_SECONDS, hosted

PATH = "/v1/chat/completions"
RETRY_AFTER_SECONDS = 7
STALL_SECONDS = 30.0
UNKNOWN_TUPLE_ID = "t9999"
_FIVE_MEGABYTES = 5_000_000
_TOO_MANY_BYTES = 9 * 1024 * 1024
_AGENTS_AT_ONCE = 3


@dataclass
class FaultyServer:
    """Answers as ``chat_requests`` does, unless the plan wants something else.

    ``served`` holds for each call what was done at each attempt, in order; None is a plain answer.
    With ``meet`` an answer is only given once all three agents have asked about the text.
    """

    plan: FaultPlan = NO_FAULTS
    meet: bool = False
    url: str = ""
    requests: int = 0
    keys_seen: set[str | None] = field(default_factory=set)
    served: dict[Asked, list[Fault | None]] = field(default_factory=lambda: defaultdict(list))
    _meetings: dict[tuple[str, str], asyncio.Barrier] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[FaultyServer]:
        """Serve until the block ends."""
        with hosted(self.handle, PATH) as address:
            self.url = f"{address}/v1"
            yield self

    @property
    def faults(self) -> Counter[FaultName]:
        """How often each fault was served, by its name."""
        return Counter(fault.name for attempts in self.served.values() for fault in attempts if fault)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One request."""
        self.requests += 1
        self.keys_seen.add(request.headers.get("Authorization"))
        body = await request.json()
        asked = asked_by(body)
        if asked is None:
            return web.json_response(completion(body, json.dumps(answer_to(body))))
        attempts = self.served[asked]
        fault = self.plan.fault_for(asked, len(attempts))
        attempts.append(fault)
        if self.meet:
            await self._all_agents(asked)
        if fault is None:
            return web.json_response(completion(body, json.dumps(answer_to(body), ensure_ascii=False)))
        return await _misbehave(fault, request, body)

    async def _all_agents(self, asked: Asked) -> None:
        barrier = self._meetings.setdefault((asked.text, asked.stage), asyncio.Barrier(_AGENTS_AT_ONCE))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await barrier.wait()


async def _misbehave(fault: Fault, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    if fault.outcome in ("rate_limited", "server_error"):
        return _error(fault, request)
    if fault.name == "reset":
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    if fault.name == "stall":
        await asyncio.sleep(STALL_SECONDS)
        return web.Response(status=504)
    if fault.name == "invalid_utf8":
        good = json.dumps(completion(body, json.dumps(answer_to(body))))
        return _raw(good.encode().replace(b'"assistant"', b'"assist\xff\xfeant"'))
    if fault.name == "truncated_reply":
        good = json.dumps(completion(body, json.dumps(answer_to(body))))
        return _raw(good[: len(good) // 2].encode())
    if fault.name == "oversized":
        return _raw(json.dumps(completion(body, "x" * _TOO_MANY_BYTES)).encode())
    return web.json_response(_bad_completion(fault, body))


def _error(fault: Fault, request: web.Request) -> web.Response:
    """An error page that quotes the caller's headers, as servers in debug mode do."""
    quoted = {"error": {"message": "cannot serve this now", "headers": dict(request.headers)}}
    if fault.name == "rate_limited":
        return web.json_response(quoted, status=429, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})
    return web.json_response(quoted, status=500)


def _raw(content: bytes) -> web.Response:
    return web.Response(body=content, content_type="application/json")


def _bad_completion(fault: Fault, body: dict[str, Any]) -> dict[str, Any]:
    answer = answer_to(body)
    good = json.dumps(answer, ensure_ascii=False)
    if fault.name == "empty_choices":
        return completion(body, "") | {"choices": []}
    if fault.name == "refusal":
        reply = completion(body, "")
        reply["choices"][0]["message"]["refusal"] = "I cannot help with that."
        return reply
    if fault.name == "cut_off":
        return completion(body, good[: len(good) // 2], finish="length")
    return completion(body, _bad_content(fault, answer, good))


def with_half_a_pair(answer: dict[str, Any]) -> str:
    """The answer as JSON, with an escaped half of an emoji where its first item has a text, or beside an empty list."""
    name = next(iter(answer))
    items = [dict(item) for item in answer[name]]
    if not items:
        return json.dumps({**answer, "remark": "\ud83d"})
    field = next(key for key, value in items[0].items() if isinstance(value, str) and key != "polarity")
    items[0][field] = "\ud83d"
    return json.dumps({**answer, name: items})


def _bad_content(fault: Fault, answer: dict[str, Any], good: str) -> str:
    name = next(iter(answer))
    if fault.name == "truncated_answer":
        return good[:-1]
    if fault.name == "wrong_schema":
        return json.dumps({"result": "see above", "score": 7})
    if fault.name == "duplicated_key":
        return f'{{"{name}": [], {good[1:]}'
    if fault.name == "prose":
        return f"Sure! Here is {{the}} answer:\n```json\n{good}\n```\nLet me know if you need more."
    if fault.name == "half_a_surrogate_pair":
        return with_half_a_pair(answer)
    if fault.name == "five_megabytes":
        return f"{'Well, let me think. ' * (_FIVE_MEGABYTES // 20)}\n{good}"
    assert fault.name == "unknown_ids"
    stranger = {"op": "drop_tuple", "target_tuple_id": UNKNOWN_TUPLE_ID, "value": "", "evidence": "", "confidence": 1}
    if name == "review_actions":
        stranger = {"action_type": "DROP", "target_tuple_ids": [UNKNOWN_TUPLE_ID], "reason_code": "WEAK_EVIDENCE"}
    return json.dumps({**answer, name: [*answer[name], stranger]}, ensure_ascii=False)
