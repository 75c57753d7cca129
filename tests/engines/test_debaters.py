"""The embedded cast of the debate: each by its own lens, and what the judge and Stage 2 make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from samsim.engines.embedded import debate_stage1, debate_stage2, debaters
from samsim.engines.interface import ATSAInputs, DebateInputs, Stage1Inputs, Stage2Inputs
from samsim.language.analyze import analyze_text
from samsim.memory.advice import NO_ADVICE, advice_in
from samsim.memory.principles import all_principles
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.debate_edits import enforce_edits, keep_known_risks
from samsim.rules.debate_signals import LastWords, number_patch
from samsim.rules.stage1_drops import screen_aspects
from samsim.rules.validator import compute_validator_risks
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.protocol_debate import PERSONAS, DebateTurn, EditOp, Persona, Stage2Schema
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.advice import advisory
from tests.support.builders import candidate, span_of
from tests.support.debate import patch_op

NIKL, FREE = load_taxonomy("nikl2022"), load_taxonomy("none")


def inputs(text: str, tuples: Sequence[Candidate], *checks: str, taxonomy: str = "nikl2022") -> DebateInputs:
    """A debate's context with the real doubts; ``checks`` are put into the memory slot as advice."""
    known = NIKL if taxonomy == "nikl2022" else FREE
    analysis = analyze_text(text)
    # Whatever the principles with the check say: those that say to look are enough.
    advice = [advisory(one.principle_id) for one in all_principles() if one.check in checks]
    given = DebateInputs(
        analysis,
        known,
        tuples,
        compute_conflict_flags(tuples, taxonomy=known),
        compute_validator_risks(tuples, analysis, known),
        memory_slot={"retrieved": advice} if checks else None,
    )
    doubts, _ = keep_known_risks(debate_stage1.validate(given).structural_risks, tuples)
    return DebateInputs(**{name: getattr(given, name) for name in given.__slots__} | {"structural_risks": doubts})


def debate(given: DebateInputs) -> DebateInputs:
    """The context after one round."""
    for persona in PERSONAS:
        edits, refused = enforce_edits(
            debaters.take_turn(persona, given).proposed_edits, given.candidates, given.taxonomy
        )
        assert refused == []
        turn = DebateTurn(persona=persona, round=1, answered=True, proposed_edits=edits)
        given = DebateInputs(
            **{name: getattr(given, name) for name in given.__slots__} | {"turns": (*given.turns, turn)}
        )
    return given


def said(given: DebateInputs) -> dict[Persona, list[tuple[str, str, str]]]:
    return {turn.persona: [edit.key for edit in turn.proposed_edits] for turn in debate(given).turns}


def closed(given: DebateInputs) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The judge's patch, and the tuples it leaves open."""
    answer = debaters.close_debate(debate(given))
    return [(item.op, item.target_tuple_id, item.value) for item in answer.final_patch], [
        name for item in answer.unresolved_conflicts for name in item.tuple_ids
    ]


OVERLOOKED = candidate("t0", "향", "본품#품질", "positive", evidence="좋지 않아요")


@pytest.mark.parametrize(
    ("text", "found", "kind", "words"),
    [
        ("향이 좋아요", "좋아요", "grounding", "근거로 든 말이 다른 극성을 나타냄"),
        ("향이 좋아요", "훌륭해요", "grounding", "근거가 본문에 없음"),
        ("향이 좋지 않아요", "좋지 않아요", "negation", "부정 표현이 걸린 말과 극성이 맞지 않음"),
    ],
)
def test_a_doubt_is_described_as_what_it_is(text: str, found: str, kind: str, words: str) -> None:
    polarity = "positive" if kind == "negation" else "negative"
    tuples = [candidate("t0", "향", "본품#품질", polarity, evidence=found)]
    (doubt,) = inputs(text, tuples).structural_risks
    assert (doubt.risk_type, doubt.description) == (kind, words)


def test_a_negation_that_was_overlooked_is_turned_by_epm_and_cj() -> None:
    flip = ("set_polarity", "t0", "negative")
    assert said(inputs("향이 좋지 않아요", [OVERLOOKED])) == {"EPM": [flip], "TAN": [], "CJ": [flip]}
    assert closed(inputs("향이 좋지 않아요", [OVERLOOKED])) == ([flip], [])


def test_what_the_words_say_is_confirmed() -> None:
    right = candidate("t0", "향", "본품#품질", "negative", evidence="좋지 않아요")
    confirm = ("confirm_tuple", "t0", "")
    assert said(inputs("향이 좋지 않아요", [right])) == {"EPM": [confirm], "TAN": [], "CJ": [confirm]}


