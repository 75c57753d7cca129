"""Tuple scores: precision, recall and F1 over sets of tuples per sample.

A *family* says which parts of a tuple must be right:

- ``triplet``: (aspect term, opinion term, polarity), the ASTE standard;
- ``ref_pol``: (aspect ref, polarity). A prediction without a ref matches nothing: it is a false positive;
- ``ote_pol``: (aspect term, polarity);
- ``attr_pol``: (attribute part of the ref, polarity), the part after ``#``; without one, as in ``ref_pol``.

Per sample, tuples are sets. Micro scores: with TP = matched, P = TP / predicted, R = TP / gold,
F1 = 2·P·R / (P + R) = 2·TP / (predicted + gold); 0 if nothing matched. Terms are compared in
NFC, case folded, with single spaces; refs likewise, without spaces around ``#``. An implicit aspect
(term "") is right by its ref in ``ref_pol`` and ``attr_pol``; in ``triplet`` and ``ote_pol``, "" matches
only "".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, get_args

from samsim.metrics.f1 import f1_from
from samsim.rules.candidates import normalise_term
from samsim.schemas.scorecards import Family as Family
from samsim.schemas.taxonomy import REF_SEPARATOR, clean_ref

FAMILIES: tuple[Family, ...] = get_args(Family)
# The parts that must be right, and the polarity last. A key that nothing may match begins with _UNMATCHABLE.
Key = tuple[str, ...]
_UNMATCHABLE = "\x00"
_NEEDED_FIELDS: Mapping[Family, frozenset[str]] = MappingProxyType(
    {
        "triplet": frozenset({"term", "opinion"}),
        "ref_pol": frozenset({"ref"}),
        "ote_pol": frozenset({"term"}),
        "attr_pol": frozenset({"ref"}),
    }
)
# If the gold has refs, they come first; otherwise the triplet is the standard.
_PRIMARY_ORDER: tuple[Family, ...] = ("ref_pol", "triplet", "ote_pol")


class TupleLike(Protocol):
    """Anything with the scored fields."""

    @property
    def aspect_term(self) -> str:
        """The target as written in the text, "" if implicit."""

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
    """Counts of a micro score and the rates derived from them."""

    matched: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Matched / predicted."""
        return self.matched / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Matched / gold."""
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return f1_from(self.matched, self.predicted + self.gold)

    def __add__(self, other: Score) -> Score:
        return Score(self.matched + other.matched, self.predicted + other.predicted, self.gold + other.gold)


@dataclass(frozen=True, slots=True)
class ComparableTuple:
    """A tuple in comparable form; built once, keyed for every family."""

    term: str
    ref: str
    opinion: str
    polarity: str

    @classmethod
    def of(cls, item: TupleLike) -> ComparableTuple:
        """Build the comparable form of any tuple."""
        return cls(
            normalise_term(item.aspect_term),
            clean_ref(item.aspect_ref).casefold(),
            normalise_term(item.opinion_term),
            item.polarity,
        )

    @property
    def attribute(self) -> str:
        """The part of the ref after ``#``; "" if there is none."""
        return self.ref.partition(REF_SEPARATOR)[2]


def _by(part: str, item: ComparableTuple) -> Key:
    """Return the part and the polarity; without the part, all other fields, to tell false positives apart."""
    if part:
        return part, item.polarity
    return _UNMATCHABLE, item.term, item.ref, item.opinion, item.polarity


_KEYS: Mapping[Family, Callable[[ComparableTuple], Key]] = MappingProxyType(
    {
        "triplet": lambda item: (item.term, item.opinion, item.polarity),
        "ref_pol": lambda item: _by(item.ref, item),
        "ote_pol": lambda item: (item.term, item.polarity),
        "attr_pol": lambda item: _by(item.attribute, item),
    }
)


def comparable(items: Iterable[TupleLike]) -> list[ComparableTuple]:
    """Return all tuples in comparable form."""
    return [ComparableTuple.of(item) for item in items]


def key_of(item: ComparableTuple, family: Family) -> Key:
    """Return the parts of the tuple that must be right in a family."""
    return _KEYS[family](item)


def readable_key(key: Key) -> tuple[str, ...]:
    """Return the parts of a key for display; all four fields of a tuple that nothing may match."""
    return key[1:] if key[0] == _UNMATCHABLE else key


def spelled(parts: Iterable[str]) -> str:
    """Join the parts of a key on one line, with – for an empty one."""
    return " / ".join(part or "–" for part in parts)


def predicted_keys(items: Iterable[ComparableTuple], family: Family) -> frozenset[Key]:
    """Return the claimed keys."""
    key = _KEYS[family]
    return frozenset(key(item) for item in items)


def gold_keys(items: Iterable[ComparableTuple], family: Family) -> frozenset[Key]:
    """Return the gold's keys; gold without the part the family is about (a ref, an attribute) has none."""
    return frozenset(key for key in predicted_keys(items, family) if key[0] != _UNMATCHABLE)


def count(claimed: frozenset[Key], right: frozenset[Key]) -> Score:
    """Return the counts of one sample from its keys."""
    return Score(matched=len(claimed & right), predicted=len(claimed), gold=len(right))


def score_sample(predicted: Iterable[TupleLike], gold: Iterable[TupleLike], family: Family) -> Score:
    """Return the counts of one sample."""
    return count(predicted_keys(comparable(predicted), family), gold_keys(comparable(gold), family))


def score(
    predicted: Mapping[str, Sequence[TupleLike]], gold: Mapping[str, Sequence[TupleLike]], family: Family
) -> Score:
    """Return the micro score over all samples of the gold; a sample without prediction counts as empty."""
    total = Score(0, 0, 0)
    for uid, tuples in gold.items():
        total += score_sample(predicted.get(uid, ()), tuples, family)
    return total


def families_of(gold_fields: Collection[str]) -> tuple[Family, ...]:
    """Return the families that gold with these fields (term, ref, opinion) can judge."""
    return tuple(family for family in FAMILIES if _NEEDED_FIELDS[family] <= set(gold_fields))


def primary_family(families: Collection[Family]) -> Family | None:
    """Return the family to look at first: ``ref_pol`` if the gold has refs, else ``triplet``, else ``ote_pol``."""
    return next((family for family in _PRIMARY_ORDER if family in families), None)
