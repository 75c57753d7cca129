"""The records of the protocol, with the JSON of the rule documents as printed there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from samsim.schemas.protocol_conflict_review import (
    ACTION_TYPES,
    AGENTS,
    REASON_CODES,
    ASTETripletItem,
    Candidate,
    ConflictFlag,
    PerspectiveASTEStage1Schema,
    ReviewActionItem,
    ReviewOutputSchema,
    Span,
)

V1_REASON_CODES = """
NEGATION_SCOPE, CONTRAST_CLAUSE, IMPLICIT_ASPECT,
ASPECT_REF_MISMATCH, SPAN_OVERLAP_MERGE, DUPLICATE_TUPLE,
WEAK_EVIDENCE, POLARITY_UNCERTAIN, FORMAT_INCOMPLETE,
KEEP_BEST_SUPPORTED,
WEAK_INFERENCE, EXPLICIT_NOT_REQUIRED, STRUCTURAL_INCONSISTENT
"""
V2_REASON_CODES = "REDUNDANT_UPPER_REF, REDUNDANT_REF_UNCERTAIN, FACET_MINORITY_SIGNAL, TIE_UNRESOLVED"

TRIPLET = """
{
  "aspect_term": "사용감",
  "aspect_ref": "사용감",
  "polarity": "positive",
  "opinion_term": "좋다",
  "evidence": "좋지만",
  "span": {"start": 0, "end": 3},
  "confidence": 0.9,
  "rationale": "부정 대비 구조"
}
"""
FLIP = """
{
  "action_type": "FLIP",
  "target_tuple_ids": ["t3"],
  "new_value": {"polarity": "negative"},
  "reason_code": "NEGATION_SCOPE",
  "actor": "A"
}
"""
MERGE_OUTPUT = """
{ "review_actions": [{ "action_type": "MERGE", "target_tuple_ids": ["t1","t2"],
  "new_value": {"normalized_ref": "사용감"}, "reason_code": "ASPECT_REF_MISMATCH", "actor": "B" }] }
"""
DROP_OUTPUT = """
{ "review_actions": [{ "action_type": "DROP", "target_tuple_ids": ["t5"],
  "reason_code": "WEAK_EVIDENCE", "actor": "C" }] }
