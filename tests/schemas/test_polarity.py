"""Polarity spellings: an exact table, and nothing outside it is guessed (spec: Stage 1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from samsim.schemas.polarity import POLARITIES, Polarity, canonical_polarity
from tests.support.builders import nfc, nfd
from tests.support.strategies import steady

TABLE = {
    "positive": ["positive", "pos", "+", "긍정", "긍정적", "긍정적임"],
    "negative": ["negative", "neg", "-", "부정", "부정적", "부정적임"],
    "neutral": ["neutral", "neu", "0", "중립", "중립적", "보통"],
    "mixed": ["mixed", "conflict", "both", "혼합", "복합", "양가", "양가적"],
}
ROWS = [(spelling, name) for name, spellings in TABLE.items() for spelling in spellings]
KNOWN = {spelling for spelling, _ in ROWS}


def test_there_are_four_polarities() -> None:
    assert POLARITIES == ("positive", "negative", "neutral", "mixed")


@pytest.mark.parametrize(("spelling", "name"), ROWS)
def test_every_spelling_of_the_table(spelling: str, name: str) -> None:
    assert canonical_polarity(spelling) == name


@pytest.mark.parametrize(("spelling", "name"), ROWS)
def test_case_outer_spaces_and_normal_form_do_not_matter(spelling: str, name: str) -> None:
    variants = (spelling.upper(), spelling.title(), f"  {spelling}\n", nfd(spelling))
    assert [canonical_polarity(variant) for variant in variants] == [name] * len(variants)


@pytest.mark.parametrize(
    "spelling",
    [
        "",
        " ",
        "positiv",
        "very positive",
        "not positive",
        "pos.",
        "긍정!",
        "좋음",
        "긍정 부정",
        "++",
        "1",
        "-1",
        "none",
    ],
)
def test_what_is_not_in_the_table_is_not_guessed(spelling: str) -> None:
    assert canonical_polarity(spelling) is None


@pytest.mark.parametrize(
    "value", [None, True, False, 0, 1, -1, 0.0, float("nan"), b"positive", ["positive"], {"polarity": "positive"}, str]
)
def test_any_other_type_is_no_polarity(value: object) -> None:
    assert canonical_polarity(value) is None


@steady
@given(st.text(max_size=2), st.sampled_from(sorted(KNOWN)), st.text(max_size=2))
def test_a_known_spelling_inside_other_text_is_not_guessed(before: str, spelling: str, after: str) -> None:
    text = before + spelling + after
    assert (canonical_polarity(text) is not None) == (nfc(text).strip().casefold() in KNOWN)


@pytest.mark.parametrize("value", ["positively", "", None, 1, ["negative"]])
def test_a_schema_refuses_what_is_not_in_the_table_and_names_what_is(value: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Polarity).validate_python(value)
    assert all(name in str(caught.value) for name in POLARITIES)


@pytest.mark.parametrize(("spelling", "name"), ROWS)
def test_a_schema_stores_the_canonical_name(spelling: str, name: str) -> None:
    assert TypeAdapter(Polarity).validate_python(spelling) == name
