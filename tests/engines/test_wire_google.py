from __future__ import annotations

from typing import Any

import pytest

from samsim.engines.interface import Message
from samsim.engines.settings import EngineSettings
from samsim.engines.wire.base import WireRequest
from samsim.engines.wire.google import GoogleWire
from samsim.schemas.calls import OutputMode

KEY = "AIza-canary-4711"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
MESSAGES = (
    Message("system", "Be exact."),
    Message("user", "맛있어요"),
    Message("assistant", "{"),
    Message("user", "Again."),
)
WIRE = GoogleWire()


def build(mode: OutputMode = "json_schema", *, seed: int | None = None, **settings: Any) -> WireRequest:
    given = EngineSettings(kind="google", **{"model": "gemini-2.5-flash", "temperature": 0.0, **settings})
    return WIRE.build(MESSAGES, SCHEMA, "Answer", mode, given, KEY, seed)


def test_native_request_is_exactly_this() -> None:
    request = build(seed=7)
    assert request.url == "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
    assert dict(request.headers) == {"Content-Type": "application/json", "x-goog-api-key": KEY}
    assert request.body == {
        "systemInstruction": {"parts": [{"text": "Be exact."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "맛있어요"}]},
            {"role": "model", "parts": [{"text": "{"}]},
            {"role": "user", "parts": [{"text": "Again."}]},
        ],
        "generationConfig": {
            "maxOutputTokens": 2048,
            "temperature": 0.0,
            "seed": 7,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }


def test_tool_request_forces_the_function() -> None:
    body = build("tool").body
    function = {"name": "Answer", "description": "Give the answer.", "parametersJsonSchema": SCHEMA}
    assert body["tools"] == [{"functionDeclarations": [function]}]
    assert body["toolConfig"] == {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["Answer"]}}
    assert body["generationConfig"] == {"maxOutputTokens": 2048, "temperature": 0.0}


def test_json_object_and_prompted_requests() -> None:
    assert build("json_object", temperature=None).body["generationConfig"] == {
        "maxOutputTokens": 2048,
        "responseMimeType": "application/json",
    }
    assert build("prompted", temperature=None).body["generationConfig"] == {"maxOutputTokens": 2048}


def test_the_key_is_in_the_headers_only() -> None:
    request = build()
    assert KEY not in repr(request)
    assert KEY not in request.url


def test_own_fields_reach_into_the_generation_config() -> None:
    body = build(extra_body={"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}).body
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}
    assert body["generationConfig"]["maxOutputTokens"] == 2048


def test_a_model_name_cannot_leave_its_place_in_the_address() -> None:
    assert build(model="models/gemini-x").url.endswith("/models/gemini-x:generateContent")
    assert build(model="../x?key=1").url.endswith("/models/..%2Fx%3Fkey%3D1:generateContent")


def test_reply_text_without_thoughts_and_all_tokens() -> None:
    parts = [{"text": "hm", "thought": True}, {"text": '{"a"'}, {"text": ":1}"}]
    reply = WIRE.parse(
        {
            "candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 30},
        },
        "json_schema",
    )
    assert (reply.text, reply.finish) == ('{"a":1}', "stop")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (9, 34)


def test_function_call_arguments_are_given_as_json() -> None:
    parts = [{"text": "So:"}, {"functionCall": {"name": "Answer", "args": {"맛": 1}}}]
    assert WIRE.parse({"candidates": [{"content": {"parts": parts}}]}, "tool").text == '{"맛": 1}'


@pytest.mark.parametrize(
    ("payload", "finish", "refusal"),
    [
        ({"candidates": [{"finishReason": "MAX_TOKENS"}]}, "length", None),
        ({"candidates": [{"finishReason": "SAFETY"}]}, "refusal", "SAFETY"),
        ({"candidates": [{"finishReason": "RECITATION"}]}, "refusal", "RECITATION"),
        ({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "refusal", "PROHIBITED_CONTENT"),
        ({"candidates": [{"finishReason": "OTHER"}]}, "other", None),
        ({}, "other", None),
        ({"candidates": [{"content": {"parts": "x"}}]}, "other", None),
    ],
)
def test_finishes(payload: dict[str, Any], finish: str, refusal: str | None) -> None:
    reply = WIRE.parse(payload, "json_schema")
    assert (reply.text, reply.finish, reply.refusal) == ("", finish, refusal)


@pytest.mark.parametrize(
    ("status", "payload", "failure"),
    [
        (200, {}, None),
        (400, {"error": {"status": "INVALID_ARGUMENT"}}, "bad_request"),
        (400, {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, "auth"),
        (403, None, "auth"),
        (429, None, "rate_limited"),
        (503, None, "server_error"),
    ],
)
def test_errors_are_typed(status: int, payload: object, failure: str | None) -> None:
    assert WIRE.failure_of(status, payload) == failure