"""
CANDIDATES = """
[
  {
    "tuple_id": "t0",
    "aspect_term": "사용감",
    "aspect_ref": "사용감",
    "polarity": "positive",
    "evidence": "좋아요",
    "span": {"start": 0, "end": 5},
    "origin_agent": "A"
  },
  {
    "tuple_id": "t3",
    "aspect_term": "사용감",
    "aspect_ref": "사용감",
    "polarity": "negative",
    "evidence": "별로",
    "origin_agent": "B"
  }
]
"""
LEGACY_FLAG = """
{ "aspect_term": "사용감", "tuple_ids": ["t0", "t3"], "conflict_type": "polarity_mismatch" }
"""
FLAGS = """
[
  {"aspect_ref": "제품 전체#품질", "aspect_term": "품질", "tuple_ids": ["t0", "t1", "t2"],
   "conflict_type": "ref_polarity_mismatch"},
  {"aspect_ref": "", "aspect_term": "품질", "tuple_ids": ["t0", "t1"], "conflict_type": "term_polarity_mismatch"},
  {"aspect_ref": "제품 전체#품질", "aspect_term": "품질A|품질B", "tuple_ids": ["t0", "t1"],
   "conflict_type": "semantic_conflict_candidate"}
]
"""


def names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",")]


# --- the examples as printed -----------------------------------------------------------------------------


def test_001_triplet_example_is_read_and_written_as_printed() -> None:
    item = ASTETripletItem.model_validate_json(TRIPLET)
    assert item.model_dump() == json.loads(TRIPLET)
    assert list(item.model_dump()) == list(json.loads(TRIPLET))


def test_001_stage1_output_with_the_fields_the_table_prints() -> None:
    printed = {"triplets": [{"aspect_term": "사용감", "polarity": "positive", "evidence": "좋지만"}]}
    (item,) = PerspectiveASTEStage1Schema.model_validate(printed).triplets
    assert (item.aspect_ref, item.opinion_term, item.span) == ("", "", None)
    implicit = {"triplets": [{"aspect_term": "제품", "aspect_ref": "사용감", "polarity": "positive"}]}
    assert PerspectiveASTEStage1Schema.model_validate(implicit).triplets[0].aspect_ref == "사용감"


def test_001_review_action_example_is_read_and_written_as_printed() -> None:
    item = ReviewActionItem.model_validate_json(FLIP)
    assert item.model_dump() == json.loads(FLIP)
    assert list(item.model_dump()) == list(json.loads(FLIP))


def test_001_review_output_examples() -> None:
    (merge,) = ReviewOutputSchema.model_validate_json(MERGE_OUTPUT).review_actions
    assert merge.target_tuple_ids == ["t1", "t2"]
    assert merge.new_value == {"normalized_ref": "사용감"}
    (drop,) = ReviewOutputSchema.model_validate_json(DROP_OUTPUT).review_actions
    assert (drop.action_type, drop.reason_code, drop.new_value) == ("DROP", "WEAK_EVIDENCE", None)


def test_001_candidates_example_is_read_with_the_missing_fields_empty() -> None:
    first, second = (Candidate.model_validate(printed) for printed in json.loads(CANDIDATES))
    assert first.span == Span(start=0, end=5)
    assert second.span is None
    assert second.origin_agent == "B"


def test_001_the_older_flag_name_is_read_and_never_written() -> None:
    flag = ConflictFlag.model_validate_json(LEGACY_FLAG)
    assert flag.conflict_type == "ref_polarity_mismatch"
    assert json.loads(flag.model_dump_json())["conflict_type"] == "ref_polarity_mismatch"


def test_000_flag_examples_are_read_and_written_as_printed() -> None:
    assert [ConflictFlag.model_validate(printed).model_dump() for printed in json.loads(FLAGS)] == json.loads(FLAGS)


# --- names -----------------------------------------------------------------------------------------------


def test_the_13_reason_codes_of_001_and_the_4_of_v2() -> None:
    assert (len(names(V1_REASON_CODES)), len(names(V2_REASON_CODES))) == (13, 4)
    assert sorted(REASON_CODES) == sorted(names(V1_REASON_CODES) + names(V2_REASON_CODES))


def test_the_agents_and_the_actions() -> None:
    assert AGENTS == ("A", "B", "C")
    assert set(ACTION_TYPES) == {"DROP", "MERGE", "FLIP", "KEEP", "FLAG"}


# --- JSON schemas ----------------------------------------------------------------------------------------


def properties_of(schema: type[Any], item: str) -> dict[str, Any]:
    found: dict[str, Any] = schema.model_json_schema()["$defs"][item]["properties"]
    return found


def test_the_stage1_json_schema_names_the_polarities_and_all_fields() -> None:
    properties = properties_of(PerspectiveASTEStage1Schema, "ASTETripletItem")
    assert properties["polarity"]["enum"] == ["positive", "negative", "neutral", "mixed"]
    assert list(properties) == list(json.loads(TRIPLET))


def test_the_review_json_schema_names_actions_reasons_and_all_fields() -> None:
    properties = properties_of(ReviewOutputSchema, "ReviewActionItem")
    assert set(properties["action_type"]["enum"]) == {"DROP", "MERGE", "FLIP", "KEEP", "FLAG"}
    assert set(properties["reason_code"]["enum"]) == {*names(V1_REASON_CODES), *names(V2_REASON_CODES)}
    assert list(properties) == list(json.loads(FLIP))


# --- what is read leniently, what is not -----------------------------------------------------------------


def test_null_stands_for_an_empty_text() -> None:
    fields = ("aspect_term", "aspect_ref", "opinion_term", "evidence", "rationale")
    item = ASTETripletItem.model_validate({"polarity": "긍정", **dict.fromkeys(fields)})
    assert item.polarity == "positive"
    assert {getattr(item, field) for field in fields} == {""}


def test_unknown_fields_of_an_engine_are_ignored() -> None:
    item = ASTETripletItem.model_validate({"polarity": "negative", "sentiment_score": 3})
    assert "sentiment_score" not in item.model_dump()


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"polarity": "banana"},
        {"polarity": None},
        {"polarity": "positive", "confidence": 1.5},
        {"polarity": "positive", "confidence": float("nan")},
        {"polarity": "positive", "aspect_term": ["사용감"]},
    ],
)
def test_a_triplet_that_breaks_the_schema_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ASTETripletItem.model_validate(broken)


@pytest.mark.parametrize("span", [{"start": -1, "end": -1}, {"start": 0}, {"start": "x", "end": "y"}, [0, 3], "0-3", 7])
def test_an_unusable_span_does_not_cost_the_triplet(span: object) -> None:
    # Spec, Stage 1: a span that does not point at its term is re-anchored or set to null; it is never trusted.
    item = ASTETripletItem.model_validate({"aspect_term": "사용감", "polarity": "positive", "span": span})
    assert item.aspect_term == "사용감"


def test_what_samsim_writes_is_strict_and_frozen() -> None:
    printed = json.loads(CANDIDATES)[0]
    with pytest.raises(ValidationError):
        Candidate.model_validate({**printed, "gold": "positive"})
    with pytest.raises(ValidationError):
        Candidate.model_validate(printed).polarity = "negative"


def test_a_missing_confidence_is_the_usual_one() -> None:
    assert ASTETripletItem.model_validate({"polarity": "positive", "confidence": None}).confidence == 0.5
