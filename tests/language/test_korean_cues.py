from __future__ import annotations

import pytest

from samsim.language.korean.analysis import analyze_korean
from tests.language.cases_korean import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=[case.text for case in CASES])
def test_cues_and_their_scopes(case: Case) -> None:
    analysis = analyze_korean(case.text)
    found = [(cue.kind, cue.marker, *(case.text[start:end] for start, end in cue.scopes)) for cue in analysis.cues]
    assert sorted(found) == sorted(case.cues)


@pytest.mark.parametrize("case", [case for case in CASES if case.reading is not None], ids=lambda case: case.text)
def test_polarity_in_context(case: Case) -> None:
    words = analyze_korean(case.text).polarity_words
    assert [(word.lemma, "+" if word.in_context > 0 else "-") for word in words] == case.reading


def test_there_are_enough_cases() -> None:
    assert len({case.text for case in CASES}) >= 70
