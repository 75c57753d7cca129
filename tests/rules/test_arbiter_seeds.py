"""The arbiter, clause by clause: each test names the document (000 = CR v1, 002 = CR v2) and its section."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from samsim.rules.arbiter import arbiter_vote
from samsim.schemas.protocol_conflict_review import ReviewActionItem
from tests.rules.arbiter_table import AGENTS, VERSIONS, Agent, Version, Vote

STRUCTURAL_CODES = ("NEGATION_SCOPE", "CONTRAST_CLAUSE", "STRUCTURAL_INCONSISTENT")
JUSTIFIED_CODES = ("WEAK_EVIDENCE", "REDUNDANT_UPPER_REF")
GRANULARITY = "granularity_overlap_candidate"
UPPER_REF = "REDUNDANT_UPPER_REF"
REF_POLARITY = "ref_polarity_mismatch"
NOT_GRANULARITY = (REF_POLARITY, "term_polarity_mismatch", "semantic_conflict_candidate", UPPER_REF)

NONE = Vote("none")
KEEP = Vote("KEEP", reason="KEEP_BEST_SUPPORTED")
MERGE = Vote("MERGE", reason="ASPECT_REF_MISMATCH")
FLAG = Vote("FLAG", reason="WEAK_INFERENCE")


def drop(reason: str = "DUPLICATE_TUPLE") -> Vote:
    return Vote("DROP", reason=reason)


def flip(polarity: str = "negative", reason: str = "IMPLICIT_ASPECT") -> Vote:
    return Vote("FLIP", polarity=polarity, reason=reason)


def flag_on(conflict_type: str, *tuple_ids: str) -> dict[str, Any]:
    return {
        "aspect_ref": "제품 전체#품질",
        "aspect_term": "품질",
        "tuple_ids": list(tuple_ids),
        "conflict_type": conflict_type,
    }


def actions(a: Vote, b: Vote, c: Vote, tuple_id: str = "t0") -> dict[Agent, dict[str, Any] | None]:
    return {agent: vote.as_action(agent, tuple_id) for agent, vote in zip(AGENTS, (a, b, c), strict=True)}


def decide(a: Vote, b: Vote, c: Vote, *types: str, version: Version = "v2") -> Any:
    flags = [flag_on(conflict_type, "t0") for conflict_type in types]
    (decision,) = arbiter_vote({"t0": actions(a, b, c)}, flags, version=version)
    assert decision.tuple_id == "t0"
    return decision


def outcome(decision: Any) -> tuple[str, str | None, str]:
    return decision.action, decision.reason_code, decision.rule


# --- 000 §1 (v1) -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("vote", [KEEP, drop(), flip(), FLAG], ids=str)
def test_000_s1_rule1_two_equal_actions_are_adopted(vote: Vote) -> None:
    other = KEEP if vote is not KEEP else drop()
    for ballots in ((vote, vote, other), (vote, other, vote), (other, vote, vote)):
        assert outcome(decide(*ballots, REF_POLARITY, version="v1")) == (vote.kind, vote.reason, "1")


@pytest.mark.parametrize("ballots", [(KEEP, drop(), FLAG), (flip(), drop(), FLAG), (KEEP, flip(), FLAG)])
def test_000_s1_rule2_all_different_is_flag_polarity_uncertain(ballots: tuple[Vote, Vote, Vote]) -> None:
    decision = decide(*ballots, REF_POLARITY, version="v1")
    assert outcome(decision) == ("FLAG", "POLARITY_UNCERTAIN", "2")
    assert decision.new_value is None


@pytest.mark.parametrize("code", STRUCTURAL_CODES)
def test_000_s1_rule3_structural_flip_is_adopted(code: str) -> None:
    decision = decide(flip(reason=code), drop(), KEEP, REF_POLARITY, version="v1")
    assert outcome(decision) == ("FLIP", code, "3")
    assert decision.new_value == {"polarity": "negative"}


@pytest.mark.parametrize("code", ["IMPLICIT_ASPECT", "WEAK_INFERENCE", "POLARITY_UNCERTAIN"])
def test_000_s1_rule3_other_flip_is_flag(code: str) -> None:
    decision = decide(flip(reason=code), drop(), KEEP, REF_POLARITY, version="v1")
    assert outcome(decision) == ("FLAG", "POLARITY_UNCERTAIN", "3")
    assert decision.new_value is None


@pytest.mark.parametrize("version", VERSIONS)
def test_000_s1_rule4_merge_counts_as_keep(version: Version) -> None:
    decision = decide(MERGE, KEEP, drop(), REF_POLARITY, version=version)
    assert outcome(decision) == ("KEEP", "ASPECT_REF_MISMATCH", "1")
    assert decision.new_value is None


@pytest.mark.parametrize("version", VERSIONS)
def test_000_s1_2_unanimous_merge_is_never_output(version: Version) -> None:
    decision = decide(MERGE, MERGE, MERGE, REF_POLARITY, version=version)
    assert decision.action == "KEEP"
    assert decision.new_value is None


@pytest.mark.parametrize("version", VERSIONS)
def test_000_s1_2_flip_carries_its_new_polarity(version: Version) -> None:
    decision = decide(flip("neutral"), KEEP, flip("neutral"), REF_POLARITY, version=version)
    assert decision.action == "FLIP"
    assert decision.new_value == {"polarity": "neutral"}


def test_000_s3_2_a_contrast_may_be_flipped_to_mixed() -> None:
    votes = (flip("mixed", "CONTRAST_CLAUSE"), flip("mixed", "CONTRAST_CLAUSE"), KEEP)
    decision = decide(*votes, REF_POLARITY)
    assert outcome(decision) == ("FLIP", "CONTRAST_CLAUSE", "1")
    assert decision.new_value == {"polarity": "mixed"}


# --- 002 §2: majority and the protected minority ---------------------------------------------------------


@pytest.mark.parametrize("conflict_type", [GRANULARITY, UPPER_REF])
@pytest.mark.parametrize(("majority", "minority"), [(KEEP, drop()), (drop(), KEEP), (flip(), FLAG), (FLAG, KEEP)])
def test_002_s2_c_alone_on_a_facet_type_is_flag(conflict_type: str, majority: Vote, minority: Vote) -> None:
    decision = decide(majority, majority, minority, conflict_type)
    assert outcome(decision) == ("FLAG", "FACET_MINORITY_SIGNAL", "facet")
    assert decision.new_value is None


def test_002_s2_c_flips_another_way_than_the_majority_is_flag() -> None:
    decision = decide(flip("positive"), flip("positive"), flip("negative"), GRANULARITY)
    assert outcome(decision) == ("FLAG", "FACET_MINORITY_SIGNAL", "facet")


@pytest.mark.parametrize("conflict_type", [GRANULARITY, UPPER_REF])
def test_002_s2_a_or_b_alone_on_a_facet_type_is_outvoted(conflict_type: str) -> None:
    assert outcome(decide(KEEP, drop(), drop(), conflict_type)) == ("DROP", "DUPLICATE_TUPLE", "1")
    assert outcome(decide(drop(), KEEP, drop(), conflict_type)) == ("DROP", "DUPLICATE_TUPLE", "1")


@pytest.mark.parametrize("types", [(), (REF_POLARITY,), ("term_polarity_mismatch",), ("semantic_conflict_candidate",)])
def test_002_s2_c_alone_on_another_type_is_outvoted(types: tuple[str, ...]) -> None:
    assert outcome(decide(KEEP, KEEP, drop(), *types)) == ("KEEP", "KEEP_BEST_SUPPORTED", "1")


def test_002_s2_a_silent_c_is_no_minority_signal() -> None:
    assert outcome(decide(drop(), drop(), NONE, GRANULARITY)) == ("DROP", "DUPLICATE_TUPLE", "1")


def test_002_s2_merge_of_c_agrees_with_a_keep_majority() -> None:
    assert outcome(decide(KEEP, KEEP, MERGE, GRANULARITY)) == ("KEEP", "KEEP_BEST_SUPPORTED", "1")


def test_002_s2_merge_of_c_against_a_drop_majority_is_a_minority_signal() -> None:
    assert outcome(decide(drop(), drop(), MERGE, GRANULARITY)) == ("FLAG", "FACET_MINORITY_SIGNAL", "facet")


def test_002_s2_c_against_two_silent_agents_is_a_minority_signal() -> None:
    decision = decide(NONE, NONE, drop("REDUNDANT_UPPER_REF"), GRANULARITY)
    assert outcome(decision) == ("FLAG", "FACET_MINORITY_SIGNAL", "facet")


# --- 002 §3: tie -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ballots", [(KEEP, drop(), FLAG), (flip(), drop(), FLAG), (KEEP, flip(), FLAG)])
def test_002_s3_tie_on_granularity_is_redundant_ref_uncertain(ballots: tuple[Vote, Vote, Vote]) -> None:
    assert outcome(decide(*ballots, GRANULARITY)) == ("FLAG", "REDUNDANT_REF_UNCERTAIN", "2")


@pytest.mark.parametrize("conflict_type", NOT_GRANULARITY)
def test_002_s3_tie_on_any_other_type_is_polarity_uncertain(conflict_type: str) -> None:
    assert outcome(decide(KEEP, drop(), FLAG, conflict_type)) == ("FLAG", "POLARITY_UNCERTAIN", "2")


def test_002_s3_tie_without_any_flag_is_polarity_uncertain() -> None:
    assert outcome(decide(KEEP, drop(), FLAG)) == ("FLAG", "POLARITY_UNCERTAIN", "2")


def test_002_s3_example_two_flips_one_keep_is_caught_by_rule_1() -> None:
    assert outcome(decide(flip(), flip(), KEEP, REF_POLARITY)) == ("FLIP", "IMPLICIT_ASPECT", "1")


def test_002_s3_example_two_drops_one_flip_is_caught_by_rule_1() -> None:
    assert outcome(decide(drop(), drop(), flip(), REF_POLARITY)) == ("DROP", "DUPLICATE_TUPLE", "1")


@pytest.mark.parametrize("third", [KEEP, NONE, MERGE, drop(), FLAG, flip("neutral")], ids=str)
@pytest.mark.parametrize(
    ("conflict_type", "reason"), [(REF_POLARITY, "POLARITY_UNCERTAIN"), (GRANULARITY, "REDUNDANT_REF_UNCERTAIN")]
)
def test_002_s3_flips_to_different_polarities_are_a_tie(third: Vote, conflict_type: str, reason: str) -> None:
    # Structural reasons, so that reading these as rule 3 would show.
    votes = (flip("positive", "NEGATION_SCOPE"), flip("negative", "NEGATION_SCOPE"), third)
    decision = decide(*votes, conflict_type)
    assert outcome(decision) == ("FLAG", reason, "2")
    assert decision.new_value is None


# --- 002 §4: FLIP, DROP, KEEP ----------------------------------------------------------------------------


@pytest.mark.parametrize("code", STRUCTURAL_CODES)
def test_002_s4_flip_structural(code: str) -> None:
    decision = decide(KEEP, drop(), flip(reason=code), GRANULARITY)
    assert outcome(decision) == ("FLIP", code, "3")
    assert decision.new_value == {"polarity": "negative"}


@pytest.mark.parametrize("code", JUSTIFIED_CODES)
def test_002_s4_flip_structural_comes_before_drop_justified(code: str) -> None:
    decision = decide(flip(reason="NEGATION_SCOPE"), KEEP, drop(code), GRANULARITY)
    assert outcome(decision) == ("FLIP", "NEGATION_SCOPE", "3")


def test_002_s4_drop_justified_weak_evidence() -> None:
    decision = decide(flip(), KEEP, drop("WEAK_EVIDENCE"), REF_POLARITY)
    assert outcome(decision) == ("DROP", "WEAK_EVIDENCE", "3")
    assert decision.new_value is None


def test_002_s4_drop_justified_redundant_upper_ref() -> None:
    decision = decide(flip(), KEEP, drop("REDUNDANT_UPPER_REF"), GRANULARITY)
    assert outcome(decision) == ("DROP", "REDUNDANT_UPPER_REF", "3")


def test_002_s4_otherwise_flag_redundant_ref_uncertain_on_granularity() -> None:
    assert outcome(decide(flip(), drop(), KEEP, GRANULARITY)) == ("FLAG", "REDUNDANT_REF_UNCERTAIN", "3")


@pytest.mark.parametrize("conflict_type", NOT_GRANULARITY)
def test_002_s4_otherwise_flag_tie_unresolved_on_any_other_type(conflict_type: str) -> None:
    assert outcome(decide(flip(), drop(), KEEP, conflict_type)) == ("FLAG", "TIE_UNRESOLVED", "3")


@pytest.mark.parametrize("keeper", [KEEP, MERGE, NONE], ids=str)
def test_002_s4_a_merge_or_a_silent_agent_is_the_keep(keeper: Vote) -> None:
    assert outcome(decide(flip(), drop(), keeper, REF_POLARITY)) == ("FLAG", "TIE_UNRESOLVED", "3")


def test_002_s4_c_is_not_protected_where_there_is_no_majority() -> None:
    assert outcome(decide(flip(), drop("WEAK_EVIDENCE"), KEEP, GRANULARITY)) == ("DROP", "WEAK_EVIDENCE", "3")


def test_002_s4_a_lists_code_counts_only_on_its_own_action() -> None:
    swapped = decide(flip(reason="WEAK_EVIDENCE"), drop("NEGATION_SCOPE"), KEEP, REF_POLARITY)
    assert outcome(swapped) == ("FLAG", "TIE_UNRESOLVED", "3")


# --- 002 §5, §6: MERGE and the action space --------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("types", [(), (REF_POLARITY,), (GRANULARITY,), (UPPER_REF,)])
def test_002_s5_s6_only_keep_drop_flip_flag_are_output(version: Version, types: tuple[str, ...]) -> None:
    votes = (NONE, KEEP, MERGE, FLAG, drop(), drop("WEAK_EVIDENCE"), flip(), flip("positive", "NEGATION_SCOPE"))
    seen = {decide(a, b, c, *types, version=version).action for a in votes for b in votes for c in votes}
    assert seen == {"KEEP", "DROP", "FLIP", "FLAG"}


# --- 002 §7: the same votes under v1 and v2 --------------------------------------------------------------


def v1_and_v2(a: Vote, b: Vote, c: Vote, *types: str) -> tuple[Any, Any]:
    return outcome(decide(a, b, c, *types, version="v1")), outcome(decide(a, b, c, *types, version="v2"))


@pytest.mark.parametrize("conflict_type", [GRANULARITY, UPPER_REF])
def test_002_s7_rule1_and_facet_priority_differ(conflict_type: str) -> None:
    v1, v2 = v1_and_v2(KEEP, KEEP, drop(), conflict_type)
    assert v1 == ("KEEP", "KEEP_BEST_SUPPORTED", "1")
    assert v2 == ("FLAG", "FACET_MINORITY_SIGNAL", "facet")


def test_002_s7_rule2_differs_on_granularity_only() -> None:
    v1, v2 = v1_and_v2(KEEP, drop(), FLAG, GRANULARITY)
    assert v1 == ("FLAG", "POLARITY_UNCERTAIN", "2")
    assert v2 == ("FLAG", "REDUNDANT_REF_UNCERTAIN", "2")
    v1, v2 = v1_and_v2(KEEP, drop(), FLAG, REF_POLARITY)
    assert v1 == v2 == ("FLAG", "POLARITY_UNCERTAIN", "2")


def test_002_s7_rule3_structural_flip_is_the_same() -> None:
    v1, v2 = v1_and_v2(flip(reason="CONTRAST_CLAUSE"), drop("WEAK_EVIDENCE"), KEEP, REF_POLARITY)
    assert v1 == v2 == ("FLIP", "CONTRAST_CLAUSE", "3")


@pytest.mark.parametrize("code", JUSTIFIED_CODES)
def test_002_s7_drop_justification_exists_in_v2_only(code: str) -> None:
    v1, v2 = v1_and_v2(flip(), drop(code), KEEP, REF_POLARITY)
    assert v1 == ("FLAG", "POLARITY_UNCERTAIN", "3")
    assert v2 == ("DROP", code, "3")


@pytest.mark.parametrize(
    ("conflict_type", "reason"), [(GRANULARITY, "REDUNDANT_REF_UNCERTAIN"), (REF_POLARITY, "TIE_UNRESOLVED")]
)
def test_002_s7_rule3_fallback_reason_differs(conflict_type: str, reason: str) -> None:
    v1, v2 = v1_and_v2(flip(), drop(), KEEP, conflict_type)
    assert v1 == ("FLAG", "POLARITY_UNCERTAIN", "3")
    assert v2 == ("FLAG", reason, "3")


def test_v2_is_the_default_version() -> None:
    (decision,) = arbiter_vote({"t0": actions(flip(), drop("WEAK_EVIDENCE"), KEEP)}, [])
    assert outcome(decision) == ("DROP", "WEAK_EVIDENCE", "3")


# --- what the documents leave open and the project decided -----------------------------------------------


def test_several_flags_give_a_tuple_all_their_types_in_any_order() -> None:
    for types in ((REF_POLARITY, GRANULARITY), (GRANULARITY, REF_POLARITY)):
        assert outcome(decide(KEEP, drop(), FLAG, *types)) == ("FLAG", "REDUNDANT_REF_UNCERTAIN", "2")
        assert outcome(decide(flip(), drop(), KEEP, *types)) == ("FLAG", "REDUNDANT_REF_UNCERTAIN", "3")
        assert outcome(decide(KEEP, KEEP, drop(), *types)) == ("FLAG", "FACET_MINORITY_SIGNAL", "facet")


def test_a_flag_touches_only_its_own_tuples() -> None:
    votes = {tuple_id: actions(KEEP, drop(), FLAG, tuple_id) for tuple_id in ("t0", "t1", "t2")}
    flags = [flag_on(GRANULARITY, "t0", "t2"), flag_on(REF_POLARITY, "t1")]
    reasons = {decision.tuple_id: decision.reason_code for decision in arbiter_vote(votes, flags)}
    assert reasons == {
        "t0": "REDUNDANT_REF_UNCERTAIN",
        "t1": "POLARITY_UNCERTAIN",
        "t2": "REDUNDANT_REF_UNCERTAIN",
    }


@pytest.mark.parametrize(
    ("codes", "winner"),
    [
        (("WEAK_EVIDENCE", "DUPLICATE_TUPLE", "DUPLICATE_TUPLE"), "DUPLICATE_TUPLE"),
        (("WEAK_EVIDENCE", "DUPLICATE_TUPLE", "WEAK_EVIDENCE"), "WEAK_EVIDENCE"),
        (("WEAK_EVIDENCE", "DUPLICATE_TUPLE", "POLARITY_UNCERTAIN"), "WEAK_EVIDENCE"),
    ],
)
def test_an_adopted_action_keeps_its_voters_most_frequent_reason(codes: tuple[str, ...], winner: str) -> None:
    a, b, c = (drop(code) for code in codes)
    assert decide(a, b, c, REF_POLARITY).reason_code == winner


def test_a_reason_tie_goes_by_agent_and_not_by_mapping_order() -> None:
    cast = actions(KEEP, drop("WEAK_EVIDENCE"), drop("DUPLICATE_TUPLE"))
    backwards = {agent: cast[agent] for agent in reversed(AGENTS)}
    (decision,) = arbiter_vote({"t0": backwards}, [flag_on(REF_POLARITY, "t0")])
    assert outcome(decision) == ("DROP", "WEAK_EVIDENCE", "1")


def test_the_reason_of_an_outvoted_agent_is_not_taken() -> None:
    assert decide(drop("WEAK_EVIDENCE"), KEEP, KEEP, REF_POLARITY).reason_code == "KEEP_BEST_SUPPORTED"


def test_three_silent_agents_keep_without_a_reason() -> None:
    decision = decide(NONE, NONE, NONE, GRANULARITY)
    assert outcome(decision) == ("KEEP", None, "1")
    assert decision.new_value is None


def test_a_silent_agent_lends_no_reason_to_a_keep() -> None:
    assert decide(NONE, drop(), KEEP, REF_POLARITY).reason_code == "KEEP_BEST_SUPPORTED"


# --- decision records ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ballots", "types", "implicit", "dissent"),
    [
        pytest.param((KEEP, KEEP, KEEP), (), "", "", id="unanimous"),
        pytest.param((NONE, NONE, NONE), (), "ABC", "", id="all_silent"),
        pytest.param((drop(), KEEP, drop()), (), "", "B", id="one_outvoted"),
        pytest.param((drop(), NONE, drop()), (), "B", "B", id="silent_and_outvoted"),
        pytest.param((KEEP, MERGE, NONE), (), "C", "", id="merge_is_no_dissent_from_keep"),
        pytest.param((flip("positive"), flip("positive"), flip("negative")), (), "", "C", id="flip_another_way"),
        pytest.param((KEEP, drop(), FLAG), (), "", "AB", id="tie_agrees_with_flag"),
        pytest.param((flip(reason="NEGATION_SCOPE"), drop(), NONE), (), "C", "BC", id="structural_flip"),
        pytest.param((KEEP, KEEP, drop()), (GRANULARITY,), "", "ABC", id="facet_agrees_with_nobody"),
        pytest.param((KEEP, KEEP, FLAG), (GRANULARITY,), "", "AB", id="facet_flag_is_what_c_asked"),
    ],
)
def test_a_decision_records_its_votes_silence_and_dissent(
    ballots: tuple[Vote, Vote, Vote], types: tuple[str, ...], implicit: str, dissent: str
) -> None:
    decision = decide(*ballots, *types)
    assert set(decision.votes) == set(AGENTS)
    assert sorted(decision.implicit) == list(implicit)
    assert sorted(decision.dissent) == list(dissent)


# --- the function ----------------------------------------------------------------------------------------


def test_no_reviewed_tuple_no_decision() -> None:
    assert list(arbiter_vote({}, [flag_on(REF_POLARITY, "t0", "t1")])) == []


def test_every_reviewed_tuple_is_decided_once_whether_flagged_or_not() -> None:
    votes = {tuple_id: actions(KEEP, drop(), drop(), tuple_id) for tuple_id in ("t0", "t1", "t2", "t10")}
    decisions = arbiter_vote(votes, [flag_on(REF_POLARITY, "t0", "t1")])
    assert sorted(decision.tuple_id for decision in decisions) == sorted(votes)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_arbiter_is_pure(version: Version) -> None:
    votes = {"t0": actions(flip(), drop(), KEEP), "t1": actions(MERGE, NONE, flip(), "t1")}
    flags = [flag_on(GRANULARITY, "t0", "t1")]
    before = copy.deepcopy((votes, flags))
    assert arbiter_vote(votes, flags, version=version) == arbiter_vote(votes, flags, version=version)
    assert (votes, flags) == before


def test_review_action_items_and_plain_dicts_are_decided_alike() -> None:
    cast = actions(flip("neutral", "NEGATION_SCOPE"), drop(), NONE)
    items = {agent: action and ReviewActionItem(**action) for agent, action in cast.items()}
    (from_items,) = arbiter_vote({"t0": items}, [])
    (from_dicts,) = arbiter_vote({"t0": cast}, [])
    assert outcome(from_items) == outcome(from_dicts) == ("FLIP", "NEGATION_SCOPE", "3")
    assert from_items.new_value == from_dicts.new_value == {"polarity": "neutral"}


def test_001_part_b_legacy_polarity_mismatch_flag_is_accepted() -> None:
    # The document's own flag: the older type name, and no aspect_ref.
    legacy = {"aspect_term": "사용감", "tuple_ids": ["t0", "t3"], "conflict_type": "polarity_mismatch"}
    votes = {"t0": actions(KEEP, KEEP, drop()), "t3": actions(flip(), drop(), KEEP, "t3")}
    decisions = {decision.tuple_id: outcome(decision) for decision in arbiter_vote(votes, [legacy])}
    assert decisions == {"t0": ("KEEP", "KEEP_BEST_SUPPORTED", "1"), "t3": ("FLAG", "TIE_UNRESOLVED", "3")}
