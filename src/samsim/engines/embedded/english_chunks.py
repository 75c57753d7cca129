"""A shallow parse of English sentences for the extractors: noun phrases, opinions, verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from samsim.engines.embedded.english_words import (
    COMPOUND_ADJECTIVES,
    CONTAINER_NOUNS,
    PLAIN_ADJECTIVES,
    POSSESSIVES,
)
from samsim.schemas.analysis import Offsets, PolarityWord, TextAnalysis, Token

NOMINAL = frozenset({"NOUN", "PROPN"})


@dataclass(frozen=True, slots=True)
class Opinion:
    """A polarity word at token indices of its sentence."""

    first: int
    last: int
    word: PolarityWord


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """``first`` to ``last`` with determiner and modifiers; ``core`` is where the aspect term begins."""

    first: int
    core: int
    last: int
    modifiers: tuple[int, ...]
    has_determiner: bool


@dataclass(frozen=True, slots=True)
class Parse:
    """One sentence; all indices count its own tokens."""

    tokens: Sequence[Token]
    lows: Sequence[str]
    tags: Sequence[str]
    opinions: Sequence[Opinion]
    opinion_at: dict[int, Opinion]
    phrases: Sequence[NounPhrase]
    phrase_at: dict[int, NounPhrase]
    clause_of: Sequence[int]

    def low(self, index: int) -> str:
        """The lower-case form there, "" outside of the sentence."""
        return self.lows[index] if 0 <= index < len(self.lows) else ""

    def tag(self, index: int) -> str:
        """The tag there, "" outside of the sentence."""
        return self.tags[index] if 0 <= index < len(self.tags) else ""

    def lemma(self, index: int) -> str:
        """The lemma there, "" outside of the sentence."""
        return self.tokens[index].lemma if 0 <= index < len(self.tokens) else ""

    def span(self, first: int, last: int) -> Offsets:
        """The text span of the tokens ``first`` to ``last`` (excluded)."""
        return (self.tokens[first].start, self.tokens[last - 1].end)


@lru_cache(maxsize=8)
def parse_text(analysis: TextAnalysis) -> tuple[Parse, ...]:
    """The shallow parse of every sentence; the three extractors share it."""
    parses: list[Parse] = []
    tokens, words, clauses = analysis.tokens, analysis.polarity_words, analysis.clauses
    at = word_at = clause_at = 0
    for _, end in analysis.sentences:
        first = at
        while at < len(tokens) and tokens[at].end <= end:
            at += 1
        first_word = word_at
        while word_at < len(words) and words[word_at].end <= end:
            word_at += 1
        first_clause = clause_at
        while clause_at < len(clauses) and clauses[clause_at][1] <= end:
            clause_at += 1
        parses.append(_parse(tokens[first:at], words[first_word:word_at], clauses[first_clause:clause_at]))
    return tuple(parses)


def _parse(tokens: Sequence[Token], words: Sequence[PolarityWord], clauses: Sequence[Offsets]) -> Parse:
    lows = [token.form.lower().replace("’", "'") for token in tokens]
    tags = [token.tag for token in tokens]
    opinions = _opinions(tokens, words)
    opinion_at = {index: opinion for opinion in opinions for index in range(opinion.first, opinion.last)}
    phrases = _noun_phrases(lows, tags, opinion_at)
    phrase_at = {index: phrase for phrase in phrases for index in range(phrase.first, phrase.last)}
    return Parse(
        tokens, lows, tags, opinions, opinion_at, phrases, phrase_at, _clause_numbers(tokens, clauses)
    )


def _opinions(tokens: Sequence[Token], words: Sequence[PolarityWord]) -> list[Opinion]:
    by_start = {token.start: index for index, token in enumerate(tokens)}
    by_end = {token.end: index for index, token in enumerate(tokens)}
    return [Opinion(by_start[word.start], by_end[word.end] + 1, word) for word in words]


def _clause_numbers(tokens: Sequence[Token], clauses: Sequence[Offsets]) -> list[int]:
    """For each token the number of its clause; a mark between two clauses counts with the earlier one."""
    numbers: list[int] = []
    current = 0
    for token in tokens:
        while current + 1 < len(clauses) and token.start >= clauses[current + 1][0]:
            current += 1
        numbers.append(current)
    return numbers


def _noun_phrases(lows: Sequence[str], tags: Sequence[str], opinion_at: dict[int, Opinion]) -> list[NounPhrase]:
    phrases: list[NounPhrase] = []
    index, count, floor = 0, len(tags), 0
    while index < count:
        if tags[index] not in NOMINAL or _is_bare_opinion(lows, tags, index, opinion_at):
            index += 1
            continue
        last = _core_end(lows, tags, index, opinion_at)
        phrases.append(_extend_left(lows, tags, index, last, floor, opinion_at))
        index = floor = last
    return _join_containers(lows, phrases)


def _is_bare_opinion(lows: Sequence[str], tags: Sequence[str], index: int, opinion_at: dict[int, Opinion]) -> bool:
    """A noun that is itself the opinion ("fun atmosphere") does not begin an aspect term."""
    opinion = opinion_at.get(index)
    if opinion is None:
        return False
    return opinion.last - opinion.first > 1 or index + 1 < len(tags)


def _core_end(lows: Sequence[str], tags: Sequence[str], index: int, opinion_at: dict[int, Opinion]) -> int:
    """The end of a run of nouns, across a possessive or a number that belongs to a name."""
    last = index + 1
    while last < len(tags):
        if tags[last] in NOMINAL and last not in opinion_at:
            last += 1
        elif lows[last] == "'s" and tags[last] == "PART" and last + 1 < len(tags) and tags[last + 1] in NOMINAL:
            last += 2
        elif tags[last] == "NUM" and tags[last - 1] == "PROPN" and not lows[last].startswith("$"):
            last += 1
        else:
            break
    return last


def _extend_left(
    lows: Sequence[str], tags: Sequence[str], index: int, last: int, floor: int, opinion_at: dict[int, Opinion]
) -> NounPhrase:
    core = first = index
    modifiers: list[int] = []
    position = index - 1
    in_core = True
    while position >= floor:
        tag, low = tags[position], lows[position]
        if position in opinion_at and tag != "DET":
            opinion = opinion_at[position]
            if tag == "VERB" and not low.endswith(("ed", "ing", "en")):
                break
            modifiers.append(opinion.first)
            first, position, in_core = opinion.first, opinion.first - 1, False
        elif tag == "ADJ" or (tag == "VERB" and _is_participle(lows, tags, position, floor)):
            if in_core and _belongs_to_term(low):
                core = position
            else:
                in_core = False
                modifiers.append(position)
            first, position = position, position - 1
        elif tag == "NUM" or (tag == "ADV" and first < index):
            first, position, in_core = position, position - 1, False
        elif tag in ("CCONJ", "PUNCT") and _joins_modifiers(lows, tags, position, modifiers, opinion_at):
            first, position = position, position - 1
        else:
            break
    while first < index and tags[first] in ("CCONJ", "PUNCT"):
        first += 1
    determined = position >= floor and (tags[position] == "DET" or lows[position] in POSSESSIVES)
    if determined:
        first = position
    return NounPhrase(first, core, last, tuple(sorted(modifiers)), determined)


def _belongs_to_term(low: str) -> bool:
    """An adjective that names a kind ("hard drive", "grilled salmon") rather than describing the thing."""
    return low in COMPOUND_ADJECTIVES or low not in PLAIN_ADJECTIVES


def _is_participle(lows: Sequence[str], tags: Sequence[str], position: int, floor: int) -> bool:
    """A participle before its noun: "the grilled salmon", not "we grilled salmon"."""
    if not lows[position].endswith(("ed", "ing", "en")):
        return False
    before = tags[position - 1] if position > floor else ""
    return before in ("DET", "ADJ", "CCONJ", "NUM") or (position > 0 and lows[position - 1] in POSSESSIVES)


def _joins_modifiers(
    lows: Sequence[str], tags: Sequence[str], position: int, modifiers: list[int], opinion_at: dict[int, Opinion]
) -> bool:
    """A comma or "and" between two adjectives before one noun."""
    if lows[position] not in (",", "and", "but", "yet", "&") or position == 0 or not modifiers:
        return False
    if tags[position - 1] != "ADJ" and position - 1 not in opinion_at:
        return False
    return modifiers[-1] > position and tags[position + 1] in ("ADJ", "ADV", "VERB")


def _join_containers(lows: Sequence[str], phrases: list[NounPhrase]) -> list[NounPhrase]:
    """ "glass of wine" and "quality of food" are one term when the second noun has no determiner."""
    joined: list[NounPhrase] = []
    for phrase in phrases:
        previous = joined[-1] if joined else None
        if (
            previous is not None
            and phrase.first == previous.last + 1
            and lows[previous.last] == "of"
            and not phrase.has_determiner
            and lows[previous.last - 1] in CONTAINER_NOUNS
            and not phrase.modifiers
        ):
            joined[-1] = NounPhrase(
                previous.first, previous.core, phrase.last, previous.modifiers, previous.has_determiner
            )
        else:
            joined.append(phrase)
    return joined
