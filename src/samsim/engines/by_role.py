"""Your own engines beside named ones, in one mapping by role."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast, get_args

from samsim.engines.factory import EngineSetup, Role, Seat, build_setup, read_plan, roles_of, seats_of
from samsim.engines.interface import Engine, is_engine
from samsim.engines.table import no_engine
from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import AgentName
from samsim.spelling import closest


def setup_by_role(given: Mapping[Any, Any], protocol: str) -> EngineSetup:
    """Build the engines of a mapping of roles to engines, names and settings.

    The most specific role that is given decides, as in an engine file. With your own engines, every agent that is
    asked must have one: no default answers for the others.
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
