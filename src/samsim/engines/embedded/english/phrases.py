"""English noun phrases: where an aspect term starts and ends, and what modifies it."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.engines.embedded.english.syntax import NOMINAL, NounPhrase, Opinion
from samsim.engines.embedded.english.words import (
    BE_FORMS,
    COMPOUND_ADJECTIVES,
    CONTAINER_NOUNS,
    KIND_ADJECTIVES,
    LINKING_VERBS,
    NOT_PARTICIPLES,
    PLAIN_ADJECTIVES,
    POSSESSIVES,
)

# Names that a number belongs to: "Windows 7 Starter".
_QUOTES = frozenset({'"', "'", "“", "”", "``", "''"})
# "none of the dishes" is about the dishes.
_QUANTIFIERS = frozenset({"none"})
_ARTICLES = frozenset({"the", "this"})
_NUMBERED = frozenset("windows office vista os xp win version".split())


def noun_phrases(lows: Sequence[str], tags: Sequence[str], opinion_at: dict[int, Opinion]) -> list[NounPhrase]:
    """Return the noun phrases of a sentence, from left to right."""
    phrases: list[NounPhrase] = []
    index, count, floor = 0, len(tags), 0
    while index < count:
        # "fun atmosphere": the opinion is not part of the term.
        if index in opinion_at or not _is_noun(lows, tags, index):
            index += 1
            continue
        last = _core_end(lows, tags, index, opinion_at)
        phrases.append(_extend_left(lows, tags, index, last, floor, opinion_at))
        index = floor = last
    return _join_containers(lows, phrases)


def _is_noun(lows: Sequence[str], tags: Sequence[str], index: int) -> bool:
    """Return whether this is a noun that names something, even if tagged as an adjective: "the manual is thin"."""
    if tags[index] in NOMINAL:
        return lows[index] not in _QUANTIFIERS
    if tags[index] != "ADJ" or lows[index] in PLAIN_ADJECTIVES or not 0 < index < len(tags) - 1:
        return False
    determined = lows[index - 1] in _ARTICLES or lows[index - 1] in POSSESSIVES
    return determined and (lows[index + 1] in BE_FORMS or lows[index + 1] in LINKING_VERBS)


def _core_end(lows: Sequence[str], tags: Sequence[str], index: int, opinion_at: dict[int, Opinion]) -> int:
    """Return the end of a run of nouns, including numbers and letters that belong to a name."""
    last = index + 1
    while last < len(tags):
        if not (tags[last] in NOMINAL and last not in opinion_at) and not _belongs_to_name(lows, tags, last):
            break
        last += 1
    return last


def _belongs_to_name(lows: Sequence[str], tags: Sequence[str], index: int) -> bool:
    """Return whether a number or letter continues a name: "Windows 7", "Snow Leopard X"."""
    after_name = tags[index - 1] == "PROPN"
    if tags[index] == "NUM":
        return lows[index].isdigit() and (after_name or lows[index - 1] in _NUMBERED)
    return tags[index] == "X" and after_name


def _extend_left(
    lows: Sequence[str], tags: Sequence[str], index: int, last: int, floor: int, opinion_at: dict[int, Opinion]
) -> NounPhrase:
    core = first = index
    modifiers: list[int] = []
    position = index - 1
    in_core = True
    while position >= floor:
        tag, low = tags[position], lows[position]
        if position in opinion_at and tag != "DET" and not (in_core and low in KIND_ADJECTIVES):
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
    """Return whether an adjective names a kind of thing ("hard drive", "grilled salmon") instead of describing it."""
    return low in COMPOUND_ADJECTIVES or low not in PLAIN_ADJECTIVES


def _is_participle(lows: Sequence[str], tags: Sequence[str], position: int, floor: int) -> bool:
    """Return whether this is a participle before its noun: "the grilled salmon", but not "we grilled salmon"."""
    if not lows[position].endswith(("ed", "ing", "en")) or lows[position] in NOT_PARTICIPLES:
        return False
    before = tags[position - 1] if position > floor else ""
    return before in ("DET", "ADJ", "CCONJ", "NUM", "PUNCT") or (position > 0 and lows[position - 1] in POSSESSIVES)


def _joins_modifiers(
    lows: Sequence[str], tags: Sequence[str], position: int, modifiers: list[int], opinion_at: dict[int, Opinion]
) -> bool:
    """Return whether this is a comma or "and" between two adjectives of one noun, or a quotation mark around one."""
    if lows[position] in _QUOTES:
        return position - 1 in opinion_at or position + 1 in opinion_at
    if lows[position] not in (",", "and", "but", "yet", "&") or position == 0 or not modifiers:
        return False
    if tags[position - 1] != "ADJ" and position - 1 not in opinion_at:
        return False
    return modifiers[-1] > position and tags[position + 1] in ("ADJ", "ADV", "VERB")


def _join_containers(lows: Sequence[str], phrases: list[NounPhrase]) -> list[NounPhrase]:
    """Join "glass of wine" or "quality of food" into one term if the second noun has no determiner."""
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
