"""Sending one request: rate-limited, typed, recorded, and retried if that may help."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from samsim.engines.answers.judging import Judgement, judge
from samsim.engines.answers.shape import stated_schema
from samsim.engines.answers.structured import stated_in_prompt
from samsim.engines.interface import WHOLE_ANSWER, AnswerShape, Message
from samsim.engines.pacing.limits import AdaptiveLimit, Clock, RateLimit, Sleep, Slot, SpendingLimit
from samsim.engines.pacing.outage import Outage, server_of, sign_of
from samsim.engines.pacing.retry import delay_before, is_retryable, retry_after_of
from samsim.engines.pacing.timeouts import AdaptiveTimeout
from samsim.engines.prices import cost_of
from samsim.engines.settings import LOCAL_START, EngineSettings, PricePerMillion
from samsim.engines.transport.http import HttpReply, HttpTransport
from samsim.engines.transport.secrets import Redactor
from samsim.engines.wire.base import WireAdapter, WireReply, WireRequest
from samsim.schemas.calls import AttemptKind, AttemptRecord, FailureKind, OutputMode, Usage

# A reply that arrived damaged or empty despite a 200 is as transient as a 5xx.
_DAMAGED: frozenset[FailureKind] = frozenset({"empty", "bad_encoding", "invalid_json"})
_BYTES_PER_TOKEN = 4
_MAX_KEPT_CHARACTERS = 4_000
_NO_USAGE = Usage()
_NOTHING_USED = Usage(input_tokens=0, output_tokens=0)


def may_pass(failure: FailureKind) -> bool:
    """Return whether the same request may succeed if sent again."""
    return is_retryable(failure) or failure in _DAMAGED


def estimated_tokens(content: bytes) -> int:
    """Estimate the number of tokens in a text; close enough for English and for Korean (three bytes per letter)."""
    return len(content) // _BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Question:
    """One request as it is sent, and what its answer must look like."""

    messages: tuple[Message, ...]
    schema: type[BaseModel]
    mode: OutputMode
    wire: WireRequest
    shape: AnswerShape = WHOLE_ANSWER


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of the last attempt at one question."""

    judgement: Judgement
    reply: WireReply | None


