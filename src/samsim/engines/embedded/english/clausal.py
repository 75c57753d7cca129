"""Perspective A (P-NEG): clause by clause, with the scope of negation and contrast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from samsim.engines.embedded.english.chunks import parse_text
from samsim.engines.embedded.english.doubt import UNCERTAIN, is_doubted, states_doubt
from samsim.engines.embedded.english.failures import explicit_failures
from samsim.engines.embedded.english.hypothesis import is_counterfactual, is_hypothetical
from samsim.engines.embedded.english.links import term_of
from samsim.engines.embedded.english.literal import direct_targets
from samsim.engines.embedded.english.reading import attribute_of, is_excessive, opinion_span, polarity_of, wish_begin
from samsim.engines.embedded.english.resolution import indirect_targets, last_topic, takes_up_topic
from samsim.engines.embedded.english.syntax import NounPhrase, Opinion, Parse
from samsim.engines.embedded.extraction import Extraction
from samsim.schemas.analysis import Offsets, TextAnalysis

_DIRECT = 0.85
_INDIRECT = 0.65


class Reading(NamedTuple):
    """A polarity value in context, the reason and the confidence."""

    value: float
    reason: str
    confidence: float


class Placed(NamedTuple):
    """An opinion with the text spans of its explicit targets; ``direct`` if they were found by syntax alone."""

    parse: Parse
    opinion: Opinion
    targets: list[Offsets]
    direct: bool


def extract_negation(analysis: TextAnalysis) -> list[Extraction]:
    """Return the explicit pairs of every clause with their polarity after negation, degree and contrast."""
    found: list[Extraction] = []
    ironic = ironic_spans(analysis)
    failed = explicit_failures(analysis)
    for parse, opinion, targets, direct in placed_opinions(analysis):
        if not targets or _is_inside(opinion, failed):
            continue
        reading = read_in_context(parse, opinion, ironic)
        span = opinion_span(parse, opinion)
        term = analysis.text[span[0] : span[1]]
        confidence = min(reading.confidence, _DIRECT if direct else _INDIRECT)
        attribute = attribute_of(parse, opinion)
        for target in targets:
            polarity = polarity_of(reading.value)
            found.append(Extraction(target, span, term, polarity, confidence, reading.reason, attribute))
    return sorted(found + failed, key=lambda extraction: extraction.opinion)


def _is_inside(opinion: Opinion, failed: list[Extraction]) -> bool:
    """Return whether the opinion is part of a failure: "well" in "never worked well"."""
    return any(failure.opinion[0] <= opinion.word.start < failure.opinion[1] for failure in failed)


def ironic_spans(analysis: TextAnalysis) -> tuple[Offsets, ...]:
    """Return the spans of the sentences with an irony cue."""
    return tuple(cue.scopes[0] for cue in analysis.cues if cue.kind == "irony")


def placed_opinions(analysis: TextAnalysis) -> Iterator[Placed]:
    """Yield every opinion of the text with its explicit targets, across sentences if a pronoun refers back."""
    topic: tuple[Parse, NounPhrase] | None = None
    for parse in parse_text(analysis):
        for opinion in parse.opinions:
            if states_doubt(parse, opinion):
                continue
            direct = direct_targets(parse, opinion)
            targets = direct or indirect_targets(parse, opinion)
            spans = [parse.span(target.first, target.last) for target in targets]
            if not spans and topic is not None and takes_up_topic(parse, opinion):
                spans = _topic_span(*topic)
            yield Placed(parse, opinion, spans, bool(direct))
        phrase = last_topic(parse)
        topic = (parse, phrase) if phrase is not None else topic


def _topic_span(parse: Parse, phrase: NounPhrase) -> list[Offsets]:
    term = term_of(parse, phrase, "topic")
    return [parse.span(term.first, term.last)] if term is not None else []


def read_in_context(parse: Parse, opinion: Opinion, ironic: tuple[Offsets, ...]) -> Reading:
    """Return the opinion's polarity after negation, "too", "could be better", wishes and irony."""
    word = opinion.word
    value = word.in_context
    if value > 0 and any(start <= word.start < end for start, end in ironic):
        return Reading(-value, "praise in an ironic sentence", 0.5)
    if is_doubted(parse, opinion.first):
        return Reading(0.0, "the writer leaves it open", UNCERTAIN)
    if is_counterfactual(parse, opinion):
        return Reading(0.0, "counterfactual, not reported", UNCERTAIN)
    if word.negated:
        return Reading(value, "a negation governs the opinion", _DIRECT)
    if is_excessive(parse, opinion):
        return Reading(-max(value, 0.4), "too much of it", 0.75)
    if value > 0 and wish_begin(parse, opinion) >= 0:
        return Reading(-0.5, "it could be better, so it is not", 0.7)
    if value > 0 and is_hypothetical(parse, opinion):
        return Reading(0.0, "wished for or supposed, not reported", UNCERTAIN)
    return Reading(value, "no negation governs the opinion", _DIRECT)
