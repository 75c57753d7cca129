"""The ways to analyze a text, each named by one word in a configuration.

``cr_v1`` and ``cr_v2`` are the conflict review with its two arbiters, ``debate`` is the second
protocol; ``single`` (one call), ``stage1_only`` (three perspectives, no review) and
``self_consistency:N`` (N draws of ``single``, majority per tuple) are the baselines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, WithJsonSchema

from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import ArbiterVersion
from samsim.spelling import closest

CRProtocol = Literal["cr_v1", "cr_v2"]
PlainProtocol = Literal["cr_v1", "cr_v2", "debate", "single", "stage1_only"]
PLAIN_PROTOCOLS: tuple[PlainProtocol, ...] = get_args(PlainProtocol)
SELF_CONSISTENCY = "self_consistency"
MAX_DRAWS = 99
# The arbiter that decides in each conflict review.
ARBITER_VERSIONS: Mapping[str, ArbiterVersion] = {"cr_v1": "v1", "cr_v2": "v2"}

_DRAWS = re.compile(rf"{SELF_CONSISTENCY}:([1-9]\d?)")


def draws_of(protocol: str) -> int | None:
    """Return the N of ``self_consistency:N``; None for every other protocol."""
    found = _DRAWS.fullmatch(protocol)
    return int(found[1]) if found else None


def is_conflict_review(protocol: str) -> bool:
    """Return whether the protocol is one of the two conflict reviews."""
    return protocol in get_args(CRProtocol)


def require_protocol(value: Any) -> str:
    """Return the protocol's name, or raise ``ValueError`` listing the known ones."""
    if isinstance(value, str) and (value in PLAIN_PROTOCOLS or draws_of(value) is not None):
        return value
    known = [*PLAIN_PROTOCOLS, f"{SELF_CONSISTENCY}:3"]
    meant = closest(value, known)
    hint = f"did you mean {meant}? " if meant else ""
    raise ValueError(
        f"unknown protocol {value!r}: {hint}use {', '.join(PLAIN_PROTOCOLS)} or {SELF_CONSISTENCY}:N"
        f" with N from 1 to {MAX_DRAWS}"
    )


def check_protocol(protocol: str | None) -> None:
    """Raise ``ConfigError`` for what is not a protocol; None, for all of them, is fine."""
    if protocol is not None:
        try:
            require_protocol(protocol)
        except ValueError as error:
            raise ConfigError(f"The protocol is wrong: {error}.") from None


ProtocolName = Annotated[
    str,
    BeforeValidator(require_protocol),
    WithJsonSchema({"type": "string", "pattern": f"^({'|'.join(PLAIN_PROTOCOLS)}|{_DRAWS.pattern})$"}),
]
