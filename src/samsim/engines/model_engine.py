"""The engine that calls a language model: cached, rate-limited, validated, and repaired once if needed.

The path of one call::

    cache ── hit ──────────────────────────────► judge again, cost 0
      │ miss
    mode (probed once) ► ask (limits, retries) ► judge ── good ──► store in the cache
                                                    │ broken JSON or schema
                                                 one repair ► judge ► use what is valid

A failure is a reply with a typed reason; every attempt is recorded with its tokens and cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from samsim.engines.advice import advice_on
from samsim.engines.answers.judging import Judgement
from samsim.engines.answers.structured import LADDER, repair_messages
from samsim.engines.cache import CachedReply, ResponseCache, cache_key
from samsim.engines.counting import CountingEngine
from samsim.engines.interface import EngineReply, EngineRequest, Message
from samsim.engines.pacing.limits import AdaptiveLimit, FifoGate, RateLimit, SpendingLimit
from samsim.engines.pacing.outage import Outage
from samsim.engines.prices import price_of
from samsim.engines.probing import find_mode
from samsim.engines.sending import Answer, Question, Sender
from samsim.engines.settings import EngineKind, EngineSettings
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.anthropic import AnthropicWire
from samsim.engines.wire.base import WireAdapter, WireReply
from samsim.engines.wire.google import GoogleWire
from samsim.engines.wire.openai import OpenAIWire
from samsim.errors import ConfigError, EngineError
from samsim.schemas.calls import AttemptRecord, FailureKind, OutputMode, Usage

_ADAPTERS: Mapping[EngineKind, type[WireAdapter]] = {
    "openai_compatible": OpenAIWire,
    "anthropic": AnthropicWire,
    "google": GoogleWire,
}
_NOTHING_USED = Usage(input_tokens=0, output_tokens=0)


class ModelEngine:
    """Answers requests by calling one model on one server."""

    def __init__(self, sender: Sender, cache: ResponseCache | None = None) -> None:
        self._sender = sender
        self._cache = cache
        self._identity = sender.settings.identity
        self._modes = tuple(mode for mode in LADDER if mode in sender.adapter.modes)
        self._mode = _wanted_mode(sender.settings, self._modes)
        self._probing = FifoGate(1)
        self._probe_attempts: list[AttemptRecord] = []
        self._failed_probes = 0
        self._probe_failure: FailureKind | None = None

    @property
    def name(self) -> str:
        """The kind of the engine and the model."""
        return self.settings.name

    @property
    def settings(self) -> EngineSettings:
        """The settings of this engine."""
        return self._sender.settings

    @property
    def mode(self) -> OutputMode | None:
        """The output mode in use; None until it has been probed."""
        return self._mode

    @property
    def probe_attempts(self) -> tuple[AttemptRecord, ...]:
        """All attempts made to find the mode; a call that waited for the probe also has them in its reply."""
        return tuple(self._probe_attempts)

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer one request; a failure is returned as a reply, not raised."""
        messages = request.messages()
        found = self._recall(request, messages)
        if found is not None:
            return found
        with self._sender.activity.call():
            return await self._answer(request, messages)

    async def _answer(self, request: EngineRequest, messages: tuple[Message, ...]) -> EngineReply:
        attempts: list[AttemptRecord] = []
        failure = None if self._mode is not None else await self._settle_mode(attempts)
        mode = self._mode
        if mode is None:
            return EngineReply(None, failure, messages=messages, attempts=tuple(attempts))
        question = self._prepare(request, messages, mode)
        answer = await self._ask(request, question, attempts)
        if answer.judgement.failure is None and answer.reply is not None:
            self._keep(request, question, answer.reply)
        return _reply(answer.judgement, question, attempts)

    async def probe(self) -> OutputMode:
        """Find and return the output mode; raise ``EngineError`` if the server cannot be used at all."""
        failure = await self._settle_mode([])
        if self._mode is None:
            advice = advice_on(failure or "connection", self._probe_attempts, self.settings)
            raise EngineError(f"{self.name} cannot be asked ({failure}). {advice}")
        return self._mode

    async def aclose(self) -> None:
        """Close connections and flush the cache to disk; the engine may be used again."""
        await self._sender.transport.aclose()
        if self._cache is not None:
            await self._cache.aclose()

    async def _settle_mode(self, attempts: list[AttemptRecord]) -> FailureKind | None:
        if self._mode is not None:
            return None
        failed_before = self._failed_probes
        async with self._probing:
            # Calls that waited for a probe share its result, even a failure, so a dead server is probed only once.
            if self._mode is not None or self._failed_probes > failed_before:
                return self._probe_failure
            result = await find_mode(self._sender, self._modes, attempts, self.settings.seed)
            self._probe_attempts += attempts
            self._mode, self._probe_failure = result.mode, result.failure
            self._failed_probes += result.mode is None
            return result.failure

    async def _ask(self, request: EngineRequest, question: Question, attempts: list[AttemptRecord]) -> Answer:
        spread = f"{request.uid}:{request.stage}:{request.agent}:{request.repeat}"
        first = await self._sender.ask(question, "first", attempts, spread=spread)
        if first.reply is None or not first.judgement.is_repairable:
            return first
        messages = repair_messages(question.messages, first.reply.text, first.judgement.problem)
        repair = self._sender.rephrase(question, messages, self._seed_of(request))
        second = await self._sender.ask(repair, "repair", attempts, spread=f"{spread}:repair")
        # A failed repair must not discard what was usable in the first answer.
        return first if second.judgement.failure is not None and first.judgement.failure is None else second

    def _prepare(self, request: EngineRequest, messages: tuple[Message, ...], mode: OutputMode) -> Question:
        return self._sender.prepare(messages, request.output_schema, mode, self._seed_of(request), request.shape)

    def _seed_of(self, request: EngineRequest) -> int | None:
        return self.settings.seed if request.seed is None else request.seed

    def _recall(self, request: EngineRequest, messages: tuple[Message, ...]) -> EngineReply | None:
        if self._cache is None:
            return None
        # Before the probe, look in every mode: an earlier run may have used any of them.
        for mode in self._modes if self._mode is None else (self._mode,):
            question = self._prepare(request, messages, mode)
            key = self._key(request, question)
            kept = self._cache.get(key)
            if kept is None:
                continue
            reply = WireReply(kept.text, kept.finish, kept.usage, kept.refusal)
            judgement = self._sender.judged(reply, request.output_schema)
            if judgement.failure is not None:
                # An earlier version accepted it. Ask again; the new answer replaces it.
                self._cache.reject(key)
                continue
            attempt = AttemptRecord(
                kind="first",
                outcome=judgement.outcome,
                usage=_NOTHING_USED,
                cost=0.0,
                raw=self._sender.redact(kept.text),
            )
            return replace(_reply(judgement, question, [attempt]), cached=True, kept_usage=kept.usage)
        return None

    def _keep(self, request: EngineRequest, question: Question, reply: WireReply) -> None:
        # Cache files are shared with others, so a reply that quotes a key is returned but not stored.
        if self._cache is not None and not self._sender.redact.holds_a_secret(reply.text):
            kept = CachedReply(
                text=reply.text, finish=reply.finish, refusal=reply.refusal, usage=reply.usage, mode=question.mode
            )
            self._cache.put(self._key(request, question), kept)

    def _key(self, request: EngineRequest, question: Question) -> str:
        wire = question.wire
        return cache_key(self._identity, wire.url, wire.body, self._seed_of(request), request.repeat)


