"""Building engines from what a user wrote about them.

A plan names engines by role; a role inherits the settings it does not have from its group and from ``default``::

    engines:
      default:   {kind: openai_compatible, model: gpt-4.1-mini}
      reviewers: {model: gpt-4.1}
      C:         embedded
      debate:    {model: gpt-4.1}
      judge:     {temperature: 0}
    max_cost: 2.50
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError

from samsim.engines.cache import ResponseCache
from samsim.engines.default import DEFAULT_ENGINE, default_engine
from samsim.engines.interface import Engine
from samsim.engines.model_engine import build_counting_engine, build_model_engine
from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.limits import AdaptiveLimit, SpendingLimit
from samsim.engines.pacing.outage import DEFAULT_MAX_OUTAGE_S, Servers
from samsim.engines.settings import LOCAL_START, EngineKind, EngineSettings
from samsim.engines.table import OTHER_AGENTS, EngineTable
from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import AGENTS, Agent, AgentName
from samsim.schemas.protocols import draws_of, is_conflict_review
from samsim.spelling import closest
from samsim.validation_words import mistakes_in, place_of, placed, reason_of
from samsim.yaml_text import YamlError, read_yaml_file

Role = Literal[
    "default",
    "perspectives",
    "reviewers",
    "A",
    "B",
    "C",
    "review_A",
    "review_B",
    "review_C",
    "single",
    "debate",
    "ATE",
    "ATSA",
    "VALIDATOR",
    "EPM",
    "TAN",
    "CJ",
    "judge",
    "stage2",
]
# The roles of an agent outside the review, from general to specific.
_ROLES: Mapping[AgentName, tuple[Role, ...]] = {
    "A": ("default", "perspectives", "A"),
    "B": ("default", "perspectives", "B"),
    "C": ("default", "perspectives", "C"),
    "ATE": ("default", "debate", "ATE"),
    "ATSA": ("default", "debate", "ATSA"),
    "VALIDATOR": ("default", "debate", "VALIDATOR"),
    "EPM": ("default", "debate", "EPM"),
    "TAN": ("default", "debate", "TAN"),
    "CJ": ("default", "debate", "CJ"),
    "JUDGE": ("default", "debate", "judge"),
    "STAGE2": ("default", "debate", "stage2"),
    "SINGLE": ("default", "single"),
}
_REVIEW_ROLES: Mapping[AgentName, tuple[Role, ...]] = {
    "A": ("default", "reviewers", "A", "review_A"),
    "B": ("default", "reviewers", "B", "review_B"),
    "C": ("default", "reviewers", "C", "review_C"),
}
# An agent, and whether it is asked as a reviewer.
Seat = tuple[AgentName, bool]
_PERSPECTIVE_SEATS: tuple[Seat, ...] = tuple((agent, False) for agent in AGENTS)
_REVIEW_SEATS: tuple[Seat, ...] = tuple((agent, True) for agent in AGENTS)
_DEBATE_SEATS: tuple[Seat, ...] = tuple((agent, False) for agent in OTHER_AGENTS if agent != "SINGLE")
_SINGLE_SEAT: Seat = ("SINGLE", False)
_NOBODY: Mapping[Seat, Engine] = MappingProxyType({})
_OF_THE_SERVER = frozenset(
    {"base_url", "api_key_env", "azure_api_version", "output_mode", "extra_body", "price_per_million"}
)
_FILE_SUFFIXES = (".yaml", ".yml")
_SHORT_KINDS: Mapping[str, EngineKind] = {
    "openai": "openai_compatible",
    "openai_compatible": "openai_compatible",
    "anthropic": "anthropic",
    "google": "google",
}


def roles_of(seat: Seat) -> tuple[Role, ...]:
    """Return the roles whose settings apply to a seat, from general to specific."""
    agent, reviewing = seat
    return _REVIEW_ROLES[agent] if reviewing else _ROLES[agent]


def _role_settings(value: Any) -> Any:
    """Expand the short form of a role, such as ``C: embedded``."""
    if not isinstance(value, str):
        return value
    try:
        return _short_form(value)
    except ConfigError as error:
        raise ValueError(str(error)) from error


def switch_or_path(cache: Any) -> bool | Path:
    """Return what a cache may be; pydantic would list every type that it tried."""
    if isinstance(cache, bool | Path):
        return cache
    if isinstance(cache, str) and cache:
        return Path(cache)
    raise ValueError("should be true, false or a path; give one of these")


class EnginePlan(BaseModel):
    """All engines of a run; each role's settings override those it inherits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engines: dict[Role, Annotated[dict[str, Any], BeforeValidator(_role_settings)]] = Field(default_factory=dict)
    max_cost: float | None = Field(default=None, gt=0)
    cache: Annotated[bool | Path, PlainValidator(switch_or_path)] = True
    # How many seconds to wait for a server that went down; 0 means not to wait.
    max_outage: float = Field(default=DEFAULT_MAX_OUTAGE_S, ge=0, allow_inf_nan=False)

    def settings_for(self, agent: AgentName, *, reviewing: bool = False) -> EngineSettings:
        """Return the merged settings of one agent; A, B and C may be asked as perspectives or as reviewers."""
        chain = roles_of((agent, reviewing))
        merged: dict[str, Any] = {}
        for role in chain:
            merged = _inherit(merged, self.engines.get(role, {}))
        try:
            return EngineSettings.model_validate(merged)
        except ValidationError as error:
            said = [role for role in chain if role in self.engines]
            who = "The engine" if said == ["default"] else f"The engine of {chain[-1]} ({' < '.join(said)})"
            raise ConfigError(f"{who} is wrong: {_explain(error, EngineSettings)}") from error


