"""Linking opinions to their targets by direct syntax only (modifier, copula, object, subject)."""

from __future__ import annotations

from typing import NamedTuple

from samsim.engines.embedded.english.subjects import head_phrase
from samsim.engines.embedded.english.syntax import NOMINAL, NounPhrase, Opinion, Parse
from samsim.engines.embedded.english.words import (
    BE_FORMS,
    EMPTY_NOUNS,
    LINKING_VERBS,
    MAKERS,
    POSSESSIVES,
    STATE_ADJECTIVES,
    STATE_PREPOSITIONS,
    WHOLE_THINGS,
)

_HEDGES = frozenset("a bit little tad lot the so very too really just quite pretty".split())
_BETWEEN = frozenset(", and but or yet nor & neither both as more nothing like one of among all out up".split())
_HEDGES_BARE = frozenset("too a bit little".split())
_HEADLINE_MARKS = frozenset({"-", "--", ":", "–", "—"})
_EXCEPTIONS = frozenset({("anything", "but"), ("far", "from")})
_REACH = 12


class Target(NamedTuple):
    """An aspect term by token indices, and how it was found."""

    first: int
    last: int
    how: str


def term_of(parse: Parse, phrase: NounPhrase, how: str) -> Target | None:
    """Return the aspect term of a noun phrase, or None if its head is empty or the whole product."""
    head = parse.lows[phrase.last - 1]
    compound = phrase.last - phrase.core > 1 and parse.tags[phrase.last - 2] == "NOUN"  # "delivery time"
    if is_whole(parse, phrase) or (head in EMPTY_NOUNS and not compound):
        return None
    return Target(phrase.core, phrase.last, how)


def is_whole(parse: Parse, phrase: NounPhrase) -> bool:
    """Return whether a noun phrase names the reviewed product itself ("this laptop") or its maker."""
    head = parse.lows[phrase.last - 1]
    return head in WHOLE_THINGS or (head in MAKERS and parse.tags[phrase.last - 1] == "PROPN")


def modified_noun(parse: Parse, opinion: Opinion) -> NounPhrase | None:
    """Return the noun phrase that the opinion modifies."""
    position = opinion.last
    limit = min(len(parse.tags), position + _REACH)
    while position < limit and parse.tags[position] in ("ADJ", "VERB", "NUM", "CCONJ", "PUNCT", "ADV"):
        phrase = parse.phrase_at.get(position)
        if phrase is not None and opinion.first in phrase.modifiers:
            return phrase
        position += 1
    phrase = parse.phrase_at.get(position)
    return phrase if phrase is not None and opinion.first in phrase.modifiers else None


def governing_verb(parse: Parse, opinion: Opinion) -> int:
    """Return the copula or linking verb of which the opinion is the predicate, or -1."""
    position = opinion.first - 1
    floor = max(-1, opinion.first - _REACH)
    while position > floor:
        tag, low = parse.tags[position], parse.lows[position]
        if low in BE_FORMS or (tag in ("VERB", "AUX") and low in LINKING_VERBS):
            return position
        if not _is_skippable(parse, position, tag, low):
            return -1
        position -= 1
    return -1


def _is_skippable(parse: Parse, position: int, tag: str, low: str) -> bool:
    """Return whether a word may come between a copula and its predicate: adverb, negation, hedge, adjective."""
    if tag in ("ADV", "PART", "ADJ") or low in _HEDGES or low in _BETWEEN:
        return True
    if position in parse.opinion_at and (tag != "VERB" or is_adjectival(parse, position)):
        return True
    if low in _HEADLINE_MARKS or low in ("(", "-lrb-"):
        return position - 1 in parse.opinion_at  # "was very good - prompt and attentive"
    if denies_by_exception(parse, position) or denies_by_exception(parse, position + 1):
        return True
    if low == "than" and parse.low(position - 1) == "less":
        return True
    if tag != "VERB":
        return False
    return parse.low(position - 1) == "to" or (low.endswith("ed") and parse.tag(position + 1) in ("CCONJ", "PUNCT"))


def denies_by_exception(parse: Parse, index: int) -> bool:
    """Return whether the word ends "anything but" or "far from", which deny what follows."""
    return (parse.low(index - 1), parse.low(index)) in _EXCEPTIONS


def is_adjectival(parse: Parse, index: int) -> bool:
    """Return whether the word is an adjective that was tagged as a verb: "the service was prompt"."""
    before = parse.low(index - 1)
    return (before in BE_FORMS or before in ("very", "and", ",")) and not parse.lows[index].endswith("ing")


def object_phrase(parse: Parse, index: int) -> NounPhrase | None:
    """Return the noun phrase that starts right after this word, skipping adverbs and a preposition."""
    position = index
    while parse.tag(position) == "ADV" or parse.low(position) in ("of", "both", "all"):
        position += 1
    for _ in range(6):
        phrase = parse.phrase_at.get(position)
        if phrase is not None:
            return phrase
        if parse.tag(position) not in ("DET", "ADJ", "ADV", "NUM") and parse.low(position) not in POSSESSIVES:
            return None
        position += 1
    return None


def complement_of(parse: Parse, phrase: NounPhrase) -> NounPhrase | None:
    """Return the noun after the copula of an empty subject: "the best thing about it is the price"."""
    position = phrase.last
    for _ in range(_REACH):
        if parse.low(position) in BE_FORMS:
            position += 1
            while parse.tag(position) == "ADV" or parse.low(position) in ("that", "with"):
                position += 1
            return object_phrase(parse, position)
        if parse.tag(position) not in ("ADP", "DET", "NOUN", "PROPN", "PRON", "ADJ", "VERB", "AUX"):
            return None
        position += 1
    return None


def state_target(parse: Parse, opinion: Opinion) -> NounPhrase | None:
    """Return the noun that the writer's state is about: "impressed with the screen"."""
    if parse.lows[opinion.last - 1] not in STATE_ADJECTIVES:
        return None
    position = opinion.last
    while parse.tag(position) == "ADV":
        position += 1
    if parse.low(position) in STATE_PREPOSITIONS:
        return object_phrase(parse, position + 1)
    return None


def _before_predicate(parse: Parse, opinion: Opinion) -> int:
    """Return the word before a predicate without a verb, skipping adverbs and coordinated adjectives, or -1."""
    position = opinion.first - 1
    floor = max(-1, opinion.first - _REACH)
    while position > floor:
        joins = parse.lows[position] in (",", "and", "but", "yet") and position - 1 in parse.opinion_at
        adjective = position in parse.opinion_at and parse.tags[position] == "ADJ"
        if not (parse.tags[position] in ("ADV", "PART") or parse.lows[position] in _HEDGES_BARE or joins or adjective):
            return position
        position -= 1
    return -1


def bare_predicate_noun(parse: Parse, opinion: Opinion) -> NounPhrase | None:
    """Return the noun of a predicate without a copula: "the portions very small", "found the staff rude"."""
    position = _before_predicate(parse, opinion)
    if parse.low(position) in _HEADLINE_MARKS and parse.tag(position - 1) in NOMINAL:
        phrase = parse.phrase_at.get(position - 1)
        if phrase is not None and parse.tag(phrase.first - 1) in ("", "PUNCT", "CCONJ"):
            position -= 1
    if position < 0 or parse.tags[position] not in NOMINAL:
        return None
    phrase = parse.phrase_at.get(position)
    if phrase is None or phrase.last != position + 1:
        return None
    after = parse.tag(opinion.last)
    return head_phrase(parse, phrase) if after in ("PUNCT", "", "CCONJ", "SCONJ", "ADP", "PART") else None
