"""Every worked example of the debate's prompts is what the schemas and the rules would accept themselves."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import BaseModel

from samsim.agents.debate_agents import DEBATE_VOICES, PERSONA_VOICES
from samsim.agents.prompt_files import load_prompt
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.debate_edits import enforce_edits, keep_known_risks, keep_valid_proposals
from samsim.rules.stage2_answers import answer_patch
from samsim.schemas.protocol_conflict_review import Candidate, ValidatorRisk
from samsim.schemas.protocol_debate import (
    EDIT_OPS,
    ATSASchema,
    DebateTurnSchema,
    DropReason,
    JudgeSchema,
    PatchOp,
    Stage2Schema,
    StructuralRiskItem,
    ValidatorSchema,
)
from tests.support.prompt_examples import Example, examples, section

SCHEMAS: dict[str, type[BaseModel]] = {voice.prompt_name: voice.output_schema for voice in DEBATE_VOICES}
CASES = [
    pytest.param(name, example, id=f"{name}-{number}")
    for name in SCHEMAS
    for number, example in enumerate(examples(name))
]
PERSONAS = [voice.prompt_name for voice in PERSONA_VOICES.values()]
EDITING = [*PERSONAS, "debate_judge"]
WITH_CONTEXT = [case for case in CASES if case.values[0] in (*EDITING, "debate_validator_stage1")]


def tuples_of(example: Example) -> list[Candidate]:
    return [Candidate.model_validate({**shown, "origin_agent": "ATSA"}) for shown in example.shown["candidates"]]


@pytest.mark.parametrize(("name", "example"), CASES)
def test_an_answer_fits_the_schema_as_written(name: str, example: Example) -> None:
    assert SCHEMAS[name].model_validate(example.answer).model_dump() == example.answer


@pytest.mark.parametrize("example", examples("debate_ate_stage1"))
def test_the_aspects_stand_where_they_are_said_to(example: Example) -> None:
    for aspect in example.answer["aspects"]:
        assert example.text[aspect["span"]["start"] : aspect["span"]["end"]] == aspect["term"]


@pytest.mark.parametrize("example", examples("debate_atsa_stage1"))
def test_the_sentiments_are_grounded(example: Example) -> None:
    for item in ATSASchema.model_validate(example.answer).aspect_sentiments:
        assert item.evidence in example.text
        assert item.is_implicit == (item.aspect_term == "")
        assert example.taxonomy.is_valid(item.aspect_ref)
        if item.span is not None:
            assert example.text[item.span.start : item.span.end] == item.aspect_term


@pytest.mark.parametrize(("name", "example"), WITH_CONTEXT)
def test_the_context_shown_is_one_the_code_could_make(name: str, example: Example) -> None:
    tuples = tuples_of(example)
    assert all(one.evidence in example.text and one.aspect_term in example.text for one in tuples)
    computed = compute_conflict_flags(tuples, taxonomy=example.taxonomy)
    assert example.shown["conflict_flags"] == [flag.model_dump() for flag in computed]
    # Nobody is asked about nothing.
    assert tuples
    for risk in example.shown["validator_risks"]:
        ValidatorRisk.model_validate(risk)
    doubts = [StructuralRiskItem.model_validate(claimed) for claimed in example.shown.get("structural_risks", [])]
    assert keep_known_risks(doubts, tuples)[1] == []


@pytest.mark.parametrize(("name", "example"), [case for case in CASES if case.values[0] in EDITING])
def test_every_edit_is_let_through_and_quotes_the_text(name: str, example: Example) -> None:
    if name == "debate_judge":
        items = JudgeSchema.model_validate(example.answer).final_patch
    else:
        items = DebateTurnSchema.model_validate(example.answer).proposed_edits
    edits, refused = enforce_edits(items, tuples_of(example), example.taxonomy)
    assert refused == []
    assert [edit.model_dump() for edit in edits] == [item.model_dump() for item in items]
    assert all(edit.evidence and edit.evidence in example.text for edit in edits)


@pytest.mark.parametrize("example", examples("debate_validator_stage1"))
def test_every_doubt_and_proposal_is_about_a_tuple(example: Example) -> None:
    answer = ValidatorSchema.model_validate(example.answer)
    tuples = tuples_of(example)
    assert keep_known_risks(answer.structural_risks, tuples)[1] == []
    assert keep_valid_proposals(answer.correction_proposals, tuples, example.taxonomy)[1] == []


@pytest.mark.parametrize("example", examples("debate_stage2"))
def test_stage_2_answers_the_whole_patch_with_reasons(example: Example) -> None:
    patch = [PatchOp.model_validate(op) for op in example.shown["patch"]]
    assert patch
    answer = Stage2Schema.model_validate(example.answer)
    record = answer_patch(patch, answer.accepted_changes, answer.rejected_changes, answered=True)
    assert len(record.accepted_changes) == len(answer.accepted_changes)
    assert {one.reason for one in record.rejected_changes} <= {"stage2"}
    assert record.unknown_changes == []


@pytest.mark.parametrize("name", EDITING)
def test_a_debater_is_told_every_op_and_that_tuples_cannot_be_made(name: str) -> None:
    block = section(load_prompt(name), "Edits")
    assert all(f"`{op}`" in block for op in EDIT_OPS)
    assert "you cannot make one" in block


@pytest.mark.parametrize("name", EDITING)
def test_a_debater_is_told_about_rounds_drops_and_quotations(name: str) -> None:
    prompt = load_prompt(name).system
    assert "earlier round" in prompt or "in an earlier one stands" in prompt
    assert all(f"`{reason}`" in prompt for reason in get_args(DropReason))
    assert "nobody quotes words of the text is not applied" in prompt


@pytest.mark.parametrize("name", EDITING)
def test_advice_is_said_to_decide_nothing(name: str) -> None:
    assert "never what to decide" in load_prompt(name).system


def test_stage_2_is_told_that_a_reasoning_is_required_and_nothing_about_memory() -> None:
    prompt = load_prompt("debate_stage2")
    assert "`reasoning` is required and never empty" in prompt.system
    assert "memory" not in (prompt.system + prompt.user).casefold()
