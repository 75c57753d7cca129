"""Perspective C (P-LIT): explicit aspect-opinion pairs, taken literally and linked by direct syntax."""

from __future__ import annotations

from samsim.engines.embedded.english.chunks import parse_text
from samsim.engines.embedded.english.doubt import UNCERTAIN, is_doubted
from samsim.engines.embedded.english.hypothesis import is_counterfactual, is_hypothetical
from samsim.engines.embedded.english.links import (
    Target,
    bare_predicate_noun,
    complement_of,
    governing_verb,
    is_adjectival,
    modified_noun,
    object_phrase,
    state_target,
    term_of,
)
from samsim.engines.embedded.english.reading import (
    attribute_of,
    is_excessive,
    literal_value,
    opinion_span,
    polarity_of,
    wish_begin,
)
from samsim.engines.embedded.english.subjects import following_coordinated, subject_phrases
from samsim.engines.embedded.english.syntax import NounPhrase, Opinion, Parse
from samsim.engines.embedded.english.words import (
    ADJECTIVE_ENDINGS,
    BE_FORMS,
    MANNER_ADVERBS,
    OBJECT_PRONOUNS,
    OBJECT_VERBS,
    OPINION_NOUNS,
    STATE_ADJECTIVES,
    SUBJECT_VERBS,
)
from samsim.engines.embedded.extraction import Extraction
from samsim.schemas.analysis import TextAnalysis

_CONFIDENCE = {"modifier": 0.8, "copula": 0.9, "object": 0.85, "bare": 0.7}
_OTHER_CONFIDENCE = 0.6
_REASONS = {
    "modifier": "the opinion modifies the noun",
    "copula": "the opinion is the predicate of the noun",
    "object": "the noun is the object of the opinion verb",
    "bare": "the opinion follows the noun as its predicate",
    "state": "the noun is what the writer's state is about",
    "nominal": "the opinion is a predicate noun of the subject",
    "manner": "the opinion says how the subject does",
    "subject": "the noun is the subject of the opinion verb",
    "about": "the noun completes the opinion noun",
    "complement": "the noun is named as what the opinion is about",
}


def extract_literal(analysis: TextAnalysis) -> list[Extraction]:
    """Return explicit pairs with their literal polarity; only a directly preceding negation reverses it."""
    found: list[Extraction] = []
    for parse in parse_text(analysis):
        for opinion in parse.opinions:
            targets = direct_targets(parse, opinion)
            doubted = is_doubted(parse, opinion.first)
            if not targets or (not doubted and _is_not_literal(parse, opinion)):
                continue  # left to perspective A
            span = opinion_span(parse, opinion)
            polarity = "neutral" if doubted else polarity_of(literal_value(parse, opinion))
            term, attribute = analysis.text[span[0] : span[1]], attribute_of(parse, opinion)
            found += [
                Extraction(
                    parse.span(target.first, target.last),
                    span,
                    term,
                    polarity,
                    UNCERTAIN if doubted else _CONFIDENCE.get(target.how, _OTHER_CONFIDENCE),
                    _REASONS[target.how],
                    attribute,
                )
                for target in targets
            ]
    return found


def _is_not_literal(parse: Parse, opinion: Opinion) -> bool:
    """Return whether the words do not say what was found: "could be better", "too sweet", "I wish it was bigger"."""
    if wish_begin(parse, opinion) >= 0 or is_excessive(parse, opinion) or is_counterfactual(parse, opinion):
        return True
    return literal_value(parse, opinion) > 0 and is_hypothetical(parse, opinion)


def direct_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    """Return the aspect terms that direct syntax links to an opinion, in text order."""
    tag = parse.tags[opinion.first]
    if opinion.last - opinion.first > 1:
        found = _adjective_targets(parse, opinion) or (_subject_targets(parse, opinion) if tag == "VERB" else [])
        return found or _expression_targets(parse, opinion)
    if tag == "VERB":
        return _verb_targets(parse, opinion)
    if tag in ("NOUN", "PROPN"):
        return _noun_targets(parse, opinion)
    if tag == "ADV":
        return _manner_targets(parse, opinion) or _adverb_targets(parse, opinion)
    return _adjective_targets(parse, opinion) or _manner_targets(parse, opinion)


def _expression_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    """Return what an expression is about: "can't complain about the price", "nothing but praise for the crew"."""
    if parse.low(opinion.last) not in ("about", "with", "for", "to"):
        return []
    phrase = object_phrase(parse, opinion.last + 1)
    return terms(parse, following_coordinated(parse, phrase), "about") if phrase is not None else []


def terms(parse: Parse, phrases: list[NounPhrase], how: str) -> list[Target]:
    """Return the aspect terms of these phrases, without phrases that have an empty head."""
    found = [term_of(parse, phrase, how) for phrase in phrases]
    return [term for term in found if term is not None]


