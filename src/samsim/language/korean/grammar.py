"""Helpers on Korean tokens that several rules share: what a predicate is and where it begins."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.schemas.analysis import Token

Tokens = Sequence[Token]

PREDICATES = frozenset({"VV", "VA", "VX", "VCP", "VCN"})
CONTENT_PREDICATES = frozenset({"VV", "VA"})
NOUNS = frozenset({"NNG", "NNP", "SL", "SH", "XR", "NR", "SN", "XSN"})
PARTICLES = frozenset({"JKS", "JKC", "JKG", "JKO", "JKB", "JKV", "JKQ", "JX", "JC"})
QUOTATIVES = ("다고", "라고", "자고", "냐고")
QUOTING = frozenset({"하다", "말하다", "생각하다", "보다", "느끼다", "부르다", "여기다"})
LIGHT_NOUNS = frozenset({"것", "거", "게", "편", "줄", "수", "듯", "정도", "일", "적", "경우", "데", "점", "구석"})
"""Nouns with no content of their own: 좋은 것, 비싼 편, 끊기는 일."""

_LONGEST_SKIP = 24
"""Bounds the search: no real sentence has this many particles or adverbs in a row, but a repetitive text may."""

NOT_EVEN_ONE = frozenset({"하나", "한", "가지", "개", "군데"})
"""Used with -도 to stress an absence: 단점이 하나도 없다, 단점이 한 가지도 없다."""


def ends_with(form: str, suffixes: tuple[str, ...]) -> bool:
    """Return whether an ending is one of ``suffixes``, whatever its linking vowel (는다고, ㄴ다고, 다고)."""
    return form.endswith(suffixes)


def skip_back(tokens: Tokens, index: int, tags: frozenset[str]) -> int:
    """Return the nearest position at or before ``index`` whose tag is not in ``tags``; -1 if none is near."""
    floor = max(-1, index - _LONGEST_SKIP)
    while index > floor and tokens[index].tag in tags:
        index -= 1
    return -1 if index == floor else index


_EP = frozenset({"EP"})
_EC_EP_J = PARTICLES | {"EC", "EP"}


def main_predicate(tokens: Tokens, index: int) -> int:
    """Return the predicate that carries the meaning, skipping back over auxiliaries and quotation.

    좋을 것 같지, 추천하고 싶지, 맛있다고 하기: all lead to 좋다, 추천하다, 맛있다.
    """
    for _ in range(4):
        previous = _inner_predicate(tokens, index)
        if previous is None:
            return index
        index = previous
    return index


def _inner_predicate(tokens: Tokens, index: int) -> int | None:
    token = tokens[index]
    before = index - 1
    if before < 0:
        return None
    if token.tag == "VX":
        found = skip_back(tokens, before, _EC_EP_J)
        return found if found >= 0 and found < before and tokens[found].tag in PREDICATES else None
    if token.lemma in ("같다", "있다", "이다") and token.tag in ("VA", "VCP", "VV"):
        return _before_light_noun(tokens, before)
    if token.lemma in QUOTING:
        ending = skip_back(tokens, before, PARTICLES)
        if ending > 0 and tokens[ending].tag == "EC" and ends_with(tokens[ending].form, QUOTATIVES):
            found = skip_back(tokens, ending - 1, _EP)
            return found if found >= 0 and tokens[found].tag in PREDICATES else None
    return None


def _before_light_noun(tokens: Tokens, index: int) -> int | None:
    """Return the predicate of a relative clause on an empty noun: 좋을 것 (같다), 비싼 편 (이다)."""
    noun = skip_back(tokens, index, PARTICLES)
    if noun < 2 or tokens[noun].form not in LIGHT_NOUNS or tokens[noun - 1].tag != "ETM":
        return None
    found = skip_back(tokens, noun - 2, _EP)
    return found if found >= 0 and tokens[found].tag in PREDICATES else None


def before_light_noun(tokens: Tokens, index: int) -> int | None:
    """Return the main predicate before an empty noun at ``index`` or left of it, if there is one."""
    found = _before_light_noun(tokens, index)
    return None if found is None else main_predicate(tokens, found)


def noun_phrase_start(tokens: Tokens, index: int) -> int:
    """Return the first of the adjacent nouns that end at ``index`` (배터리 수명 → 배터리)."""
    while index > 0 and tokens[index - 1].tag in NOUNS and tokens[index].start - tokens[index - 1].end <= 1:
        index -= 1
    return index
