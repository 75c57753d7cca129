"""What the advice in a memory slot means to reviewers that are code.

The embedded reviewers and debaters get the same advice as a model, and interpret it by its principle, type,
strength and warning. It is a reason to look, never a command:

- advice to change something (FLIP, DROP, FLAG or any action) makes them perform its check. They may mark what
  the check finds. They remove it only if the advice is to remove, several episodes support it, and
  no other advice on the same check disagrees;
- advice to leave things as they are never leads to a change;
- a warning about a failed override is a reason not to repeat it: they hold back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from samsim.memory.advisory_builder import is_downgraded
from samsim.memory.principles import Check, Principle, find_principle
from samsim.schemas.memory_v1_1 import AdvisoryV1_1
from samsim.schemas.protocol_conflict_review import DecidedAction

_LEAVING = frozenset({"KEEP", "NONE"})
_ANY = "*"


@dataclass(frozen=True, slots=True)
class FailedAction:
    """A change that failed in similar cases: its action, the risk type (``*`` is any), and whether it failed often."""

    action: str
    risk_type: str
    repeated: bool

    def is_like(self, action: DecidedAction, doubts: Collection[str]) -> bool:
        """Return whether this change to a tuple with these risks and flags would repeat the failure."""
        return self.action in (_ANY, action) and (self.risk_type == _ANY or self.risk_type in doubts)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to check, what may be removed after checking, what to leave alone, and what not to repeat."""

    looks: frozenset[Check] = frozenset()
    removes: frozenset[Check] = frozenset()
    leaves: frozenset[Check] = frozenset()
    failures: tuple[FailedAction, ...] = ()

    def holds_back(self, action: DecidedAction, doubts: Collection[str], *, settled: bool) -> bool:
        """Return whether to refrain from a change because it failed before.

        A single failure is a reason to look again, but does not prevent a change that the text itself
        settles. Repeated failures do.
        """
        return any(failure.is_like(action, doubts) and (failure.repeated or not settled) for failure in self.failures)


NO_ADVICE = Advice()


def advice_in(slot: Mapping[str, object] | None) -> Advice:
    """Return the combined meaning of a slot's advisories; placebos and unknown principles mean nothing."""
    looks: set[Check] = set()
    removes: set[Check] = set()
    opposed: set[Check] = set()
    leaves: set[Check] = set()
    failures: list[FailedAction] = []
    for advisory, principle in _known_advice(slot):
        check = principle.check
        if advisory.advisory_type == "failed_override_warning":
            if principle.action not in _LEAVING:
                failures.append(FailedAction(principle.action, principle.risk_type, advisory.strength != "weak"))
            opposed |= {check} if check is not None else set()
        elif check is not None and principle.action in _LEAVING:
            leaves.add(check)
        elif check is not None:
            looks.add(check)
            if principle.action == "DROP" and advisory.strength != "weak" and not is_downgraded(advisory.message):
                removes.add(check)
    return Advice(frozenset(looks), frozenset(removes - opposed - leaves), frozenset(leaves), tuple(failures))


def _known_advice(slot: Mapping[str, object] | None) -> Iterator[tuple[AdvisoryV1_1, Principle]]:
    advisories = slot.get("retrieved") if slot is not None else None
    for given in advisories if isinstance(advisories, list | tuple) else ():
        try:
            advisory = AdvisoryV1_1.model_validate(given)
        except ValidationError:
            continue  # not one of our slots: unreadable advice is not followed
        principle = find_principle(advisory.evidence.principle_id)
        if principle is not None:
            yield advisory, principle