def _adjective_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    noun = modified_noun(parse, opinion)
    if noun is not None:
        return _modified_targets(parse, opinion, noun)
    if parse.low(opinion.last) in OBJECT_PRONOUNS:
        return _subject_targets(parse, opinion)  # "the list impressed us"
    if parse.lows[opinion.last - 1] in STATE_ADJECTIVES:
        state = state_target(parse, opinion)
        return terms(parse, following_coordinated(parse, state), "state") if state is not None else []
    verb = governing_verb(parse, opinion)
    if verb >= 0:
        return terms(parse, subject_phrases(parse, verb), "copula")
    bare = bare_predicate_noun(parse, opinion)
    return terms(parse, [bare], "bare") if bare is not None else []


def _adverb_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    """Return the targets of an adjective that was tagged as an adverb: "the best oatmeal", "service is fast"."""
    if parse.tag(opinion.last) in ("ADJ", "ADV", "VERB"):
        return []
    noun = modified_noun(parse, opinion)
    if noun is not None:
        return _modified_targets(parse, opinion, noun)
    verb = governing_verb(parse, opinion)
    return terms(parse, subject_phrases(parse, verb), "copula") if verb >= 0 else []


def _modified_targets(parse: Parse, opinion: Opinion, noun: NounPhrase) -> list[Target]:
    """Return the noun that an adjective modifies, with nouns that share it: "great food and service"."""
    shared = following_coordinated(parse, noun)
    kept = [noun] + [phrase for phrase in shared[1:] if not phrase.modifiers and not phrase.has_determiner]
    found = terms(parse, kept, "modifier")
    if found:
        return found
    complement = complement_of(parse, noun)
    if complement is not None:
        return terms(parse, following_coordinated(parse, complement), "complement")
    verb = governing_verb(parse, Opinion(noun.first, noun.last, opinion.word))
    return terms(parse, subject_phrases(parse, verb), "nominal") if verb >= 0 else []


def _manner_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    """Return the subject of the verb that an adverb of manner modifies: "the fan runs quietly"."""
    if parse.lows[opinion.first] not in MANNER_ADVERBS:
        return []
    verb = opinion.first - 1
    while verb >= 0 and (parse.tags[verb] == "ADV" or parse.lows[verb] in ("up", "out", "through", "down", "off")):
        verb -= 1
    if verb < 0 or parse.tags[verb] != "VERB":
        return []
    return terms(parse, subject_phrases(parse, verb), "manner")


def _subject_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    return terms(parse, subject_phrases(parse, opinion.first), "subject")


def _verb_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    lemma = parse.lemma(opinion.first)
    if lemma in OBJECT_VERBS:
        phrase = object_phrase(parse, opinion.last)
        return terms(parse, following_coordinated(parse, phrase), "object") if phrase is not None else []
    if parse.lows[opinion.first].endswith(("ed", "ing", "en")) or is_adjectival(parse, opinion.first):
        found = _adjective_targets(parse, opinion)
        if found:
            return found
    if lemma in SUBJECT_VERBS and parse.low(opinion.first - 1) not in BE_FORMS:
        return _subject_targets(parse, opinion)
    return []


def _noun_targets(parse: Parse, opinion: Opinion) -> list[Target]:
    if parse.lows[opinion.first] not in OPINION_NOUNS:
        noun = modified_noun(parse, opinion)
        if noun is not None:
            adjective = parse.lows[opinion.first].endswith(ADJECTIVE_ENDINGS) or parse.lows[opinion.first] == "fun"
            return _modified_targets(parse, opinion, noun) if adjective else []
        if parse.lemma(opinion.first) in SUBJECT_VERBS:  # "the app crashes", tagged as a noun
            return _subject_targets(parse, opinion)
        # An adjective that the tagger does not know: "the fish was overdone".
        before = opinion.first - 1
        predicate = parse.tag(before) in ("AUX", "ADV", "CCONJ") or parse.low(before) in ("out", "up", ":")
        return _adjective_targets(parse, opinion) if predicate else []
    compound = parse.phrase_at.get(opinion.first - 1)
    if compound is not None and compound.last == opinion.first and opinion.word.prior < 0:
        return terms(parse, [compound], "about")
    if parse.low(opinion.last) in ("with", "of", "in", "for"):
        phrase = object_phrase(parse, opinion.last + 1)
        found = terms(parse, following_coordinated(parse, phrase), "about") if phrase is not None else []
        if found:
            return found
    complement = complement_of(parse, NounPhrase(opinion.first, opinion.first, opinion.last, (), False))
    if complement is not None:
        return terms(parse, following_coordinated(parse, complement), "complement")
    verb = governing_verb(parse, opinion)
    if verb < 0:
        verb = _having_verb(parse, opinion)
    return terms(parse, subject_phrases(parse, verb), "nominal") if verb >= 0 else []


def _having_verb(parse: Parse, opinion: Opinion) -> int:
    """Return the verb that gives its subject the opinion noun, or -1: "the browser has problems"."""
    position = opinion.first - 1
    while position > 0 and parse.tags[position] in ("ADJ", "DET", "NUM", "ADV"):
        position -= 1
    return position if position > 0 and parse.lemma(position) in ("have", "cause", "give") else -1
