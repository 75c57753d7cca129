from __future__ import annotations

import unicodedata

import pytest

from samsim.language.korean.analysis import analyze_korean
from samsim.language.korean.morphology import MAX_CHUNK, tokenize


def lemmas(text: str) -> list[str]:
    return [token.lemma for token in tokenize(text)[0]]


@pytest.mark.parametrize(
    ("text", "lemma"),
    [
        ("직원이 친절한데", "친절하다"),
        ("정말 깨끗했어요", "깨끗하다"),
        ("촌스러워요", "촌스럽다"),
        ("불친절하네요", "불친절하다"),
        ("추천 합니다", "추천하다"),
        ("맛 있어요", "맛있다"),
        ("사용감이", "사용감"),
        ("재구매 의사", "재구매"),
        ("이곳은", "이곳"),
        ("장소을 좋아해요", "장소"),
        ("비쌉니다", "비싸다"),
    ],
)
def test_words_have_their_dictionary_form(text: str, lemma: str) -> None:
    assert lemma in lemmas(text)


def test_the_connective_after_an_adjective_is_one_token() -> None:
    tokens, _ = tokenize("직원은 친절한데 음식이 별로예요")
    assert [(token.form, token.tag) for token in tokens if token.form == "ㄴ데"] == [("ㄴ데", "EC")]


def test_the_noun_de_stays_a_noun() -> None:
    tokens, _ = tokenize("먹는 데가 없어요")
    assert any(token.form == "데" and token.tag == "NNB" for token in tokens)


@pytest.mark.parametrize(
    "text",
    [
        "😀 정말 좋아요 👨‍👩‍👧‍👦 굿",
        "ㅠㅠ ㅋㅋㅋ 굳ㅋㅋ",
        "\x00\x01 좋아요\u202e 좋음",
        "가격은 비싸요\n\n맛은 좋아요",
        unicodedata.normalize("NFD", "정말 안좋아요 😀 한국"),
        "좋아요\ud800 나빠요",
    ],
)
def test_offsets_point_at_the_surface(text: str) -> None:
    tokens, sentences = tokenize(text)
    assert tokens
    for token in tokens:
        surface = unicodedata.normalize("NFC", text[token.start : token.end])
        assert not surface.startswith(" ")
        if token.tag in ("NNG", "MAG", "JX", "JKS"):
            assert surface == token.form
    assert all(start < end <= len(text) for start, end in sentences)


def test_decomposed_text_has_the_tokens_of_the_composed_one() -> None:
    text = "사용감은 좋지만 가격은 안 비싸요."
    decomposed = unicodedata.normalize("NFD", text)
    composed_tokens, decomposed_tokens = tokenize(text)[0], tokenize(decomposed)[0]
    assert [token.form for token in decomposed_tokens] == [token.form for token in composed_tokens]
    surfaces = [unicodedata.normalize("NFC", decomposed[token.start : token.end]) for token in decomposed_tokens]
    assert surfaces == [text[token.start : token.end] for token in composed_tokens]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u200f"])
def test_text_without_words_is_an_empty_analysis(text: str) -> None:
    analysis = analyze_korean(text)
    assert analysis.cues == ()
    assert analysis.polarity_words == ()


def test_sentences_and_clauses_cover_what_they_should() -> None:
    text = "배송은 빠르고 포장도 꼼꼼했지만 향이 별로였어요. 그래도 만족해요!"
    analysis = analyze_korean(text)
    assert [text[slice(*span)] for span in analysis.sentences] == [
        "배송은 빠르고 포장도 꼼꼼했지만 향이 별로였어요.",
        "그래도 만족해요!",
    ]
    assert [text[slice(*span)] for span in analysis.clauses] == [
        "배송은 빠르고",
        "포장도 꼼꼼했지만",
        "향이 별로였어요.",
        "그래도 만족해요!",
    ]


@pytest.mark.parametrize("text", ["추천하고 싶지 않아요", "맛있게 먹었어요", "써 보니 좋아요", "좋지는 않아요"])
def test_auxiliaries_do_not_split_a_clause(text: str) -> None:
    first_clause = analyze_korean(text).clauses[0]
    expected = "써 보니" if text.startswith("써") else text
    assert text[slice(*first_clause)] == expected


def test_long_text_is_cut_without_losing_a_place() -> None:
    sentence = "사용감은 좋지만 가격은 비싸요. "
    text = sentence * 400
    assert len(text) > 3 * MAX_CHUNK
    analysis = analyze_korean(text)
    assert len(analysis.sentences) == 400
    assert len(analysis.cues_of("contrast")) == 400
    for cue in analysis.cues_of("contrast"):
        assert text[slice(*cue.scopes[1])] == "가격은 비싸요."


@pytest.mark.parametrize("piece", ["직원은 친절한데 음식이 별로예요. ", "😀", "((", "ㅋ"])
def test_fifty_thousand_characters_of_one_piece_are_survived(piece: str) -> None:
    # Runs of emoji and of brackets were quadratic once; speed itself is measured by benchmarks/.
    text = piece * (50_000 // len(piece))
    analysis = analyze_korean(text)
    assert all(0 <= token.start <= token.end <= len(text) for token in analysis.tokens)


@pytest.mark.parametrize("text", ["아 지 랑   주   잘 어 울 려 ", "어 울 려", "잘 어 울 려. 좋아요"])
def test_an_ending_that_is_not_written_stands_in_order(text: str) -> None:
    # Kiwi reads 울 려 as 울려고 해 and puts 하 behind the ending that follows it.
    analysis = analyze_korean(text)
    starts = [token.start for token in analysis.tokens]
    assert starts == sorted(starts)
    assert analysis.clauses[-1][1] <= len(text)
