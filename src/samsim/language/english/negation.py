"""English negation: which words negate, and which words they govern.

Every marker is read in context: "not only", "no doubt", "couldn't be better" and "nothing but praise"
negate nothing, while "I don't think the soup is good" governs "good" across a clause.
"""

from __future__ import annotations

from collections.abc import Collection

from samsim.language.english.sentence import NOMINAL, Sentence, opens_clause
from samsim.schemas.analysis import Cue

_VERB_NEGATIONS = frozenset("n't not never hardly barely scarcely seldom rarely nor neither cannot".split())
_NOUN_NEGATIONS = frozenset({"no", "zero"})
_PRONOUN_NEGATIONS = frozenset({"nothing", "nobody", "none", "nowhere"})
_SCOPE_ENDS = frozenset(
    """
    but although though whereas because cause unless when whenever until since while yet however except which who so if
    whether due other
    """.split()
)
_SCOPE_MARKS = frozenset(", ; : -- – — ( ) -lrb- -rrb- . ! ? ... …".split())
_NO_TRAPS = frozenset("doubt wonder matter less question brainer surprise means fewer sooner frills other".split())
_NOT_TRAPS = frozenset("only just merely simply until surprisingly unlike withstanding".split())
_ENOUGH_VERBS = frozenset("recommend say stress praise thank get express emphasize".split())
_BEFORE_TRAPS = frozenset({"if", "or", "why", "whether", "than"})
_REMINDERS = frozenset("forget mention miss hesitate doubt".split())
_PRAISE_BY_CANNOT = frozenset("wait beat complain help resist".split())
_SURPASSING = frozenset("be have ask agree imagine find wish hope".split())
_FAIL = frozenset("fail fails failed failing".split())
_LACK = frozenset("lack lacks lacked lacking devoid void".split())
_REACH = 14


def negation_cues(text: str, sentence: Sentence, taken: Collection[int]) -> list[Cue]:
    """Return the negation cues of a sentence; words in ``taken`` belong to fixed expressions and are skipped."""
    cues: list[Cue] = []
    for index, low in enumerate(sentence.lows):
        if index in taken:
            continue
        found = _cue_at(sentence, index, low)
        if found is None:
            continue
        marker_end, first, last = found
        scope = sentence.span(first, last)
        if scope[0] < scope[1]:
            start, end = sentence.words[index].start, sentence.words[marker_end - 1].end
            cues.append(Cue("negation", text[start:end].lower(), start, end, (scope,)))
    return cues


def _cue_at(sentence: Sentence, index: int, low: str) -> tuple[int, int, int] | None:
    """Return the end of the marker and the start and end of its scope for a negation at this word, else None."""
    after = index + 1
    if low in _VERB_NEGATIONS:
        return None if _is_verb_trap(sentence, index) else (after, after, _predicate_end(sentence, after))
    if low in _NOUN_NEGATIONS:
        return _no_cue(sentence, index)
    if low == "without":
        if sentence.low(index + 2) in ("doubt", "question") or sentence.low(after) in ("doubt", "question"):
            return None
        return (after, after, _predicate_end(sentence, after))
    if low == "with" and sentence.low(after) == "out":
        return (after + 1, after + 1, _predicate_end(sentence, after + 1))
    if low in _PRONOUN_NEGATIONS:
        return _nothing_cue(sentence, index)
    if low in _FAIL and sentence.low(after) == "to":
        return (after + 1, after + 1, _predicate_end(sentence, after + 1))
    if low in _LACK:
        return _lack_cue(sentence, index)
    if (
        low == "far"
        and sentence.low(after) == "from"
        and sentence.tag(after + 1) in ("ADJ", "VERB", "DET", "AUX", "ADV")
    ):
        return (after + 1, after + 1, _predicate_end(sentence, after + 1))
    if low == "anything" and sentence.low(after) == "but":
        return (after + 1, after + 1, _predicate_end(sentence, after + 1))
    if low == "too":
        return _too_cue(sentence, index)
    return _less_cue(sentence, index) if low == "less" else None


def _is_verb_trap(sentence: Sentence, index: int) -> bool:
    """Return whether a verbal negation is part of a phrase that negates nothing."""
    low, next_low = sentence.lows[index], sentence.low(index + 1)
    if low in ("not", "n't"):
        if next_low in _NOT_TRAPS or sentence.low(index - 1) in _BEFORE_TRAPS:
            return True
        if (next_low, sentence.low(index + 2)) in (("to", "mention"), ("to", "worry"), ("get", "me")):
            return True
        if sentence.low(index - 1) == "but" and sentence.low(index - 2) == "last":
            return True
        # "Isn't it great?" expects a yes.
        if low == "n't" and index == 1 and sentence.lows[-1] == "?":
            return True
    following = [sentence.low(position) for position in range(index + 1, index + 7)]
    if low in ("not", "n't", "never") and _praises_by_negation(sentence, index, following):
        return True
    return low in ("not", "n't") and following[0] in _REMINDERS


def _praises_by_negation(sentence: Sentence, index: int, following: list[str]) -> bool:
    """Return whether a negation praises: "couldn't be better", "can't recommend it enough", "never had better"."""
    helper = sentence.low(index - 1)
    if following[0] in _ENOUGH_VERBS and "enough" in following:
        return True
    if helper in ("can", "ca", "could"):
        if following[0] in _PRAISE_BY_CANNOT or following[:2] == ["stop", "eating"]:
            return True
        if following[:2] == ["go", "wrong"] or following[:3] == ["be", "beat", ""] or "beaten" in following[:2]:
            return True
        if following[0] in _SURPASSING and _has_comparative(sentence, index + 2, index + 6):
            return True
    if following[0] == "get" and "better" in following[1:4]:
        return True
    return sentence.lows[index] == "never" and "better" in following[:5]