def build_model_engine(
    settings: EngineSettings,
    *,
    api_key: str | None = None,
    cache: ResponseCache | None = None,
    limit: AdaptiveLimit | None = None,
    rate: RateLimit | None = None,
    spending: SpendingLimit | None = None,
    outage: Outage | None = None,
) -> ModelEngine:
    """Return the engine these settings describe. Pass in the limits that engines on one server share.

    Without an ``outage``, the engine does not wait for a server that goes down.
    """
    if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
        raise ConfigError(f"The API key of {settings.name} has invalid characters. Copy it again, on one line.")
    return ModelEngine(_sender(settings, api_key, limit, rate, spending, outage), cache)


def build_counting_engine(settings: EngineSettings) -> CountingEngine:
    """Return an engine that counts the tokens the described engine would use; it needs no key and sends nothing."""
    _wanted_mode(settings, _adapter(settings).modes)
    return CountingEngine(_sender(settings))


def _adapter(settings: EngineSettings) -> WireAdapter:
    adapter = _ADAPTERS.get(settings.kind)
    if adapter is None:
        raise ConfigError(f"An engine of kind {settings.kind} calls no model. Use one of: {', '.join(_ADAPTERS)}.")
    return adapter()


def _sender(
    settings: EngineSettings,
    api_key: str | None = None,
    limit: AdaptiveLimit | None = None,
    rate: RateLimit | None = None,
    spending: SpendingLimit | None = None,
    outage: Outage | None = None,
) -> Sender:
    adapter = _adapter(settings)
    price = price_of(settings.model, settings.price_per_million)
    if spending is not None:
        spending.require_price(price, settings.model)
    transport = HttpTransport(max_connections=settings.concurrency)
    return Sender(
        settings,
        adapter,
        transport,
        api_key=api_key,
        limit=limit,
        rate=rate,
        spending=spending,
        price=price,
        outage=outage,
    )


def _wanted_mode(settings: EngineSettings, modes: tuple[OutputMode, ...]) -> OutputMode | None:
    if settings.output_mode == "auto":
        return None
    if settings.output_mode not in modes:
        raise ConfigError(
            f"An engine of kind {settings.kind} has no output mode {settings.output_mode}. "
            f"Use auto or one of: {', '.join(modes)}."
        )
    return settings.output_mode


def _reply(judgement: Judgement, question: Question, attempts: list[AttemptRecord]) -> EngineReply:
    return EngineReply(
        output=judgement.output,
        failure=judgement.failure,
        mode=question.mode,
        messages=question.messages,
        attempts=tuple(attempts),
        cut=judgement.cut,
    )
