"""Reading an opinion: its span with an adjacent negation, its polarity, and the attribute it is about."""

from __future__ import annotations

from samsim.engines.embedded.english.attributes import attribute_words
from samsim.engines.embedded.english.links import denies_by_exception, governing_verb
from samsim.engines.embedded.english.syntax import Opinion, Parse
from samsim.engines.embedded.english.words import COMPARATIVES, STRESSING_ADVERBS
from samsim.engines.embedded.extraction import Attribute, ExtractedPolarity
from samsim.schemas.analysis import Offsets

NEUTRAL_BELOW = 0.28
_NEGATIONS = frozenset("not n't never hardly barely less".split())
_OTHER_NEGATIONS = frozenset(
    "no without nor neither lacks lack lacking nothing none nobody rarely seldom scarcely".split()
)
_DEGREES = frozenset(
    "very so that really all at too overly particularly quite a the as even super exactly than".split()
)
_REACH = 4
_CLAUSE_REACH = 6
_RAISING_VERBS = frozenset("think believe say feel find expect imagine seem suppose guess consider call know".split())


def polarity_of(value: float) -> ExtractedPolarity:
    """Return the label of a polarity value; values close to zero are neutral."""
    if abs(value) < NEUTRAL_BELOW:
        return "neutral"
    return "positive" if value > 0 else "negative"


def adjacent_negation(parse: Parse, opinion: Opinion) -> int:
    """Return the index of a negation right before the opinion, with only degree words in between, or -1."""
    for position in range(opinion.first - 1, max(-1, opinion.first - 1 - _REACH), -1):
        low = parse.lows[position]
        if denies_by_exception(parse, position):
            return position - 1
        if low in _NEGATIONS:
            return -1 if parse.low(position + 1) in ("only", "just") else position
        if low not in _DEGREES and parse.tags[position] != "ADV":
            return -1
    return -1


def is_denied_nearby(parse: Parse, opinion: Opinion) -> bool:
    """Return whether the opinion's own clause has a negation, without another clause's verb of saying in between."""
    linking = governing_verb(parse, opinion)  # "doesn't feel cheap": the opinion's own verb, not one of saying
    for position in range(opinion.first - 1, max(-1, opinion.first - 1 - _CLAUSE_REACH), -1):
        low = parse.lows[position]
        if low in _NEGATIONS or low in _OTHER_NEGATIONS or denies_by_exception(parse, position):
            return True
        raising = parse.lemma(position) in _RAISING_VERBS and position != linking
        if raising or parse.tags[position] == "PUNCT":
            return False
    return False


def wish_begin(parse: Parse, opinion: Opinion) -> int:
    """Return where a wish such as "could be better" starts, or -1 if the opinion is not a wish."""
    if parse.lows[opinion.first] not in COMPARATIVES and parse.low(opinion.first - 1) != "more":
        return -1
    seen_be = False
    for position in range(opinion.first - 1, max(-1, opinion.first - 7), -1):
        low = parse.lows[position]
        seen_be = seen_be or low in ("be", "been")
        if low in ("could", "should", "wish"):
            return position if seen_be and parse.low(position + 1) not in _NEGATIONS else -1
        if parse.tags[position] == "PUNCT":
            return -1
    return -1


def is_excessive(parse: Parse, opinion: Opinion) -> bool:
    """Return whether there is too much of a good thing: "too sweet"."""
    return parse.low(opinion.first - 1) == "too" and opinion.word.in_context > 0


def opinion_span(parse: Parse, opinion: Opinion) -> Offsets:
    """Return the span of the opinion and what belongs to it: "not very good", "isn't fresh", "could be better"."""
    wish = wish_begin(parse, opinion)
    if wish >= 0:
        return parse.span(wish, opinion.last)
    first = opinion.first - is_excessive(parse, opinion)
    while parse.low(first - 1) in STRESSING_ADVERBS:
        first -= 1
    negation = adjacent_negation(parse, opinion) if opinion.word.negated else -1
    if negation >= 0:
        first = negation
        if parse.lows[negation] == "n't" and parse.tag(negation - 1) == "AUX":
            first = negation - 1
    return parse.span(first, opinion.last)


def literal_value(parse: Parse, opinion: Opinion) -> float:
    """Return the polarity, reversed only by a directly preceding negation."""
    prior = opinion.word.prior
    return -prior if opinion.word.negated and is_denied_nearby(parse, opinion) else prior


def attribute_of(parse: Parse, opinion: Opinion) -> Attribute | None:
    """Return the attribute that the opinion word itself implies, or None."""
    if parse.lows[opinion.first] == "cheap" and opinion.word.prior < 0:
        return "quality"  # "cheap plastic", "feels cheap": not the price
    known = attribute_words()
    return known.get(opinion.word.lemma) or known.get(parse.lows[opinion.first])
