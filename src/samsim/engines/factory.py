"""From what a user wrote about engines to the engines themselves.

A plan names engines by role; a role takes what it does not say from its group and from ``default``::

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
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError

from samsim.engines.cache import ResponseCache
from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import Engine, is_engine
from samsim.engines.model_engine import build_counting_engine, build_model_engine
from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.limits import AdaptiveLimit, SpendingLimit
from samsim.engines.pacing.outage import DEFAULT_MAX_OUTAGE_S, Servers
from samsim.engines.settings import LOCAL_START, EngineKind, EngineSettings
from samsim.engines.table import OTHER_AGENTS, EngineTable, no_engine
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
# The roles of an agent as it is asked first, from the general to the particular.
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
# Who is asked, and whether as a reviewer.
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
    """Return the roles whose settings a seat has, from the general to the particular."""
    agent, reviewing = seat
    return _REVIEW_ROLES[agent] if reviewing else _ROLES[agent]


def _role_settings(value: Any) -> Any:
    """Write out the short form of a role, such as ``C: embedded``."""
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
    """All engines of a run; each role's settings are merged over those it inherits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engines: dict[Role, Annotated[dict[str, Any], BeforeValidator(_role_settings)]] = Field(default_factory=dict)
    max_cost: float | None = Field(default=None, gt=0)
    cache: Annotated[bool | Path, PlainValidator(switch_or_path)] = True
    # How many seconds to wait for a server that went away; 0 waits for none.
    max_outage: float = Field(default=DEFAULT_MAX_OUTAGE_S, ge=0, allow_inf_nan=False)

    def settings_for(self, agent: AgentName, *, reviewing: bool = False) -> EngineSettings:
        """Return the settings of one agent; A, B and C may be asked as perspectives or as reviewers."""
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
    """Return a role's settings over those it inherits.

    What belongs to a server goes with it: another kind or address does not get the old one's key or
    address, and another model not the old one's price.
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
    """The engines of a plan and what they share; ``activity`` shows what they are doing."""

    table: EngineTable
    settings: tuple[EngineSettings, ...]
    spending: SpendingLimit
    activity: Activity = field(default_factory=Activity)

    @property
    def concurrency(self) -> int:
        """How many samples are worth having under way; the embedded engine gains nothing from more than one."""
        return max((item.concurrency for item in self.settings if item.kind != "embedded"), default=1)


def read_plan(
    spec: str | Path | Mapping[str, Any], *, base_url: str | None = None, changes: Mapping[str, Any] | None = None
) -> EnginePlan:
    """Read a plan from a YAML file, its content, its roles, or a short form such as ``openai:gpt-4.1-mini``.

    ``changes`` replace settings of the plan as a whole.
    """
    if base_url is not None and (spec == "embedded" or not _is_short(spec)):
        said = repr(str(spec)) if isinstance(spec, str | Path) else "given as a mapping"
        raise ConfigError(f"A base URL does not go with the engine {said}. Use it with openai:MODEL, or in the file.")
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
    """Return what a plan is made of, and how to call it where it is wrong."""
    if isinstance(spec, Mapping):
        # Whoever has no more to say than the roles need not name them as such.
        by_role = bool(set(spec) & set(get_args(Role)))
        return {"engines": dict(spec)} if by_role else dict(spec), "The engines are"
    if not _is_short(spec):
        return _file_content(Path(spec)), f"The engine file {spec} is"
    settings = _short_form(str(spec))
    return {} if spec == "embedded" else {"engines": {"default": settings}}, f"The engine {spec!r} is"


def _short_form(spec: str) -> dict[str, Any]:
    """Return the settings of ``embedded``, ``openai:MODEL`` and the like."""
    if spec == "embedded":
        return {"kind": "embedded"}
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
    """Return who is asked by a protocol; everybody who can be asked where none is named."""
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
    """Return the settings of everybody the protocol asks, each once, in the order of ``seats_of``."""
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
    """Build every engine the protocol asks once; agents with equal settings share one, and its limits.

    Without a protocol everybody gets an engine, and every key must be there. ``spending`` is a limit
    that several plans keep together, in place of the plan's own; ``servers`` is what they know together of
    the servers they ask. With ``counting`` no model is asked and no key needed: the engines only count
    what would be read and written. ``seated`` are engines that are there already, for those who have them.
    """
    known = os.environ if environment is None else environment
    spending, servers = spending or SpendingLimit(plan.max_cost), servers or Servers()
    cache = ResponseCache(None if plan.cache is True else plan.cache) if plan.cache else None
    settings = distinct_settings(plan, protocol, seated)
    limits = _shared_limits(settings)

    def built(item: EngineSettings) -> Engine:
        if item.kind == "embedded":
            return EmbeddedEngine()
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


def setup_by_role(given: Mapping[Any, Any], protocol: str) -> EngineSetup:
    """Build the engines of a mapping of roles to engines, names and settings.

    The most particular role that is given decides, as in an engine file. Whoever gives engines of their own gives one
    for everybody who is asked: nobody answers who was not named.
    """
    by_role = {_role(key): value for key, value in given.items()}
    own = {role: value for role, value in by_role.items() if is_engine(value)}
    named: dict[str, Any] = {role: value for role, value in by_role.items() if role not in own}
    seated: dict[Seat, Engine] = {}
    unasked = dict.fromkeys(own)
    for seat in seats_of(protocol):
        said = [role for role in roles_of(seat) if role in by_role]
        if not said:
            raise no_engine(seat[0], by_role)
        if said[-1] in own:
            seated[seat] = own[said[-1]]
            unasked.pop(said[-1], None)
        elif any(role in own for role in said):
            _require_kind(said[-1], named[said[-1]])
    for role in unasked:
        _require_use(role, by_role, protocol)
    return build_setup(read_plan(named), protocol=protocol, seated=seated)


def _role(key: object) -> Role:
    """Return the role that a key names; an agent may also be called as in results (JUDGE)."""
    roles = get_args(Role)
    if key in roles:
        return cast("Role", key)
    if key in get_args(AgentName):
        return roles_of((cast("AgentName", key), False))[-1]
    meant = closest(key, roles)
    hint = f"Did you mean {meant}?" if meant else f"Use {', '.join(roles)}."
    raise ConfigError(f"Unknown role {key!r} among the engines. {hint}")


def _require_use(role: Role, by_role: Collection[Role], protocol: str) -> None:
    """Refuse a role that others go before wherever the protocol would ask it; a default may be there for the rest."""
    chains = [roles_of(seat) for seat in seats_of(protocol) if role in roles_of(seat)]
    before = dict.fromkeys(other for chain in chains for other in chain[chain.index(role) + 1 :] if other in by_role)
    if before and role != "default":
        raise ConfigError(
            f"The engine of {role} would never be asked: {', '.join(before)} go before it. Leave it out, or give"
            " perspectives and reviewers (or review_A, review_B, review_C) their own."
        )


def _require_kind(role: Role, settings: Any) -> None:
    """Refuse settings that would be merged over an engine of a user's own, which has none."""
    if isinstance(settings, Mapping) and "kind" not in settings:
        raise ConfigError(
            f"The engine of {role} has no kind, and cannot take it from an engine of your own. Give it a kind."
        )


