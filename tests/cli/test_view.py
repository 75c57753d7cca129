from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from samsim.cli.result_view.labels import Labels
from samsim.cli.result_view.layout import build_view
from samsim.cli.result_view.style import Look
from samsim.pipeline.api import Pipeline
from samsim.schemas.code_names import Ui
from samsim.schemas.protocol_conflict_review import Refusal
from samsim.schemas.protocol_debate import DebateTurn, DropRecord, EditRefusal
from samsim.schemas.results import CallRecord, SampleResult
from tests.cli.hand_made import candidate, contested, result

WIDTHS = (40, 60, 89, 90, 109, 110, 120, 200)
UIS: tuple[Ui, ...] = ("en", "ko")


def render(shown: SampleResult, ui: Ui = "en", width: int = 120, *, explain: bool = True, colour: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        no_color=not colour,
        highlight=False,
        emoji=False,
        markup=False,
        _environ={},
    )
    console.print(build_view(shown, Look(Labels(ui), width, plain=not colour), explain=explain))
    return stream.getvalue()


def flat(view: str) -> str:
    """The view with its layout undone: words in order, one space between them."""
    return " ".join(view.split())


@pytest.mark.parametrize("ui", UIS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("explain", [True, False])
def test_no_line_is_wider_than_the_terminal(ui: Ui, width: int, explain: bool) -> None:
    lines = render(contested(), ui, width, explain=explain).splitlines()
    assert max(map(cell_len, lines)) <= width


def test_text_keeps_every_mark_without_colour() -> None:
    assert "[화면]+은 {좋은데} [배터리]−±는 {오래가}지 않아요." in render(contested())


def test_text_is_coloured_by_final_polarity() -> None:
    view = render(contested(), colour=True)
    assert "\x1b[1;32m화면\x1b[0m" in view
    assert "\x1b[4m좋은데\x1b[0m" in view
    # 배터리 is negative after the FLIP for one tuple and mixed in another: shown as mixed.
    assert "\x1b[1;35m배터리\x1b[0m" in view


@pytest.mark.parametrize(
    ("ui", "expected"),
    [
        (
            "en",
            [
                "Korean · protocol cr_v2 · taxonomy nikl2022",
                "A · P-NEG (negation, contrast)",
                "B · P-IMP (implicit)",
                "C · P-LIT (literal)",
                "t2, t4, t5 conflict one ref, different polarities",
                "t1, t3 conflict the upper entity and a part of it say the same thing",
                "t2 doubt (high) a negation may have been missed",
                "Rule 1: two of three agree → FLIP −",
                "Rule 3: FLIP, DROP and KEEP; DROP's reason justifies it → DROP",
                "Rule 2: no two agree → FLAG",
                "facet: C's minority view is protected → FLAG",
                "(no vote, counts as KEEP)",
                "MERGE ASPECT_REF_MISMATCH (counts as KEEP)",
                "refused: C FLIP (FLIP to its current polarity)",
                "t99: refused: A DROP (there is no such tuple)",
                "v1 would decide: ≠ differs FLAG POLARITY_UNCERTAIN",
                "v1 would decide: ≠ differs not reviewed, stays",
                "v1 would decide: the same",
                "Uncertain: ⚑ the expert's minority view counts (FACET_MINORITY_SIGNAL)",
            ],
        ),
        (
            "ko",
            [
                "한국어 · 프로토콜 cr_v2 · 분류 체계 nikl2022",
                "A · P-NEG (부정·대비)",
                "B · P-IMP (암시적)",
                "C · P-LIT (문자 그대로)",
                "t2, t4, t5 충돌 같은 범주에 극성이 서로 다름",
                "t2 의심(높음) 부정 표현을 놓친 것으로 보임",
                "규칙 1: 셋 중 둘이 같음 → FLIP −",
                "규칙 3: FLIP·DROP·KEEP이 한 표씩, DROP의 이유가 타당함 → DROP",
                "규칙 2: 같은 표가 없음 → FLAG",
                "facet: C의 소수 의견을 보호 → FLAG",
                "(표 없음, KEEP으로 계산)",
                "받아들이지 않음: C FLIP (현재와 같은 극성으로 FLIP)",
                "v1 규칙이라면: ≠ 다름 FLAG POLARITY_UNCERTAIN",
                "불확실: ⚑ 담당 관점의 소수 의견을 보호함 (FACET_MINORITY_SIGNAL)",
            ],
        ),
    ],
)
def test_narrow_explain_tells_the_whole_story(ui: Ui, expected: list[str]) -> None:
    view = flat(render(contested(), ui, 60))
    assert [words for words in expected if words not in view] == []


@pytest.mark.parametrize(("ui", "agents"), [("en", "literal"), ("ko", "문자 그대로")])
def test_wide_explain_has_three_columns_and_a_matrix(ui: Ui, agents: str) -> None:
    view = render(contested(), ui, 120)
    heading = next(line for line in view.splitlines() if "P-NEG" in line)
    assert "P-IMP" in heading
    assert f"P-LIT ({agents})" in heading
    row = next(line for line in view.splitlines() if line.startswith(" t4 0"))
    assert re.search(r"KEEP\s+FLIP \+\s+DROP\s+\S", row)
    assert ("differs" if ui == "en" else "다름") in row


def test_narrow_explain_stacks_the_perspectives() -> None:
    heading = next(line for line in render(contested(), "en", 60).splitlines() if "P-NEG" in line)
    assert "P-IMP" not in heading


def test_the_other_version_of_a_v1_result_is_v2() -> None:
    view = flat(render(contested("cr_v1"), "en", 60))
    assert "Rule 3: FLIP, DROP and KEEP; no reason decides → FLAG" in view
    assert "v2 would decide: ≠ differs DROP WEAK_EVIDENCE" in view


@pytest.mark.parametrize(
    ("ui", "support", "contest"), [("en", "Support: A · C", "Contested: "), ("ko", "찾은 관점: A · C", "쟁점: ")]
)
def test_compact_view_has_support_and_what_was_contested(ui: Ui, support: str, contest: str) -> None:
    view = flat(render(contested(), ui, 60, explain=False))
    assert support in view
    assert contest in view
    assert "t2: FLIP −" in view
    assert "t4 0" in view  # dropped, and said so
    assert "P-NEG" not in view
    assert "--explain" in view


def test_opinions_in_dictionary_form_come_with_the_words_of_the_text() -> None:
    assert "Opinion: 좋다 “좋은데” Support: A · C" in flat(render(contested(), "en", 60, explain=False))


def test_aligned_columns_with_wide_characters() -> None:
    lines = render(contested(), "ko", 120, explain=False).splitlines()
    rows = [line for line in lines if "본품#" in line and ("긍정" in line or "부정" in line)]
    starts = {cell_len(line[: line.index("본품#")]) for line in rows}
    assert len(rows) >= 2
    assert len(starts) == 1


@pytest.mark.parametrize(
    ("ui", "words"), [("en", "No opinion about any aspect was found."), ("ko", "의견도 찾지 못했습니다.")]
)
def test_nothing_found_is_said_in_words(ui: Ui, words: str) -> None:
    assert words in flat(render(result([]), ui, explain=False))


@pytest.mark.parametrize("found", [contested(), result([])], ids=["beside votes", "without any"])
def test_a_refused_action_that_names_no_tuple_stands_without_a_bare_colon(found: SampleResult) -> None:
    stray = Refusal(actor="B", tuple_id="", reason="unknown_tuple", claimed_action="DROP", claimed_reason_code="")
    other = stray.model_copy(update={"tuple_id": "t9"})
    view = [line.strip() for line in render(found.model_copy(update={"refusals": [stray, other]})).splitlines()]
    assert any(line.startswith("refused: B DROP") for line in view)
    assert any(line.startswith("t9: refused: B DROP") for line in view)
    assert not any(line.startswith(":") for line in view)


def test_nothing_left_says_that_all_were_dropped() -> None:
    found = contested()
    emptied = found.model_copy(update={"final_tuples": [], "final_tuples_post_review": []})
    assert "The review dropped 6 candidates, so nothing is left." in render(emptied, explain=False)


def test_nothing_found_because_an_agent_failed() -> None:
    call = CallRecord(agent="B", stage="stage1", engine="e", prompt_hash="h", problem="timed \x1b[2Jout")
    view = render(result([], calls=[call]), explain=False)
    assert "B · P-IMP (implicit) gave no answer in Stage 1: timed \\x1b[2Jout" in view
    assert "None of the three" not in view


def test_a_reviewer_that_failed_is_named() -> None:
    call = CallRecord(agent="C", stage="review", engine="e", prompt_hash="h", problem="timed out")
    heard = contested().model_copy(update={"calls": [call]})
    assert "C gave no answer: timed out" in render(heard)
    assert "Partial result: C · P-LIT (literal) gave no answer in the review: timed out" in render(heard, explain=False)


@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize(
    ("ui", "words"),
    [
        ("en", "Partial result: C · P-LIT (literal) gave no answer in Stage 1: timeout"),
        ("ko", "일부만 완료된(partial) 결과: 1단계에서 C · P-LIT (문자 그대로) 응답 없음: timeout"),
    ],
)
def test_the_view_names_a_perspective_that_is_missing(ui: Ui, words: str, explain: bool) -> None:
    call = CallRecord(agent="C", stage="stage1", engine="e", prompt_hash="h", problem="timeout")
    heard = contested().model_copy(update={"calls": [call]})
    assert words in flat(render(heard, ui, explain=explain))
    assert "Partial" not in render(contested(), explain=explain)


def test_lost_draws_are_counted() -> None:
    call = CallRecord(agent="SINGLE", stage="stage1", engine="e", prompt_hash="h", problem="timeout")
    heard = result([], protocol="self_consistency:3", calls=[call, call])
    assert "one reading gave no answer in Stage 1: timeout (×2)" in render(heard, explain=False)


HIJACKS: list[tuple[str, str]] = [
    ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
    ("\x9b31m", "\\x9b31m"),
    ("\u202eevil", "\\u202eevil"),
    ("\u2066iso", "\\u2066iso"),
    ("[red]markup[/red]", "[red]markup[/red]"),
    ("[link=http://x]y", "[link=http://x]y"),
    (":smile:", ":smile:"),
    ("a\rb", "a\\x0db"),
    ("\U000e0041", "\\U000e0041"),
]


@pytest.mark.parametrize(("attack", "harmless"), HIJACKS)
@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize("colour", [False, True])
def test_no_field_can_steer_the_terminal(attack: str, harmless: str, width: int, colour: bool) -> None:
    text = f"ok {attack} ok"
    found: Any = candidate("t0", "A", attack, attack, "positive", text=text, opinion_term=attack, evidence=attack)
    view = render(result([found], text=text), "en", width, colour=colour)
    colours_removed = re.sub(r"\x1b\[[0-9;]*m", "", view)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", colours_removed)
    assert flat(colours_removed).count(harmless) >= 4


def test_emoji_and_decomposed_hangul_are_shown_composed() -> None:
    import unicodedata

    text = unicodedata.normalize("NFD", "화면 👩‍👩‍👧 좋아요")
    term = unicodedata.normalize("NFD", "화면")
    view = render(result([candidate("t0", "A", term, "본품#품질", "positive", text=text)], text=text))
    assert "[화면]+ 👩‍👩‍👧 좋아요" in view


def test_a_very_long_text_is_shortened_and_says_so() -> None:
    text = "좋아요 " * 50_000
    view = render(result([], text=text), explain=False)
    assert len(view) < 20_000
    assert "190,000 characters more" in flat(view)


def test_nested_and_crossing_marks_all_stay_visible() -> None:
    text = "battery life is great"
    found = [
        candidate("t0", "A", "battery", "battery", "positive", text=text, evidence="life is great"),
        candidate("t1", "C", "battery life", "battery life", "negative", text=text, evidence="battery life is"),
    ]
    assert "{[[battery]+ {life]− is} great}" in render(result(found, text=text))


# --- the other protocols ------------------------------------------------------------------------------------

NEGATED = "I don't think the strap is soft, but the bag is nice."


def analysed(protocol: str, text: str = NEGATED) -> SampleResult:
    return Pipeline({"protocol": protocol}).analyze(text)


@pytest.mark.parametrize(
    ("ui", "expected"),
    [
        (
            "en",
            [
                "English · protocol debate · taxonomy none",
                "What Stage 1 found",
                "ATSA (sentiment of each aspect)",
                "t0 doubt (high) a negation may have been missed",
                "VALIDATOR t0 the polarity does not fit the negation",
                "EPM, round 1 (maps evidence to polarity) t0 polarity → negative (0.90) “don't think the strap",
                "TAN, round 1 (normalizes target and ref) no change proposed",
                "JUDGE c0 t0 polarity → negative (0.80)",
                "c0 applied (for 1.60, against 0.00)",
                "expected value 0.98 (action 0.40, risk 0.30, grounding 0.20, confidence 0.08), threshold 0.50",
                "moderator: mixed, confidence 0.85",
                "Stage 2 is preferred (stage2_preferred)",
                "polarities differ (polarities_differ)",
                "“soft” − negative changed: EPM, CJ",
            ],
        ),
        (
            "ko",
            [
                "1단계에서 찾은 것",
                "EPM 1라운드 (근거와 극성의 대응) t0 극성 → 부정 (0.90)",
                "TAN 1라운드 (대상과 범주 정규화) 의견 없음",
                "c0 적용 (찬성 1.60, 반대 0.00)",
                "기댓값 0.98",
                "조정: 혼합, 확신도 0.85",
                "2단계를 채택 (stage2_preferred)",
            ],
        ),
    ],
)
def test_a_debate_is_told_from_the_first_turn_to_the_moderator(ui: Ui, expected: list[str]) -> None:
    view = flat(render(analysed("debate"), ui, 100))
    assert [words for words in expected if words not in view] == []


def test_what_went_wrong_in_a_debate_is_shown() -> None:
    whole = analysed("debate")
    assert whole.debate is not None
    silent = DebateTurn(persona="TAN", round=1, answered=False, proposed_edits=[])
    refusal = EditRefusal(actor="CJ", reason="unknown_polarity", op="set_polarity", target_tuple_id="t0", value="?")
    drop = DropRecord(agent="ATE", aspect_term="battery", reason="hallucination")
    skipped = whole.debate.overrides[0].model_copy(update={"applied": False, "skip_reason": "below_min_margin"})
    assert whole.debate.stage2 is not None
    stage2 = whole.debate.stage2.model_copy(update={"unknown_changes": ["c7", "c8"]})
    changes = {"turns": [silent], "refusals": [refusal], "drops": [drop], "overrides": [skipped], "stage2": stage2}
    debate = whole.debate.model_copy(update=changes)
    calls = [CallRecord(agent="TAN", stage="debate", prompt_hash="p", problem="timeout")]
    view = flat(render(whole.model_copy(update={"debate": debate, "calls": calls})))
    for words in (
        "dropped before the debate: battery (not in the text)",
        "TAN, round 1 (normalizes target and ref) no answer: timeout",
        "Stage 2 also ruled on changes that do not exist: c7, c8",
        "refused: CJ set_polarity t0 (unknown polarity)",
        "c0 not applied: support does not exceed opposition by enough",
    ):
        assert words in view


@pytest.mark.parametrize("ui", UIS)
@pytest.mark.parametrize("width", [40, 90, 120])
@pytest.mark.parametrize("protocol", ["debate", "single", "stage1_only", "self_consistency:3", "self_consistency:7"])
def test_every_protocol_fits_the_terminal_and_shows_no_votes_it_has_not(protocol: str, width: int, ui: Ui) -> None:
    for explain in (True, False):
        view = render(analysed(protocol), ui, width, explain=explain)
        assert max(map(cell_len, view.splitlines())) <= width
        assert Labels(ui)("votes") not in view


def test_the_draws_of_self_consistency_stand_beside_each_other() -> None:
    view = render(analysed("self_consistency:3"), "en", 120)
    heading = next(line for line in view.splitlines() if "draw 1" in line)
    assert "draw 3" in heading
    assert "S1 S2 S3" in view


def test_a_persona_is_spelled_out_once() -> None:
    view = flat(render(Pipeline({"protocol": "debate", "debate": {"rounds": 2}}).analyze(NEGATED), "en", 100))
    assert "EPM, round 2 t0" in view
    assert view.count("maps evidence to polarity") == 1


@pytest.mark.parametrize(("ui", "words"), [("en", "t0: polarity → negative"), ("ko", "t0: 극성 → 부정")])
def test_the_compact_view_says_what_a_debate_changed(ui: Ui, words: str) -> None:
    assert words in flat(render(analysed("debate"), ui, 140, explain=False))


@pytest.mark.parametrize(
    ("protocol", "hint"),
    [
        ("cr_v2", "--explain shows every vote and rule."),
        ("debate", "--explain shows the whole debate."),
        ("self_consistency:3", "--explain shows every draw."),
        ("single", ""),
        ("stage1_only", ""),
    ],
)
def test_the_hint_promises_only_what_there_is(protocol: str, hint: str) -> None:
    view = flat(render(analysed(protocol), "en", 100, explain=False))
    assert (hint in view, "--explain" in view) == (True, bool(hint))


def test_a_debate_about_nothing_says_so() -> None:
    view = flat(render(analysed("debate", "I bought it yesterday.")))
    assert "There was nothing to debate." in view
    assert "moderator: no label, confidence 0.00" in view
    assert "Stage 1 reported none." in view
