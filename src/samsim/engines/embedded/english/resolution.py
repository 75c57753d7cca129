"""Targets that direct syntax does not find: pronouns, shared subjects, relative clauses."""

from __future__ import annotations

from samsim.engines.embedded.english.links import Target, governing_verb, object_phrase, term_of
from samsim.engines.embedded.english.literal import terms
from samsim.engines.embedded.english.subjects import subject_end, subject_phrases
from samsim.engines.embedded.english.syntax import NounPhrase, Opinion, Parse
from samsim.engines.embedded.english.words import (
    MANNER_ADVERBS,
    OBJECT_VERBS,
    RESUMING_PRONOUNS,
    STATE_ADJECTIVES,
    SUBJECT_VERBS,
)

_ABOUT = frozenset({"with", "about"})


def indirect_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    """Return targets found by a shared subject, a relative clause, a pronoun or a complement."""
    lemma, tag = parse.lemma(opinion.first), parse.tags[opinion.first]
    if tag == "VERB" and lemma in OBJECT_VERBS:
        return _object_targets(parse, opinion)
    verb = _verb_of(parse, opinion)
    if verb < 0 or parse.low(opinion.last) in ("to", "that", "if", "when", "how"):
        return []  # "it is annoying to wait": "it" refers to what follows
    return _subject_by_context(parse, verb) or _about_targets(parse, opinion)


def _verb_of(parse: Parse, opinion: Opinion) -> int:
    """Return the verb whose subject the opinion is about, or -1."""
    tag = parse.tags[opinion.first]
    if parse.lows[opinion.last - 1] in STATE_ADJECTIVES:
        return -1
    if tag == "VERB" and parse.lemma(opinion.first) in SUBJECT_VERBS:
        return opinion.first
    if tag in ("ADJ", "ADV", "VERB") or opinion.last - opinion.first > 1:
        verb = governing_verb(parse, opinion)
        if verb >= 0:
            return verb
        position = opinion.first - 1
        while position >= 0 and parse.tags[position] == "ADV":
            position -= 1
        if position >= 0 and parse.tags[position] == "VERB" and parse.lows[opinion.first] in MANNER_ADVERBS:
            return position
    return -1


def _subject_by_context(parse: Parse, verb: int) -> list[Target]:
    """Return the subject if it is not right before the verb."""
    position = subject_end(parse, verb)
    if position < 0:
        return []
    low = parse.lows[position]
    if low in RESUMING_PRONOUNS:
        return _antecedents(parse, position)
    if low in ("and", "but", "or", ",", "yet", "&"):
        return _shared_subject(parse, position)
    if parse.tags[position] == "VERB":
        return _subject_with_relative(parse, position)
    return []


def _shared_subject(parse: Parse, joint: int) -> list[Target]:
    """Return the subject that two verbs share: "The food is fresh and tastes great"."""
    for position in range(joint - 1, -1, -1):
        tag = parse.tags[position]
        if tag in ("AUX", "VERB") and parse.tag(position - 1) not in ("AUX", "PART", "VERB", "ADP", "ADV"):
            found = terms(parse, subject_phrases(parse, position), "shared")
            return found or _subject_by_context_of_pronoun(parse, position)
        if parse.lows[position] in (";", ":", "--", "("):
            return []
    return []


def _subject_by_context_of_pronoun(parse: Parse, verb: int) -> list[Target]:
    return _antecedents(parse, verb - 1) if parse.low(verb - 1) in RESUMING_PRONOUNS else []


def _subject_with_relative(parse: Parse, verb: int) -> list[Target]:
    """Return the subject of a relative clause without a relative pronoun: "the quality it provides is great"."""
    if parse.tag(verb - 1) != "PRON" and parse.low(verb - 1) != "that":
        return []
    phrase = parse.phrase_at.get(verb - 2)
    if phrase is None and parse.low(verb - 2) in ("that", "which"):
        phrase = parse.phrase_at.get(verb - 3)
    return terms(parse, [phrase], "relative") if phrase is not None else []


def _antecedents(parse: Parse, pronoun: int) -> list[Target]:
    """Return what "it" or "they" refers to in the same sentence: the nearest matching noun phrase before it."""
    plural = parse.lows[pronoun] in ("they", "them")
    for phrase in reversed(parse.phrases):
        if phrase.last > pronoun:
            continue
        head = parse.lows[phrase.last - 1]
        if _is_plural(head) != plural or parse.tag(phrase.first - 1) == "ADP" or not _is_definite(parse, phrase):
            continue
        term = term_of(parse, phrase, "pronoun")
        return [term] if term is not None else []
    return []


def _is_definite(parse: Parse, phrase: NounPhrase) -> bool:
    return phrase.has_determiner or parse.tags[phrase.core] == "PROPN" or phrase.first == 0


def _is_plural(head: str) -> bool:
    return head.endswith("s") and not head.endswith(("ss", "us"))


def _object_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    """Return the object of a verb of liking if it comes first: "which I enjoy", "I recommend it"."""
    if parse.low(opinion.last) in RESUMING_PRONOUNS:
        return _antecedents(parse, opinion.last)
    position = subject_end(parse, opinion.first)
    if position > 0 and parse.tags[position] == "PRON" and parse.lows[position - 1] in ("which", "that"):
        before = position - 2
        if parse.low(before) == ",":
            before -= 1
        phrase = parse.phrase_at.get(before)
        return terms(parse, [phrase], "relative") if phrase is not None else []
    return []


def _about_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    """Return the complement if the subject says nothing: "they are efficient with their service"."""
    if parse.low(opinion.last) not in _ABOUT:
        return []
    phrase = object_phrase(parse, opinion.last + 1)
    return terms(parse, [phrase], "complement") if phrase is not None else []


def last_topic(parse: Parse) -> NounPhrase | None:
    """Return the noun phrase that "it" in the next sentence most likely refers to: the subject of this one."""
    for phrase in parse.phrases:
        if term_of(parse, phrase, "topic") is not None and parse.tag(phrase.first - 1) != "ADP":
            return phrase
    return None


def takes_up_topic(parse: Parse, opinion: Opinion) -> bool:
    """Return whether the opinion is the predicate of an "it" or "they" without an antecedent in this sentence."""
    verb = governing_verb(parse, opinion)
    if verb < 0 or parse.low(opinion.last) in ("to", "that", "if"):
        return False
    pronoun = subject_end(parse, verb)
    if parse.low(pronoun) not in RESUMING_PRONOUNS:
        return False
    return not any(phrase.last <= pronoun for phrase in parse.phrases)