def _shared_limits(settings: list[EngineSettings]) -> dict[str, AdaptiveLimit]:
    """One limit for each server on this machine: its lanes are the same ones whatever the model and the settings."""
    caps: dict[str, int] = {}
    for item in settings:
        if item.is_local:
            caps[item.url] = min(item.concurrency, caps.get(item.url, item.concurrency))
    return {url: AdaptiveLimit(cap, start=LOCAL_START) for url, cap in caps.items()}


def api_key_of(settings: EngineSettings, environment: Mapping[str, str]) -> str | None:
    """Return the key from the environment; None for a server that needs none."""
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
    """Return the environment variables that should hold a key for whom the protocol asks, and do not."""
    known = os.environ if environment is None else environment
    wanted = (settings.key_variable for settings in distinct_settings(plan, protocol))
    return tuple(dict.fromkeys(name for name in wanted if name is not None and not known.get(name, "").strip()))


def _explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return every mistake with its place, and a suggestion for a misspelt name."""
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
    """Return where in an engine file a setting belongs that stands a level too high or too low."""
    if model is EngineSettings:
        return "at the top of the engine file" if name in EnginePlan.model_fields else None
    if name in get_args(Role):
        return "under engines:"
    return "under engines: default:" if name in EngineSettings.model_fields else None
