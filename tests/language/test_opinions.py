"""Opinion terms as our convention has them: the tested table for both languages, and what holds for any answer."""

from __future__ import annotations

from itertools import islice

import pytest
from benchmarks.fuzz_texts import real_sentences, shipped_texts
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.embedded.lenses import extract_by
from samsim.language.analyze import analyze_text
from samsim.language.opinions import OpinionReader, opinions_of
from samsim.rules.text_index import TextIndex
from samsim.schemas.analysis import Language
from samsim.schemas.protocol_conflict_review import AGENTS
from tests.support.public_data import require_public_data
from tests.support.strategies import steady

KOREAN = (
    "배송이 정말 빠르고 직원도 매우 친절합니다. 맛은 별로예요. 화질은 안 좋아요. 디자인이 너무 예뻐요! "
    "마음에 들어요, 강력 추천합니다. 포장도 좋네요. 최고예요. 음질은 좋지 않아요."
)
ENGLISH = "I highly recommend it. Really good sushi, but the staff isn't friendly and the rooms were tiny."


def reader(text: str, language: Language) -> OpinionReader:
    return opinions_of(analyze_text(text, language))


@pytest.fixture(scope="module")
def korean() -> OpinionReader:
    return reader(KOREAN, "ko")


@pytest.fixture(scope="module")
def english() -> OpinionReader:
    return reader(ENGLISH, "en")


@pytest.mark.parametrize(
    ("said", "normal"),
    [
        ("really good", "good"),
        ("Really  Good", "Good"),
        ("very, very good", "very, very good"),
        ("very very good", "good"),
        ("so really very good", "good"),
        ("was great", "great"),
        ("is absolutely delicious", "delicious"),
        ("a bit pricey", "pricey"),
        ("kind of bland", "bland"),
        ("the best", "best"),
        ("also fresh", "fresh"),
        ("highly recommend", "recommend"),
        ("very pretty", "pretty"),
        # An adjacent negation is part of the opinion.
        ("not good", "not good"),
        ("not really good", "not really good"),
        ("really not good", "not good"),
        ("is not good", "not good"),
        ("is n't fresh", "is n't fresh"),
        ("isn't fresh", "isn't fresh"),
        ("never fresh", "never fresh"),
        # What judges by itself, or is the opinion.
        ("too small", "too small"),
        ("super friendly", "super friendly"),
        ("so so", "so so"),
        ("just so so", "so so"),
        ("pretty", "pretty"),
        ("very", "very"),
        ("well made", "well made"),
        ("a must", "a must"),
        ("just right", "just right"),
        ("", ""),
    ],
)
def test_english_degree_and_particles_in_front_are_no_part_of_the_opinion(
    english: OpinionReader, said: str, normal: str
) -> None:
    assert english.normal(said) == normal


@pytest.mark.parametrize(
    ("said", "normal"),
    [
        ("정말 빠르고", "빠르다"),
        ("매우 친절합니다", "친절하다"),
        ("친절합니다", "친절하다"),
        ("너무 예뻐요", "예쁘다"),
        ("예뻐", "예쁘다"),
        ("좋네요", "좋다"),
        ("좋다", "좋다"),
        ("별로예요", "별로"),
        ("최고예요", "최고"),
        ("마음에 들어요", "마음 들다"),
        ("강력 추천합니다", "추천하다"),
        # The negation stays in the evidence.
        ("안 좋아요", "좋다"),
        ("좋지 않아요", "좋다"),
        # Said in words of the model's own: read by themselves.
        ("정말 좋아요", "좋다"),
        ("아쉬웠어요", "아쉽다"),
        ("맛있었습니다", "맛있다"),
        ("비싼", "비싸다"),
        ("괜찮은 편이에요", "괜찮다"),
        ("정말 최고였습니다", "최고"),
        ("예쁘고 가벼워요", "예쁘고 가볍다"),
        ("추천하고 싶지 않아요", "추천하다"),
        ("너무", "너무"),
        ("👍", "👍"),
        ("delicious", "delicious"),
        ("", ""),
    ],
)
def test_korean_opinions_come_to_dictionary_form(korean: OpinionReader, said: str, normal: str) -> None:
    assert korean.normal(said) == normal


@pytest.mark.parametrize("opinion", ["recommended", "recommend", "not friendly", "good", "tiny"])
def test_an_english_opinion_is_stated_in_whatever_inflection(english: OpinionReader, opinion: str) -> None:
    assert english.states(opinion)


@pytest.mark.parametrize("opinion", ["추천", "delicious", "not delicious", ""])
def test_what_the_english_text_does_not_say_is_not_stated(english: OpinionReader, opinion: str) -> None:
    assert not english.states(opinion)


@pytest.mark.parametrize(
    "opinion", ["좋다", "예쁘다", "빠르다", "추천", "추천하다", "마음 들다", "마음에 들다", "친절"]
)
def test_a_korean_opinion_is_stated_in_whatever_inflection(korean: OpinionReader, opinion: str) -> None:
    assert korean.states(opinion)


@pytest.mark.parametrize("opinion", ["비싸다", "실망", "good", ""])
def test_what_the_korean_text_does_not_say_is_not_stated(korean: OpinionReader, opinion: str) -> None:
    assert not korean.states(opinion)


WORDS = st.sampled_from(
    "really so very is was a the not n't pretty good friendly isn't a_bit kind of just right too 👍 정말 좋아요 안 "
    "너무 예쁘고 별로 최고 예요 추천 합니다 지 않아요 기대 이하 싶 은 커 크다 .".split()
)


@steady
@given(st.lists(WORDS, max_size=5).map(" ".join) | st.text(max_size=8), st.sampled_from(["ko", "en"]))
def test_a_normal_opinion_is_never_empty_and_stays_as_it_is(
    korean: OpinionReader, english: OpinionReader, opinion: str, language: str
) -> None:
    opinions = korean if language == "ko" else english
    normal = opinions.normal(opinion)
    assert bool(normal) == bool(opinion.strip())
    assert opinions.normal(normal) == normal


def assert_embedded_opinions_are_normal(text: str) -> None:
    given_analysis = analyze_text(text)
    opinions, index = opinions_of(given_analysis), TextIndex(text)
    for agent in AGENTS:
        for opinion in {found.opinion_term for found in extract_by(agent, given_analysis)}:
            assert opinions.normal(opinion) == opinion
            assert index.has(opinion) or opinions.states(opinion)


def test_the_embedded_engine_speaks_of_the_shipped_reviews_in_this_form() -> None:
    for text in shipped_texts():
        assert_embedded_opinions_are_normal(text)


def test_the_embedded_engine_speaks_of_real_sentences_in_this_form() -> None:
    sentences = list(islice(real_sentences(require_public_data()), 0, None, 400))
    assert len(sentences) > 50
    for sentence in sentences:
        assert_embedded_opinions_are_normal(sentence)
