"""No text makes the embedded engine raise, whoever is asked; benchmarks/fuzz_texts.py tries many more."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from benchmarks.fuzz_texts import faults_of, mutate, read_every_way, real_sentences, shipped_texts
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.public_data import require_public_data
from tests.support.strategies import steady

SHIPPED = shipped_texts()
_SPACES = st.sampled_from(["", " "])
_NOUNS = st.sampled_from("냄새 향 맛 자국 트러블 보풀 가격 효과 쓰레기 이것 좋음".split())
_PARTICLES = st.sampled_from(["", "이", "은", "도", "만", "조차도"])
_ADVERBS = st.sampled_from(["", "전혀", "거의", "별로", "많이", "하나도", "안", "못"])
_PREDICATES = st.sampled_from(
    "나요 안나요 안나고 나지않고 보이지않는다 안보여서 생기지도않아요 못느껴져요 없어요 없이 아니에요 못한다 "
    "좋지않아요 좋은지모르겠어요 나긴커녕".split()
)
_PIECES = st.one_of(_NOUNS, _PARTICLES, _ADVERBS, _PREDICATES)
_SENTENCES = st.tuples(_NOUNS, _PARTICLES, _SPACES, _ADVERBS, _SPACES, _PREDICATES, _SPACES, _PIECES).map("".join)


@pytest.mark.parametrize(
    "text", ["냄새 전혀 안나요", "맛은 많이 안나요", "자국이 보이지 않는다", "민트 향이 거의 나지 않고"]
)
def test_a_noun_that_is_denied_by_its_verb_is_read(text: str) -> None:
    assert all(result.stage1_tuples for result in read_every_way(text))


@settings(steady, max_examples=60)
@given(st.sampled_from(SHIPPED), st.randoms(use_true_random=False))
def test_a_mutated_review_is_survived(text: str, chance: random.Random) -> None:
    assert_sound(mutate(text, SHIPPED, chance))


@settings(steady, max_examples=100)
@given(st.lists(_SENTENCES, min_size=1, max_size=2).map(" ".join))
def test_any_order_of_korean_pieces_is_survived(text: str) -> None:
    assert_sound(text)


@settings(steady, max_examples=40)
@given(st.text(max_size=40))
def test_any_characters_are_survived(text: str) -> None:
    assert_sound(text)


def test_real_sentences_are_survived() -> None:
    sentences = list(islice(real_sentences(require_public_data()), 0, None, 250))
    assert len(sentences) > 100
    for sentence in sentences:
        assert_sound(sentence)


def assert_sound(text: str) -> None:
    """Every protocol gives a result whose tuples stand in the text, or the text is refused with a clear error."""
    for result in read_every_way(text):
        assert faults_of(result) == []