def _has_comparative(sentence: Sentence, first: int, last: int) -> bool:
    lows = [(sentence.low(position), sentence.tag(position)) for position in range(first, last)]
    return any(low in ("better", "more") or (low.endswith("er") and tag in ("ADJ", "ADV")) for low, tag in lows)


def _no_cue(sentence: Sentence, index: int) -> tuple[int, int, int] | None:
    """Return the cue of "no" before a noun phrase or comparative; not of an answer ("No, …") or "no. 5"."""
    following = sentence.low(index + 1)
    if sentence.tag(index + 1) in ("PUNCT", "NUM", "") or following in _NO_TRAPS:
        return None
    if following in ("longer", "one", "where") or (following == "way" and sentence.tag(index + 2) != "PUNCT"):
        return (index + 2, index + 2, _predicate_end(sentence, index + 2))
    return (index + 1, index + 1, _noun_phrase_end(sentence, index + 1))


def _nothing_cue(sentence: Sentence, index: int) -> tuple[int, int, int] | None:
    following = sentence.low(index + 1)
    if following in ("but", "short", "other") or (following == "less" and sentence.low(index + 2) == "than"):
        return None
    if sentence.low(index - 1) in ("for", "to") and sentence.lows[index] in ("nothing", "none"):
        return None
    end = _predicate_end(sentence, index + 1)
    if end > index + 1:
        return (index + 1, index + 1, end)
    begin = index
    while begin > 0 and sentence.tags[begin - 1] != "PUNCT" and sentence.tags[begin - 1] != "CCONJ":
        begin -= 1
    return (index + 1, begin, index)


def _lack_cue(sentence: Sentence, index: int) -> tuple[int, int, int] | None:
    """Return the cue of "lacks flavor" or "a lack of care"."""
    begin = index + 1
    if sentence.low(begin) in ("of", "in", "for"):
        begin += 1
    if sentence.tag(begin) in ("DET", "ADJ", "NOUN", "PROPN", "PRON", "ADV", "NUM"):
        return (begin, begin, _noun_phrase_end(sentence, begin))
    return None


def _too_cue(sentence: Sentence, index: int) -> tuple[int, int, int] | None:
    """Return the cue of "too salty to eat", which denies the verb after "to"."""
    if sentence.tag(index + 1) not in ("ADJ", "ADV"):
        return None
    for position in range(index + 2, min(index + 6, len(sentence.lows))):
        if sentence.lows[position] == "to" and sentence.tag(position + 1) in ("VERB", "AUX"):
            return (index + 1, position + 1, _predicate_end(sentence, position + 1))
        if sentence.tags[position] == "PUNCT":
            return None
    return None


def _less_cue(sentence: Sentence, index: int) -> tuple[int, int, int] | None:
    """Return the cue of "less stable" or "less than ideal", which weakens the adjective."""
    begin = index + 1 + (sentence.low(index + 1) == "than")
    if sentence.tag(begin) != "ADJ" or sentence.low(index - 1) in ("no", "nothing"):
        return None
    return (begin, begin, begin + 1)


def _noun_phrase_end(sentence: Sentence, begin: int) -> int:
    """Return the end of a noun phrase with its "of" and "or" parts."""
    position, seen_noun = begin, False
    limit = min(len(sentence.lows), begin + _REACH)
    while position < limit:
        tag, low = sentence.tags[position], sentence.lows[position]
        if tag in NOMINAL or low == "one":
            seen_noun = True
        elif (
            tag in ("PUNCT", "SCONJ", "AUX") or low in _SCOPE_ENDS or (seen_noun and not _continues(sentence, position))
        ):
            break
        position += 1
    return position


def _continues(sentence: Sentence, position: int) -> bool:
    """Return whether "of" or "or" adds to a noun phrase."""
    return sentence.lows[position] in ("of", "or") and sentence.tag(position + 1) in ("NOUN", "PROPN", "ADJ", "DET")


def _predicate_end(sentence: Sentence, begin: int) -> int:
    """Return the end of the governed predicate: at punctuation, a contrast or reason, or the next clause."""
    position = begin
    if sentence.low(begin) == "," == sentence.low(begin + 2):  # "is not, however, cheap"
        position = begin + 3
    limit = min(len(sentence.lows), begin + _REACH)
    while position < limit:
        low, tag = sentence.lows[position], sentence.tags[position]
        if low in _SCOPE_MARKS and not _is_list_comma(sentence, position):
            break
        if low in _SCOPE_ENDS and not (low == "so" and sentence.tag(position + 1) in ("ADJ", "ADV")):
            break
        if low in ("nor", "neither") and position > begin:
            break
        if tag == "ADP" and sentence.low(begin) in ("have", "need") and low not in ("to", "of"):
            break  # "you don't need to spend money on a bad program": the program stays bad
        if tag == "CCONJ" and low != "or" and _starts_new_predicate(sentence, position + 1):
            break
        position += 1
    return position


def _is_list_comma(sentence: Sentence, position: int) -> bool:
    """Return whether a comma separates adjectives of one list ("not fresh, warm or tasty")."""
    if sentence.lows[position] != ",":
        return False
    before, after = sentence.tag(position - 1), sentence.tag(position + 1)
    return before == "ADJ" and after == "ADJ" and sentence.low(position + 2) in ("or", "nor", ",")


def _starts_new_predicate(sentence: Sentence, position: int) -> bool:
    tag = sentence.tag(position)
    return tag in ("AUX", "VERB", "PRON", "PUNCT", "ADV", "PART", "DET") or opens_clause(sentence, position)
