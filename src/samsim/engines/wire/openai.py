"""Chat completions: OpenAI, Azure, OpenRouter, vLLM, Ollama, llama.cpp, LM Studio and other compatible servers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import quote, urlsplit

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

Host = Literal["openai", "azure", "openrouter", "own"]

_AZURE_DOMAINS = (".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com")
_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "refusal",
    "tool_calls": "tool",
    "function_call": "tool",
}
# An account without credit gets a 429, but waiting does not help.
_NO_CREDIT_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


class OpenAIWire:
    """The chat-completions format."""

    modes: tuple[OutputMode, ...] = ("json_schema", "tool", "json_object", "prompted")

    def refused_keywords(self, settings: EngineSettings) -> frozenset[str]:
        """Return all bounds for OpenAI and its proxies, which reject them; other servers need them to stop loops."""
        return frozenset() if _host_of(settings.url) == "own" else BOUND_KEYWORDS

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
        """Return a chat-completions request."""
        host = _host_of(settings.url)
        is_azure = host == "azure" or settings.azure_api_version is not None
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
        }
        # OpenAI's reasoning models reject the older name; many other servers know only the older one.
        body["max_completion_tokens" if is_azure or host == "openai" else "max_tokens"] = settings.max_tokens
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if seed is not None:
            body["seed"] = seed
        body.update(_format_fields(mode, schema, schema_name, takes_schema_in_json_object=host == "own"))
        headers = {"Content-Type": "application/json"}
        if api_key is not None:
            headers.update({"api-key": api_key} if is_azure else {"Authorization": f"Bearer {api_key}"})
        return WireRequest(_address(settings), headers, merge_body(body, settings.extra_body))

    def parse(self, payload: dict[str, Any], mode: OutputMode) -> WireReply:
        """Return the first choice's text, or the arguments of its first tool call in tool mode."""
        usage = as_object(payload.get("usage"))
        counted = Usage(
            input_tokens=count_tokens(usage.get("prompt_tokens")),
            output_tokens=count_tokens(usage.get("completion_tokens")),
        )
        choice = first_object(payload.get("choices"))
        message = as_object(choice.get("message"))
        refusal = as_text(message.get("refusal")) or None
        finish: Finish = "refusal" if refusal else _FINISHES.get(as_text(choice.get("finish_reason")), "other")
        text = _tool_arguments(message) if mode == "tool" else ""
        return WireReply(text or _content(message.get("content")), finish, counted, refusal)

    def failure_of(self, status: int, payload: object) -> FailureKind | None:
        """Return the failure by status; some gateways report an error in a reply with status 200."""
        error = as_object(as_object(payload).get("error"))
        if not error:
            return failure_of_status(status)
        code = error.get("code")
        if code == "content_filter":
            return "refusal"
        if as_text(code) in _NO_CREDIT_CODES or as_text(error.get("type")) in _NO_CREDIT_CODES:
            return "auth"
        if 200 <= status < 300:
            return (failure_of_status(code) if isinstance(code, int) else None) or "server_error"
        return failure_of_status(status)


@lru_cache(maxsize=64)
def _host_of(url: str) -> Host:
    name = urlsplit(url).hostname or ""
    if name == "api.openai.com" or name.endswith(".api.openai.com"):
        return "openai"
    if name.endswith(_AZURE_DOMAINS):
        return "azure"
    return "openrouter" if name == "openrouter.ai" else "own"


def _address(settings: EngineSettings) -> str:
    if settings.azure_api_version is None:
        return address_of(settings.url, "/chat/completions")
    path = "/chat/completions"
    if "/openai/deployments/" not in settings.url:
        path = f"/openai/deployments/{quote(settings.model, safe='')}{path}"
    return address_of(settings.url, path, f"api-version={quote(settings.azure_api_version, safe='')}")


def _format_fields(
    mode: OutputMode, schema: dict[str, Any], schema_name: str, *, takes_schema_in_json_object: bool
) -> dict[str, Any]:
    if mode == "json_schema":
        named = {"name": schema_name, "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if mode == "tool":
        function = {"name": schema_name, "description": "Give the answer.", "parameters": schema, "strict": True}
        # "required" instead of the tool's name: llama.cpp silently reads an object here as "auto".
        return {"tools": [{"type": "function", "function": function}], "tool_choice": "required"}
    if mode == "json_object":
        # llama-cpp-python accepts a schema only here; OpenAI rejects the unknown key.
        stated = {"schema": schema} if takes_schema_in_json_object else {}
        return {"response_format": {"type": "json_object", **stated}}
    return {}


def _tool_arguments(message: dict[str, Any]) -> str:
    function = as_object(first_object(message.get("tool_calls")).get("function"))
    arguments = function.get("arguments")
    return json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else as_text(arguments)


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(as_text(part.get("text")) for part in objects_in(content))
