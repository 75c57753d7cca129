"""Property: no run of 12 characters of a text is in its episode or its advice, whatever an engine made of the text.

Only the normalised aspect terms, of at most 30 characters, may be kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.memory.advisory_builder import build_from_episodes
from samsim.memory.episode_builder import build_episode
from samsim.memory.injection_controller import format_memory_context
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.risk import RiskFindings, changes_a_tuple, evaluate
from samsim.schemas.analysis import Cue, CueKind, Language, TextAnalysis
from samsim.schemas.memory_v1_1 import dump_entry
from samsim.schemas.protocol_conflict_review import Candidate, DecidedAction, RiskType, ValidatorRisk
from tests.memory.test_episode import result
from tests.support.builders import analysis, decision

RUN = 12
KOREAN = "품질 가격 배터리가 좋지 않아요 그런데 화면은 예쁘지만 무겁고 소리도 작아서 다시는 안 살 거예요 ㅋㅋ".split()
ENGLISH = "the battery was not good but screen looks GREAT although it never charged properly again don't buy".split()


def strings(value: Any, field: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner, field)


def repeats(value: str, text: str) -> bool:
    folded, source = value.casefold(), text.casefold()
    return any(source[start : start + RUN] in folded for start in range(len(source) - RUN + 1))


LANGUAGES: tuple[Language, ...] = ("ko", "en")
DECIDED: tuple[DecidedAction, ...] = ("KEEP", "DROP", "FLIP", "FLAG")
RISKS: tuple[RiskType, ...] = ("INVALID_REF", "NEGATION_SCOPE", "TERM_NOT_IN_TEXT")
CUES: tuple[CueKind, ...] = ("negation", "contrast", "irony")


@st.composite
def texts(draw: st.DrawFn) -> tuple[Language, str]:
    language = draw(st.sampled_from(LANGUAGES))
    words = st.sampled_from(KOREAN if language == "ko" else ENGLISH)
    return language, " ".join(draw(st.lists(words, min_size=3, max_size=25)))


@st.composite
def samples(draw: st.DrawFn) -> tuple[TextAnalysis, list[Candidate], list[Any], list[ValidatorRisk]]:
    """A text, and an engine that quotes it wherever it can: in terms, refs, evidence, reasons and cue words."""
    language, text = draw(texts())

    def piece() -> str:
        start = draw(st.integers(0, len(text) - 1))
        return text[start : draw(st.integers(start, len(text)))]

    tuples = [
        Candidate(
            tuple_id=f"t{number}",
            aspect_term=piece(),
            aspect_ref=piece(),
            polarity=draw(st.sampled_from(["positive", "negative"])),
            opinion_term=piece(),
            evidence=piece(),
            origin_agent="A",
        )
        for number in range(draw(st.integers(0, 4)))
    ]
    actions = st.sampled_from(DECIDED)
    decisions = []
    for one in tuples:
        action = draw(actions)
        decisions.append(decision(one.tuple_id, action, piece(), "neutral" if action == "FLIP" else None))
    kinds = st.sampled_from(RISKS)
    risks = [
        ValidatorRisk(tuple_id=one.tuple_id, risk_type=draw(kinds), severity="mid", description=piece())
        for one in tuples
        if draw(st.booleans())
    ]
    cue_kinds = st.lists(st.sampled_from(CUES), max_size=3)
    cues = [Cue(kind, piece(), 0, 1, ((0, 1), (1, 1))) for kind in draw(cue_kinds)]
    return analysis(text, language=language, cues=cues), tuples, decisions, risks


@settings(max_examples=300, deadline=None)
@given(samples())
def test_no_run_of_the_text_is_remembered_or_advised(
    sample: tuple[TextAnalysis, list[Candidate], list[Any], list[ValidatorRisk]],
) -> None:
    seen, tuples, decisions, risks = sample
    before = RiskFindings.of(risks, compute_conflict_flags(tuples, taxonomy="none"))
    whole = result(seen.text, tuples, decisions, before, seen.language)
    after = RiskFindings.of(risks[1:], before.flags)
    draft = build_episode(
        whole.model_copy(update={"evaluation": evaluate(before, after, applied=changes_a_tuple(decisions))}),
        seen,
        before,
        timestamp="2026-01-02T03:04:05Z",
        version="0.1.0",
        created_from_split="dev",
    )
    entry = draft.with_id("epi_000001")
    for field, value in strings(dump_entry(entry)):
        if field == "aspects_norm":
            assert len(value) <= 30
        else:
            assert not repeats(value, seen.text), (field, value)
    for prohibit in (True, False):
        advisories, _ = build_from_episodes([(entry, 1.0)], language=seen.language, prohibit_dangerous=prohibit)
        for _, value in strings([one.model_dump(mode="json") for one in advisories]):
            assert not repeats(value, seen.text), value
        assert not repeats(format_memory_context(advisories), seen.text)


def test_the_property_can_see_a_leak() -> None:
    text = "배터리가 하루도 못 가서 정말 실망했어요"
    assert repeats(f"symptom {text[3:15]}", text)
    assert repeats(text.upper(), text)
    assert not repeats(f"symptom {text[3:14]}", text)
