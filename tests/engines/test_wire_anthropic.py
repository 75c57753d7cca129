from __future__ import annotations

from typing import Any

import pytest

from samsim.engines.interface import Message
from samsim.engines.settings import EngineSettings
from samsim.engines.wire.anthropic import AnthropicWire
from samsim.engines.wire.base import WireRequest
from samsim.schemas.calls import OutputMode

KEY = "sk-ant-canary-4711"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
MESSAGES = (
    Message("system", "Be exact."),
    Message("user", "맛있어요"),
    Message("assistant", "{"),
    Message("user", "Again."),
)
WIRE = AnthropicWire()


def build(mode: OutputMode = "json_schema", **settings: Any) -> WireRequest:
    given = EngineSettings(kind="anthropic", **{"model": "claude-haiku-4-5", "temperature": 0.0, **settings})
    return WIRE.build(MESSAGES, SCHEMA, "Answer", mode, given, KEY, 7)


def test_native_request_is_exactly_this() -> None:
    request = build()
    assert request.url == "https://api.anthropic.com/v1/messages"
    assert dict(request.headers) == {
        "Content-Type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-api-key": KEY,
    }
    assert request.body == {
        "model": "claude-haiku-4-5",
        "max_tokens": 2048,
        "system": "Be exact.",
        "messages": [
            {"role": "user", "content": "맛있어요"},
            {"role": "assistant", "content": "{"},
            {"role": "user", "content": "Again."},
        ],
        "temperature": 0.0,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }


def test_tool_request_forces_the_tool() -> None:
    body = build("tool").body
    assert body["tools"] == [{"name": "Answer", "description": "Give the answer.", "input_schema": SCHEMA}]
    assert body["tool_choice"] == {"type": "tool", "name": "Answer"}
    assert "output_config" not in body


def test_prompted_request_without_temperature_or_system() -> None:
    settings = EngineSettings(kind="anthropic", model="m", temperature=None, max_tokens=5)
    body = WIRE.build((Message("user", "x"),), SCHEMA, "Answer", "prompted", settings, None, None).body
    assert body == {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}


def test_a_base_url_with_and_without_version_leads_to_the_same_address() -> None:
    assert (
        build(base_url="http://proxy:1/v1").url == build(base_url="http://proxy:1").url == "http://proxy:1/v1/messages"
    )


def test_the_key_is_in_the_headers_only() -> None:
    request = build()
    assert KEY not in repr(request)
    assert KEY not in repr(request.body)


def test_own_fields_are_added() -> None:
    assert build(extra_body={"thinking": {"type": "disabled"}}).body["thinking"] == {"type": "disabled"}


def test_text_blocks_are_joined_and_cached_tokens_counted() -> None:
    reply = WIRE.parse(
        {
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": '{"a"'},
                {"type": "text", "text": ":1}"},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 4},
        },
        "json_schema",
    )
    assert (reply.text, reply.finish) == ('{"a":1}', "stop")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 4)


def test_tool_input_is_given_as_json() -> None:
    content = [{"type": "text", "text": "Here:"}, {"type": "tool_use", "name": "Answer", "input": {"맛": 1}}]
    reply = WIRE.parse({"content": content, "stop_reason": "tool_use"}, "tool")
    assert (reply.text, reply.finish) == ('{"맛": 1}', "tool")


@pytest.mark.parametrize(
    ("stop_reason", "finish"),
    [
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        (None, "other"),
    ],
)
def test_finishes(stop_reason: str | None, finish: str) -> None:
    reply = WIRE.parse({"content": [{"type": "text", "text": "x"}], "stop_reason": stop_reason}, "json_schema")
    assert reply.finish == finish
    assert (reply.refusal is not None) == (finish == "refusal")


@pytest.mark.parametrize("payload", [{}, {"content": None}, {"content": [None, 3, {"type": "text"}]}, {"content": "x"}])
def test_a_shapeless_reply_is_empty(payload: dict[str, Any]) -> None:
    reply = WIRE.parse(payload, "tool")
    assert (reply.text, reply.finish, reply.usage.input_tokens) == ("", "other", None)


@pytest.mark.parametrize(
    ("status", "failure"),
    [(200, None), (400, "bad_request"), (401, "auth"), (402, "auth"), (429, "rate_limited"), (529, "server_error")],
)
def test_errors_are_typed(status: int, failure: str | None) -> None:
    assert WIRE.failure_of(status, {"type": "error"}) == failure
