from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.engines.embedded.extraction import Extraction
from samsim.engines.embedded.korean.perspectives import extract_implicit, extract_literal, extract_negation
from samsim.language.korean.analysis import analyze_korean

EXTRACTORS = {"A": extract_negation, "B": extract_implicit, "C": extract_literal}
SIGNS = {"positive": "+", "negative": "-", "neutral": "0", "mixed": "±"}

Found = tuple[str | None, str, str]


def found_by(perspective: str, text: str) -> list[Found]:
    """(target, opinion term, sign) of everything a perspective finds; None for an implicit target."""
    return [
        (None if item.target is None else text[slice(*item.target)], item.opinion_term, SIGNS[item.polarity])
        for item in EXTRACTORS[perspective](analyze_korean(text))
    ]


# (text, what A and C both find exactly)
EXPLICIT: list[tuple[str, list[Found]]] = [
    ("사용감은 좋지만 가격은 비싸요.", [("사용감", "좋다", "+"), ("가격", "비싸다", "-")]),
    ("직원은 친절한데 음식이 별로예요.", [("직원", "친절하다", "+"), ("음식", "별로", "-")]),
    ("무난한 맛이에요.", [("맛", "무난하다", "+")]),
    ("가격 대비 품질이 좋아요.", [("품질", "좋다", "+")]),
    ("배터리 수명이 길어요.", [("배터리 수명", "길다", "+")]),
    ("저녁 식사가 훌륭했어요.", [("저녁 식사", "훌륭하다", "+")]),
    ("대기 줄이 너무 길어요.", [("대기 줄", "길다", "-")]),
    ("품질이 좋지 않아요.", [("품질", "좋다", "-")]),
    ("향이 안 좋아요.", [("향", "좋다", "-")]),
    ("맛없는 메뉴가 하나도 없어요.", [("메뉴", "맛없다", "+")]),
    ("맛없는 메뉴가 전혀 없어요.", [("메뉴", "맛없다", "+")]),
    ("맛있는 메뉴가 없어요.", [("메뉴", "맛있다", "-")]),
    ("맛이 예전만 못해요.", [("맛", "못하다", "-")]),
    ("맛은 사진만 못해요.", [("맛", "못하다", "-")]),
    ("이 제품은 값을 못 해요.", [("제품", "값 하다", "-")]),
    ("서비스는 단점이 없어요.", [("서비스", "단점", "+")]),
    ("포장이 나쁘지 않아요.", [("포장", "나쁘다", "+")]),
    ("음식과 서비스는 훌륭했어요.", [("음식", "훌륭하다", "+"), ("서비스", "훌륭하다", "+")]),
    (
        "친절한 직원과 깨끗한 매장이 인상적이에요.",
        [("직원", "친절하다", "+"), ("매장", "깨끗하다", "+"), ("매장", "인상적", "+")],
    ),
    ("이 크림을 추천합니다.", [("크림", "추천하다", "+")]),
    ("저는 이 향을 싫어해요.", [("향", "싫어하다", "-")]),
    ("서비스에 실망했어요.", [("서비스", "실망하다", "-")]),
    ("화면이 선명하고 소리가 커요.", [("화면", "선명하다", "+")]),
    ("맛이 없어요.", [("맛", "없다", "-")]),
    ("소음이 전혀 없어요.", [("소음", "없다", "+")]),
    ("냄새 전혀 안나요.", [("냄새", "나다", "+")]),
    ("맛은 많이 안나요.", [("맛", "나다", "-")]),
    ("자국이 보이지 않는다.", [("자국", "보이다", "+")]),
    ("민트 향이 거의 나지 않고 맛이 없어요.", [("민트 향", "나다", "-"), ("맛", "없다", "-")]),
    ("직원들이 무뚝뚝해요.", [("직원", "무뚝뚝하다", "-")]),
    ("디자인은 예쁜데 내구성이 약해요.", [("디자인", "예쁘다", "+"), ("내구성", "약하다", "-")]),
    ("가격이 비싼 편이에요.", [("가격", "비싸다", "-")]),
    ("국물이 짜요.", [("국물", "짜다", "-")]),
    ("최고의 커피예요.", [("커피", "최고", "+")]),
    ("배송이 빠르네요!!", [("배송", "빠르다", "+")]),
    ("터치가 잘 안 돼요.", [("터치", "잘 되다", "-")]),
    ("양이 많아요.", [("양", "많다", "+")]),
    ("가격이 높아요.", [("가격", "높다", "-")]),
    ("이 노트북은 화면이 선명해요.", [("화면", "선명하다", "+")]),
    ("마감이 꼼꼼하지 못했어요.", [("마감", "꼼꼼하다", "-")]),
    ("색상이 마음에 들어요.", [("색상", "마음 들다", "+")]),
    ("포장은 꼼꼼했으나 배송이 늦었습니다.", [("포장", "꼼꼼하다", "+"), ("배송", "늦다", "-")]),
    ("품질도 좋고 디자인도 세련됐어요.", [("품질", "좋다", "+"), ("디자인", "세련되다", "+")]),
    ("가성비 최고!", [("가성비", "최고", "+")]),
    ("맛은 그저 그런데 분위기가 좋아요.", [("맛", "그저 그렇다", "-"), ("분위기", "좋다", "+")]),
    ("제품은 좋은데 배송이 일주일이나 걸렸어요.", [("제품", "좋다", "+"), ("배송", "걸리다", "-")]),
    ("국물이 진하고 면발이 쫄깃해요.", [("국물", "진하다", "+"), ("면발", "쫄깃하다", "+")]),
    ("블루투스 연결이 자주 끊겨요.", [("블루투스 연결", "끊기다", "-")]),
    ("고객센터 응대가 불친절했어요.", [("고객센터 응대", "불친절하다", "-")]),
]