def test_irony_is_turned_too() -> None:
    text = "Two hours for a cold burger. Truly five-star delivery 🙄"
    praised = candidate(
        "t0", "delivery", "delivery", "positive", evidence="five-star delivery", opinion_term="five-star"
    )
    given = inputs(text, [praised], taxonomy="none")
    assert [risk.risk_type for risk in given.structural_risks] == ["grounding", "irony"]
    assert closed(given)[0] == [("set_polarity", "t0", "negative")]


def test_tan_drops_an_opinion_word_and_words_that_are_not_there() -> None:
    opinion = candidate("t0", "좋아요", "본품#품질", evidence="좋아요", opinion_term="좋아요")
    invented = candidate("t1", "향", "본품#품질", evidence="은은해요")
    drops = [("drop_tuple", "t0", ""), ("drop_tuple", "t1", "")]
    given = inputs("향이 좋아요", [opinion, invented])
    assert said(given)["TAN"] == drops
    assert said(given)["CJ"] == drops


def test_tan_finds_another_ref_where_the_given_one_is_unknown() -> None:
    text = "가격이 비싸요"
    wrong = candidate("t0", "가격", "화면#무게", "negative", evidence="비싸요", span=span_of(text, "가격"))
    patch, _ = closed(inputs(text, [wrong]))
    assert patch == [("set_aspect_ref", "t0", "제품 전체#가격")]


def test_tan_merges_what_is_said_twice() -> None:
    text = "향이 좋아요"
    fields: dict[str, Any] = {"evidence": "좋아요", "opinion_term": "좋다", "span": span_of(text, "향")}
    first = candidate("t0", "향", "본품#품질", **fields)
    again = candidate("t1", "향", "본품#디자인", **fields)
    upper = candidate("t2", "", "제품 전체#품질", evidence="좋아요", opinion_term="좋다")
    given = inputs(text, [first, again, upper])
    merges = [("merge_tuples", "t1", "t0"), ("merge_tuples", "t2", "t0")]
    assert said(given)["TAN"] == merges
    assert closed(given)[0] == merges


def test_both_sides_of_a_contrast_stay() -> None:
    good = candidate("t0", "음질", "본품#품질", "positive", evidence="나쁘지 않은데")
    bad = candidate("t1", "배터리", "본품#품질", "negative", evidence="오래가지 않네요")
    assert closed(inputs("음질은 나쁘지 않은데 배터리가 오래가지 않네요.", [good, bad]))[0] == []


def test_a_missing_side_of_a_contrast_is_left_open() -> None:
    one_side = candidate("t0", "screen", "screen", "positive", evidence="great")
    given = inputs("The screen is great but the battery is terrible.", [one_side], taxonomy="none")
    assert closed(given) == ([], ["t0"])


@pytest.mark.parametrize(
    ("check", "text", "tuple_"),
    [
        (
            "contrast_sides",
            "The bread was great, but I have not tried the rest.",
            candidate("t0", "bread", "bread", "positive", evidence="great"),
        ),
        (
            "implicit_justified",
            "I took it home. The bag was heavy.",
            candidate("t0", "", "size", "positive", evidence="took it home"),
        ),
        (
            "negation_scope",
            "I did not take the bag home.",
            candidate("t0", "bag", "bag", "negative", evidence="take the bag home"),
        ),
    ],
)
def test_advice_makes_the_judge_look(check: str, text: str, tuple_: Candidate) -> None:
    assert closed(inputs(text, [tuple_], taxonomy="none")) == ([], [])
    assert closed(inputs(text, [tuple_], check, taxonomy="none")) == ([], ["t0"])


def test_advice_without_effect_and_a_broken_slot_mean_nothing() -> None:
    for slot in (None, {}, {"retrieved": "no"}, {"retrieved": [{"message": "be careful"}, {}, None]}):
        assert advice_in(slot) == NO_ADVICE


def warned(text: str, tuples: Sequence[Candidate], principle_id: str, strength: str = "weak") -> DebateInputs:
    warning = advisory(principle_id, advisory_type="failed_override_warning", strength=strength)
    return replace(inputs(text, tuples), memory_slot={"retrieved": [warning]})


def test_what_failed_before_is_not_proposed_but_left_open() -> None:
    wrong = candidate("t0", "향", "본품#품질", "negative", evidence="좋아요")
    text = "향이 정말 좋아요"
    assert closed(inputs(text, [wrong])) == ([("set_polarity", "t0", "positive")], [])
    assert closed(warned(text, [wrong], "any_flip")) == ([], ["t0"])
    assert closed(warned(text, [wrong], "any_drop")) == ([("set_polarity", "t0", "positive")], [])


