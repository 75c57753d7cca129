"""The result of the language layer, as plain data.

The rules and the embedded engine read these records; only ``samsim.language`` creates them. All
offsets are code points of the text as given: ``text[start:end]`` is always the surface form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["ko", "en"]
CueKind = Literal["negation", "contrast", "irony"]
Offsets = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Token:
    """One word (English) or morpheme (Korean) with its position in the text."""

    start: int
    end: int
    form: str
    lemma: str
    tag: str


@dataclass(frozen=True, slots=True)
class Cue:
    """A negation, contrast or irony marker with its scope.

    ``scopes`` holds one span for negation (the governed predicate or noun, without the marker if the two
    can be separated), one for irony (the sentence) and two for contrast: the clause before the marker and
    the clause after it (an empty span if there is none).
    """

    kind: CueKind
    marker: str
    start: int
    end: int
    scopes: tuple[Offsets, ...]


@dataclass(frozen=True, slots=True)
class PolarityWord:
    """A word or fixed expression that carries an evaluation.

    ``prior`` is its polarity in isolation, from -1 to 1; ``negated`` says whether an odd number of
    negation cues governs it, in which case it reads as ``-prior`` in context.
    """

    start: int
    end: int
    lemma: str
    prior: float
    negated: bool

    @property
    def in_context(self) -> float:
        """The polarity in the sentence, with negation applied."""
        return -self.prior if self.negated else self.prior


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """Everything the rules and the embedded engine may know about a text."""

    text: str
    language: Language
    tokens: tuple[Token, ...]
    sentences: tuple[Offsets, ...]
    clauses: tuple[Offsets, ...]
    cues: tuple[Cue, ...]
    polarity_words: tuple[PolarityWord, ...]

    def cues_of(self, kind: CueKind) -> tuple[Cue, ...]:
        """Return the cues of one kind, in text order."""
        return tuple(cue for cue in self.cues if cue.kind == kind)
