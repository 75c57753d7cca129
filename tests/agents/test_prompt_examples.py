"""Every worked example in the prompt files is what the schemas and the rules would accept themselves."""

from __future__ import annotations

from typing import Any

import pytest

from samsim.agents.prompt_files import load_prompt
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.review_actions import enforce_review_actions, reviewable_ids
from samsim.rules.validator import compute_validator_risks
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import (
    REASON_CODES,
    Candidate,
    ConflictFlag,
    PerspectiveASTEStage1Schema,
    ReviewOutputSchema,
    ValidatorRisk,
)
from tests.support.builders import analysis, risk
from tests.support.prompt_examples import (
    PROMPTS,
    REVIEW_PROMPTS,
    STAGE1_PROMPTS,
    Example,
    examples,
    listed_reason_codes,
    section,
)

TRIPLET_FIELDS = [
    "aspect_term",
    "aspect_ref",
    "polarity",
    "opinion_term",
    "evidence",
    "span",
    "confidence",
    "rationale",
]
# These need no language analysis: whether they are there follows from the example itself.
TEXTUAL_RISKS = {"INVALID_REF", "TERM_NOT_IN_TEXT", "EVIDENCE_NOT_IN_TEXT"}

STAGE1_CASES = [
    pytest.param(example, id=f"{name}-{number}")
    for name in STAGE1_PROMPTS
    for number, example in enumerate(examples(name))
]
REVIEW_CASES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name in REVIEW_PROMPTS
    for number, example in enumerate(examples(name))
]


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_has_examples_in_both_languages_and_one_empty_answer(name: str) -> None:
    found = examples(name)
    assert 2 <= len(found) <= 4
    assert {example.is_korean for example in found} == {True, False}
    # Stage 2 and the reviewers are asked only where there is something to answer.
    answers_something = name == "debate_stage2" or name in REVIEW_PROMPTS
    assert sum(not any(example.answer.values()) for example in found) == (0 if answers_something else 1)


# --- Stage 1 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", STAGE1_CASES)
def test_a_stage1_answer_fits_the_schema_as_written(example: Example) -> None:
    assert PerspectiveASTEStage1Schema.model_validate(example.answer).model_dump() == example.answer
    assert all(list(item) == TRIPLET_FIELDS for item in example.answer["triplets"])


@pytest.mark.parametrize("example", STAGE1_CASES)
def test_a_stage1_answer_is_grounded_in_its_text(example: Example) -> None:
    for item in example.answer["triplets"]:
        assert item["evidence"]
        assert item["evidence"] in example.text
        assert item["rationale"]
        if item["aspect_term"]:
            assert example.text[item["span"]["start"] : item["span"]["end"]] == item["aspect_term"]
        else:
            assert item["span"] is None


@pytest.mark.parametrize("example", STAGE1_CASES)
def test_a_stage1_answer_follows_the_rules_for_refs_and_opinion_terms(example: Example) -> None:
    for item in example.answer["triplets"]:
        assert_valid_ref(example, item["aspect_ref"])
        if example.is_korean:
            assert item["opinion_term"].endswith("다")
        else:
            assert item["opinion_term"] in example.text


def assert_valid_ref(example: Example, ref: str) -> None:
    assert example.taxonomy.is_valid(ref)
    assert example.taxonomy.normalise(ref) == ref
    assert ("#" in ref) == example.is_korean


# --- review: what is shown -------------------------------------------------------------------------------


def candidates_of(example: Example) -> list[Candidate]:
    """The shortened candidates of an example; the fields that are left out there get neutral values."""
    return [Candidate.model_validate({**shown, "origin_agent": "A"}) for shown in example.shown["candidates"]]


def flags_of(example: Example) -> list[ConflictFlag]:
    """The flags of an example, which says only their types and tuples."""
    return compute_conflict_flags(candidates_of(example), taxonomy=example.taxonomy)


def risks_of(example: Example) -> list[ValidatorRisk]:
    return [risk(tuple_id, kind) for kind, ids in example.shown["risks"] for tuple_id in ids]


@pytest.mark.parametrize(("name", "example"), REVIEW_CASES)
def test_the_candidates_shown_are_numbered_and_grounded(name: str, example: Example) -> None:
    candidates = candidates_of(example)
    assert [each.tuple_id for each in candidates] == [f"t{number}" for number in range(len(candidates))]
    assert all(each.evidence in example.text and each.aspect_term in example.text for each in candidates)


