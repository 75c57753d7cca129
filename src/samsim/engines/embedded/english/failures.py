"""Detecting things that do not do their job: "the flash barely works", "it won't charge"."""

from __future__ import annotations

from typing import NamedTuple

from samsim.engines.embedded.english.chunks import parse_text
from samsim.engines.embedded.english.links import Target, is_whole
from samsim.engines.embedded.english.literal import terms
from samsim.engines.embedded.english.subjects import subject_end, subject_phrases
from samsim.engines.embedded.english.syntax import Parse
from samsim.engines.embedded.english.words import FUNCTION_VERBS, MANNER_ADVERBS, VAGUE_PRONOUNS
from samsim.engines.embedded.extraction import Extraction
from samsim.schemas.analysis import TextAnalysis

_NEGATIONS = frozenset("not n't never barely hardly rarely".split())
_CONFIDENCE = 0.7
_REASON = "it does not do what it is for"


class Failure(NamedTuple):
    """A denied function by token indices; ``vague`` without targets means that only the whole product can be meant."""

    first: int
    last: int
    targets: list[Target]
    vague: bool


def explicit_failures(analysis: TextAnalysis) -> list[Extraction]:
    """Return the failures of things that the text names."""
    return [
        _extraction(analysis, parse, failure, target)
        for parse in parse_text(analysis)
        for failure in failures(parse)
        for target in failure.targets
    ]


def implicit_failures(analysis: TextAnalysis) -> list[Extraction]:
    """Return the failures of the whole product: "it doesn't work"."""
    return [
        _extraction(analysis, parse, failure, None)
        for parse in parse_text(analysis)
        for failure in failures(parse)
        if failure.vague
    ]


def failures(parse: Parse) -> list[Failure]:
    """Return the denied functions of a sentence, from left to right."""
    found: list[Failure] = []
    for verb, tag in enumerate(parse.tags):
        if tag == "VERB" and parse.lemma(verb) in FUNCTION_VERBS:
            negation = _negation_before(parse, verb)
            if negation >= 0:
                found.append(_failure(parse, negation, verb))
    return found


def _negation_before(parse: Parse, verb: int) -> int:
    position = verb - 1
    while position >= 0 and parse.tags[position] == "ADV" and parse.lows[position] not in _NEGATIONS:
        position -= 1
    if position < 0 or parse.lows[position] not in _NEGATIONS or parse.low(position + 1) in ("only", "just"):
        return -1
    return position


def _failure(parse: Parse, negation: int, verb: int) -> Failure:
    first, last = negation, verb + 1
    if parse.lows[negation] == "n't" and parse.tag(negation - 1) == "AUX":
        first -= 1
    if parse.low(last) in MANNER_ADVERBS:
        last += 1
    phrases = subject_phrases(parse, verb)
    targets = terms(parse, phrases, "subject")
    subject = subject_end(parse, verb)
    vague = not targets and (parse.low(subject) in VAGUE_PRONOUNS or any(is_whole(parse, p) for p in phrases))
    return Failure(first, last, targets, vague)


def _extraction(analysis: TextAnalysis, parse: Parse, failure: Failure, target: Target | None) -> Extraction:
    span = parse.span(failure.first, failure.last)
    place = parse.span(target.first, target.last) if target is not None else None
    return Extraction(place, span, analysis.text[span[0] : span[1]], "negative", _CONFIDENCE, _REASON, "quality")
