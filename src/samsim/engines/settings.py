"""The settings of an engine: kind, model, address, parameters and limits.

The API key is never a setting: ``api_key_env`` names the environment variable that holds it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from samsim.engines.default import DEFAULT_ENGINE
from samsim.engines.transport.guard import is_loopback
from samsim.schemas.calls import OutputMode

EngineKind = Literal["embedded", "openai_compatible", "anthropic", "google"]

DEFAULT_BASE_URLS: dict[EngineKind, str] = {
    "openai_compatible": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com/v1beta",
}
DEFAULT_KEY_VARIABLES: dict[EngineKind, str] = {
    "openai_compatible": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GEMINI_API_KEY",
}
URL_STARTS = ("http://", "https://")
# What determines an answer, apart from the prompt. Limits and prices do not.
_IDENTITY_FIELDS = frozenset(
    {"kind", "model", "base_url", "azure_api_version", "temperature", "max_tokens", "output_mode", "extra_body"}
)


# A local server often runs one model on one CPU, which may take a minute to read a prompt.
_LOCAL_TIMEOUT_S = 300.0
_TIMEOUT_S = 60.0
_TIMES_TIMEOUT = 10.0
_MAX_TIMEOUT_S = 900.0
# How many calls a local server gets at once at first: the three perspectives of one sample.
LOCAL_START = 3


def _first_timeout(said: dict[str, Any]) -> float:
    return _LOCAL_TIMEOUT_S if _is_local(said.get("base_url")) else _TIMEOUT_S


def _longest_timeout(said: dict[str, Any]) -> float:
    first = said.get("timeout_s", _TIMEOUT_S)
    return float(max(first, min(_TIMES_TIMEOUT * first, _MAX_TIMEOUT_S)))


def _is_local(url: str | None) -> bool:
    return url is not None and is_loopback(urlsplit(url).hostname or "")


class PricePerMillion(BaseModel):
    """A price in US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class EngineSettings(BaseModel):
    """The settings of one engine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: EngineKind = DEFAULT_ENGINE
    model: str = ""
    base_url: str | None = None
    api_key_env: str | None = None
    azure_api_version: str | None = None
    # None leaves it to the server: some models reject any temperature.
    temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    max_tokens: int = Field(default=2048, ge=1)
    seed: int | None = None
    output_mode: OutputMode | Literal["auto"] = "auto"
    # How long the first call may take; if the server turns out to be slow, later ones may take up to max_timeout_s.
    timeout_s: float = Field(default_factory=_first_timeout, gt=0)
    max_timeout_s: float = Field(default_factory=_longest_timeout, gt=0)
    max_attempts: int = Field(default=5, ge=1, le=20)
    concurrency: int = Field(default=16, ge=1, le=1024)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    price_per_million: PricePerMillion | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict)

    @field_validator("extra_body")
    @classmethod
    def _is_json(cls, extra: dict[str, Any]) -> dict[str, Any]:
        """Reject what YAML reads ``on:`` or a date as: it is not JSON and cannot be sent."""
        try:
            same = json.loads(json.dumps(extra, allow_nan=False)) == extra
        except (TypeError, ValueError, RecursionError):
            same = False
        if not same:
            raise ValueError("extra_body is not JSON: put keys such as on, off and 1, and dates, in quotes")
        return extra

    @model_validator(mode="after")
    def _names_a_model(self) -> EngineSettings:
        if self.kind != "embedded" and not self.model:
            raise ValueError(f"an engine of kind {self.kind} needs a model")
        if self.base_url is not None and not self.base_url.startswith(URL_STARTS):
            raise ValueError(f"base_url must start with {' or '.join(URL_STARTS)}")
        if self.max_timeout_s < self.timeout_s:
            raise ValueError("max_timeout_s must be at least timeout_s")
        return self

    @property
    def url(self) -> str:
        """The address of the server."""
        return (self.base_url or DEFAULT_BASE_URLS.get(self.kind, "")).rstrip("/")

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        return _is_local(self.base_url)

    @property
    def key_variable(self) -> str | None:
        """The environment variable with the API key; with a base_url, None unless ``api_key_env`` is set."""
        if self.api_key_env is not None or self.base_url is not None:
            return self.api_key_env
        return DEFAULT_KEY_VARIABLES.get(self.kind)

    @property
    def name(self) -> str:
        """The engine's name in results."""
        return "embedded" if self.kind == "embedded" else f"{self.kind}:{self.model}"

    @property
    def identity(self) -> str:
        """A digest of everything about the engine that determines an answer; part of the cache key."""
        facts = self.model_dump(include=set(_IDENTITY_FIELDS)) | {"base_url": self.url}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
