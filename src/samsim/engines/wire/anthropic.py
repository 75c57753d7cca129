"""The Anthropic messages format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from samsim.engines.interface import Message
from samsim.engines.settings import EngineSettings
from samsim.engines.wire.base import (
    BOUND_KEYWORDS,
    Finish,
    WireReply,
    WireRequest,
    address_of,
    as_object,
    as_text,
    count_tokens,
    failure_of_status,
    merge_body,
    objects_in,
)
from samsim.schemas.calls import FailureKind, OutputMode, Usage

API_VERSION = "2023-06-01"
_FINISHES: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}
_INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicWire:
    """The messages format; it has no plain JSON mode and no seed."""

    modes: tuple[OutputMode, ...] = ("json_schema", "tool", "prompted")

    def refused_keywords(self, settings: EngineSettings) -> frozenset[str]:  # noqa: ARG002 - the same for every model
        """Return all bounds: structured outputs reject them on numbers, strings and arrays."""
        return BOUND_KEYWORDS

    def build(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any],
        schema_name: str,
        mode: OutputMode,
        settings: EngineSettings,
        api_key: str | None,
        seed: int | None,  # noqa: ARG002 - the format has none; it is still part of the cache key
    ) -> WireRequest:
        """Return a messages request; the system text is a field of its own."""
        body: dict[str, Any] = {
            "model": settings.model,
            "max_tokens": settings.max_tokens,
            "messages": [
                {"role": message.role, "content": message.content} for message in messages if message.role != "system"
            ],
        }
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        if system:
            body["system"] = system
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if mode == "json_schema":
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        elif mode == "tool":
            body["tools"] = [{"name": schema_name, "description": "Give the answer.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": schema_name}
        headers = {"Content-Type": "application/json", "anthropic-version": API_VERSION}
        if api_key is not None:
            headers["x-api-key"] = api_key
        return WireRequest(_address(settings), headers, merge_body(body, settings.extra_body))

    def parse(self, payload: dict[str, Any], mode: OutputMode) -> WireReply:
        """Return the text blocks, or the input of the first tool call in tool mode."""
        usage = as_object(payload.get("usage"))
        counted = Usage(
            input_tokens=count_tokens(*(usage.get(name) for name in _INPUT_COUNTS)),
            output_tokens=count_tokens(usage.get("output_tokens")),
        )
        finish = _FINISHES.get(as_text(payload.get("stop_reason")), "other")
        blocks = objects_in(payload.get("content"))
        text = "".join(as_text(block.get("text")) for block in blocks if block.get("type") == "text")
        if mode == "tool":
            calls = [block for block in blocks if block.get("type") == "tool_use"]
            text = json.dumps(calls[0].get("input"), ensure_ascii=False) if calls else text
        return WireReply(text, finish, counted, text if finish == "refusal" else None)

    def failure_of(self, status: int, payload: object) -> FailureKind | None:  # noqa: ARG002 - the status is enough
        """Return the failure by status; 529 means overloaded."""
        return failure_of_status(status)


def _address(settings: EngineSettings) -> str:
    base, mark, query = settings.url.partition("?")
    return address_of(f"{base.rstrip('/').removesuffix('/v1')}{mark}{query}", "/v1/messages")