# (text, perspective, what it finds exactly)
PARTICULAR: list[tuple[str, str, list[Found]]] = [
    (
        "배송은 빠르고 포장도 꼼꼼했지만 향이 별로였어요.",
        "A",
        [("배송", "빠르다", "+"), ("포장", "꼼꼼하다", "+"), ("향", "별로", "-")],
    ),
    ("맛있고 양도 많아요.", "A", [("양", "많다", "+")]),
    ("맛있고 양도 많아요.", "B", [(None, "맛있다", "+")]),
    ("서비스가 신속하고 정중했습니다.", "A", [("서비스", "신속하다", "+"), ("서비스", "정중하다", "+")]),
    ("서비스가 신속하고 정중했습니다.", "C", [("서비스", "신속하다", "+")]),
    ("훌륭하고 친절한 서비스였어요.", "A", [("서비스", "훌륭하다", "+"), ("서비스", "친절하다", "+")]),
    ("이 집 국수는 맛있다고 할 수 없어요.", "A", [("국수", "맛있다", "-")]),
    ("이 집 국수는 맛있다고 할 수 없어요.", "C", [("국수", "맛있다", "+")]),
    ("향이 안 좋을 수가 없어요.", "A", [("향", "좋다", "+")]),
    ("화면이 조금 더 컸으면 좋겠어요.", "A", [("화면", "좋다", "-")]),
    ("화면이 조금 더 컸으면 좋겠어요.", "C", []),
    ("리조또를 먹었는데 정말 맛있었어요.", "A", [("리조또", "맛있다", "+")]),
    ("리조또를 먹었는데 정말 맛있었어요.", "C", []),
    ("가격에 비해 양이 적어요.", "A", [("양", "적다", "-")]),
    ("예전 제품보다 흡수력이 좋아요.", "A", [("흡수력", "좋다", "+")]),
    ("키보드는 촉감이 좋아요.", "A", [("키보드", "좋다", "+")]),
    ("키보드는 촉감이 좋아요.", "C", []),
    ("맛있긴 한데 가격이 비싸요.", "A", [("가격", "비싸다", "-")]),
    ("맛있긴 한데 가격이 비싸요.", "B", [(None, "맛있다", "+")]),
    ("이 제품 정말 좋나요?", "A", [("제품", "좋다", "0")]),
    ("배송이 참 빠르네요 ㅡㅡ", "A", [("배송", "빠르다", "0")]),
    ("배송이 참 빠르네요 ㅡㅡ", "C", [("배송", "빠르다", "+")]),
    ("퍽이나 친절하시네요.", "B", []),
    ("만두를 시켰어요. 정말 맛있어요.", "C", []),
    ("훌륭한 분위기에서 식사했어요.", "C", [("분위기", "훌륭하다", "+")]),
    ("너무 비싸요.", "B", [(None, "비싸다", "-")]),
    ("생각보다 안 비싸요.", "B", [(None, "비싸다", "+")]),
    ("재구매 의사 있어요.", "B", [(None, "재구매 의사 있다", "+")]),
    ("추천합니다.", "B", [(None, "추천하다", "+")]),
    ("다신 안 사요.", "B", [(None, "다시 사다", "-")]),
    ("돈이 아까워요.", "B", [(None, "돈 아깝다", "-")]),
    ("한 달 만에 고장 났어요.", "B", [(None, "고장 나다", "-")]),
    ("만족합니다.", "B", [(None, "만족하다", "+")]),
    ("쓰기 편해요.", "B", [(None, "편하다", "+")]),
    ("매장이 깨끗해서 자주 갈 것 같아요.", "A", [("매장", "깨끗하다", "+")]),
    ("매장이 깨끗해서 자주 갈 것 같아요.", "B", [(None, "자주 가다", "+")]),
    ("정말 맛있어요 이 집 만두", "C", [("만두", "맛있다", "+")]),
    ("정말 맛있어요 이 집 만두", "A", []),
    ("정말 맛있어요 이 집 만두", "B", []),
    ("가격은 비싸요.", "B", []),
    ("어제 친구와 다녀왔어요.", "B", []),
    ("어제 친구와 다녀왔어요.", "A", []),
    ("안경을 샀어요.", "A", []),
    ("단점이 없어요.", "B", [(None, "단점", "+")]),
    ("얼룩이 전혀 안 생겨요.", "B", [(None, "얼룩", "+")]),
    ("오류가 나지 않아요.", "B", [(None, "오류", "+")]),
    ("장점이 없어요.", "B", [(None, "장점", "-")]),
    ("불편한 게 하나도 없어요.", "B", [(None, "불편하다", "+")]),
    ("불편한 점이 한 가지도 없어요.", "B", [(None, "불편하다", "+")]),
    ("안 먹으면 후회해요.", "B", [(None, "후회하다", "+")]),
    ("안 사면 후회합니다.", "B", [(None, "후회하다", "+")]),
    ("사면 후회해요.", "B", [(None, "후회하다", "-")]),
    ("안 사면 손해입니다.", "B", [(None, "손해", "+")]),
    ("맛있다고는 못 하겠어요.", "B", [(None, "맛있다", "-")]),
    ("돈값을 못 해요.", "B", [(None, "돈 값", "-")]),
    ("제값을 못해요.", "B", [(None, "제값 못하다", "-")]),
    ("맛있지도 맛없지도 않아요.", "B", [(None, "맛있다", "0")]),
    ("음식이 좋지도 나쁘지도 않아요.", "A", [("음식", "좋다", "0"), ("음식", "나쁘다", "0")]),
    ("음식이 좋지도 나쁘지도 않아요.", "C", []),
    ("가격만 아니면 완벽해요.", "A", [("가격", "완벽하다", "-")]),
    ("가격만 아니면 완벽할 텐데요.", "A", [("가격", "완벽하다", "-")]),
    ("가격만 아니었으면 만족했어요.", "A", [("가격", "만족하다", "-")]),
    ("소음만 없으면 최고예요.", "A", [("소음", "최고", "-")]),
    ("가격만 빼면 다 좋아요.", "A", [("가격", "좋다", "-")]),
    ("가격만 아니면 완벽해요.", "C", []),
    ("전보다 못하네요.", "B", [(None, "못하다", "-")]),
    ("화면이 크고 밝아요.", "A", [("화면", "크다", "+"), ("화면", "밝다", "+")]),
    ("그냥 그래요.", "B", [(None, "그냥 그렇다", "-")]),
]


