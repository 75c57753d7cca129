from __future__ import annotations

from typing import Any

import pytest

from samsim.engines.interface import Message
from samsim.engines.settings import EngineSettings
from samsim.engines.wire.base import BOUND_KEYWORDS, WireRequest
from samsim.engines.wire.openai import OpenAIWire
from samsim.schemas.calls import OutputMode

KEY = "sk-canary-4711"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
MESSAGES = (Message("system", "Be exact."), Message("user", "맛있어요"))
WIRE = OpenAIWire()


def build(mode: OutputMode = "json_schema", *, seed: int | None = None, **settings: Any) -> WireRequest:
    given = EngineSettings(kind="openai_compatible", **{"model": "gpt-4.1-mini", "temperature": 0.0, **settings})
    return WIRE.build(MESSAGES, SCHEMA, "Answer", mode, given, KEY, seed)


def test_native_request_to_openai_is_exactly_this() -> None:
    request = build(seed=7)
    assert request.url == "https://api.openai.com/v1/chat/completions"
    assert dict(request.headers) == {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    assert request.body == {
        "model": "gpt-4.1-mini",
        "messages": [{"role": "system", "content": "Be exact."}, {"role": "user", "content": "맛있어요"}],
        "max_completion_tokens": 2048,
        "temperature": 0.0,
        "seed": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "Answer", "schema": SCHEMA, "strict": True},
        },
    }


def test_a_server_of_ones_own_is_told_max_tokens_and_gets_the_schema_in_json_object() -> None:
    body = build("json_object", base_url="http://localhost:8000/v1/", temperature=None).body
    assert body == {
        "model": "gpt-4.1-mini",
        "messages": [{"role": "system", "content": "Be exact."}, {"role": "user", "content": "맛있어요"}],
        "max_tokens": 2048,
        "response_format": {"type": "json_object", "schema": SCHEMA},
    }


@pytest.mark.parametrize("base_url", [None, "https://openrouter.ai/api/v1", "https://x.openai.azure.com/openai/v1"])
def test_hosted_servers_get_no_schema_in_json_object(base_url: str | None) -> None:
    assert build("json_object", base_url=base_url).body["response_format"] == {"type": "json_object"}


def test_tool_request_forces_the_only_tool() -> None:
    body = build("tool").body
    assert body["tools"] == [
        {
            "type": "function",
            "function": {"name": "Answer", "description": "Give the answer.", "parameters": SCHEMA, "strict": True},
        }
    ]
    assert body["tool_choice"] == "required"
    assert "response_format" not in body


def test_prompted_request_says_nothing_about_the_format() -> None:
    assert set(build("prompted").body) == {"model", "messages", "max_completion_tokens", "temperature"}


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        (
            {"base_url": "https://x.openai.azure.com", "azure_api_version": "2024-10-21", "model": "my model"},
            "https://x.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21",
        ),
        (
            {"base_url": "https://x.openai.azure.com/openai/deployments/d1/", "azure_api_version": "2024-10-21"},
            "https://x.openai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-10-21",
        ),
        (
            {"base_url": "https://x.openai.azure.com/openai/v1"},
            "https://x.openai.azure.com/openai/v1/chat/completions",
        ),
    ],
)
def test_azure_addresses_and_key_header(settings: dict[str, Any], url: str) -> None:
    request = build(**settings)
    assert request.url == url
    assert request.headers["api-key"] == KEY
    assert "Authorization" not in request.headers
    assert "max_completion_tokens" in request.body


def test_without_a_key_no_header_is_sent_for_it() -> None:
    settings = EngineSettings(kind="openai_compatible", model="m", base_url="http://localhost:1/v1")
    request = WIRE.build(MESSAGES, SCHEMA, "Answer", "prompted", settings, None, None)
    assert dict(request.headers) == {"Content-Type": "application/json"}


def test_the_key_is_in_the_headers_only() -> None:
    request = build()
    assert KEY not in repr(request)
    assert KEY not in request.url
    assert KEY not in repr(request.body)


