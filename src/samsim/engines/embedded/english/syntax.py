"""The data classes of the shallow English parse that the extractors share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samsim.schemas.analysis import Offsets, PolarityWord, Token

NOMINAL = frozenset({"NOUN", "PROPN"})


@dataclass(frozen=True, slots=True)
class Opinion:
    """A polarity word by token indices in its sentence."""

    first: int
    last: int
    word: PolarityWord


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """``first`` to ``last`` includes the determiner and modifiers; ``core`` is where the aspect term starts."""

    first: int
    core: int
    last: int
    modifiers: tuple[int, ...]
    has_determiner: bool


@dataclass(frozen=True, slots=True)
class Parse:
    """One sentence; all indices count its own tokens."""

    tokens: Sequence[Token]
    lows: Sequence[str]
    tags: Sequence[str]
    opinions: Sequence[Opinion]
    opinion_at: dict[int, Opinion]
    phrases: Sequence[NounPhrase]
    phrase_at: dict[int, NounPhrase]
    clause_of: Sequence[int]

    def low(self, index: int) -> str:
        """Return the lowercase form at an index, or "" outside the sentence."""
        return self.lows[index] if 0 <= index < len(self.lows) else ""

    def tag(self, index: int) -> str:
        """Return the tag at an index, or "" outside the sentence."""
        return self.tags[index] if 0 <= index < len(self.tags) else ""

    def lemma(self, index: int) -> str:
        """Return the lemma at an index, or "" outside the sentence."""
        return self.tokens[index].lemma if 0 <= index < len(self.tokens) else ""

    def span(self, first: int, last: int) -> Offsets:
        """Return the text span of the tokens from ``first`` up to but not including ``last``."""
        return (self.tokens[first].start, self.tokens[last - 1].end)
