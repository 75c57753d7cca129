from __future__ import annotations

import pytest

from samsim.language.english.analysis import analyze_english
from tests.language.cases_english import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_cues_and_their_scopes(case: Case) -> None:
    cues = tuple(
        (cue.kind, cue.marker, *(case.text[start:end] for start, end in cue.scopes))
        for cue in analyze_english(case.text).cues
    )
    assert cues == case.cues


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_polarity_in_context(case: Case) -> None:
    readings = tuple(
        (case.text[word.start : word.end], "+" if word.in_context > 0 else "-")
        for word in analyze_english(case.text).polarity_words
    )
    assert readings == case.readings


def test_the_table_is_large_and_has_traps() -> None:
    assert len(CASES) >= 70
    assert sum(not case.cues for case in CASES) >= 25
    assert len({case.text for case in CASES}) == len(CASES)


def test_a_marker_stands_where_it_says() -> None:
    for case in CASES:
        for cue in analyze_english(case.text).cues:
            assert case.text[cue.start : cue.end].lower() == cue.marker


def test_expressions_are_one_polarity_word() -> None:
    words = analyze_english("A total waste of money, second to none in greed.").polarity_words
    assert [word.lemma for word in words][:2] == ["waste of money", "second to none"]


def test_double_negation_reads_as_it_began() -> None:
    word = analyze_english("The pump is not without its problems.").polarity_words[0]
    assert (word.lemma, word.negated) == ("problem", False)