def test_one_failure_does_not_hold_back_what_the_text_settles() -> None:
    text = "향이 좋지 않아요"
    flipped: tuple[list[tuple[str, str, str]], list[str]] = ([("set_polarity", "t0", "negative")], [])
    assert closed(inputs(text, [OVERLOOKED])) == flipped
    assert closed(warned(text, [OVERLOOKED], "negation_scope_flip")) == flipped
    assert closed(warned(text, [OVERLOOKED], "negation_scope_flip", "moderate")) == ([], ["t0"])


def answer(given: DebateInputs, *ops: tuple[EditOp, str, str]) -> Stage2Schema:
    patch = [patch_op(op, target, value, f"c{number}") for number, (op, target, value) in enumerate(ops)]
    return debate_stage2.answer_patch(
        Stage2Inputs(
            given.analysis, given.taxonomy, given.candidates, given.conflict_flags, given.validator_risks, patch
        )
    )


def test_stage_2_accepts_what_the_text_supports_and_rejects_the_rest_with_a_reason() -> None:
    other = candidate("t1", "향", "본품#품질", "positive", evidence="향이")
    given = inputs("향이 좋지 않아요", [OVERLOOKED, other])
    told = answer(
        given,
        ("set_polarity", "t0", "negative"),
        ("set_polarity", "t0", "mixed"),
        ("drop_tuple", "t0", ""),
        ("set_aspect_ref", "t0", "본품#디자인"),
        ("merge_tuples", "t1", "t0"),
        ("confirm_tuple", "t1", ""),
    )
    assert [item.change_id for item in told.accepted_changes] == ["c0", "c4", "c5"]
    assert [item.change_id for item in told.rejected_changes] == ["c1", "c2", "c3"]
    for item in (*told.accepted_changes, *told.rejected_changes):
        assert item.reasoning.endswith("다.")


def test_stage_2_speaks_the_language_of_the_text() -> None:
    right = candidate("t0", "soup", "soup", "negative", evidence="cold")
    told = answer(inputs("The soup was cold.", [right], taxonomy="none"), ("drop_tuple", "t0", ""))
    assert told.rejected_changes[0].reasoning.isascii()


def test_the_patch_of_the_judge_is_valid_and_quotes_the_text() -> None:
    given = debate(inputs("향이 좋지 않아요", [OVERLOOKED]))
    edits, refused = enforce_edits(debaters.close_debate(given).final_patch, given.candidates, given.taxonomy)
    (op,) = number_patch(edits, LastWords(given.turns))
    assert refused == []
    assert (op.evidence, op.confidence) == ("좋지 않아요", 0.8)


# --- Stage 1 ------------------------------------------------------------------------------------------------


def test_ate_finds_every_target_where_it_stands_and_all_stand_the_check() -> None:
    analysis = analyze_text("화면은 좋은데 배터리가 금방 닳아요")
    aspects = debate_stage1.find_aspects(Stage1Inputs(analysis, NIKL)).aspects
    assert [aspect.term for aspect in aspects] == ["화면", "배터리"]
    assert screen_aspects(aspects, analysis) == (aspects, [])


def test_atsa_judges_the_aspects_it_was_given_and_what_is_implied() -> None:
    analysis = analyze_text("비싸요. 화면은 좋아요.")
    aspects = debate_stage1.find_aspects(Stage1Inputs(analysis, NIKL)).aspects
    whole = debate_stage1.judge_aspects(ATSAInputs(analysis, NIKL, aspects)).aspect_sentiments
    assert [(item.aspect_term, item.is_implicit) for item in whole] == [("화면", False), ("", True)]
    alone = debate_stage1.judge_aspects(ATSAInputs(analysis, NIKL, [])).aspect_sentiments
    assert [(item.aspect_term, item.is_implicit) for item in alone] == [("", True)]


def test_atsa_reads_literally_and_leaves_structure_to_the_debate() -> None:
    analysis = analyze_text("I don't think the strap is soft.")
    aspects = debate_stage1.find_aspects(Stage1Inputs(analysis, FREE)).aspects
    (item,) = debate_stage1.judge_aspects(ATSAInputs(analysis, FREE, aspects)).aspect_sentiments
    assert item.polarity == "positive"


def test_the_validator_names_doubts_and_corrections() -> None:
    given = inputs("향이 좋지 않아요", [OVERLOOKED])
    told = debate_stage1.validate(given)
    assert [(item.tuple_id, item.risk_type, item.severity) for item in told.structural_risks] == [
        ("t0", "negation", "high")
    ]
    assert [(item.op, item.value) for item in told.correction_proposals] == [("set_polarity", "negative")]
