"""Noun phrases and opinions of a Korean text, as the three extractors see them.

A noun phrase is a run of adjacent nouns with the particle that follows it (배터리 수명 + 이); an opinion is
a polarity word with its endings, its negation and its position: before the noun it modifies (맛있는 빵)
or after its subject (빵이 맛있다).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from samsim.schemas.analysis import Cue, Offsets, PolarityWord, TextAnalysis, Token

Role = Literal["subject", "topic", "object", "oblique", "genitive", "joined", "copula", "bare"]

_TERM_TAGS = frozenset({"NNG", "NNP", "SL", "SH", "XR", "SN", "NR", "W_SERIAL"})
_HEAD_TAGS = frozenset({"NNG", "NNP", "SL", "SH"})
_TOPIC_FORMS = frozenset({"은", "는", "ㄴ", "도", "만", "이야", "야", "까지", "마저", "조차", "이나", "역시"})
_JOINING = frozenset({"와", "과", "하고", "랑", "이랑", "및"})
_SEPARATORS = frozenset(
    "대비 정도 때문 경우 이후 이전 동안 처음 전체 오늘 어제 지난번 이번 다음 요즘 최근 매번 항상 하나 모두 전부 덕분 "
    "가지 번 것 등 중 점 쪽 위주 치고 자체 그때 생각 느낌 때 편 말 기분 마음 사실 보통 기대 만큼 의사 의향 이유 년 월 일 "
    "시간 분 내용 적 곳곳 진짜 정말 완전 우리 저희 자신 본인 누구 거기".split()
)
_ENDING_TAGS = frozenset({"EP", "EF", "EC", "ETN", "ETM", "VX", "VCP", "XSA", "XSV"})


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A possible aspect term: tokens ``first`` to ``last``, and what the particle after it makes of it."""

    first: int
    last: int
    start: int
    end: int
    head: str
    role: Role
    particle: str
    after: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """A polarity word in its place: ``first`` to ``last`` are its own tokens, ``after`` the next one."""

    word: PolarityWord
    first: int
    last: int
    after: int
    start: int
    end: int
    modifies: bool
    clause: int
    sentence: int
    denials: tuple[Cue, ...]
    wish: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A text's analysis with its phrases and opinions."""

    analysis: TextAnalysis
    phrases: tuple[NounPhrase, ...]
    opinions: tuple[Opinion, ...]
    clause_of: tuple[int, ...]
    sentence_of: tuple[int, ...]


def read(analysis: TextAnalysis) -> Reading:
    """Find the noun phrases and the opinions of an analysed text."""
    tokens = analysis.tokens
    clause_of = _places(tokens, analysis.clauses)
    sentence_of = _places(tokens, analysis.sentences)
    opinions = _opinions(analysis, clause_of, sentence_of)
    taken = {index for opinion in opinions for index in range(opinion.first, opinion.last + 1)}
    phrases = _phrases(tokens, taken)
    return Reading(analysis, tuple(phrases), tuple(opinions), clause_of, sentence_of)


def _places(tokens: Sequence[Token], spans: tuple[Offsets, ...]) -> tuple[int, ...]:
    starts = [start for start, _ in spans]
    return tuple(max(0, bisect_right(starts, token.start) - 1) for token in tokens)


def _phrases(tokens: Sequence[Token], taken: set[int]) -> list[NounPhrase]:
    found: list[NounPhrase] = []
    index = 0
    while index < len(tokens):
        if not _is_term(tokens, index, taken):
            index += 1
            continue
        last = index
        while (
            last + 1 < len(tokens)
            and _is_term(tokens, last + 1, taken)
            and 0 <= tokens[last + 1].start - tokens[last].end <= 1
        ):
            last += 1
        if any(tokens[place].tag in _HEAD_TAGS for place in range(index, last + 1)):
            found.append(_phrase(tokens, index, last))
        index = last + 1
    return found


def _is_term(tokens: Sequence[Token], index: int, taken: set[int]) -> bool:
    token = tokens[index]
    return token.tag in _TERM_TAGS and index not in taken and token.form not in _SEPARATORS