@pytest.mark.parametrize("perspective", ["A", "C"])
@pytest.mark.parametrize(("text", "expected"), EXPLICIT, ids=[text for text, _ in EXPLICIT])
def test_plain_pairs_are_found_by_scope_and_by_letter(perspective: str, text: str, expected: list[Found]) -> None:
    assert found_by(perspective, text) == expected


@pytest.mark.parametrize(("text", "_expected"), EXPLICIT, ids=[text for text, _ in EXPLICIT])
def test_what_is_named_is_not_also_implicit(text: str, _expected: list[Found]) -> None:
    assert found_by("B", text) == []


@pytest.mark.parametrize(("text", "perspective", "expected"), PARTICULAR)
def test_each_perspective_reads_in_its_own_way(text: str, perspective: str, expected: list[Found]) -> None:
    assert found_by(perspective, text) == expected


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("너무 비싸요.", "price"),
        ("돈이 아까워요.", "price"),
        ("정말 촌스러워요.", "design"),
        ("쓰기 편해요.", "convenience"),
        ("한 달 만에 고장 났어요.", "quality"),
        ("튼튼해요.", "quality"),
        ("추천합니다.", "general"),
    ],
)
def test_an_implicit_opinion_names_its_attribute(text: str, attribute: str) -> None:
    assert [item.attribute for item in extract_implicit(analyze_korean(text))] == [attribute]