def _inherit(inherited: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return a role's settings merged over those it inherits.

    Settings that belong to a server stay with it: a role with another kind or address does not inherit the
    server's key or address, and a role with another model does not inherit the model's price.
    """

    def differs(*names: str) -> bool:
        return any(name in own and own[name] != inherited.get(name) for name in names)

    dropped: frozenset[str] = frozenset()
    if inherited and differs("kind", "base_url"):
        dropped = _OF_THE_SERVER
    elif inherited and differs("model"):
        dropped = frozenset({"price_per_million"})
    return {name: value for name, value in inherited.items() if name not in dropped} | own


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """The engines of a plan and what they share; ``activity`` reports what they are doing."""

    table: EngineTable
    settings: tuple[EngineSettings, ...]
    spending: SpendingLimit
    activity: Activity = field(default_factory=Activity)

    @property
    def concurrency(self) -> int:
        """How many samples are worth running at once; the embedded engine gains nothing from more than one."""
        return max((item.concurrency for item in self.settings if item.kind != DEFAULT_ENGINE), default=1)


def read_plan(
    spec: str | Path | Mapping[str, Any], *, base_url: str | None = None, changes: Mapping[str, Any] | None = None
) -> EnginePlan:
    """Read a plan from a YAML file, its content, its roles, or a short form such as ``openai:gpt-4.1-mini``.

    ``changes`` override settings at the top of the plan.
    """
    if base_url is not None and (spec == DEFAULT_ENGINE or not _is_short(spec)):
        said = repr(str(spec)) if isinstance(spec, str | Path) else "given as a mapping"
        raise ConfigError(f"A base URL cannot be used with the engine {said}. Use it with openai:MODEL or in the file.")
    content, what = _content(spec)
    if base_url is not None:
        content["engines"]["default"]["base_url"] = base_url
    try:
        return EnginePlan.model_validate({**content, **changes} if changes and isinstance(content, dict) else content)
    except ValidationError as error:
        raise ConfigError(f"{what} wrong: {_explain(error, EnginePlan)}") from error


def _is_short(spec: str | Path | Mapping[str, Any]) -> bool:
    return isinstance(spec, str) and not spec.endswith(_FILE_SUFFIXES)


def _content(spec: str | Path | Mapping[str, Any]) -> tuple[Any, str]:
    """Return the content of a plan, and the words that start an error message about it."""
    if isinstance(spec, Mapping):
        # A mapping may name roles directly, without ``engines:`` around them.
        by_role = bool(set(spec) & set(get_args(Role)))
        return {"engines": dict(spec)} if by_role else dict(spec), "The engines are"
    if not _is_short(spec):
        return _file_content(Path(spec)), f"The engine file {spec} is"
    settings = _short_form(str(spec))
    return {} if spec == DEFAULT_ENGINE else {"engines": {"default": settings}}, f"The engine {spec!r} is"


def _short_form(spec: str) -> dict[str, Any]:
    """Return the settings of a short form: ``embedded``, ``openai:MODEL`` and so on."""
    if spec == DEFAULT_ENGINE:
        return {"kind": DEFAULT_ENGINE}
    kind, separator, model = spec.partition(":")
    if kind not in _SHORT_KINDS or not separator or not model:
        meant = closest(kind, _SHORT_KINDS)
        hint = f" Did you mean {meant}:MODEL?" if meant else ""
        raise ConfigError(
            f"Unknown engine {spec!r}.{hint} Use embedded, openai:MODEL, anthropic:MODEL, google:MODEL or a YAML file."
        )
    return {"kind": _SHORT_KINDS[kind], "model": model}


def _file_content(path: Path) -> Any:
    try:
        raw = read_yaml_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read the engine file {path}: {error}. Check the path and its encoding.") from error
    except YamlError as error:
        raise ConfigError(f"The engine file {path} is not valid YAML: {error}. Fix that place.") from error
    return raw or {}


def seats_of(protocol: str | None = None) -> tuple[Seat, ...]:
    """Return the seats that a protocol asks; without a protocol, all seats."""
    if protocol is None:
        return (*_PERSPECTIVE_SEATS, *_REVIEW_SEATS, *_DEBATE_SEATS, _SINGLE_SEAT)
    if is_conflict_review(protocol):
        return (*_PERSPECTIVE_SEATS, *_REVIEW_SEATS)
    if protocol == "single" or draws_of(protocol) is not None:
        return (_SINGLE_SEAT,)
    return _DEBATE_SEATS if protocol == "debate" else _PERSPECTIVE_SEATS


def distinct_settings(
    plan: EnginePlan, protocol: str | None = None, without: Collection[Seat] = ()
) -> list[EngineSettings]:
    """Return the distinct settings of all agents the protocol asks, in the order of ``seats_of``."""
    seats = [seat for seat in seats_of(protocol) if seat not in without]
    everybody = [plan.settings_for(agent, reviewing=reviewing) for agent, reviewing in seats]
    return list({settings.model_dump_json(): settings for settings in everybody}.values())


def build_setup(
    plan: EnginePlan,
    environment: Mapping[str, str] | None = None,
    *,
    protocol: str | None = None,
    spending: SpendingLimit | None = None,
    servers: Servers | None = None,
    counting: bool = False,
    seated: Mapping[Seat, Engine] = _NOBODY,
) -> EngineSetup:
    """Build the engines the protocol needs; agents with equal settings share one engine and its limits.

    Without a protocol, every agent gets an engine, and every API key must be set. ``spending`` is a limit that
    several plans share, instead of the plan's own; ``servers`` is what they share about the servers they call.
    With ``counting``, no model is called and no key is needed: the engines only estimate what would be read
    and written. ``seated`` are engines that already exist, by agent.
    """
    known = os.environ if environment is None else environment
    spending, servers = spending or SpendingLimit(plan.max_cost), servers or Servers()
    cache = ResponseCache(None if plan.cache is True else plan.cache) if plan.cache else None
    settings = distinct_settings(plan, protocol, seated)
    limits = _shared_limits(settings)

    def built(item: EngineSettings) -> Engine:
        if item.kind == DEFAULT_ENGINE:
            return default_engine()
        if counting:
            return build_counting_engine(item)
        key, outage = api_key_of(item, known), servers.outage_of(item, plan.max_outage)
        limit = limits.get(item.url)
        return build_model_engine(item, api_key=key, cache=cache, limit=limit, spending=spending, outage=outage)

    engines = {item.model_dump_json(): built(item) for item in settings}
    everybody = dict(seated) | {
        (agent, reviewing): engines[plan.settings_for(agent, reviewing=reviewing).model_dump_json()]
        for agent, reviewing in seats_of(protocol)
        if (agent, reviewing) not in seated
    }

    def hearing(*, reviewing: bool) -> dict[Agent, Engine]:
        return {agent: everybody[agent, reviewing] for agent in AGENTS if (agent, reviewing) in everybody}

    table = EngineTable(
        perspectives=hearing(reviewing=False),
        reviewers=hearing(reviewing=True),
        others={agent: everybody[agent, False] for agent in OTHER_AGENTS if (agent, False) in everybody},
    )
    return EngineSetup(table=table, settings=tuple(settings), spending=spending, activity=servers.activity)


def _shared_limits(settings: list[EngineSettings]) -> dict[str, AdaptiveLimit]:
    """Return one limit per local server: all models and settings share its capacity."""
    caps: dict[str, int] = {}
    for item in settings:
        if item.is_local:
            caps[item.url] = min(item.concurrency, caps.get(item.url, item.concurrency))
    return {url: AdaptiveLimit(cap, start=LOCAL_START) for url, cap in caps.items()}


def api_key_of(settings: EngineSettings, environment: Mapping[str, str]) -> str | None:
    """Return the API key from the environment, or None for a server that needs none."""
    variable = settings.key_variable
    if variable is None:
        return None
    key = environment.get(variable, "").strip()
    if not key:
        raise ConfigError(f"{settings.name} needs an API key: set the environment variable {variable}.")
    return key


def missing_keys(
    plan: EnginePlan, protocol: str | None = None, environment: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return the environment variables that should hold an API key for this protocol but do not."""
    known = os.environ if environment is None else environment
    wanted = (settings.key_variable for settings in distinct_settings(plan, protocol))
    return tuple(dict.fromkeys(name for name in wanted if name is not None and not known.get(name, "").strip()))


def _explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return all problems with their places, and suggestions for misspelled names."""
    names = [*model.model_fields, *get_args(Role)]
    parts = []
    for problem in mistakes_in(error):
        place = place_of(problem, "")
        meant = closest(place.rpartition(".")[2], names)
        misspelt = problem["type"] in ("extra_forbidden", "literal_error")
        home = _home(place.rpartition(".")[2], model) if problem["type"] == "extra_forbidden" else None
        close = f" (did you mean {meant}?)" if misspelt and meant else ""
        hint = f" (put it {home})" if home else close
        parts.append(f"{placed(place, reason_of(problem))}{hint}")
    return "; ".join(parts) + f". Known settings: {', '.join(model.model_fields)}."


def _home(name: str, model: type[BaseModel]) -> str | None:
    """Return where in an engine file a setting belongs that was put one level too high or too low."""
    if model is EngineSettings:
        return "at the top of the engine file" if name in EnginePlan.model_fields else None
    if name in get_args(Role):
        return "under engines:"
    return "under engines: default:" if name in EngineSettings.model_fields else None