def _phrase(tokens: Sequence[Token], first: int, last: int) -> NounPhrase:
    after = last + 1
    if after < len(tokens) and tokens[after].tag == "XSN" and tokens[after].form == "들":
        after += 1
    role, particle, after = _role(tokens, after)
    return NounPhrase(
        first, last, tokens[first].start, tokens[last].end, tokens[last].form, role, particle, after
    )


def _role(tokens: Sequence[Token], index: int) -> tuple[Role, str, int]:
    if index >= len(tokens):
        return "bare", "", index
    token = tokens[index]
    after = index + 1
    while after < len(tokens) and tokens[after].tag in ("JX", "JKB", "JKG") and tokens[after - 1].tag[0] == "J":
        after += 1
    if token.tag == "JKS" or token.tag == "JKC":
        return "subject", token.form, after
    if token.tag == "JX":
        return ("topic" if token.form in _TOPIC_FORMS else "oblique"), token.form, after
    if token.tag == "JKO":
        return "object", token.form, after
    if token.tag == "JKG":
        return "genitive", token.form, index + 1
    if token.tag == "JC" or token.form in _JOINING or (token.tag == "SP" and token.form in ",/·"):
        return "joined", token.form, index + 1
    if token.tag == "JKB":
        return "oblique", token.form, after
    if token.tag == "VCP":
        return "copula", token.form, index
    return "bare", "", index


def _opinions(
    analysis: TextAnalysis, clause_of: tuple[int, ...], sentence_of: tuple[int, ...]
) -> list[Opinion]:
    tokens = analysis.tokens
    starts = [token.start for token in tokens]
    negations = analysis.cues_of("negation")
    found: list[Opinion] = []
    floor = 0
    for word in analysis.polarity_words:
        first = max(floor, bisect_right(starts, word.start - 1))
        last = first
        while last + 1 < len(tokens) and tokens[last + 1].end <= word.end and tokens[last + 1].tag[0] not in "EJ":
            last += 1
        last = _head(tokens, first, last, word)
        floor = first
        after = _after_endings(tokens, last)
        denials = tuple(cue for cue in negations if _governs(cue, tokens[last]))
        start = min([tokens[first].start, *(cue.start for cue in denials)])
        end = max(tokens[last].end, tokens[after - 1].end)
        modifies = _modifies(tokens, last, after)
        wish = word.lemma in ("좋다", "하다", "싶다") and -0.35 < word.prior < 0
        found.append(
            Opinion(word, first, last, after, start, end, modifies, clause_of[last], sentence_of[last], denials, wish)
        )
    return found


def _head(tokens: Sequence[Token], first: int, last: int, word: PolarityWord) -> int:
    """The last token of a word or expression whose lemma closes it."""
    closing = word.lemma.rsplit(" ", 1)[-1]
    for index in range(first, min(len(tokens), first + 12)):
        if tokens[index].end > word.end and index > first:
            break
        if tokens[index].lemma == closing:
            last = index
    return last


def _governs(cue: Cue, token: Token) -> bool:
    start, end = cue.scopes[0]
    return start <= token.start and token.end <= end


def _after_endings(tokens: Sequence[Token], last: int) -> int:
    """The index after the endings and auxiliaries that belong to the predicate at ``last``."""
    index = last + 1
    while index < len(tokens):
        tag = tokens[index].tag
        if tag in _ENDING_TAGS:
            index += 1
            if tag in ("EF", "ETM") or (tag == "EC" and not _auxiliary_follows(tokens, index)):
                break
        elif tag == "JX" and tokens[index - 1].tag == "EC" and _auxiliary_follows(tokens, index):
            index += 1
        else:
            break
    return index


def _auxiliary_follows(tokens: Sequence[Token], index: int) -> bool:
    while index < len(tokens) and tokens[index].tag in ("JX", "JKO", "JKS"):
        index += 1
    return index < len(tokens) and tokens[index].tag == "VX"


def _modifies(tokens: Sequence[Token], last: int, after: int) -> bool:
    """맛있는 빵, 최고의 빵, and glued 훌륭함분위기."""
    ending = tokens[after - 1]
    if ending.tag == "ETM":
        return True
    if after == last + 1 and after < len(tokens) and tokens[after].tag == "JKG":
        return True
    glued = after < len(tokens) and tokens[after].tag in _HEAD_TAGS and tokens[after].start == ending.end
    return glued and ending.form in ("ㅁ", "음")
