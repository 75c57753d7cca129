"""The shallow parse of an English text: opinions, noun phrases and clauses of every sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from samsim.engines.embedded.english.phrases import noun_phrases
from samsim.engines.embedded.english.syntax import Opinion, Parse
from samsim.engines.embedded.english.words import PARTICIPLES
from samsim.schemas.analysis import Offsets, PolarityWord, TextAnalysis, Token


@lru_cache(maxsize=8)
def parse_text(analysis: TextAnalysis) -> tuple[Parse, ...]:
    """Return the shallow parse of every sentence that has words; cached, because the three extractors share it."""
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
        if first_clause < clause_at or first_word < word_at:  # otherwise it is only punctuation
            parses.append(_parse(tokens[first:at], words[first_word:word_at], clauses[first_clause:clause_at]))
    return tuple(parses)


def _parse(tokens: Sequence[Token], words: Sequence[PolarityWord], clauses: Sequence[Offsets]) -> Parse:
    lows = ["n't" if token.lemma == "n't" else token.form.lower() for token in tokens]
    tags = [token.tag for token in tokens]
    opinions = _opinions(tokens, words)
    opinion_at = {index: opinion for opinion in opinions for index in range(opinion.first, opinion.last)}
    phrases = noun_phrases(lows, tags, opinion_at)
    phrase_at = {index: phrase for phrase in phrases for index in range(phrase.first, phrase.last)}
    return Parse(tokens, lows, tags, opinions, opinion_at, phrases, phrase_at, _clause_numbers(tokens, clauses))


def _opinions(tokens: Sequence[Token], words: Sequence[PolarityWord]) -> list[Opinion]:
    by_start = {token.start: index for index, token in enumerate(tokens)}
    by_end = {token.end: index for index, token in enumerate(tokens)}
    found = [_with_participle(tokens, Opinion(by_start[word.start], by_end[word.end] + 1, word)) for word in words]
    return _merge_adjacent(tokens, found)


def _with_participle(tokens: Sequence[Token], opinion: Opinion) -> Opinion:
    """Extend an adverb by its participle, as one judgment: "well prepared", "poorly designed", "neatly laid out"."""
    last = opinion.last
    if last - opinion.first > 1 or tokens[opinion.first].tag != "ADV" or last >= len(tokens):
        return opinion
    low = tokens[last].form.lower()
    if tokens[last].tag not in ("VERB", "ADJ") or low == "priced" or not (low.endswith("ed") or low in PARTICIPLES):
        return opinion
    particle = last + 1 < len(tokens) and tokens[last + 1].form.lower() == "out"
    return Opinion(opinion.first, last + 1 + particle, opinion.word)


def _merge_adjacent(tokens: Sequence[Token], opinions: list[Opinion]) -> list[Opinion]:
    """Merge two adjacent adjectives into one judgment: "a nice cozy place"."""
    merged: list[Opinion] = []
    for opinion in opinions:
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.last == opinion.first
            and last.last - last.first == 1
            and tokens[last.first].tag == tokens[opinion.first].tag == "ADJ"
            and last.word.in_context * opinion.word.in_context > 0
        ):
            merged[-1] = Opinion(last.first, opinion.last, last.word)
        else:
            merged.append(opinion)
    return merged


def _clause_numbers(tokens: Sequence[Token], clauses: Sequence[Offsets]) -> list[int]:
    """Return the clause number of each token; punctuation between two clauses belongs to the earlier one."""
    numbers: list[int] = []
    current = 0
    for token in tokens:
        while current + 1 < len(clauses) and token.start >= clauses[current + 1][0]:
            current += 1
        numbers.append(current)
    return numbers
