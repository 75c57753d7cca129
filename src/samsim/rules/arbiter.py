"""The arbiter: code, never a model, decides by the published rules (seeds 000 §1 and 002).

The first rule that applies decides a reviewed tuple. Rule 4 precedes all others: MERGE counts as KEEP.

====  ==========================  =====================================  =========================================
rule  votes                       v1                                     v2
====  ==========================  =====================================  =========================================
1     two or more equal           adopt                                  adopt, unless a facet's preferred actor
                                                                         said otherwise: FLAG (rule "facet")
3     one FLIP, one DROP,         FLIP if its reason is structural,      FLIP if structural, else DROP if
      one KEEP                    else FLAG                              justified, else FLAG
2     all different otherwise     FLAG                                   FLAG
====  ==========================  =====================================  =========================================

An agent without an action counts as an implicit KEEP. Two FLIPs are equal only with equal polarity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from samsim.errors import ContractError
from samsim.schemas.polarity import canonical_polarity
from samsim.schemas.protocol_conflict_review import (
    ACTION_TYPES,
    AGENTS,
    ActionType,
    Agent,
    ArbiterDecision,
    ArbiterRule,
    ArbiterVersion,
    CastVote,
    ConflictFlag,
    ConflictType,
    DecidedAction,
    ReviewActionItem,
)
from samsim.validation_words import in_words

_STRUCTURAL_REASON_CODES = frozenset({"NEGATION_SCOPE", "CONTRAST_CLAUSE", "STRUCTURAL_INCONSISTENT"})
_DROP_JUSTIFIED = frozenset({"WEAK_EVIDENCE", "REDUNDANT_UPPER_REF"})
_FACET_PRIORITY: Mapping[ConflictType, frozenset[Agent]] = {
    "granularity_overlap_candidate": frozenset({"C"}),
    "REDUNDANT_UPPER_REF": frozenset({"C"}),
}
_GRANULARITY: ConflictType = "granularity_overlap_candidate"

Vote = ReviewActionItem | Mapping[str, Any] | None
_Outcome = tuple[DecidedAction, str | None, ArbiterRule]


def arbiter_vote(
    actions_by_tuple: Mapping[str, Mapping[Agent, Vote]],
    conflict_flags: Iterable[ConflictFlag | Mapping[str, Any]],
    *,
    version: ArbiterVersion = "v2",
) -> list[ArbiterDecision]:
    """Return the decision on every reviewed tuple from its three votes; a pure function of its arguments."""
    if version not in ("v1", "v2"):
        raise ContractError(f"Unknown arbiter version {version!r}: use 'v1' or 'v2'.")
    types_by_tuple = _conflict_types(conflict_flags)
    return [
        _decide(tuple_id, votes or {}, types_by_tuple.get(tuple_id, ()), version)
        for tuple_id, votes in actions_by_tuple.items()
    ]


def _conflict_types(flags: Iterable[ConflictFlag | Mapping[str, Any]]) -> dict[str, tuple[ConflictType, ...]]:
    """Return the conflict types of each tuple, without repeats, in flag order."""
    found: dict[str, dict[ConflictType, None]] = {}
    for given in flags:
        flag = given if isinstance(given, ConflictFlag) else _read_flag(given)
        for tuple_id in flag.tuple_ids:
            found.setdefault(tuple_id, {})[flag.conflict_type] = None
    return {tuple_id: tuple(types) for tuple_id, types in found.items()}


def _read_flag(given: Mapping[str, Any]) -> ConflictFlag:
    known = {name: given[name] for name in ConflictFlag.model_fields if name in given}
    try:
        return ConflictFlag.model_validate(known)
    except ValidationError as error:
        raise ContractError(f"Not a conflict flag: {in_words(error, 'flag', most=1)}.") from error


def _decide(
    tuple_id: str, given: Mapping[Agent, Vote], types: tuple[ConflictType, ...], version: ArbiterVersion
) -> ArbiterDecision:
    votes = {agent: _cast_vote(given.get(agent)) for agent in AGENTS}
    implicit = [agent for agent in AGENTS if given.get(agent) is None]
    keys = {agent: (vote.counted_as, vote.polarity) for agent, vote in votes.items()}
    (majority, count), *_ = Counter(keys.values()).most_common()
    if count >= 2:
        voters = [agent for agent in AGENTS if keys[agent] == majority]
        action, reason, rule = _adopt(voters, votes, implicit, types, version)
    elif {vote.counted_as for vote in votes.values()} == {"FLIP", "DROP", "KEEP"}:
        action, reason, rule = _flip_drop_keep(votes, types, version)
    else:
        action, reason, rule = "FLAG", _uncertain(types, version, "POLARITY_UNCERTAIN"), "2"
    polarity = _adopted_polarity(votes, action, majority if count >= 2 else None)
    decided = (action, polarity)
    return ArbiterDecision(
        tuple_id=tuple_id,
        action=action,
        reason_code=reason,
        new_value={"polarity": polarity} if polarity is not None else None,
        rule=rule,
        votes=votes,
        implicit=implicit,
        dissent=[agent for agent in AGENTS if keys[agent] != decided],
        conflict_types=list(types),
    )


def _cast_vote(given: Vote) -> CastVote:
    if given is None:
        return CastVote(action="KEEP", counted_as="KEEP", reason_code=None)
    item = given if isinstance(given, ReviewActionItem) else ReviewActionItem.model_validate(given)
    if item.action_type not in ACTION_TYPES:
        raise ContractError(f"Unknown action {item.action_type!r}: use one of {', '.join(ACTION_TYPES)}.")
    action: ActionType = item.action_type
    counted_as: DecidedAction = "KEEP" if action == "MERGE" else action  # Rule 4
    polarity = canonical_polarity((item.new_value or {}).get("polarity")) if action == "FLIP" else None
    if action == "FLIP" and polarity is None:
        raise ContractError("A FLIP vote needs new_value.polarity. Run the votes through enforce_review_actions().")
    return CastVote(action=action, counted_as=counted_as, reason_code=item.reason_code or None, polarity=polarity)


def _adopt(
    voters: list[Agent],
    votes: Mapping[Agent, CastVote],
    implicit: list[Agent],
    types: tuple[ConflictType, ...],
    version: ArbiterVersion,
) -> _Outcome:
    """Apply rule 1; in v2 a facet's preferred actor in the explicit minority turns the decision into a FLAG."""
    if version == "v2":
        preferred = {agent for kind in types for agent in _FACET_PRIORITY.get(kind, frozenset())}
        if any(agent not in voters and agent not in implicit for agent in preferred):
            return "FLAG", "FACET_MINORITY_SIGNAL", "facet"
    return votes[voters[0]].counted_as, _shared_reason(voters, votes), "1"


