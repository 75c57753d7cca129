"""The three Korean perspectives of the embedded engine.

They share morphemes, cues and phrases, and differ in how they use them: A follows scope across
clauses, B looks for judgments without a named target, C takes only what is side by side.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import takewhile

from samsim.engines.embedded.extraction import ExtractedPolarity, Extraction
from samsim.engines.embedded.korean.attributes import attribute_hint
from samsim.engines.embedded.korean.clausewise import How, Link, link_clausewise
from samsim.engines.embedded.korean.linking import (
    is_property_of_topic,
    modified,
    phrases_before,
    subjects,
    trailing,
)
from samsim.engines.embedded.korean.phrases import NounPhrase, Opinion, Reading, read
from samsim.language.korean.grammar import QUOTATIVES, ends_with
from samsim.language.korean.polarity import arising_verb
from samsim.schemas.analysis import Cue, TextAnalysis

_NEUTRAL_BAND = 0.15
_CONFIDENCE: Mapping[How, float] = {
    "modified": 0.8,
    "subject": 0.85,
    "topic": 0.75,
    "carried": 0.65,
    "introduced": 0.55,
    "opening": 0.5,
    "excepted": 0.65,
}
_RATIONALE: Mapping[How, str] = {
    "modified": "the opinion modifies the aspect",
    "subject": "the aspect is the subject of the opinion's clause",
    "topic": "the aspect is the topic of the sentence",
    "carried": "the topic is carried over from the previous clause",
    "introduced": "the previous clause introduces the aspect",
    "opening": "the aspect opens the clause without a particle",
    "excepted": "the aspect is the exception, so it is judged the other way",
}
_UNCERTAIN = 0.3
_LITERAL_CONFIDENCE = 0.85
_IMPLICIT_CONFIDENCE = 0.6
_WISH_CONFIDENCE = 0.45
_CLEAR = 0.35
_CROWDED = 2
_SEPARATING = frozenset({"VV", "VA", "NNG", "NNP", "EF", "SF"})
_JUDGING_NOUNS = frozenset(
    "최고 별로 최악 굿 굳 만족 대만족 추천 강추 비추 비추천 실망 꽝 불만족 짱 대박 쓰레기 강력추천 엉망 "
    "그닥 엉망진창 존맛 꿀맛 "
    "후회 손해 쏘쏘 최고급 환상적 감동 감동적 인상적 합리적 실용적".split()
)


def extract_negation(analysis: TextAnalysis) -> list[Extraction]:
    """Return what A (P-NEG) finds: clause by clause, with the scope of negation, contrast, wishes and questions."""
    ironic = _ironic_sentences(analysis)
    found: list[Extraction] = []
    for link in link_clausewise(read(analysis)):
        polarity, confidence = _in_scope(link, link.opinion.sentence in ironic)
        note = "negated; " if link.opinion.word.negated else ""
        found.extend(
            _extraction(target, link.opinion, polarity, confidence, note + _RATIONALE[link.how])
            for target in link.targets
            if link.opinion.mood != "conditional"
        )
    return found


def extract_implicit(analysis: TextAnalysis) -> list[Extraction]:
    """Return what B (P-IMP) finds: clear judgments without a named target."""
    reading = read(analysis)
    ironic = _ironic_sentences(analysis)
    found: dict[tuple[int, str, str], Extraction] = {}
    for link in link_clausewise(reading):
        opinion = link.opinion
        if link.how != "unnamed" or not _is_clear(reading, opinion) or opinion.sentence in ironic:
            continue
        attribute = attribute_hint(opinion.lemma) or "general"
        polarity = "neutral" if opinion.mood == "balanced" else _polarity(opinion.word.in_context)
        confidence = _WISH_CONFIDENCE if opinion.mood == "wished" else _IMPLICIT_CONFIDENCE
        place = (opinion.start, opinion.end)
        rationale = f"the opinion speaks of {attribute} and names no aspect"
        extraction = Extraction(None, place, opinion.lemma, polarity, confidence, rationale, attribute)
        found.setdefault((opinion.sentence, attribute, polarity), extraction)
    return list(found.values())


def extract_literal(analysis: TextAnalysis) -> list[Extraction]:
    """Return what C (P-LIT) finds: aspect and opinion side by side, taken literally."""
    reading = read(analysis)
    found: list[Extraction] = []
    for opinion in reading.opinions:
        if opinion.mood not in ("stated", "granted", "doubted"):
            continue
        doubted = opinion.mood == "doubted"
        polarity = "neutral" if doubted else _polarity(_literal_score(reading, opinion))
        confidence = _UNCERTAIN if doubted else _LITERAL_CONFIDENCE
        found.extend(
            _extraction(target, opinion, polarity, confidence, "aspect and opinion stand side by side")
            for target in _beside(reading, opinion)
        )
    return found


def _beside(reading: Reading, opinion: Opinion) -> list[NounPhrase]:
    if not opinion.modifies:
        found = subjects(reading, opinion) or trailing(reading, opinion)
        return [] if found and is_property_of_topic(reading, opinion, found[-1]) else found
    heads = modified(reading, opinion)
    if heads and heads[-1].role == "copula" and subjects(reading, opinion):
        return []
    return heads


def _extraction(
    target: NounPhrase, opinion: Opinion, polarity: ExtractedPolarity, confidence: float, rationale: str
) -> Extraction:
    return Extraction(
        (target.start, target.end),
        (opinion.start, opinion.end),
        opinion.lemma,
        polarity,
        confidence,
        rationale,
        attribute_hint(opinion.lemma),
    )


def _polarity(score: float) -> ExtractedPolarity:
    if abs(score) < _NEUTRAL_BAND:
        return "neutral"
    return "positive" if score > 0 else "negative"


def _ironic_sentences(analysis: TextAnalysis) -> set[int]:
    """Return the numbers of the sentences that may mean the opposite of what they say."""
    spans = {cue.scopes[0] for cue in analysis.cues_of("irony")}
    return {number for number, span in enumerate(analysis.sentences) if span in spans}


def _in_scope(link: Link, ironic: bool) -> tuple[ExtractedPolarity, float]:
    """Return the polarity after everything that governs the opinion, and the confidence."""
    opinion = link.opinion
    if ironic or opinion.mood in ("asked", "doubted"):
        return "neutral", _UNCERTAIN
    confidence = _CONFIDENCE.get(link.how, _UNCERTAIN)
    if opinion.mood == "balanced":
        return "neutral", confidence
    score = opinion.word.in_context
    if opinion.mood == "wished":
        return _polarity(score), min(confidence, _WISH_CONFIDENCE)
    return _polarity(-score if link.how == "excepted" else score), confidence


def _literal_score(reading: Reading, opinion: Opinion) -> float:
    """Return the polarity by adjacent negations: 안 좋다, 좋지 않다, 최고가 아니다, but not 좋다고 할 수 없다."""
    attached = sum(not _is_distant(reading, opinion, cue) for cue in opinion.denials)
    return -opinion.word.prior if attached % 2 else opinion.word.prior


def _is_distant(reading: Reading, opinion: Opinion, cue: Cue) -> bool:
    """Return whether another word or a quotation comes between an opinion and its negation."""
    tokens = reading.analysis.tokens
    for token in (tokens[index] for index in range(opinion.last + 1, len(tokens))):
        if token.start >= cue.start:
            return False
        if opinion.modifies and cue.marker.startswith("없") and token.end <= cue.scopes[0][1]:
            # 맛없는 메뉴가 없다: the noun that it modifies is denied along with it
            continue
        if token.tag in _SEPARATING or ends_with(token.form, QUOTATIVES):
            return True
    return False


def _is_clear(reading: Reading, opinion: Opinion) -> bool:
    """Return whether an unlinked opinion is a real judgment and not a remark in passing."""
    if opinion.mood not in ("stated", "wished", "balanced") or opinion.modifies:
        return False
    token = reading.analysis.tokens[opinion.last]
    fixed = " " in opinion.lemma
    absent = _is_absent(reading, opinion)
    if token.tag not in ("VV", "VA", "VX") and not (opinion.lemma in _JUDGING_NOUNS or fixed or absent):
        return False
    if opinion.mood == "stated" and not fixed and abs(opinion.word.prior) < _CLEAR:
        return False
    return not _could_be_named(reading, opinion)


def _is_absent(reading: Reading, opinion: Opinion) -> bool:
    """Return whether an evaluating noun is said to be absent: 소음이 없다, 얼룩이 안 생긴다."""
    if any(cue.marker.startswith("없") for cue in opinion.denials):
        return True
    return bool(opinion.denials) and arising_verb(reading.analysis.tokens, opinion.last) is not None


def _could_be_named(reading: Reading, opinion: Opinion) -> bool:
    """Return whether nearby nouns may name the opinion's target in a way that no rule covers."""
    before = (reading.phrases[place] for place in phrases_before(reading, opinion))
    in_clause = takewhile(lambda phrase: reading.clause_of[phrase.first] == opinion.clause, before)
    if any(phrase.role != "oblique" for phrase in in_clause):
        return True
    first = bisect_left(reading.sentence_of, opinion.sentence)
    last = bisect_right(reading.sentence_of, opinion.sentence)
    start, end = (bisect_left(reading.phrases, index, key=lambda phrase: phrase.first) for index in (first, last))
    return end - start > _CROWDED and attribute_hint(opinion.lemma) is None and " " not in opinion.lemma
