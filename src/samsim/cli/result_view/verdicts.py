"""Decisions in words: the rule that decided, and what the other version of the rules would decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from samsim.cli.result_view.labels import Labels
from samsim.rules.arbiter import arbiter_vote
from samsim.rules.review_actions import ActionsByTuple, reviewable_ids
from samsim.schemas.polarity import SIGNS, canonical_polarity
from samsim.schemas.protocol_conflict_review import AGENTS, ArbiterDecision, ArbiterVersion, ConflictType
from samsim.schemas.protocols import ARBITER_VERSIONS
from samsim.schemas.results import SampleResult

# CR v1 does not have this conflict, so its reviewers would never have seen the flag.
_ONLY_IN_V2: ConflictType = "granularity_overlap_candidate"
_RULE_3 = {"FLIP": "rule_flip", "DROP": "rule_drop"}


def other_version_of(result: SampleResult) -> ArbiterVersion:
    """Return the version of the rules that was not used."""
    return "v1" if ARBITER_VERSIONS[result.protocol] == "v2" else "v2"


def other_decisions(result: SampleResult) -> dict[str, ArbiterDecision]:
    """Return what the other version decides on the recorded votes, by tuple; those it would not review are missing."""
    version = other_version_of(result)
    flags = [flag for flag in result.conflict_flags if version == "v2" or flag.conflict_type != _ONLY_IN_V2]
    reviewable = reviewable_ids(flags, result.validator_risks)
    votes: ActionsByTuple = {
        decision.tuple_id: dict.fromkeys(AGENTS)
        for decision in result.arbiter_decisions
        if decision.tuple_id in reviewable
    }
    for action in result.review_actions:
        for tuple_id in action.target_tuple_ids:
            if tuple_id in votes and action.actor is not None:
                votes[tuple_id][action.actor] = action
    return {decision.tuple_id: decision for decision in arbiter_vote(votes, flags, version=version)}


def outcome(decision: ArbiterDecision | None) -> tuple[str, Mapping[str, str] | None]:
    """Return the action on the tuple and its new values; a tuple that is not reviewed is kept."""
    return ("KEEP", None) if decision is None else (decision.action, decision.new_value)


def action_words(action: str, new_polarity: str | None) -> str:
    """Return an action with the sign of the polarity it sets."""
    polarity = canonical_polarity(new_polarity)
    return action if polarity is None else f"{action} {SIGNS[polarity]}"


def decided_action(decision: ArbiterDecision) -> str:
    """Return the decided action in words."""
    return action_words(decision.action, (decision.new_value or {}).get("polarity"))


def rule_in_words(decision: ArbiterDecision, labels: Labels) -> str:
    """Return the rule that decided, its reason and the action, in words."""
    keys = {agent: (vote.counted_as, vote.polarity) for agent, vote in decision.votes.items()}
    majority, count = Counter(keys.values()).most_common(1)[0]
    action = decided_action(decision)
    if decision.rule == "1":
        return labels("rule_all" if count == len(AGENTS) else "rule_two", action=action)
    if decision.rule == "2":
        return labels("rule_tie", action=action)
    if decision.rule == "3":
        return labels(_RULE_3.get(decision.action, "rule_open"), action=action)
    minority = [agent for agent in AGENTS if keys.get(agent) != majority]
    return labels("rule_facet", agent=", ".join(minority), action=action)
