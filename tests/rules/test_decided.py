"""What a debate decided, in the words an episode has for it."""

from __future__ import annotations

import pytest

from samsim.pipeline.api import Pipeline
from samsim.rules.decided import Decided, leading_decisions
from samsim.schemas.protocol_conflict_review import RiskType
from samsim.schemas.protocol_debate import DebateRecord, EditOp, OverrideDecision, UnresolvedConflict
from samsim.schemas.results import SampleResult
from tests.support.builders import risk
from tests.support.debate import edit, override, turn


def debated(*overrides: OverrideDecision, **changes: object) -> SampleResult:
    """A debate about two tuples whose decisions are replaced."""
    result = Pipeline({"protocol": "debate"}).analyze("The strap is soft. The bag is nice.")
    assert result.debate is not None
    assert len(result.stage1_tuples) == 2
    debate = result.debate.model_copy(update={"overrides": list(overrides), "turns": [], **changes})
    return result.model_copy(update={"debate": debate, "validator_risks": []})


@pytest.mark.parametrize(
    ("op", "action", "reason"),
    [
        ("set_polarity", "FLIP", "STRUCTURAL_INCONSISTENT"),
        ("drop_tuple", "DROP", "WEAK_EVIDENCE"),
        ("merge_tuples", "DROP", "DUPLICATE_TUPLE"),
        ("set_aspect_ref", "KEEP", "ASPECT_REF_MISMATCH"),
    ],
)
def test_applied_changes_are_remembered_as_actions(op: EditOp, action: str, reason: str) -> None:
    (found,) = leading_decisions(debated(override(op, "t1")))
    assert (found.tuple_id, found.action, found.reason) == ("t1", action, reason)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("NEGATION_SCOPE", "NEGATION_SCOPE"),
        ("CONTRAST_SCOPE", "CONTRAST_CLAUSE"),
        ("INVALID_REF", "STRUCTURAL_INCONSISTENT"),
    ],
)
def test_a_flip_has_the_reason_of_the_doubt_it_settles(kind: RiskType, reason: str) -> None:
    result = debated(override()).model_copy(update={"validator_risks": [risk("t0", kind)]})
    assert [found.reason for found in leading_decisions(result)] == [reason]


def test_a_new_polarity_says_more_than_a_new_ref() -> None:
    both = override("set_aspect_ref", value="x"), override(change_id="c1")
    assert [found.action for found in leading_decisions(debated(*both))] == ["FLIP"]


def test_what_was_left_open_is_a_flag_and_what_was_spoken_of_stays() -> None:
    whole = debated()
    assert isinstance(whole.debate, DebateRecord)
    assert whole.debate.judge is not None
    judge = whole.debate.judge.model_copy(
        update={"unresolved_conflicts": [UnresolvedConflict(tuple_ids=["t1"], issue="unclear")]}
    )
    spoken = turn("EPM", edit("confirm_tuple", "t0"), edit("confirm_tuple", "t1"))
    assert leading_decisions(debated(override(applied=False), judge=judge, turns=[spoken])) == [
        Decided("t0", "KEEP", "KEEP_BEST_SUPPORTED"),
        Decided("t1", "FLAG", "TIE_UNRESOLVED"),
    ]


def test_a_protocol_that_only_reads_decides_nothing() -> None:
    assert leading_decisions(Pipeline({"protocol": "single"}).analyze("The strap is soft.")) == []