class Sender:
    """Sends questions to one server within the given limits."""

    def __init__(
        self,
        settings: EngineSettings,
        adapter: WireAdapter,
        transport: HttpTransport,
        *,
        api_key: str | None = None,
        limit: AdaptiveLimit | None = None,
        rate: RateLimit | None = None,
        spending: SpendingLimit | None = None,
        price: PricePerMillion | None = None,
        outage: Outage | None = None,
        clock: Clock = time.perf_counter,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.settings = settings
        self.adapter = adapter
        self.transport = transport
        self._api_key = api_key
        self.redact = Redactor(settings, api_key)
        start = LOCAL_START if settings.is_local else None
        self._limit = limit or AdaptiveLimit(settings.concurrency, start=start, clock=clock)
        self._timeout = AdaptiveTimeout(settings.timeout_s, settings.max_timeout_s)
        self._rate = rate or RateLimit(settings.requests_per_minute, settings.tokens_per_minute)
        self._spending = spending or SpendingLimit()
        self._price = price
        self._outage = outage or Outage(server_of(settings))
        self.activity = self._outage.activity
        self._clock = clock
        self._sleep = sleep
        self._refused_keywords = adapter.refused_keywords(settings)
        self._usual_output_tokens = float(settings.max_tokens)

    def prepare(
        self,
        messages: Sequence[Message],
        schema: type[BaseModel],
        mode: OutputMode,
        seed: int | None,
        shape: AnswerShape = WHOLE_ANSWER,
    ) -> Question:
        """Return the question as ``mode`` asks it."""
        if mode in ("json_object", "prompted"):
            messages = stated_in_prompt(messages, self.stated(schema, shape))
        return self._question(tuple(messages), schema, mode, seed, shape)

    def rephrase(self, question: Question, messages: tuple[Message, ...], seed: int | None) -> Question:
        """Return the same question with other messages, which are sent unchanged."""
        return self._question(messages, question.schema, question.mode, seed, question.shape)

    def _question(
        self,
        messages: tuple[Message, ...],
        schema: type[BaseModel],
        mode: OutputMode,
        seed: int | None,
        shape: AnswerShape,
    ) -> Question:
        stated = self.stated(schema, shape)
        wire = self.adapter.build(messages, stated, schema.__name__, mode, self.settings, self._api_key, seed)
        return Question(messages, schema, mode, wire, shape)

    def stated(self, schema: type[BaseModel], shape: AnswerShape) -> dict[str, Any]:
        """Return the schema of an answer as it is sent to this server."""
        return stated_schema(schema, self._refused_keywords, shape)

    def judged(self, reply: WireReply, schema: type[BaseModel]) -> Judgement:
        """Judge a reply against the schema that this server was sent."""
        return judge(reply, schema, self._refused_keywords)

    async def ask(
        self,
        question: Question,
        kind: AttemptKind,
        attempts: list[AttemptRecord],
        *,
        spread: str,
        worth_repeating: Callable[[FailureKind], bool] = may_pass,
    ) -> Answer:
        """Send the question, retry while that may help, and return the answer; add every attempt to ``attempts``.

        Waiting for a server that is down uses up no attempts.
        """
        body = to_json(question.wire.body)
        tried = 0
        while True:
            if self._spending.exhausted:
                return Answer(Judgement("budget"), None)
            tried += 1
            answer, http = await self._reach(question, body, kind if tried == 1 else "retry", attempts)
            # Broken JSON in a complete reply is the model's fault; a repair may help, a retry will not.
            is_model_fault = answer.reply is not None and answer.judgement.is_repairable
            failure = None if is_model_fault else answer.judgement.failure
            if failure is None or tried >= self.settings.max_attempts or not worth_repeating(failure):
                is_lost = self._outage.never_reached(sign_of(http))
                return Answer(Judgement("unreachable"), None) if is_lost else answer
            await self.pause(tried, spread, retry_after_of(http.headers, time.time()))

    async def pause(self, tried: int, spread: str, retry_after: float | None = None) -> None:
        """Wait before the next try.

        ``spread`` names the call and determines the jitter: calls that failed together are retried at
        different times, yet every run behaves the same.
        """
        jitter = zlib.crc32(f"{spread}:{tried}".encode()) / 2**32
        await self._sleep(delay_before(tried, retry_after, jitter))

    async def _reach(
        self, question: Question, body: bytes, kind: AttemptKind, attempts: list[AttemptRecord]
    ) -> tuple[Answer, HttpReply]:
        """Make one attempt and return its result; during an outage, keep trying until it ends."""
        made: list[AttemptRecord] = []
        found = await self._outage.outlast(
            lambda: self._attempt(question, body, kind, made), lambda attempt: sign_of(attempt[1])
        )
        in_vain = made if found is None else made[:-1]
        attempts += ([_one_record(in_vain)] if in_vain else []) + made[len(in_vain) :]
        return found or (Answer(Judgement("unreachable"), None), HttpReply(None, failure="unreachable"))

    async def _attempt(
        self, question: Question, body: bytes, kind: AttemptKind, attempts: list[AttemptRecord]
    ) -> tuple[Answer, HttpReply]:
        wire = question.wire
        estimate = estimated_tokens(body) + int(self._usual_output_tokens)
        await self._rate.acquire(estimate)
        async with self._limit as slot:
            started = self._clock()
            with self.activity.request():
                http = await self.transport.post(wire.url, wire.headers, body, self._timeout.current)
            ended = self._clock()
            failure = self._failure_of(http)
            self._adapt(slot, failure, ended - started)
        if failure is None:
            reply = self.adapter.parse(http.payload, question.mode)
            answer = Answer(self.judged(reply, question.schema), reply)
            self._correct(estimate, reply.usage)
        else:
            answer = Answer(Judgement(failure), None)
        attempts.append(self._record(kind, answer, http, started, ended))
        return answer, http

    def _adapt(self, slot: Slot, failure: FailureKind | None, seconds: float) -> None:
        if failure is None:
            self._timeout.answered(seconds)
            slot.succeeded(is_late=self._timeout.is_late(seconds))
        elif failure == "timeout":
            self._timeout.given_up(seconds)
            slot.timed_out()
        elif failure == "rate_limited":
            slot.rate_limited()

    def _failure_of(self, http: HttpReply) -> FailureKind | None:
        if http.failure is not None:
            return http.failure
        failure = self.adapter.failure_of(http.status or 0, http.payload)
        return failure or (None if isinstance(http.payload, dict) else "invalid_json")

    def _record(
        self, kind: AttemptKind, answer: Answer, http: HttpReply, started: float, ended: float
    ) -> AttemptRecord:
        reply = answer.reply
        usage = _NO_USAGE if http.reached else _NOTHING_USED
        if reply is not None:
            usage = reply.usage
            self.activity.answered(ended - started)
        # Error replies and requests that were never sent are free; without any reply the cost is unknown.
        is_free = not http.reached or (http.status is not None and not 200 <= http.status < 300)
        cost = 0.0 if is_free else cost_of(usage, self._price)
        self._spending.charge(cost)
        raw = self.redact(http.raw_text if reply is None else reply.text or reply.refusal or "")
        if answer.judgement.failure is not None:
            raw = raw[:_MAX_KEPT_CHARACTERS].encode(errors="replace").decode()
        return AttemptRecord(
            kind=kind,
            outcome=answer.judgement.outcome,
            http_status=http.status,
            usage=usage,
            cost=cost,
            started=started,
            ended=ended,
            raw=raw,
        )

    def _correct(self, estimate: int, usage: Usage) -> None:
        if usage.output_tokens is None:
            return
        self._usual_output_tokens += 0.1 * (usage.output_tokens - self._usual_output_tokens)
        self._rate.correct(estimate, (usage.input_tokens or 0) + usage.output_tokens)


def _one_record(in_vain: Sequence[AttemptRecord]) -> AttemptRecord:
    """Combine the requests that failed while the server was down into one record: hundreds would say no more."""
    first, last = in_vain[0], in_vain[-1]
    requests = "1 request" if len(in_vain) == 1 else f"{len(in_vain)} requests"
    said = f": {last.raw}" if last.raw else ""
    return last.model_copy(
        update={
            "kind": "outage",
            "usage": _NOTHING_USED,
            "cost": 0.0,
            "started": first.started,
            "raw": f"{requests} failed{said}",
        }
    )
