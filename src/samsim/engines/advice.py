"""Advice for the user on each kind of failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from samsim.engines.settings import EngineSettings
from samsim.schemas.calls import AttemptRecord, Outcome

_LOADING = 503
_UNKNOWN_PLACE = 404
_NO_CREDIT = 402

ADVICE: Mapping[Outcome, str] = MappingProxyType(
    {
        "timeout": "It did not answer in time. Raise timeout_s and max_timeout_s, or use a smaller model;"
        " samsim doctor --measure suggests settings.",
        "connection": "Nothing answers at this address, or the connection broke. Start the server or correct base_url.",
        "unreachable": "The server went down and did not come back within max_outage. Start it again, then resume.",
        "rate_limited": "The server is limiting requests (429). Wait, or set requests_per_minute, tokens_per_minute"
        " or a lower concurrency.",
        "server_error": "The server failed. Check its log, then try again.",
        "bad_request": "The server rejected the request. Check the model, temperature, output_mode and extra_body.",
        "auth": "The server rejected the API key. Check the key and what the account may use.",
        "too_large": "The answer or the request is too large. Lower max_tokens or shorten the text.",
        "bad_encoding": "The answer is not valid text. Check that base_url points to the model itself.",
        "empty": "The answer is empty. Check the model's chat template and extra_body.",
        "refusal": "The model or one of the server's filters refused to answer. Use another model or another text.",
        "cut_off": "The answer was cut off. Raise max_tokens.",
        "invalid_json": "The model did not write valid JSON. Leave output_mode at auto, or use a larger model.",
        "schema": "The model's JSON has the wrong shape. Leave output_mode at auto, or use a larger model.",
        "budget": "The spending limit is reached. Raise max_cost.",
        "forbidden": "Requests are forbidden here. Unset SAMSIM_FORBID_REQUESTS.",
        "script_dry": "The scripted engine has run out of answers. Add answers to the script.",
        "not_recorded": "The trace has no answer for this request. Record it again with the same settings.",
    }
)


def advice_on(failure: Outcome, attempts: Sequence[AttemptRecord], settings: EngineSettings) -> str:
    """Return what to do about a failed call; the last HTTP status, if any, says more than the kind of failure."""
    status = attempts[-1].http_status if attempts else None
    if status == _LOADING:
        return "The server is loading its model or is overloaded (503). Wait until it is ready, then try again."
    if status == _UNKNOWN_PLACE:
        return "The server has no such address or model (404). Correct base_url (most end in /v1) or model."
    if status == _NO_CREDIT:
        return "The account has no credit (402). Top it up."
    if failure == "auth" and settings.key_variable is None:
        return "The server requires an API key. Set api_key_env to the environment variable that holds it."
    return ADVICE[failure]
