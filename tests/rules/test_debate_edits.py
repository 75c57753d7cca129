"""What is let through of the debate's edits, and what is refused with which reason."""

from __future__ import annotations

import pytest

from samsim.rules.debate_edits import (
    contradicts,
    enforce_edits,
    keep_known_conflicts,
    keep_known_risks,
    keep_valid_proposals,
    refusals_of,
)
from samsim.rules.debate_signals import LastWords, number_patch
from samsim.schemas.protocol_debate import (
    CorrectionProposalItem,
    EditOp,
    Persona,
    ProposedEditItem,
    StructuralRiskItem,
    UnresolvedItem,
)
from samsim.schemas.taxonomy import Taxonomy, load_taxonomy
from tests.support.builders import candidate
from tests.support.debate import claim, edit, turn

NIKL, FREE = load_taxonomy("nikl2022"), load_taxonomy("none")
TUPLES = [
    candidate("t0", "사용감", "본품#품질"),
    candidate("t1", "향", "본품#품질"),
    candidate("t2", "가격", "제품 전체#가격", "negative"),
]


def outcome(*items: ProposedEditItem, taxonomy: Taxonomy = NIKL) -> tuple[list[tuple[str, str, str]], list[str]]:
    edits, refused = enforce_edits(items, TUPLES, taxonomy)
    return [one.key for one in edits], [reason for _, reason in refused]


@pytest.mark.parametrize(
    ("item", "key"),
    [
        (claim("set_polarity", "t0", "negative"), ("set_polarity", "t0", "negative")),
        (claim(" SET_POLARITY ", " t0 ", " 부정 "), ("set_polarity", "t0", "negative")),
        (claim("set_aspect_ref", "t0", "본품 # 디자인"), ("set_aspect_ref", "t0", "본품#디자인")),
        (claim("merge_tuples", "t1", " t0 "), ("merge_tuples", "t1", "t0")),
        (claim("drop_tuple", "t2", "whatever"), ("drop_tuple", "t2", "")),
        (claim("confirm_tuple", "t2"), ("confirm_tuple", "t2", "")),
    ],
)
def test_a_valid_edit_comes_out_canonical(item: ProposedEditItem, key: tuple[str, str, str]) -> None:
    assert outcome(item) == ([key], [])


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (claim("flip", "t0", "negative"), "unknown_op"),
        (claim("", "t0"), "unknown_op"),
        (claim("drop_tuple", "t9"), "unknown_tuple"),
        (claim("drop_tuple", ""), "unknown_tuple"),
        (claim("set_polarity", "t0", "bad"), "unknown_polarity"),
        (claim("set_polarity", "t0"), "unknown_polarity"),
        (claim("set_polarity", "t0", "POS"), "same_polarity"),
        (claim("set_aspect_ref", "t0", "화면#품질"), "ref_not_in_taxonomy"),
        (claim("set_aspect_ref", "t0", "본품#품질"), "same_ref"),
        (claim("merge_tuples", "t0", "t9"), "unknown_tuple"),
        (claim("merge_tuples", "t0", "t0"), "merge_with_itself"),
        (claim("merge_tuples", "t0", "t2"), "merge_of_different_polarities"),
    ],
)
def test_what_is_not_known_is_refused_and_never_guessed(item: ProposedEditItem, reason: str) -> None:
    assert outcome(item) == ([], [reason])


def test_free_refs_take_any_name_but_none() -> None:
    assert outcome(claim("set_aspect_ref", "t0", "Battery Life"), taxonomy=FREE)[0] == [
        ("set_aspect_ref", "t0", "battery life")
    ]
    assert outcome(claim("set_aspect_ref", "t0", " "), taxonomy=FREE) == ([], ["ref_not_in_taxonomy"])


def test_a_value_that_is_no_text_is_as_good_as_missing() -> None:
    item = ProposedEditItem.model_validate({"op": "set_polarity", "target_tuple_id": "t0", "value": {"polarity": "-"}})
    assert outcome(item) == ([], ["unknown_polarity"])


