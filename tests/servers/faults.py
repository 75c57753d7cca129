"""What can go wrong, which of it happens to which request, and what the engine has to make of it.

The plan of a request depends on its content and on a seed alone: whatever the concurrency, the same
requests go wrong in the same way, and asked often enough each is answered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from samsim.schemas.calls import Outcome
from tests.servers.chat_requests import Asked

FaultName = Literal[
    "rate_limited",
    "server_error",
    "reset",
    "stall",
    "truncated_reply",
    "truncated_answer",
    "cut_off",
    "wrong_schema",
    "prose",
    "unknown_ids",
    "empty_choices",
    "refusal",
    "duplicated_key",
    "five_megabytes",
    "oversized",
    "invalid_utf8",
    "half_a_surrogate_pair",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to go wrong.

    ``outcome`` is what a trace must call it, ``times`` how often in a row a request suffers it, and
    ``is_final`` says that asking again is pointless, so that the call must end with this failure.
    """

    name: FaultName
    outcome: Outcome
    times: int = 1
    is_final: bool = False


FAULTS: tuple[Fault, ...] = (
    Fault("rate_limited", "rate_limited", times=2),
    Fault("server_error", "server_error", times=3),
    Fault("reset", "connection"),
    Fault("stall", "timeout"),
    Fault("truncated_reply", "invalid_json"),
    Fault("truncated_answer", "invalid_json"),
    Fault("cut_off", "cut_off", is_final=True),
    Fault("wrong_schema", "schema"),
    Fault("prose", "salvaged"),
    Fault("unknown_ids", "ok"),
    Fault("empty_choices", "empty"),
    Fault("refusal", "refusal", is_final=True),
    Fault("duplicated_key", "invalid_json"),
    Fault("five_megabytes", "salvaged"),
    Fault("oversized", "too_large", is_final=True),
    Fault("invalid_utf8", "bad_encoding"),
    Fault("half_a_surrogate_pair", "bad_encoding"),
)


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Which requests go wrong: ``rate`` of those that ``reaches`` is true of, each by one of ``faults``."""

    rate: float
    faults: Sequence[Fault] = FAULTS
    seed: int = 0
    reaches: Callable[[Asked], bool] = lambda _: True

    def fault_for(self, asked: Asked, attempt: int) -> Fault | None:
        """The fault of the ``attempt``-th time (from 0) something is asked; None if it is answered."""
        if not self.reaches(asked):
            return None
        draw = hashlib.sha256(self.seed.to_bytes(8, "big") + asked.digest).digest()
        if int.from_bytes(draw[:8], "big") >= self.rate * 2**64:
            return None
        # Only who reviews or debates names tuple ids.
        names_ids = asked.stage in ("review", "debate", "judge")
        possible = [fault for fault in self.faults if fault.name != "unknown_ids" or names_ids]
        fault = possible[int.from_bytes(draw[8:16], "big") % len(possible)]
        return fault if attempt < fault.times else None


NO_FAULTS = FaultPlan(rate=0.0)