def test_the_opinion_span_is_the_predicate_with_its_endings() -> None:
    text = "사용감은 좋지만 가격은 안 비싸요."
    spans = [text[slice(*item.opinion)] for item in extract_negation(analyze_korean(text))]
    assert spans == ["좋지만", "안 비싸요"]


def test_decomposed_text_gives_the_same_pairs_at_its_own_offsets() -> None:
    text = unicodedata.normalize("NFD", "사용감은 좋지만 가격은 비싸요.")
    found = extract_literal(analyze_korean(text))
    targets = [unicodedata.normalize("NFC", text[slice(*item.target)]) for item in found if item.target]
    assert targets == ["사용감", "가격"]


HANGUL_TEXT = st.lists(
    st.one_of(
        st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), max_size=6),
        st.text(st.characters(min_codepoint=0x3131, max_codepoint=0x318E), max_size=3),
        st.sampled_from(
            ["좋", "지만", " 안 ", "없", "별로", "는데", "음식", "이", "은 ", "😀", "\u202e", "\n", "못하", "친절한데"]
        ),
        st.text(max_size=4),
    ),
    max_size=12,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(HANGUL_TEXT, st.sampled_from(["NFC", "NFD"]))
def test_any_text_is_read_and_every_offset_points_into_it(raw: str, form: Literal["NFC", "NFD"]) -> None:
    text = unicodedata.normalize(form, raw)
    analysis = analyze_korean(text)
    for token in analysis.tokens:
        assert 0 <= token.start <= token.end <= len(text)
    assert list(analysis.tokens) == sorted(analysis.tokens, key=lambda token: token.start)
    for cue in analysis.cues:
        assert text[cue.start : cue.end] == cue.marker
        assert all(0 <= start <= end <= len(text) for start, end in cue.scopes)
    for extract in EXTRACTORS.values():
        for item in extract(analysis):
            check_extraction(text, item)


def check_extraction(text: str, item: Extraction) -> None:
    assert 0 <= item.opinion[0] < item.opinion[1] <= len(text)
    assert 0 < item.confidence <= 1
    if item.target is None:
        assert item.attribute is not None
    else:
        assert 0 <= item.target[0] < item.target[1] <= len(text)
        assert text[slice(*item.target)].strip() == text[slice(*item.target)]