def test_of_equal_edits_the_first_stands() -> None:
    assert outcome(claim("drop_tuple"), claim("drop_tuple")) == ([("drop_tuple", "t0", "")], ["duplicate_op"])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (claim("set_polarity", "t0", "negative"), claim("set_polarity", "t0", "neutral")),
        (claim("set_polarity", "t0", "negative"), claim("drop_tuple", "t0")),
        (claim("set_polarity", "t0", "negative"), claim("confirm_tuple", "t0")),
        (claim("drop_tuple", "t0"), claim("confirm_tuple", "t0")),
        (claim("merge_tuples", "t0", "t1"), claim("drop_tuple", "t1")),
        (claim("merge_tuples", "t0", "t1"), claim("set_polarity", "t1", "negative")),
        (claim("merge_tuples", "t0", "t1"), claim("merge_tuples", "t1", "t0")),
        (claim("merge_tuples", "t0", "t1"), claim("set_aspect_ref", "t0", "본품#디자인")),
    ],
)
def test_of_contradictory_edits_none_stands(left: ProposedEditItem, right: ProposedEditItem) -> None:
    assert outcome(left, right) == ([], ["contradictory_ops"] * 2)
    assert outcome(right, left) == ([], ["contradictory_ops"] * 2)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (claim("set_polarity", "t0", "negative"), claim("set_aspect_ref", "t0", "본품#디자인")),
        (claim("set_polarity", "t0", "negative"), claim("drop_tuple", "t1")),
        (claim("merge_tuples", "t0", "t1"), claim("set_aspect_ref", "t1", "본품#디자인")),
        (claim("merge_tuples", "t0", "t1"), claim("confirm_tuple", "t1")),
    ],
)
def test_edits_that_do_not_meet_stand_together(left: ProposedEditItem, right: ProposedEditItem) -> None:
    keys, refused = outcome(left, right)
    assert (len(keys), refused) == (2, [])


def test_a_refusal_is_recorded_as_it_was_claimed() -> None:
    _, refused = enforce_edits([claim("explode", "t0", "🙂")], TUPLES, NIKL)
    (record,) = refusals_of("TAN", refused, 2)
    assert (record.actor, record.round, record.reason) == ("TAN", 2, "unknown_op")
    assert (record.op, record.target_tuple_id, record.value) == ("explode", "t0", "🙂")


def test_no_edit_contradicts_itself() -> None:
    assert not contradicts(edit("drop_tuple"), edit("drop_tuple"))


# --- signals and the patch ------------------------------------------------------------------------------------


def test_a_later_round_replaces_what_it_speaks_of_again_and_silence_takes_nothing_back() -> None:
    flip = edit("set_polarity", "t0", "negative", confidence=0.9)
    keep = edit("confirm_tuple", "t0", confidence=0.4)
    words = LastWords([turn("EPM", flip), turn("EPM", keep, number=2)])
    assert (words.signal_of(flip).support, words.signal_of(flip).against) == (0.0, 0.4)
    back = LastWords([turn("EPM", keep), turn("EPM", flip, number=2)])
    assert (back.signal_of(flip).support, back.signal_of(flip).against, back.edits) == (0.9, 0.0, [flip])
    for answered in (False, True):
        silent = LastWords([turn("EPM", flip), turn("EPM", number=2, answered=answered)])
        assert silent.signal_of(flip).supporters == ["EPM"]


def test_the_latest_edit_per_tuple_and_op_counts() -> None:
    less_sure = edit("set_polarity", "t0", "negative", confidence=0.2)
    other_value = edit("set_polarity", "t0", "neutral", confidence=0.7)
    ref = edit("set_aspect_ref", "t0", "x", confidence=0.5)
    elsewhere = edit("drop_tuple", "t1", confidence=0.8)
    sure = less_sure.model_copy(update={"confidence": 0.9})
    first = turn("CJ", sure, ref, elsewhere)
    assert LastWords([first, turn("CJ", less_sure, number=2)]).edits == [ref, elsewhere, less_sure]
    changed = LastWords([first, turn("CJ", other_value, number=2)])
    assert changed.edits == [ref, elsewhere, other_value]
    assert (changed.signal_of(sure).support, changed.signal_of(sure).against) == (0.0, 0.7)


@pytest.mark.parametrize(
    ("persona", "against"),
    [
        ("EPM", {"set_polarity", "drop_tuple"}),
        ("TAN", {"set_aspect_ref", "merge_tuples", "drop_tuple"}),
        ("CJ", {"set_polarity", "set_aspect_ref", "merge_tuples", "drop_tuple"}),
    ],
)
def test_a_confirmation_speaks_for_the_field_of_its_persona(persona: Persona, against: set[str]) -> None:
    values: dict[EditOp, str] = {
        "set_polarity": "negative",
        "set_aspect_ref": "x",
        "merge_tuples": "t1",
        "drop_tuple": "",
    }
    words = LastWords([turn(persona, edit("confirm_tuple", "t0", confidence=0.6))])
    for op, value in values.items():
        given = words.signal_of(edit(op, "t0", value))
        assert (given.support, given.against) == (0.0, 0.6 if op in against else 0.0), op
        assert words.signal_of(edit(op, "t2", value)).total == 0.0