@pytest.mark.parametrize(("name", "example"), REVIEW_CASES)
def test_the_flags_shown_are_exactly_those_the_code_computes(name: str, example: Example) -> None:
    assert example.shown["flags"] == [(flag.conflict_type, flag.tuple_ids) for flag in flags_of(example)]


@pytest.mark.parametrize(("name", "example"), REVIEW_CASES)
def test_the_risks_shown_are_risks_the_code_could_report(name: str, example: Example) -> None:
    shown = [(each.tuple_id, each.risk_type) for each in risks_of(example)]
    computed = compute_validator_risks(candidates_of(example), analysis(example.text), example.taxonomy)
    assert [one for one in shown if one[1] in TEXTUAL_RISKS] == [(each.tuple_id, each.risk_type) for each in computed]


@pytest.mark.parametrize(("name", "example"), REVIEW_CASES)
def test_only_flagged_tuples_are_shown(name: str, example: Example) -> None:
    shown = {each.tuple_id for each in candidates_of(example)}
    assert shown == reviewable_ids(flags_of(example), risks_of(example))


# --- review: what is answered ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "example"), REVIEW_CASES)
def test_a_review_answer_is_let_through_without_a_refusal(name: str, example: Example) -> None:
    flags, risks = flags_of(example), risks_of(example)
    actions = ReviewOutputSchema.model_validate(example.answer).review_actions
    agent = REVIEW_PROMPTS[name]
    review = enforce_review_actions({agent: actions}, candidates_of(example), flags, risks, example.taxonomy)
    assert review.refusals == ()
    assert {tuple_id for tuple_id, votes in review.actions_by_tuple.items() if votes[agent]} == reviewable_ids(
        flags, risks
    )


@pytest.mark.parametrize(("name", "example"), REVIEW_CASES)
def test_a_review_answer_has_one_action_per_tuple_with_a_listed_reason(name: str, example: Example) -> None:
    answered: list[dict[str, Any]] = example.answer["review_actions"]
    targets = [tuple_id for item in answered for tuple_id in item["target_tuple_ids"]]
    assert len(targets) == len(set(targets))
    for item in answered:
        assert item["actor"] == REVIEW_PROMPTS[name]
        assert item["reason_code"] in listed_reason_codes(name)
        assert set(item) - {"new_value"} == {"action_type", "target_tuple_ids", "reason_code", "actor"}


@pytest.mark.parametrize(("name", "example"), REVIEW_CASES)
def test_a_new_value_is_given_for_flip_and_merge_only(name: str, example: Example) -> None:
    for item in example.answer["review_actions"]:
        if item["action_type"] == "FLIP":
            assert item["new_value"]["polarity"] in POLARITIES
        elif item["action_type"] == "MERGE":
            assert_valid_ref(example, item["new_value"]["normalized_ref"])
        else:
            assert "new_value" not in item


# --- review: the rules around them -----------------------------------------------------------------------


@pytest.mark.parametrize("name", REVIEW_PROMPTS)
def test_a_review_prompt_offers_known_reason_codes_only(name: str) -> None:
    listed = listed_reason_codes(name)
    assert listed <= set(REASON_CODES)
    # The first is written by the enforcement, the others by the arbiter; no reviewer is offered them.
    assert not listed & {"FORMAT_INCOMPLETE", "FACET_MINORITY_SIGNAL", "TIE_UNRESOLVED"}


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("review_pneg_action", {"NEGATION_SCOPE", "CONTRAST_CLAUSE"}),
        ("review_pimp_action", {"WEAK_INFERENCE", "ASPECT_REF_MISMATCH"}),
        ("review_plit_action", {"EXPLICIT_NOT_REQUIRED", "WEAK_EVIDENCE", "REDUNDANT_UPPER_REF"}),
    ],
)
def test_a_reviewer_has_the_reason_codes_its_rules_name(name: str, codes: set[str]) -> None:
    assert codes <= listed_reason_codes(name)
    rules = section(load_prompt(name), "Your rules")
    assert all(code in rules for code in codes)


@pytest.mark.parametrize("name", REVIEW_PROMPTS)
def test_a_reviewer_is_told_the_common_rules(name: str) -> None:
    rules = section(load_prompt(name), "Common rules")
    for rule in (
        "Never create a tuple",
        "conflict_flags or validator_risks",
        "DROP, MERGE, FLIP, KEEP, FLAG",
        "KEEP + FLAG",
    ):
        assert rule in rules
