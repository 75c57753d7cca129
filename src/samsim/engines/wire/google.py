"""The Gemini ``generateContent`` format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

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
    first_object,
    merge_body,
    objects_in,
)
from samsim.schemas.calls import FailureKind, OutputMode, Usage

_FINISHES: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
}


class GoogleWire:
    """The generateContent format."""

    modes: tuple[OutputMode, ...] = ("json_schema", "tool", "json_object", "prompted")

    def refused_keywords(self, settings: EngineSettings) -> frozenset[str]:  # noqa: ARG002 - the same for every model
        """Return all bounds: they quickly make a schema "too complex" for Gemini, and large models do not loop."""
        return BOUND_KEYWORDS

    def build(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any],
        schema_name: str,
        mode: OutputMode,
        settings: EngineSettings,
        api_key: str | None,
        seed: int | None,
    ) -> WireRequest:
        """Return a generateContent request; the key is a header, never part of the address."""
        generation: dict[str, Any] = {"maxOutputTokens": settings.max_tokens}
        if settings.temperature is not None:
            generation["temperature"] = settings.temperature
        if seed is not None:
            generation["seed"] = seed
        body: dict[str, Any] = {
            "contents": [
                {"role": "model" if message.role == "assistant" else "user", "parts": [{"text": message.content}]}
                for message in messages
                if message.role != "system"
            ],
            "generationConfig": generation,
        }
        system = [{"text": message.content} for message in messages if message.role == "system"]
        if system:
            body["systemInstruction"] = {"parts": system}
        if mode in ("json_schema", "json_object"):
            generation["responseMimeType"] = "application/json"
        if mode == "json_schema":
            generation["responseJsonSchema"] = schema
        elif mode == "tool":
            function = {"name": schema_name, "description": "Give the answer.", "parametersJsonSchema": schema}
            body["tools"] = [{"functionDeclarations": [function]}]
            body["toolConfig"] = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [schema_name]}}
        headers = {"Content-Type": "application/json"}
        if api_key is not None:
            headers["x-goog-api-key"] = api_key
        return WireRequest(_address(settings), headers, merge_body(body, settings.extra_body))

    def parse(self, payload: dict[str, Any], mode: OutputMode) -> WireReply:
        """Return the first candidate's text without its thoughts, or its first function call in tool mode."""
        usage = as_object(payload.get("usageMetadata"))
        counted = Usage(
            input_tokens=count_tokens(usage.get("promptTokenCount")),
            output_tokens=count_tokens(usage.get("candidatesTokenCount"), usage.get("thoughtsTokenCount")),
        )
        blocked = as_text(as_object(payload.get("promptFeedback")).get("blockReason"))
        candidate = first_object(payload.get("candidates"))
        finish: Finish = "refusal" if blocked else _FINISHES.get(as_text(candidate.get("finishReason")), "other")
        parts = objects_in(as_object(candidate.get("content")).get("parts"))
        text = "".join(as_text(part.get("text")) for part in parts if part.get("thought") is not True)
        if mode == "tool":
            calls = [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), dict)]
            text = json.dumps(calls[0].get("args"), ensure_ascii=False) if calls else text
        refusal = (blocked or text or as_text(candidate.get("finishReason"))) if finish == "refusal" else None
        return WireReply(text, finish, counted, refusal)

    def failure_of(self, status: int, payload: object) -> FailureKind | None:
        """Return the failure by status; a wrong key is a 400 here."""
        if status == 400:
            details = objects_in(as_object(as_object(payload).get("error")).get("details"))
            if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
                return "auth"
        return failure_of_status(status)


def _address(settings: EngineSettings) -> str:
    model = quote(settings.model.removeprefix("models/"), safe="")
    return address_of(settings.url, f"/models/{model}:generateContent")
