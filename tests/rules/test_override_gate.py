"""The override gate: every combination of its conditions under every profile, and the edges of its numbers."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import pytest

from samsim.rules.evidence import EvidenceReader
from samsim.rules.override_gate import (
    Doubts,
    Quotation,
    Standing,
    decide_overrides,
    judge_quotations,
    skip_reason,
    without_effect,
)
from samsim.rules.text_index import TextIndex
from samsim.schemas.protocol_debate import (
    OVERRIDE_PROFILES,
    AcceptedChange,
    DebateTurn,
    EditOp,
    OverrideDecision,
    OverrideProfileName,
    PatchOp,
    Signal,
    StructuralRisk,
)
from tests.support.builders import analysis, candidate, conflict, cue, risk
from tests.support.debate import edit, override, patch_op, signal, turn

PROFILES: tuple[OverrideProfileName, ...] = ("t0", "t1", "t2")
UNDOUBTED = Standing(confidence=0.0, doubted=False, structural=False, words_absent=False)


def test_the_profiles_are_those_of_the_document() -> None:
    given = {name: tuple(dict(profile).values()) for name, profile in OVERRIDE_PROFILES.items()}
    assert given == {
        "t0": (1.6, 0.8, 0.7, True),
        "t1": (1.0, 0.5, 0.6, True),
        "t2": (0.6, 0.3, 0.55, False),
    }


class Conditions(NamedTuple):
    """Which conditions of the gate hold; what is not in the text is there at least."""

    quotation: Quotation
    low_total: bool
    low_margin: bool
    structural_and_alone: bool
    confident_and_undoubted: bool


# Support and against that are low, or not, in total and in margin.
SIGNALS: dict[OverrideProfileName, dict[tuple[bool, bool], tuple[float, float]]] = {
    "t0": {(False, False): (1.6, 0.0), (True, False): (1.2, 0.0), (False, True): (1.1, 0.6), (True, True): (0.5, 0.4)},
    "t1": {(False, False): (1.0, 0.0), (True, False): (0.9, 0.0), (False, True): (0.7, 0.4), (True, True): (0.4, 0.3)},
    "t2": {(False, False): (0.6, 0.0), (True, False): (0.5, 0.0), (False, True): (0.5, 0.4), (True, True): (0.3, 0.2)},
}


def expected(held: Conditions, profile: OverrideProfileName) -> str | None:
    """The table, row by row: the first line that holds."""
    if held.quotation == "missing":
        return "evidence_missing"
    if held.quotation == "false":
        return "evidence_not_in_text"
    if held.low_total:
        return "below_min_total"
    if held.low_margin:
        return "below_min_margin"
    if held.structural_and_alone and profile in ("t0", "t1"):
        return "l3_conservative"
    if held.confident_and_undoubted:
        return "already_confident"
    return None


@pytest.mark.parametrize("profile", PROFILES)
def test_every_combination_has_the_reason_of_the_table(profile: OverrideProfileName) -> None:
    seen = set()
    for held in map(Conditions._make, product(("found", "missing", "false"), *[(False, True)] * 4)):
        support, against = SIGNALS[profile][held.low_total, held.low_margin]
        given = Signal(
            support=support,
            against=against,
            supporters=["EPM"] if held.structural_and_alone else ["EPM", "CJ"],
        )
        standing = Standing(
            confidence=0.95 if held.confident_and_undoubted else 0.1,
            doubted=False,
            structural=held.structural_and_alone,
            words_absent=False,
        )
        change = patch_op("set_polarity", value="negative")
        reason = skip_reason(change, given, standing, OVERRIDE_PROFILES[profile], quotation=held.quotation)
        assert reason == expected(held, profile), held
        seen.add(reason)
    wanted = {
        None,
        "evidence_missing",
        "evidence_not_in_text",
        "below_min_total",
        "below_min_margin",
        "l3_conservative",
        "already_confident",
    }
    assert seen == (wanted if profile != "t2" else wanted - {"l3_conservative"})


def reason_of(
    profile: OverrideProfileName,
    given: Signal,
    standing: Standing = UNDOUBTED,
    op: EditOp = "set_polarity",
    quotation: Quotation = "found",
) -> str | None:
    change = patch_op(op, value="negative" if op == "set_polarity" else "")
    return skip_reason(change, given, standing, OVERRIDE_PROFILES[profile], quotation=quotation)


@pytest.mark.parametrize(
    ("profile", "support", "against", "reason"),
    [
        ("t0", 1.6, 0.0, None),
        ("t0", 1.59, 0.0, "below_min_total"),
        ("t0", 1.3, 0.5, None),
        ("t0", 1.29, 0.5, "below_min_margin"),
        ("t1", 1.0, 0.0, None),
        ("t1", 0.99, 0.0, "below_min_total"),
        ("t1", 0.8, 0.3, None),
        ("t1", 0.79, 0.3, "below_min_margin"),
        ("t2", 0.6, 0.0, None),
        ("t2", 0.59, 0.0, "below_min_total"),
        ("t2", 0.6, 0.3, None),
        ("t2", 0.59, 0.3, "below_min_margin"),
        # A sum of tenths is not exact in binary; the edge is met all the same.
        ("t1", 0.1 + 0.7 + 0.2, 0.0, None),
    ],
)
def test_the_numbers_are_met_at_their_edges(
    profile: OverrideProfileName, support: float, against: float, reason: str | None
) -> None:
    assert reason_of(profile, signal(support, against)) == reason


@pytest.mark.parametrize(("profile", "target"), [("t0", 0.7), ("t1", 0.6), ("t2", 0.55)])
@pytest.mark.parametrize("op", ["set_polarity", "set_aspect_ref", "drop_tuple", "merge_tuples"])
def test_what_is_sure_and_undoubted_is_not_contradicted(
    profile: OverrideProfileName, target: float, op: EditOp
) -> None:
    sure, unsure = (Standing(confidence, False, False, False) for confidence in (target, target - 0.01))
    doubted = Standing(1.0, True, False, False)
    # A merge contradicts nothing the tuple says.
    assert reason_of(profile, signal(), sure, op) == (None if op == "merge_tuples" else "already_confident")
    assert reason_of(profile, signal(), unsure, op) is None
    assert reason_of(profile, signal(), doubted, op) is None


@pytest.mark.parametrize("op", ["set_polarity", "set_aspect_ref", "drop_tuple"])
@pytest.mark.parametrize("supporters", [["EPM"], ["EPM", "CJ"]])
@pytest.mark.parametrize("structural", [False, True])
def test_only_a_flip_on_one_voice_against_a_structure_is_held_back(
    op: EditOp, supporters: list[str], structural: bool
) -> None:
    given = Signal.model_validate({"support": 1.8, "against": 0.0, "supporters": supporters})
    standing = Standing(0.9, True, structural, False)
    held = op == "set_polarity" and structural and len(supporters) == 1
    assert reason_of("t1", given, standing, op) == ("l3_conservative" if held else None)
    assert reason_of("t2", given, standing, op) is None


def test_a_removal_of_words_that_are_not_there_needs_no_quotation_but_no_false_one_either() -> None:
    absent = Standing(0.9, True, False, words_absent=True)
    assert reason_of("t1", signal(), absent, "drop_tuple", "missing") is None
    assert reason_of("t1", signal(), absent, "drop_tuple", "false") == "evidence_not_in_text"
    assert reason_of("t1", signal(), absent, "set_polarity", "missing") == "evidence_missing"
    assert reason_of("t1", signal(), UNDOUBTED, "drop_tuple", "missing") == "evidence_missing"


@pytest.mark.parametrize(
    ("quoted", "worth"),
    [
        (["좋지 않아요"], "found"),
        (["made up", "좋지 않아요"], "found"),
        (["", "좋지 않아요"], "found"),
        (["made up", ""], "false"),
        ([".", "made up"], "false"),
        (["", " ", ".", "…!"], "missing"),
        ([], "missing"),
    ],
)
def test_one_quotation_that_is_in_the_text_is_enough_and_a_mere_mark_is_none(quoted: list[str], worth: str) -> None:
    assert judge_quotations(quoted, TextIndex("사용감이 좋지 않아요.")) == worth


def test_a_confirmation_changes_nothing() -> None:
    assert reason_of("t2", signal(3.0), UNDOUBTED, "confirm_tuple") == "nothing_to_change"


# --- from the debate to the decisions -----------------------------------------------------------------------

TEXT = "사용감이 좋지 않아요"
T0 = candidate("t0", "사용감", polarity="positive", evidence="좋지 않아요", confidence=0.9)
FLIP = edit("set_polarity", "t0", "negative", evidence="좋지 않아요", confidence=0.9)
NEGATED = analysis(TEXT, cues=[cue(TEXT, "negation", "지 않", "좋")])


def decisions(
    *turns: DebateTurn, patch: list[PatchOp] | None = None, accepted: tuple[str, ...] = ("c0",), **doubts: list[Any]
) -> list[OverrideDecision]:
    ops = patch or [patch_op("set_polarity", "t0", "negative", evidence="좋지 않아요")]
    took = [
        AcceptedChange(change_id=name, op="set_polarity", target_tuple_id="t0", value="negative", reasoning="so")
        for name in accepted
    ]
    given = Doubts(doubts.get("risks", []), doubts.get("flags", []), doubts.get("structural", []))
    return decide_overrides(took, ops, list(turns), [T0], given, NEGATED, OVERRIDE_PROFILES["t1"])


def test_two_voices_and_a_doubt_change_the_tuple() -> None:
    second = FLIP.model_copy(update={"confidence": 0.7})
    (decided,) = decisions(turn("EPM", FLIP), turn("CJ", second), risks=[risk("t0", "NEGATION_SCOPE")])
    assert (decided.applied, decided.skip_reason) == (True, None)
    assert (decided.signal.support, decided.signal.against, decided.signal.supporters) == (1.6, 0.0, ["EPM", "CJ"])


def test_a_voice_against_counts_against() -> None:
    confirm = edit("confirm_tuple", "t0", confidence=0.6)
    (decided,) = decisions(turn("EPM", FLIP), turn("CJ", confirm), risks=[risk("t0", "NEGATION_SCOPE")])
    assert (decided.signal.support, decided.signal.against) == (0.9, 0.6)
    assert decided.skip_reason == "below_min_margin"


@pytest.mark.parametrize(
    "doubts",
    [
        {"risks": [risk("t0", "INVALID_REF")]},
        {"flags": [conflict("t0", "t9")]},
        {"structural": [StructuralRisk(tuple_id="t0", risk_type="other", severity="low", description="")]},
    ],
)
def test_any_doubt_opens_a_sure_tuple_and_none_leaves_it_shut(doubts: dict[str, Any]) -> None:
    said = turn("EPM", FLIP), turn("CJ", FLIP)
    assert [one.skip_reason for one in decisions(*said, **doubts)] == [None]
    assert [one.skip_reason for one in decisions(*said)] == ["already_confident"]


@pytest.mark.parametrize(
    ("by_judge", "by_epm", "reason"),
    [
        ("it is not good at all", "좋지 않아요", None),
        ("", "좋지 않아요", None),
        ("좋지 않아요", "it is not good at all", None),
        ("it is not good at all", "", "evidence_not_in_text"),
        (".", "", "evidence_missing"),
    ],
)
def test_the_judge_or_any_supporter_may_quote_the_text(by_judge: str, by_epm: str, reason: str | None) -> None:
    said = [
        turn("EPM", FLIP.model_copy(update={"evidence": by_epm})),
        turn("CJ", FLIP.model_copy(update={"evidence": ""})),
    ]
    patch = [patch_op("set_polarity", "t0", "negative", evidence=by_judge)]
    (decided,) = decisions(*said, patch=patch, risks=[risk("t0", "NEGATION_SCOPE")])
    assert decided.skip_reason == reason


def test_what_stage_2_did_not_accept_is_not_decided() -> None:
    assert decisions(turn("EPM", FLIP), accepted=()) == []


def test_irony_in_the_text_is_a_structure() -> None:
    text = "Great battery, ten minutes"
    seen = analysis(text, language="en", cues=[cue(text, "irony", "ten minutes", text)])
    praised = candidate("t0", "battery", evidence="Great battery")
    reader = EvidenceReader(seen)
    assert Doubts([], [], []).standing_of(praised, reader).structural
    assert not Doubts([], [], []).standing_of(praised, EvidenceReader(analysis(text, language="en"))).structural


@pytest.mark.parametrize("kind", ["negation", "contrast", "irony"])
def test_a_structural_risk_of_the_engine_is_one_too(kind: str) -> None:
    claimed = StructuralRisk.model_validate({"tuple_id": "t0", "risk_type": kind, "severity": "mid", "description": ""})
    plain = EvidenceReader(analysis(TEXT))
    assert Doubts([], [], [claimed]).standing_of(T0, plain).structural
    assert not Doubts([], [], [claimed.model_copy(update={"risk_type": "target"})]).standing_of(T0, plain).structural


def test_changes_without_effect_keep_the_gates_own_reasons() -> None:
    done, skipped = override(), override(applied=False, change_id="c1")
    undone, still = without_effect([done, skipped], "ev_below_threshold")
    assert (undone.applied, undone.skip_reason) == (False, "ev_below_threshold")
    assert still == skipped
