"""Subjects and coordination: the noun phrases that a verb is about, and which belong together."""

from __future__ import annotations

from samsim.engines.embedded.english.syntax import NOMINAL, NounPhrase, Parse
from samsim.engines.embedded.english.words import RELATIVE_PRONOUNS

_REACH = 12
_INSERTED = frozenset("however though on of in too overall unfortunately nevertheless".split())
_EMPHASIS = frozenset("all both itself themselves also here there".split())
_SINGULAR = frozenset("is was 's has looks tastes seems feels sounds".split())
_PREPOSITIONS_OF_PARTS = frozenset("of in on with at from for by to about".split())


def subject_end(parse: Parse, verb: int) -> int:
    """Return the last word of the subject, skipping auxiliaries, adverbs and an inserted "however", or -1."""
    position = verb - 1
    while position >= 0:
        low = parse.lows[position]
        if low == ",":
            opening = _inserted_from(parse, position)
            if opening < 0:
                break
            position = opening - 1
        elif parse.tags[position] in ("ADV", "AUX", "PART") or low in _EMPHASIS:
            position -= 1
        else:
            break
    return position


def _inserted_from(parse: Parse, comma: int) -> int:
    """Return the comma that opens the insertion closed by this one ("…, on the other hand, …"), or -1."""
    for position in range(comma - 1, max(-1, comma - 6), -1):
        if parse.tags[position] in ("VERB", "AUX", "PRON"):
            return -1
        if parse.lows[position] == ",":
            return position if parse.low(position + 1) in _INSERTED else -1
    return comma if parse.low(comma - 1) in ("however", "though") else -1


def subject_phrases(parse: Parse, verb: int) -> list[NounPhrase]:
    """Return the noun phrases before the verb that are its subject; empty for a pronoun or a clause."""
    position = subject_end(parse, verb)
    if position < 0:
        return []
    if parse.lows[position] in RELATIVE_PRONOUNS and parse.tags[position] in ("PRON", "SCONJ"):
        return _antecedent(parse, position)
    if parse.lows[position] in (")", "-rrb-"):
        position = _before_bracket(parse, position)
    elif parse.lows[position] == ",":
        position = _before_relative(parse, position)
    phrase = parse.phrase_at.get(position)
    if phrase is None:
        return []
    head = head_phrase(parse, phrase)
    # "Great soup and the waiter is friendly": with a singular verb, nothing before the determiner is a second subject.
    alone = head.has_determiner and parse.low(verb) in _SINGULAR
    return [head] if alone else with_coordinated(parse, head)


def _before_bracket(parse: Parse, position: int) -> int:
    """Return the word before the bracketed text that ends here."""
    for opening in range(position - 1, max(-1, position - _REACH), -1):
        if parse.lows[opening] in ("(", "-lrb-"):
            return opening - 1
    return position


def _before_relative(parse: Parse, comma: int) -> int:
    """Return the word before an inserted relative clause: "the list, which is long, …"."""
    for position in range(comma - 1, max(0, comma - _REACH), -1):
        if parse.lows[position] in ("which", "who") and parse.lows[position - 1] == ",":
            return position - 2
        if parse.lows[position] == ",":
            break
    return comma


def _antecedent(parse: Parse, pronoun: int) -> list[NounPhrase]:
    position = pronoun - 1
    if position >= 0 and parse.lows[position] in (",", "(", "-", "--", "-lrb-"):
        position -= 1
    phrase = parse.phrase_at.get(position)
    return [head_phrase(parse, phrase)] if phrase is not None else []


def head_phrase(parse: Parse, phrase: NounPhrase) -> NounPhrase:
    """Climb from "of the food" to "the quality": return the phrase that this one is a part of."""
    for _ in range(3):
        before = phrase.first - 1
        if before < 1 or parse.tags[before] != "ADP" or parse.lows[before] not in _PREPOSITIONS_OF_PARTS:
            break
        outer = parse.phrase_at.get(before - 1)
        if outer is None:
            break
        phrase = outer
    return phrase


def with_coordinated(parse: Parse, phrase: NounPhrase) -> list[NounPhrase]:
    """Return the phrase and those coordinated to its left: "the food, the service and the decor"."""
    found = [phrase]
    current = phrase
    seen_and = False
    for _ in range(6):
        joint = current.first - 1
        if joint < 1 or parse.lows[joint] not in ("and", "or", "&", ",", "nor"):
            break
        seen_and = seen_and or parse.lows[joint] != ","
        end = joint - 1
        if parse.lows[joint] != "," and parse.low(end) == ",":
            end -= 1
        previous = parse.phrase_at.get(end)
        if previous is None or previous.last != end + 1:
            break
        current = previous
        found.append(current)
    if not seen_and:
        return [phrase]
    outer = head_phrase(parse, current)
    return found[::-1] if outer is current else [outer]  # "spaghetti with shrimp and scallops" is one dish


def following_coordinated(parse: Parse, phrase: NounPhrase) -> list[NounPhrase]:
    """Return the phrase and those coordinated to its right: "great food and service", "love the pizza and the wine"."""
    found = [phrase]
    current = phrase
    for _ in range(6):
        joint = current.last
        if parse.low(joint) not in ("and", "or", "&", ","):
            break
        begin = joint + 1
        if parse.low(joint) == "," and parse.low(begin) in ("and", "or", "&"):
            begin += 1
        following = parse.phrase_at.get(begin)
        if following is None or following.first != begin:
            break
        current = following
        found.append(current)
    if len(found) > 1 and parse.low(found[-1].first - 1) == "," and not _is_bare_list(parse, found):
        return found[:1]
    if parse.tag(found[-1].last) in ("VERB", "AUX") and len(found) > 1:
        return found[:-1] if len(found) == 2 else found[:1]
    return found


def _is_bare_list(parse: Parse, phrases: list[NounPhrase]) -> bool:
    """Return whether these are bare nouns up to the end of the sentence: "Great battery, speed, display."."""
    bare = all(
        not phrase.has_determiner and not phrase.modifiers and parse.tags[phrase.core] in NOMINAL
        for phrase in phrases[1:]
    )
    return bare and len(phrases) > 2 and parse.low(phrases[-1].last) in ("", ".", "!")