def _shared_reason(voters: list[Agent], votes: Mapping[Agent, CastVote]) -> str | None:
    """Return the voters' most frequent reason code; on a tie A wins over B, and B over C."""
    reasons = [reason for agent in voters if (reason := votes[agent].reason_code) is not None]
    # Counter keeps first-seen order among equals, and voters come in the order A, B, C.
    return Counter(reasons).most_common(1)[0][0] if reasons else None


def _flip_drop_keep(
    votes: Mapping[Agent, CastVote], types: tuple[ConflictType, ...], version: ArbiterVersion
) -> _Outcome:
    """Apply rule 3: the FLIP wins if structural; in v2 a justified DROP comes next; else FLAG."""
    by_action = {vote.counted_as: vote.reason_code for vote in votes.values()}
    if by_action["FLIP"] in _STRUCTURAL_REASON_CODES:
        return "FLIP", by_action["FLIP"], "3"
    if version == "v1":
        return "FLAG", "POLARITY_UNCERTAIN", "3"
    if by_action["DROP"] in _DROP_JUSTIFIED:
        return "DROP", by_action["DROP"], "3"
    return "FLAG", _uncertain(types, version, "TIE_UNRESOLVED"), "3"


def _uncertain(types: tuple[ConflictType, ...], version: ArbiterVersion, otherwise: str) -> str:
    return "REDUNDANT_REF_UNCERTAIN" if version == "v2" and _GRANULARITY in types else otherwise


def _adopted_polarity(
    votes: Mapping[Agent, CastVote], action: DecidedAction, majority: tuple[str, str | None] | None
) -> str | None:
    if action != "FLIP":
        return None
    if majority is not None:
        return majority[1]
    return next(vote.polarity for vote in votes.values() if vote.counted_as == "FLIP")
