"""Tuple scores: precision, recall and F1 over sets of tuples per sample.

A *family* says what of a tuple must be right:

- ``triplet``: (aspect term, opinion term, polarity), the ASTE standard;
- ``ref_pol``: (aspect ref, polarity). A prediction without a ref matches nothing: it is a false positive;
- ``ote_pol``: (aspect term, polarity).

Per sample, tuples are sets. Micro scores: with TP = matched, P = TP / predicted, R = TP / gold,
F1 = 2·P·R / (P + R) = 2·TP / (predicted + gold); 0 where nothing matched. Terms are compared in
NFC, case folded, with single spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from samsim.rules.candidates import normalise_term

Family = Literal["triplet", "ref_pol", "ote_pol"]


class TupleLike(Protocol):
    """Anything with the fields the scores look at."""

    @property
    def aspect_term(self) -> str:
        """The target as it stands in the text, "" if implicit."""

    @property
    def aspect_ref(self) -> str:
        """The target's category."""

    @property
    def opinion_term(self) -> str:
        """The opinion word."""

    @property
    def polarity(self) -> str:
        """One of the four polarities."""


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of a micro score and what follows from them."""

    matched: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Matched of predicted."""
        return self.matched / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Matched of gold."""
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.predicted + self.gold
        return 2 * self.matched / total if total else 0.0

    def __add__(self, other: Score) -> Score:
        return Score(self.matched + other.matched, self.predicted + other.predicted, self.gold + other.gold)


def _triplet(item: TupleLike) -> tuple[str, str, str]:
    return normalise_term(item.aspect_term), normalise_term(item.opinion_term), item.polarity


def _ref_pol(item: TupleLike) -> Hashable:
    # Without a ref, the other fields tell false positives apart; nothing in the gold equals such a key.
    return (item.aspect_ref, item.polarity) if item.aspect_ref else ("", *_triplet(item))


def _ote_pol(item: TupleLike) -> Hashable:
    return normalise_term(item.aspect_term), item.polarity


_KEYS: Mapping[Family, Callable[[TupleLike], Hashable]] = {
    "triplet": _triplet,
    "ref_pol": _ref_pol,
    "ote_pol": _ote_pol,
}


def score_sample(predicted: Iterable[TupleLike], gold: Iterable[TupleLike], family: Family) -> Score:
    """The counts of one sample."""
    key = _KEYS[family]
    claimed = {key(item) for item in predicted}
    right = {key(item) for item in gold if family != "ref_pol" or item.aspect_ref}
    return Score(matched=len(claimed & right), predicted=len(claimed), gold=len(right))


def score(
    predicted: Mapping[str, Sequence[TupleLike]], gold: Mapping[str, Sequence[TupleLike]], family: Family
) -> Score:
    """The micro score over all samples of the gold; a sample without prediction counts as empty."""
    total = Score(0, 0, 0)
    for uid, tuples in gold.items():
        total += score_sample(predicted.get(uid, ()), tuples, family)
    return total
