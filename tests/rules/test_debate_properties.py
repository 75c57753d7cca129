"""Whatever is said in a debate: no polarity is lost or invented between the turns, canonical in, canonical out."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.rules.apply import finalize
from samsim.rules.debate_apply import apply_changes
from samsim.rules.debate_edits import enforce_edits
from samsim.rules.debate_signals import LastWords, number_patch
from samsim.rules.override_gate import Doubts, decide_overrides
from samsim.rules.stage2_answers import answer_patch
from samsim.schemas.polarity import POLARITIES, canonical_polarity
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.protocol_debate import (
    EDIT_OPS,
    OVERRIDE_PROFILES,
    PERSONAS,
    ClaimedChangeItem,
    OverrideDecision,
    PatchOp,
    ProposedEditItem,
)
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import analysis, candidate, risk
from tests.support.debate import claim, turn
from tests.support.strategies import steady

TEXT = "사용감이 좋고 향은 별로예요"
NIKL = load_taxonomy("nikl2022")
_SPELLINGS = st.sampled_from(
    (
        *POLARITIES,
        "긍정",
        "NEG",
        " Mixed ",
        "혼합",
        "0",
        "banana",
        "",
        "posative",
        "t0",
        "t1",
        "본품#품질",
        "본품 # 디자인",
        "🙂",
    )
)
_OPS = st.one_of(st.sampled_from(EDIT_OPS), st.sampled_from(EDIT_OPS), st.sampled_from(("", "flip", "SET_POLARITY")))
_IDS = st.sampled_from(("t0", "t1", "t2", "t3", "t9", ""))
_EVIDENCE = st.sampled_from(("", "좋고", "별로예요", "nowhere"))


def edits() -> st.SearchStrategy[ProposedEditItem]:
    return st.builds(claim, _OPS, _IDS, _SPELLINGS, _EVIDENCE, st.floats(0, 1))


def _agreed(one: Candidate, others: list[Candidate]) -> st.SearchStrategy[list[ProposedEditItem]]:
    """One well-formed edit of a tuple, or none: without these, generated voices would hardly ever agree."""
    values: dict[str, list[str]] = {
        "set_polarity": [name for name in POLARITIES if name != one.polarity],
        "set_aspect_ref": ["본품#디자인"],
        "merge_tuples": [
            other.tuple_id for other in others if other.tuple_id != one.tuple_id and other.polarity == one.polarity
        ],
        "drop_tuple": [""],
        "confirm_tuple": [""],
    }
    by_op = [
        st.sampled_from([claim(op, one.tuple_id, value, "좋고", 0.9) for value in known])
        for op, known in values.items()
        if known
    ]
    return st.one_of(st.just([]), *(items.map(lambda item: [item]) for items in by_op))


@dataclass(frozen=True)
class Debate:
    """One generated debate, from its tuples to the changes that were applied."""

    tuples: list[Candidate]
    claimed: list[ProposedEditItem]
    patch: list[PatchOp]
    decisions: list[OverrideDecision]


@st.composite
def debates(draw: st.DrawFn) -> Debate:
    tuples = [
        candidate(
            f"t{number}",
            draw(st.sampled_from(("", "사용감", "향"))),
            draw(st.sampled_from(("", "본품#품질", "제품 전체#품질"))),
            draw(st.sampled_from(POLARITIES)),
            evidence=draw(_EVIDENCE),
            confidence=draw(st.floats(0, 1)),
        )
        for number in range(draw(st.integers(0, 4)))
    ]
    agreed = [item for one in tuples for item in draw(_agreed(one, tuples))]
    claimed = agreed + draw(st.lists(edits(), max_size=draw(st.sampled_from((0, 0, 5)))))
    noise = st.lists(edits(), max_size=draw(st.sampled_from((0, 0, 3))))
    turns = [turn(persona, *enforce_edits(agreed + draw(noise), tuples, NIKL)[0]) for persona in PERSONAS]
    valid, _ = enforce_edits(claimed, tuples, NIKL)
    patch = number_patch(valid, LastWords(turns))
    answers = [
        ClaimedChangeItem(change_id=op.change_id, reasoning=draw(st.sampled_from(("because", "because", ""))))
        for op in patch
    ]
    record = answer_patch(patch, answers, [], answered=True)
    doubted = [risk(one.tuple_id) for one in tuples]
    profile = OVERRIDE_PROFILES[draw(st.sampled_from(("t0", "t1", "t2")))]
    decisions = decide_overrides(
        record.accepted_changes, patch, turns, tuples, Doubts(doubted, [], []), analysis(TEXT), profile
    )
    return Debate(tuples, claimed, patch, decisions)


@steady
@given(debates())
def test_every_polarity_is_canonical_from_the_edit_to_the_result(debate: Debate) -> None:
    written: list[PatchOp | OverrideDecision] = [*debate.patch, *debate.decisions]
    for record in written:
        if record.op == "set_polarity":
            assert record.value in POLARITIES
    after = apply_changes(debate.tuples, debate.decisions)
    assert {one.polarity for one in after} <= set(POLARITIES)
    assert {one.polarity for one in finalize(after)} == {one.polarity for one in after}


@steady
@given(debates())
def test_a_polarity_changes_only_to_what_an_applied_change_says_and_vanishes_only_with_an_applied_drop(
    debate: Debate,
) -> None:
    applied = [decision for decision in debate.decisions if decision.applied]
    set_to = {one.target_tuple_id: one.value for one in applied if one.op == "set_polarity"}
    dropped = {one.target_tuple_id for one in applied if one.op == "drop_tuple"}
    after = {one.tuple_id: one for one in apply_changes(debate.tuples, debate.decisions)}
    assert set(after) == {one.tuple_id for one in debate.tuples} - dropped
    for before in debate.tuples:
        if before.tuple_id not in dropped:
            assert after[before.tuple_id].polarity == set_to.get(before.tuple_id, before.polarity)


@steady
@given(debates())
def test_every_set_polarity_of_the_patch_is_one_that_was_claimed(debate: Debate) -> None:
    claimed = {
        (item.target_tuple_id, canonical_polarity(item.value))
        for item in debate.claimed
        if item.op.casefold() == "set_polarity"
    }
    for op in debate.patch:
        if op.op == "set_polarity":
            assert (op.target_tuple_id, op.value) in claimed


@steady
@given(debates())
def test_a_merge_leaves_one_statement_with_both_opinions_and_no_new_polarity(debate: Debate) -> None:
    after = {one.tuple_id: one for one in apply_changes(debate.tuples, debate.decisions)}
    for decision in debate.decisions:
        if decision.applied and decision.op == "merge_tuples":
            merged, keeper = after[decision.target_tuple_id], after[decision.value]
            assert (merged.aspect_term, merged.aspect_ref, merged.polarity) == (
                keeper.aspect_term,
                keeper.aspect_ref,
                keeper.polarity,
            )


@steady
@given(debates())
def test_nothing_that_was_not_decided_changes_at_all(debate: Debate) -> None:
    touched = {decision.target_tuple_id for decision in debate.decisions if decision.applied}
    after = {one.tuple_id: one for one in apply_changes(debate.tuples, debate.decisions)}
    for before in debate.tuples:
        if before.tuple_id not in touched:
            kept = after[before.tuple_id]
            assert before.model_dump() == kept.model_dump(exclude={"flagged", "flag_reason"})
            assert not kept.flagged


def test_the_generated_debates_really_change_something() -> None:
    seen: set[tuple[str, bool]] = set()

    @settings(steady, max_examples=400)
    @given(debates())
    def collect(debate: Debate) -> None:
        seen.update((decision.op, decision.applied) for decision in debate.decisions)

    collect()
    assert {(op, True) for op in EDIT_OPS if op != "confirm_tuple"} <= seen
    assert ("confirm_tuple", True) not in seen


def test_an_open_conflict_marks_its_tuples() -> None:
    marked, plain = apply_changes([candidate("t0"), candidate("t1")], [], {"t0"})
    assert (marked.flagged, marked.flag_reason) == (True, "TIE_UNRESOLVED")
    assert (plain.flagged, plain.flag_reason) == (False, None)