def test_a_confirmation_takes_back_only_what_it_speaks_against() -> None:
    ref, flip = edit("set_aspect_ref", "t0", "x"), edit("set_polarity", "t0", "negative")
    confirm = edit("confirm_tuple", "t0")
    assert LastWords([turn("EPM", ref, flip), turn("EPM", confirm, number=2)]).edits == [ref, confirm]
    assert LastWords([turn("CJ", ref, flip), turn("CJ", confirm, number=2)]).edits == [confirm]


def test_another_value_a_removal_and_a_confirmation_speak_against_and_another_tuple_does_not() -> None:
    flip = edit("set_polarity", "t0", "negative", confidence=0.9)
    words = LastWords(
        [
            turn("EPM", edit("set_polarity", "t0", "neutral", confidence=0.3)),
            turn("TAN", edit("set_aspect_ref", "t0", "x", confidence=0.5), edit("drop_tuple", "t1", confidence=0.8)),
            turn("CJ", edit("drop_tuple", "t0", confidence=0.2)),
        ]
    )
    given = words.signal_of(flip)
    assert (given.support, given.against, given.supporters) == (0.0, 0.5, [])


def test_the_patch_is_numbered_and_takes_the_evidence_of_its_surest_supporter() -> None:
    plain = edit("set_polarity", "t0", "negative")
    words = LastWords(
        [
            turn("EPM", plain.model_copy(update={"evidence": "weak", "confidence": 0.4})),
            turn("TAN", plain.model_copy(update={"evidence": "strong", "confidence": 0.8})),
            turn("CJ", plain.model_copy(update={"confidence": 0.9})),
        ]
    )
    own = edit("drop_tuple", "t1", evidence="its own")
    patch = number_patch([plain, own, edit("drop_tuple", "t2")], words)
    assert [(op.change_id, op.evidence) for op in patch] == [("c0", "strong"), ("c1", "its own"), ("c2", "")]


# --- the validator's part -------------------------------------------------------------------------------------


def test_doubts_and_proposals_about_nothing_are_left_out() -> None:
    risks = [StructuralRiskItem(tuple_id=" t0 ", risk_type="irony"), StructuralRiskItem(tuple_id="t9")]
    kept, no_risks = keep_known_risks(risks, TUPLES)
    assert [(one.tuple_id, one.risk_type) for one in kept] == [("t0", "irony")]
    assert no_risks == ["structural_risks[1]: unknown_tuple"]
    proposals = [
        CorrectionProposalItem(tuple_id="t0", op="set_polarity", value="neg"),
        CorrectionProposalItem(tuple_id="t0", op="set_polarity", value="?"),
        CorrectionProposalItem(tuple_id="t9", op="drop_tuple"),
    ]
    valid, no_proposals = keep_valid_proposals(proposals, TUPLES, NIKL)
    assert [one.value for one in valid] == ["negative"]
    assert no_proposals == ["correction_proposals[1]: unknown_polarity", "correction_proposals[2]: unknown_tuple"]


@pytest.mark.parametrize(
    ("claimed", "kept", "strays"),
    [
        (["t0", " t1 "], ["t0", "t1"], []),
        ("t1", ["t1"], []),
        (None, [], []),
        (["t0", "t9"], ["t0"], ["unresolved_conflicts[0]: unknown_tuple"]),
        ([7], [], ["unresolved_conflicts[0]: unknown_tuple"]),
        ({"id": "t0"}, [], ["unresolved_conflicts[0]: unknown_tuple"]),
    ],
)
def test_what_is_left_open_names_tuples_in_any_form(claimed: object, kept: list[str], strays: list[str]) -> None:
    item = UnresolvedItem.model_validate({"tuple_ids": claimed, "issue": "which one?"})
    (conflict,), problems = keep_known_conflicts([item], TUPLES)
    assert (conflict.tuple_ids, conflict.issue, problems) == (kept, "which one?", strays)


@pytest.mark.parametrize(
    ("claimed", "known"), [("Irony", "irony"), ("sarcasm", "other"), (7, "other"), (None, "other")]
)
def test_an_unknown_kind_of_doubt_is_another_one(claimed: object, known: str) -> None:
    assert StructuralRiskItem.model_validate({"tuple_id": "t0", "risk_type": claimed}).risk_type == known