def test_own_fields_are_merged_into_objects_and_replace_the_rest() -> None:
    body = build(extra_body={"temperature": 1, "response_format": {"type": "text"}, "provider": {"order": ["a"]}}).body
    assert body["temperature"] == 1
    assert body["provider"] == {"order": ["a"]}
    assert body["response_format"]["type"] == "text"
    assert body["response_format"]["json_schema"]["name"] == "Answer"


def test_bounds_are_refused_by_hosted_servers_only() -> None:
    own = EngineSettings(kind="openai_compatible", model="m", base_url="http://gpu-box:8000/v1")
    hosted = EngineSettings(kind="openai_compatible", model="m")
    assert WIRE.refused_keywords(own) == frozenset()
    assert WIRE.refused_keywords(hosted) == BOUND_KEYWORDS


def test_reply_text_tokens_and_finish() -> None:
    reply = WIRE.parse(
        {
            "choices": [{"message": {"content": '{"a": 1}'}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 5},
        },
        "json_schema",
    )
    assert (reply.text, reply.finish, reply.refusal) == ('{"a": 1}', "stop", None)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (12, 5)


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}])
def test_tool_arguments_as_text_or_as_an_object(arguments: object) -> None:
    message = {"content": None, "tool_calls": [{"function": {"name": "Answer", "arguments": arguments}}]}
    reply = WIRE.parse({"choices": [{"message": message, "finish_reason": "tool_calls"}]}, "tool")
    assert (reply.text, reply.finish) == ('{"a": 1}', "tool")


def test_a_model_that_talks_instead_of_calling_the_tool_is_read_as_text() -> None:
    reply = WIRE.parse({"choices": [{"message": {"content": "Sure!"}, "finish_reason": "stop"}]}, "tool")
    assert reply.text == "Sure!"


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}, "odd", {"type": "image"}]
    assert WIRE.parse({"choices": [{"message": {"content": parts}}]}, "prompted").text == '{"a": 1}'


@pytest.mark.parametrize(
    ("choice", "finish"),
    [
        ({"message": {"content": "x"}, "finish_reason": "length"}, "length"),
        ({"message": {"content": ""}, "finish_reason": "content_filter"}, "refusal"),
        ({"message": {"refusal": "I cannot."}, "finish_reason": "stop"}, "refusal"),
        ({"message": {"content": "x"}, "finish_reason": "eos"}, "other"),
        ({"message": {"content": "x"}, "finish_reason": ["stop"]}, "other"),
    ],
)
def test_finishes(choice: dict[str, Any], finish: str) -> None:
    assert WIRE.parse({"choices": [choice]}, "json_schema").finish == finish


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 3, "tool_calls": [{"function": None}]}}], "usage": []},
        {"choices": {"0": {}}, "usage": {"prompt_tokens": "many", "completion_tokens": True}},
    ],
)
@pytest.mark.parametrize("mode", ["json_schema", "tool"])
def test_a_shapeless_reply_is_empty_and_its_tokens_unknown(payload: dict[str, Any], mode: OutputMode) -> None:
    reply = WIRE.parse(payload, mode)
    assert (reply.text, reply.finish) == ("", "other")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (None, None)


@pytest.mark.parametrize(
    ("status", "payload", "failure"),
    [
        (200, {"choices": []}, None),
        (400, {"error": {"message": "no"}}, "bad_request"),
        (400, {"error": {"code": "content_filter"}}, "refusal"),
        (401, None, "auth"),
        (404, "not json", "bad_request"),
        (408, None, "timeout"),
        (409, None, "server_error"),
        (413, None, "too_large"),
        (429, {"error": {"code": "rate_limit_exceeded"}}, "rate_limited"),
        (429, {"error": {"code": "insufficient_quota"}}, "auth"),
        (307, None, "bad_request"),
        (500, None, "server_error"),
        (503, None, "server_error"),
        (200, {"error": {"code": 429, "message": "upstream"}}, "rate_limited"),
        (200, {"error": {"message": "upstream"}}, "server_error"),
    ],
)
def test_errors_are_typed(status: int, payload: object, failure: str | None) -> None:
    assert WIRE.failure_of(status, payload) == failure
