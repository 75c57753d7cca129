"""Korean opinion terms: the dictionary form of the evaluating word, without adverbs of degree or negation.

An opinion found in the text is read there, in context; any other is analyzed on its own.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import TypeVar

from samsim.language.korean.analysis import analyze_korean
from samsim.language.korean.grammar import CONTENT_PREDICATES, PARTICLES, PREDICATES, main_predicate
from samsim.schemas.analysis import Offsets, PolarityWord, TextAnalysis, Token

PlacedT = TypeVar("PlacedT", Token, PolarityWord)

_INTENSIFIERS = frozenset(
    """
    정말 정말로 진짜 진짜로 너무 너무너무 매우 아주 굉장히 상당히 참 참으로 꽤 완전 완전히 되게 무척 몹시
    엄청 엄청나게 훨씬 제일 가장 더 더욱 좀 조금 약간 다소 역시 진심 특히 워낙
    """.split()
)
# By convention the negation is left to the evidence.
_ADDS_NOTHING = _INTENSIFIERS | {"안", "못"}
_ENDS = PARTICLES | {"EF", "EC", "EP", "ETM", "ETN", "VCP", "SF", "SP", "SS", "SE", "SW"}
_SUFFIXES = ("스럽다", "롭다", "하다", "되다", "다")
_SHORTEST_STEM = 2


class KoreanOpinions:
    """The opinions of one Korean text."""

    def __init__(self, analysis: TextAnalysis) -> None:
        self._analysis = analysis
        self._text = unicodedata.normalize("NFC", analysis.text)

    def normal(self, opinion: str) -> str:
        """Return the dictionary form, or the opinion as given if that form would itself be read as another one."""
        given = unicodedata.normalize("NFC", opinion.strip())
        found = self._read(given)
        return found if found and self._read(found) == found else given

    def states(self, opinion: str) -> bool:
        """Return whether the text has every word of the opinion: as written, by its lemma or by its stem."""
        words = self.normal(opinion).split()
        return bool(words) and all(self._has_word(word) for word in words)

    def _has_word(self, word: str) -> bool:
        if word in self._lemmas or word in self._text:
            return True
        stem = next((word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix)), "")
        return len(stem) >= _SHORTEST_STEM and stem in self._text

    @cached_property
    def _lemmas(self) -> frozenset[str]:
        words = {part for word in self._analysis.polarity_words for part in (word.lemma, *word.lemma.split())}
        return frozenset(words | {token.lemma for token in self._analysis.tokens})

    def _read(self, opinion: str) -> str:
        """Return one reading of the opinion; unchanged if it is a lemma of the text's analysis."""
        if not opinion or opinion in self._lemmas:
            return opinion
        at = self._analysis.text.find(opinion)
        region = at, at + len(opinion)
        if at >= 0 and _stands_alone(self._analysis.tokens, region):
            return _dictionary_form(self._analysis, region)
        return _dictionary_form(analyze_korean(opinion), (0, len(opinion)))


def _within(items: Sequence[PlacedT], region: Offsets) -> Sequence[PlacedT]:
    """Return the items that begin inside the region; ``items`` are in text order."""
    first, last = (bisect_left(items, edge, key=_start) for edge in region)
    return items[first:last]


def _start(item: Token | PolarityWord) -> int:
    return item.start


def _stands_alone(tokens: Sequence[Token], region: Offsets) -> bool:
    """Return whether no morpheme of the text crosses the boundaries of the region."""
    before = bisect_left(tokens, region[0], key=_start) - 1
    crosses = before >= 0 and tokens[before].end > region[0]
    return not crosses and all(token.end <= region[1] for token in _within(tokens, region))


def _dictionary_form(analysis: TextAnalysis, region: Offsets) -> str:
    tokens = _within(analysis.tokens, region)
    judging = [word for word in _within(analysis.polarity_words, region) if word.lemma not in _ADDS_NOTHING]
    if len(judging) == 1:
        return judging[0].lemma
    first = _first_of_content(tokens)
    if first is None:
        return analysis.text[slice(*region)]
    last = _last_before_ends(tokens)
    head = main_predicate(tokens, last) if tokens[last].tag in PREDICATES else -1
    if head >= first and tokens[head].tag in CONTENT_PREDICATES:
        return analysis.text[tokens[first].start : tokens[head].start] + tokens[head].lemma
    return analysis.text[tokens[first].start : tokens[max(first, last)].end]


def _first_of_content(tokens: Sequence[Token]) -> int | None:
    """Return the index of the first token after adverbs of degree and a negation; None if nothing else is left."""
    return next((index for index, token in enumerate(tokens) if token.form not in _ADDS_NOTHING), None)


def _last_before_ends(tokens: Sequence[Token]) -> int:
    """Return the index of the last token before particles, endings and the copula (최고예요 → 최고)."""
    last = len(tokens) - 1
    while last > 0 and tokens[last].tag in _ENDS:
        last -= 1
    return last
