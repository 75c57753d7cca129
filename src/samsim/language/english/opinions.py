"""English opinion terms: leading words of degree are not part of the opinion, a negation is.

"too" and evaluative adverbs ("super", "horribly") stay: readers take them as part of the opinion.
"""

from __future__ import annotations

import re
from functools import cached_property

from samsim.language.english.lemmas import lemma_of
from samsim.language.english.tokens import split_words
from samsim.schemas.analysis import TextAnalysis

_INTENSIFIERS = frozenset(
    """
    very really so quite pretty extremely absolutely incredibly truly totally completely just definitely highly simply
    slightly rather fairly exceptionally exceedingly remarkably particularly especially somewhat utterly genuinely
    certainly entirely thoroughly terribly seriously soo sooo
    """.split()
)
_PARTICLES = frozenset("also even still always an the".split())
_COPULAS = frozenset("is are was were".split())
_DEGREE_PHRASES = (("a", "bit"), ("a", "little"), ("a", "little", "bit"), ("kind", "of"), ("sort", "of"), ("by", "far"))
# Opinions in their own right that start like an intensified one.
_FIXED = frozenset({"so so", "a little", "a little bit", "a bit", "just right", "just fine", "even better"})
_NEGATION = {"n't": "not"}
_TAGS = ("VERB", "NOUN", "ADJ")
_WORD = re.compile(r"\S+")


class EnglishOpinions:
    """The opinions of one English text."""

    def __init__(self, analysis: TextAnalysis) -> None:
        self._analysis = analysis

    def normal(self, opinion: str) -> str:
        """Return the opinion without leading words of degree, particles and copulas; an adjacent negation stays."""
        return strip_degree(opinion)

    def states(self, opinion: str) -> bool:
        """Return whether the text has every word of the opinion, in any inflection."""
        words = [_NEGATION.get(word.low, word.low) for word in split_words(opinion)]
        return bool(words) and all(not self._words.isdisjoint(_forms(word)) for word in words)

    @cached_property
    def _words(self) -> frozenset[str]:
        lows = {_NEGATION.get(low, low) for low in (token.form.lower() for token in self._analysis.tokens)}
        return frozenset(form for low in lows for form in _forms(low))


def strip_degree(opinion: str) -> str:
    """Return the opinion from its first meaningful word on, as written."""
    rest = opinion.strip()
    while (cut := _leading(rest)) > 0:
        rest = rest[cut:]
    return rest


def _leading(opinion: str) -> int:
    """Return the offset of the word after a leading word or phrase that adds nothing; 0 if there is none."""
    words = list(_WORD.finditer(opinion))
    lows = [word.group().lower() for word in words]
    if " ".join(lows) in _FIXED:
        return 0
    for phrase in _DEGREE_PHRASES:
        if tuple(lows[: len(phrase)]) == phrase and len(words) > len(phrase):
            return words[len(phrase)].start()
    if len(words) < 2:
        return 0
    bare = lows[0] in _INTENSIFIERS or lows[0] in _PARTICLES
    # "is n't fresh" keeps its negation; "is not fresh" becomes "not fresh".
    if bare or (lows[0] in _COPULAS and not lows[1].endswith("n't")):
        return words[1].start()
    return 0


def _forms(low: str) -> frozenset[str]:
    return frozenset({low, *(lemma_of(low, tag) for tag in _TAGS)})
