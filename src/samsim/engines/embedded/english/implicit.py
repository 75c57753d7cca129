"""Perspective B (P-IMP): evaluations without a named target, and actions that imply one."""

from __future__ import annotations

from samsim.engines.embedded.english.clausal import Reading, ironic_spans, placed_opinions, read_in_context
from samsim.engines.embedded.english.failures import implicit_failures
from samsim.engines.embedded.english.intent import return_intents
from samsim.engines.embedded.english.links import Target, governing_verb, is_adjectival, is_whole, modified_noun
from samsim.engines.embedded.english.reading import attribute_of, opinion_span, polarity_of
from samsim.engines.embedded.english.subjects import subject_end
from samsim.engines.embedded.english.syntax import Opinion, Parse
from samsim.engines.embedded.english.words import (
    ACTION_ASPECTS,
    MANNER_ADVERBS,
    OBJECT_VERBS,
    OPINION_NOUNS,
    STATE_ADJECTIVES,
    SUBJECT_VERBS,
    VAGUE_NOUNS,
    VAGUE_PRONOUNS,
)
from samsim.engines.embedded.extraction import Extraction
from samsim.schemas.analysis import Offsets, TextAnalysis

_PARTICLES = frozenset("up down around off".split())
_NEEDS_OBJECT = frozenset({"replace", "try"})
_STRONG = 0.5
_SHORT_SENTENCE = 4


def extract_implicit(analysis: TextAnalysis) -> list[Extraction]:
    """Return opinions about what the text does not name; those with an explicit target are left to the others."""
    found: list[Extraction] = []
    ironic = ironic_spans(analysis)
    for parse, opinion, targets, direct in placed_opinions(analysis):
        action = implied_action(parse, opinion) if not direct or parse.low(opinion.last) == "to" else None
        if action is not None:
            span = parse.span(action.first, action.last)
            reading = read_in_context(parse, opinion, ironic)
            found.append(_extraction(analysis, parse, opinion, span, reading, "the action is what is judged"))
        elif not targets:
            cue = _implicit_cue(parse, opinion)
            if cue:
                reading = read_in_context(parse, opinion, ironic)
                found.append(_extraction(analysis, parse, opinion, None, reading, cue))
    failed = implicit_failures(analysis)
    found = [f for f in found if not any(_overlap(f.opinion, failure.opinion) for failure in failed)]
    found += failed + return_intents(analysis)
    return sorted(found, key=lambda extraction: extraction.opinion)


def _overlap(first: Offsets, second: Offsets) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def _extraction(
    analysis: TextAnalysis, parse: Parse, opinion: Opinion, target: Offsets | None, reading: Reading, reason: str
) -> Extraction:
    span = opinion_span(parse, opinion)
    attribute = attribute_of(parse, opinion) or ("general" if target is None else None)
    confidence = min(reading.confidence, 0.7)
    term = analysis.text[span[0] : span[1]]
    return Extraction(target, span, term, polarity_of(reading.value), confidence, reason, attribute)


def implied_action(parse: Parse, opinion: Opinion) -> Target | None:
    """Return the action that is judged: "easy to use", "ease of use", "works great", "reasonably priced"."""
    following = parse.low(opinion.last)
    if following == "to" or (following == "of" and parse.lows[opinion.first] == "ease"):
        return _action(parse, opinion.last + 1)
    if following == "priced":
        return Target(opinion.last, opinion.last + 1, "action")
    if parse.lows[opinion.first] not in MANNER_ADVERBS:
        return None
    verb = opinion.first - 1
    while verb >= 0 and (parse.tags[verb] == "ADV" or parse.lows[verb] in _PARTICLES):
        verb -= 1
    return _action(parse, verb) if verb >= 0 and parse.tags[verb] == "VERB" else None


def _action(parse: Parse, verb: int) -> Target | None:
    if parse.lemma(verb) not in ACTION_ASPECTS:
        return None
    return Target(verb, verb + 1 + (parse.low(verb + 1) in _PARTICLES), "action")


def _implicit_cue(parse: Parse, opinion: Opinion) -> str:
    """Return why the opinion counts although its target is not named, or "" if it does not count."""
    if opinion.last - opinion.first > 1 and abs(opinion.word.prior) >= _STRONG:
        return "a fixed evaluative expression"
    low, tag = parse.lows[opinion.last - 1], parse.tags[opinion.first]
    if low in STATE_ADJECTIVES:
        return "the writer's state"
    if tag == "VERB" and parse.lemma(opinion.first) in OBJECT_VERBS - _NEEDS_OBJECT:
        return _liking_cue(parse, opinion)
    if not _can_stand_alone(parse, opinion):
        return ""
    noun = modified_noun(parse, opinion)
    if noun is not None:
        vague = is_whole(parse, noun) or parse.lows[noun.last - 1] in VAGUE_NOUNS
        return "it describes the whole thing" if vague else ""
    verb = governing_verb(parse, opinion)
    if verb < 0 and tag == "VERB" and parse.lemma(opinion.first) in SUBJECT_VERBS:
        verb = opinion.first
    if verb >= 0:
        return _subject_cue(parse, verb)
    words = sum(tag != "PUNCT" for tag in parse.tags)
    return "the sentence is the judgment" if words <= _SHORT_SENTENCE and tag in ("ADJ", "VERB", "INTJ") else ""


def _can_stand_alone(parse: Parse, opinion: Opinion) -> bool:
    """Return True for adjectives, and for verbs and nouns that express a judgment by themselves."""
    tag = parse.tags[opinion.first]
    if tag == "VERB":
        return parse.lemma(opinion.first) in SUBJECT_VERBS or is_adjectival(parse, opinion.first)
    if tag in ("NOUN", "PROPN"):
        return parse.lows[opinion.first] in OPINION_NOUNS
    return tag in ("ADJ", "ADV", "INTJ") or opinion.last - opinion.first > 1


def _liking_cue(parse: Parse, opinion: Opinion) -> str:
    """Return a reason if the object is a pronoun, the whole product or missing: "love it", "would not recommend"."""
    following = parse.low(opinion.last)
    phrase = parse.phrase_at.get(opinion.last) or parse.phrase_at.get(opinion.last + 1)
    vague = following in VAGUE_PRONOUNS or parse.tag(opinion.last) in ("PUNCT", "")
    if vague or (phrase is not None and is_whole(parse, phrase)):
        return "liking or advice without a named target"
    return ""


def _subject_cue(parse: Parse, verb: int) -> str:
    """Return a reason if the subject names nothing: a pronoun, the whole product, or no subject at all."""
    position = subject_end(parse, verb)
    if position < 0:
        return "the subject is left out"
    if parse.lows[position] in ("and", "but", ",", "or"):
        earlier = [index for index in range(position) if parse.tags[index] in ("VERB", "AUX")]
        return _subject_cue(parse, earlier[-1]) if earlier else ""
    phrase = parse.phrase_at.get(position)
    if parse.lows[position] in VAGUE_PRONOUNS or (phrase is not None and is_whole(parse, phrase)):
        return "its subject names no aspect"
    return ""
