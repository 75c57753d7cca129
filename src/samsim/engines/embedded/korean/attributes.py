"""The attributes that Korean opinions imply if no aspect is named: 비싸다 is about the price."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from samsim.engines.embedded.extraction import Attribute

_BY_ATTRIBUTE: Mapping[Attribute, str] = {
    "price": (
        "비싸다|싸다|저렴하다|값싸다|비싸지다|돈 아깝다|돈 버리다|돈 낭비|바가지|바가지 쓰다|창렬|창렬하다|"
        "폭리|가성비|값 하다|값 못하다|제값 못하다|"
        "제값 하다|돈 값|손해|이득|득템|알뜰하다|아깝다"
    ),
    "design": (
        "예쁘다|이쁘다|귀엽다|촌스럽다|세련되다|고급스럽다|고급지다|아름답다|멋지다|화사하다|우아하다|"
        "심플하다|투박하다|"
        "칙칙하다|못생기다|구닥다리|아기자기하다|화려하다|감각적|슬림하다|얇다|싸구려|조잡하다"
    ),
    "convenience": (
        "편하다|편리하다|간편하다|간단하다|손쉽다|쉽다|불편하다|번거롭다|귀찮다|복잡하다|어렵다|까다롭다|"
        "빠르다|신속하다|느리다|"
        "가볍다|무겁다|늦다|오래 걸리다|시간 걸리다|빨리 오다|빨리 도착하다|늦다 오다|늦다 도착하다|"
        "금방 오다|지연되다|잘 되다|"
        "제대로 되다|원활하다|헷갈리다|오래 기다리다|한참 기다리다|쓸만하다|실용적|유용하다"
    ),
    "quality": (
        "맛있다|맛없다|맛나다|튼튼하다|견고하다|고장 나다|고장나다|깨지다|망가지다|부서지다|찢어지다|"
        "끊기다|촉촉하다|부드럽다|"
        "건조하다|신선하다|싱싱하다|상하다|선명하다|깨끗하다|더럽다|지저분하다|짜다|싱겁다|느끼하다|"
        "바삭하다|쫄깃하다|담백하다|"
        "고소하다|달콤하다|향긋하다|오래가다|오래 가다|오래 쓰다|허접하다|부실하다|엉성하다|허술하다|불량|"
        "하자 있다|냄새 나다|"
        "냄새나다|흠집 나다|잘 작동하다|제대로 작동하다|작동하다|작동되다|되다|끈적이다|끈적거리다|"
        "시끄럽다|조용하다|정교하다|잘 만들다|"
        "버벅거리다|버벅이다|버벅대다|멈추다|오류|먹통|렉|탄탄하다|단단하다|약하다|효과 있다|뛰어나다|"
        "정확하다"
    ),
    "variety": "다양하다|풍성하다|알차다|푸짐하다|넉넉하다|빈약하다",
    "awareness": "유명하다|인기|흔하다|명불허전",
}


@cache
def _attributes() -> Mapping[str, Attribute]:
    return {lemma: attribute for attribute, lemmas in _BY_ATTRIBUTE.items() for lemma in lemmas.split("|")}


def attribute_hint(lemma: str) -> Attribute | None:
    """Return the attribute that the meaning of an opinion implies, or None if it fits any."""
    return _attributes().get(lemma)
