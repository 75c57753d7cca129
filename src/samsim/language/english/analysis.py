"""The English analysis: tokens, sentences, clauses, cues and polarity words of a text."""

from __future__ import annotations

from samsim.language.english.contrast import contrast_cues
from samsim.language.english.irony import irony_cues
from samsim.language.english.lemmas import lemma_of
from samsim.language.english.negation import negation_cues
from samsim.language.english.polarity import find_polarity, polarity_words
from samsim.language.english.sentence import Sentence, clause_starts
from samsim.language.english.tagger import tag_words
from samsim.language.english.tokens import Word, split_sentences, split_words
from samsim.schemas.analysis import Cue, Offsets, PolarityWord, TextAnalysis, Token

_STOPS = frozenset(".,!?…")


def analyze_english(text: str) -> TextAnalysis:
    """Return everything the rules and the embedded engine may know about an English text."""
    words = split_words(text)
    tokens: list[Token] = []
    sentences: list[Offsets] = []
    clauses: list[Offsets] = []
    cues: list[Cue] = []
    polarity: list[PolarityWord] = []
    for first, last in split_sentences(text, words):
        sentence, forms = _tagged(text, words[first:last])
        tokens += [
            Token(word.start, word.end, form, lemma, tag)
            for word, form, lemma, tag in zip(sentence.words, forms, sentence.lemmas, sentence.tags, strict=True)
        ]
        earlier = sentences[-1] if sentences else None
        sentences.append((sentence.words[0].start, sentence.words[-1].end))
        if all(_STOPS.issuperset(low) for low in sentence.lows):
            continue  # "?!" or "..." on its own
        starts = clause_starts(sentence)
        clauses += _clause_spans(sentence, starts)
        found, taken = find_polarity(sentence)
        negations = negation_cues(text, sentence, taken)
        praising = {index for item in found if item.prior > 0 for index in range(item.first, item.last)}
        blaming = {index for item in found if item.prior < 0 for index in range(item.first, item.last)}
        here = negations + contrast_cues(text, sentence, starts, earlier)
        here += irony_cues(text, sentence, praising, blaming)
        cues += sorted(here, key=lambda cue: (cue.start, cue.kind))
        polarity += polarity_words(sentence, found, negations)
    return TextAnalysis(text, "en", tuple(tokens), tuple(sentences), tuple(clauses), tuple(cues), tuple(polarity))


def _tagged(text: str, words: list[Word]) -> tuple[Sentence, list[str]]:
    forms = [text[word.start : word.end] for word in words]
    lows = [word.low for word in words]
    tags = tag_words(forms, lows)
    lemmas = [lemma_of(low, tag) for low, tag in zip(lows, tags, strict=True)]
    return Sentence(words, lows, tags, lemmas), forms


def _clause_spans(sentence: Sentence, starts: list[int]) -> list[Offsets]:
    ends = [*starts[1:], len(sentence.words)]
    spans = [sentence.span(first, last) for first, last in zip(starts, ends, strict=True)]
    return [span for span in spans if span[0] < span[1]]
