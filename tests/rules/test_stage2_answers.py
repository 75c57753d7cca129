"""Stage 2 answers every op of the patch, with a reasoning (seed 003 §3.3)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from samsim.rules.stage2_answers import answer_patch
from samsim.schemas.protocol_debate import ChangeItem, ClaimedChangeItem, Stage2Record, Stage2Schema
from tests.support.debate import patch_op

PATCH = [
    patch_op("set_polarity", "t0", "negative", "c0"),
    patch_op("drop_tuple", "t1", "", "c1"),
]


def said(change_id: str, reasoning: str = "the words say so", **fields: str) -> ClaimedChangeItem:
    return ClaimedChangeItem(change_id=change_id, reasoning=reasoning, **fields)


def answer(accepted: list[ClaimedChangeItem], rejected: list[ClaimedChangeItem] | None = None) -> Stage2Record:
    return answer_patch(PATCH, accepted, rejected or [], answered=True)


def reasons(record: Stage2Record) -> dict[str, str]:
    return {one.change_id: one.reason for one in record.rejected_changes}


def test_every_op_is_answered_once() -> None:
    record = answer([said("c0")], [said("c1", "it is there")])
    assert [(one.change_id, one.op, one.value, one.reasoning) for one in record.accepted_changes] == [
        ("c0", "set_polarity", "negative", "the words say so")
    ]
    assert [(one.change_id, one.reason, one.reasoning) for one in record.rejected_changes] == [
        ("c1", "stage2", "it is there")
    ]


@pytest.mark.parametrize("reasoning", ["", "   ", "\n\t"])
def test_an_answer_without_reasoning_is_a_rejection(reasoning: str) -> None:
    assert reasons(answer([said("c0", reasoning)], [said("c1", reasoning)])) == {
        "c0": "no_reasoning",
        "c1": "no_reasoning",
    }


def test_what_is_not_answered_is_rejected() -> None:
    assert reasons(answer([])) == {"c0": "not_answered", "c1": "not_answered"}
    failed = answer_patch(PATCH, [], [], answered=False)
    assert (failed.answered, failed.accepted_changes) == (False, [])


def test_yes_and_no_is_no() -> None:
    assert reasons(answer([said("c0"), said("c1")], [said("c0")])) == {"c0": "contradictory_answer"}


@pytest.mark.parametrize(
    "altered",
    [{"op": "drop_tuple"}, {"op": "explode"}, {"target_tuple_id": "t1"}, {"value": "positive"}, {"value": "terrible"}],
)
def test_a_change_that_was_altered_on_the_way_is_rejected(altered: dict[str, str]) -> None:
    assert reasons(answer([said("c0", **altered), said("c1")])) == {"c0": "altered_change"}


@pytest.mark.parametrize(
    "repeated",
    [
        {"op": "SET_POLARITY", "target_tuple_id": "t0", "value": "부정"},
        {"op": "set_polarity"},
        {"value": " negative "},
        {},
    ],
)
def test_the_same_change_in_other_spellings_is_the_same(repeated: dict[str, str]) -> None:
    assert reasons(answer([said("c0", **repeated), said("c1", value="none")])) == {}


def test_changes_that_the_patch_does_not_have_are_recorded_and_change_nothing() -> None:
    record = answer([said("c0"), said("c9"), said("")], [said("c1")])
    assert record.unknown_changes == ["c9", ""]
    assert [one.change_id for one in record.accepted_changes] == ["c0"]


@pytest.mark.parametrize("reasoning", ["", "  ", None])
def test_the_schema_itself_sends_an_answer_without_reasoning_back(reasoning: str | None) -> None:
    # This is what makes an engine repair it once; only then does the rule above apply.
    with pytest.raises(ValidationError):
        ChangeItem.model_validate({"change_id": "c0", "reasoning": reasoning})
    with pytest.raises(ValidationError):
        Stage2Schema.model_validate({"accepted_changes": [{"change_id": "c0"}], "rejected_changes": []})


def test_the_schema_has_no_memory_advisory_impact() -> None:
    assert set(Stage2Schema.model_fields) == {"accepted_changes", "rejected_changes"}
