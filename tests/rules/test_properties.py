"""What holds for every sample, whatever the reviewers say: generated tuples, flags and proposals.

The expected outcome is derived again here, from the raw proposals and the written rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from samsim.metrics.systems import final_triplets
from samsim.metrics.tuples import FAMILIES, Family, comparable, predicted_keys
from samsim.rules.apply import apply_decisions, finalize, merged_refs
from samsim.rules.arbiter import arbiter_vote
from samsim.rules.review_actions import EnforcedReview, enforce_review_actions
from samsim.schemas.protocol_conflict_review import AGENTS, Agent, ArbiterDecision, ReviewActionItem
from samsim.schemas.results import FinalTuple, ReviewedTuple
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import action
from tests.support.strategies import Case, cases, steady

STRUCTURAL = {"NEGATION_SCOPE", "CONTRAST_CLAUSE", "STRUCTURAL_INCONSISTENT"}
JUSTIFIED = {"WEAK_EVIDENCE", "REDUNDANT_UPPER_REF"}
KINDS = ("DROP", "KEEP", "DROP")
TAXONOMY = load_taxonomy("nikl2022")
POLARITIES = {"positive", "negative", "neutral", "mixed"}


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    review: EnforcedReview
    decisions: list[ArbiterDecision]
    surviving: list[ReviewedTuple]
    final: list[FinalTuple]
    final_p2: list[FinalTuple]

    def as_bytes(self) -> bytes:
        votes = [
            [tuple_id, *(cast.model_dump_json() if (cast := votes[agent]) else "" for agent in AGENTS)]
            for tuple_id, votes in self.review.actions_by_tuple.items()
        ]
        records = [*self.review.refusals, *self.decisions, *self.surviving, *self.final, *self.final_p2]
        return "\n".join([repr(votes), *(record.model_dump_json() for record in records)]).encode()


def outcome_of(case: Case) -> Outcome:
    review = enforce_review_actions(case.proposals, case.candidates, case.flags, case.risks, TAXONOMY)
    decisions = arbiter_vote(review.actions_by_tuple, case.flags, version=case.version)
    surviving = apply_decisions(case.candidates, decisions)
    new_refs = merged_refs(review.actions_by_tuple, TAXONOMY)
    return Outcome(review, decisions, surviving, finalize(surviving), finalize(surviving, new_refs))


def touchable(case: Case) -> set[str]:
    flagged = {tuple_id for flag in case.flags for tuple_id in flag.tuple_ids}
    return flagged | {risk.tuple_id for risk in case.risks}


def proposed(case: Case, agent: Agent, tuple_id: str, kind: str) -> bool:
    """Whether the agent itself asked for this action on this tuple."""
    return any(
        item.action_type.strip().upper() == kind and tuple_id in item.target_tuple_ids
        for item in case.proposals.get(agent, ())
    )


def counted(cast: ReviewActionItem | None) -> str:
    """A vote as it is counted: MERGE and silence are KEEP, and a FLIP is told apart by its polarity."""
    if cast is None or cast.action_type == "MERGE":
        return "KEEP"
    if cast.action_type == "FLIP":
        return f"FLIP {(cast.new_value or {}).get('polarity')}"
    return cast.action_type


def reason_of(votes: dict[Agent, ReviewActionItem | None], kind: str) -> str:
    return next(cast.reason_code for cast in votes.values() if cast is not None and cast.action_type == kind)


@pytest.mark.parametrize(
    ("action_type", "rule"),
    [("DROP", "1"), ("DROP", "3"), ("FLIP", "1"), ("FLIP", "3"), ("FLAG", "2"), ("FLAG", "3"), ("FLAG", "facet")],
)
def test_the_generated_cases_reach_every_way_to_decide(action_type: str, rule: str) -> None:
    # Without this, the properties below could hold because nothing ever happens. It raises if nothing is found.
    def decides(case: Case) -> bool:
        return any((each.action, each.rule) == (action_type, rule) for each in outcome_of(case).decisions)

    find(cases(), decides, settings=settings(steady, max_examples=2000, phases=[Phase.generate]))


@steady
@given(cases())
def test_no_tuple_id_is_ever_new(case: Case) -> None:
    ids = [each.tuple_id for each in case.candidates]
    outcome = outcome_of(case)
    assert {each.tuple_id for each in outcome.decisions} <= set(ids)
    survivors = [each.tuple_id for each in outcome.surviving]
    assert survivors == [tuple_id for tuple_id in ids if tuple_id in survivors]
    assert {tuple_id for each in outcome.final for tuple_id in each.tuple_ids} <= set(ids)


@steady
@given(cases())
def test_no_tuple_without_flag_or_risk_is_changed_or_decided(case: Case) -> None:
    allowed = touchable(case)
    outcome = outcome_of(case)
    assert {each.tuple_id for each in outcome.decisions} == allowed
    after = {each.tuple_id: each.model_dump() for each in outcome.surviving}
    for before in case.candidates:
        if before.tuple_id not in allowed:
            assert after[before.tuple_id] == {**before.model_dump(), "flagged": False, "flag_reason": None}


@pytest.mark.parametrize("family", FAMILIES)
@steady
@given(case=cases())
def test_the_final_tuples_say_what_survived_and_lose_no_opinion(case: Case, family: Family) -> None:
    outcome = outcome_of(case)
    said = predicted_keys(comparable(final_triplets(outcome.final)), family)
    assert said == predicted_keys(comparable(outcome.surviving), family)
    untouched = final_triplets(finalize(apply_decisions(case.candidates, [])))
    assert predicted_keys(comparable(untouched), family) == predicted_keys(comparable(case.candidates), family)


@steady
@given(cases())
def test_only_polarity_and_marks_ever_change(case: Case) -> None:
    before = {each.tuple_id: each.model_dump(exclude={"polarity"}) for each in case.candidates}
    for each in outcome_of(case).surviving:
        assert each.model_dump(exclude={"polarity", "flagged", "flag_reason"}) == before[each.tuple_id]


@steady
@given(cases())
def test_a_tuple_is_dropped_only_by_two_drops_or_by_rule_3(case: Case) -> None:
    outcome = outcome_of(case)
    dropped = {each.tuple_id for each in case.candidates} - {each.tuple_id for each in outcome.surviving}
    for tuple_id in dropped:
        votes = outcome.review.actions_by_tuple[tuple_id]
        ballot = Counter(counted(cast) for cast in votes.values())
        droppers = [agent for agent in AGENTS if counted(votes[agent]) == "DROP"]
        assert all(proposed(case, agent, tuple_id, "DROP") for agent in droppers)
        if ballot["DROP"] < 2:
            assert case.version == "v2"
            assert ballot["DROP"] == ballot["KEEP"] == 1
            assert reason_of(votes, "FLIP") not in STRUCTURAL
            assert reason_of(votes, "DROP") in JUSTIFIED


@steady
@given(cases())
def test_a_polarity_is_changed_only_by_two_equal_flips_or_by_rule_3(case: Case) -> None:
    outcome = outcome_of(case)
    before = {each.tuple_id: each.polarity for each in case.candidates}
    flipped = [each for each in outcome.surviving if each.polarity != before[each.tuple_id]]
    for each in flipped:
        votes = outcome.review.actions_by_tuple[each.tuple_id]
        wanted = f"FLIP {each.polarity}"
        ballot = Counter(counted(cast) for cast in votes.values())
        flippers = [agent for agent in AGENTS if counted(votes[agent]) == wanted]
        assert all(proposed(case, agent, each.tuple_id, "FLIP") for agent in flippers)
        if ballot[wanted] < 2:
            assert (ballot[wanted], ballot["DROP"], ballot["KEEP"]) == (1, 1, 1)
            assert reason_of(votes, "FLIP") in STRUCTURAL


@steady
@given(cases())
def test_a_decided_drop_or_flip_is_carried_out(case: Case) -> None:
    outcome = outcome_of(case)
    after = {each.tuple_id: each for each in outcome.surviving}
    for each in outcome.decisions:
        assert (each.tuple_id not in after) == (each.action == "DROP")
        if each.action == "FLIP":
            assert each.new_value == {"polarity": after[each.tuple_id].polarity}
        if each.action != "DROP":
            assert after[each.tuple_id].flagged == (each.action == "FLAG")


@steady
@given(cases(), st.permutations(AGENTS))
def test_the_order_of_the_agents_does_not_matter(case: Case, order: list[Agent]) -> None:
    shuffled = {agent: case.proposals[agent] for agent in order if agent in case.proposals}
    again = Case(case.candidates, case.flags, case.risks, shuffled, case.version)
    assert outcome_of(again).as_bytes() == outcome_of(case).as_bytes()


@steady
@given(cases(), st.permutations(AGENTS))
def test_the_arbiter_does_not_care_in_which_order_the_votes_are_given(case: Case, order: list[Agent]) -> None:
    votes = enforce_review_actions(case.proposals, case.candidates, case.flags, case.risks, TAXONOMY).actions_by_tuple
    shuffled = {tuple_id: {agent: votes[tuple_id][agent] for agent in order} for tuple_id in votes}
    expected = arbiter_vote(votes, case.flags, version=case.version)
    assert arbiter_vote(shuffled, case.flags, version=case.version) == expected


@steady
@given(cases(), st.data())
def test_actions_on_different_tuples_can_come_in_any_order(case: Case, data: st.DataObject) -> None:
    ids = [each.tuple_id for each in case.candidates]
    proposals = {agent: [action(kind, tuple_id) for tuple_id in ids] for agent, kind in zip(AGENTS, KINDS, strict=True)}
    shuffled = {agent: data.draw(st.permutations(items)) for agent, items in proposals.items()}
    given_order = Case(case.candidates, case.flags, case.risks, proposals, case.version)
    other_order = Case(case.candidates, case.flags, case.risks, shuffled, case.version)
    assert outcome_of(other_order).decisions == outcome_of(given_order).decisions


@steady
@given(cases())
def test_the_same_input_gives_the_same_bytes_and_is_left_alone(case: Case) -> None:
    before = repr(case)
    first = outcome_of(case).as_bytes()
    copied = Case(
        candidates=[each.model_copy(deep=True) for each in case.candidates],
        flags=[each.model_copy(deep=True) for each in case.flags],
        risks=[each.model_copy(deep=True) for each in case.risks],
        proposals={agent: [each.model_copy(deep=True) for each in items] for agent, items in case.proposals.items()},
        version=case.version,
    )
    assert outcome_of(case).as_bytes() == first
    assert outcome_of(copied).as_bytes() == first
    assert repr(case) == before


@steady
@given(cases())
def test_final_polarities_are_canonical(case: Case) -> None:
    outcome = outcome_of(case)
    assert {each.polarity for each in outcome.surviving} <= POLARITIES
    assert {each.polarity for each in (*outcome.final, *outcome.final_p2)} <= POLARITIES


@steady
@given(cases())
def test_every_survivor_is_in_exactly_one_final_tuple(case: Case) -> None:
    outcome = outcome_of(case)
    survivors = {each.tuple_id: each for each in outcome.surviving}
    for final in (outcome.final, outcome.final_p2):
        assert Counter(tuple_id for each in final for tuple_id in each.tuple_ids) == Counter(list(survivors))
        for each in final:
            members = [survivors[tuple_id] for tuple_id in each.tuple_ids]
            assert {member.polarity for member in members} == {each.polarity}
            assert each.support == sorted({member.origin_agent for member in members})
            assert each.flagged == any(member.flagged for member in members)


@steady
@given(cases())
def test_every_proposal_is_a_vote_or_a_refusal(case: Case) -> None:
    review = outcome_of(case).review
    refused = {(each.actor, each.tuple_id) for each in review.refusals}
    for agent, items in case.proposals.items():
        for tuple_id in {tuple_id for item in items for tuple_id in item.target_tuple_ids}:
            voted = review.actions_by_tuple.get(tuple_id, {}).get(agent) is not None
            assert voted or (agent, tuple_id) in refused
