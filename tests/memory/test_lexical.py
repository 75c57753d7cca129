"""Tokens: Korean nouns are found whatever particle clings to them, codes stay whole."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.memory.lexical import tokens
from samsim.memory.scoring import lexical_similarity
from tests.support.builders import nfd


@pytest.mark.parametrize("form", ["품질이", "품질은", "품질을"])
def test_a_korean_noun_matches_with_any_particle(form: str) -> None:
    assert tokens("품질") == {"품질"}
    assert tokens("품질") <= tokens(form)
    assert lexical_similarity(tokens("품질"), tokens(form), lambda _: 1.0) == 0.5
    assert lexical_similarity(tokens("품질"), tokens("가격이"), lambda _: 1.0) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", set()),
        ("!? …", set()),
        ("안", {"안"}),
        ("않다", {"않다"}),
        ("품질이", {"품질", "질이"}),
        ("품질 좋아", {"품질", "좋아"}),
        ("NEGATION_SCOPE", {"negation_scope"}),
        ("negation:않다 FLIP", {"negation", "않다", "flip"}),
        ("A4용지2장", {"a4", "용지", "2", "장"}),
        ("ＡＢＣ１２", {"abc12"}),
        ("Café-Bar", {"café", "bar"}),
        (nfd("품질"), {"품질"}),
    ],
)
def test_tokens(text: str, expected: set[str]) -> None:
    assert tokens(text) == expected


@given(st.text(max_size=60))
def test_tokens_are_a_function_of_the_normal_form(text: str) -> None:
    assert tokens(text) == tokens(nfd(text))
    assert all(token and not token.isspace() for token in tokens(text))


@given(st.text(alphabet="가나다라마", min_size=1, max_size=12))
def test_a_run_of_hangul_has_one_token_less_than_syllables(run: str) -> None:
    expected = {run} if len(run) == 1 else {left + right for left, right in pairwise(run)}
    assert tokens(run) == expected
