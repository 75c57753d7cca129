"""Breakdowns whose parts add up to the total, in every family and for matched, predicted and gold alike.

Two are by tuple: ``polarity`` and ``aspect`` (explicit or implicit). A tuple is implicit if it names no
term; a key that several tuples share is implicit if all of them are. For a key in the gold, the gold
decides, so a match counts in one part only. The others are by sample:

- ``negation``, ``contrast``: whether the cue analysis found one (yes, no; unknown if it did not run);
- ``multi``: how many different aspects the gold has (none, one, several);
- ``polarities``: whether the gold's polarities differ (none, one, several);
- ``conflict``: whether Stage 1 contradicted itself (a conflict flag was raised);
- ``language``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from samsim.metrics.samples import JudgedSample
from samsim.metrics.tuples import ComparableTuple, Key, key_of
from samsim.schemas.memory_v1_1 import Structure
from samsim.schemas.scorecards import Family

EXPLICIT, IMPLICIT = "explicit", "implicit"
_YES, _NO, _UNKNOWN = "yes", "no", "unknown"
_NONE, _ONE, _SEVERAL = "none", "one", "several"


def _has(structure: Structure) -> Callable[[JudgedSample], str]:
    def part(sample: JudgedSample) -> str:
        seen = sample.result.structure
        return _UNKNOWN if not seen else _YES if structure in seen else _NO

    return part


def _how_many(number: int) -> str:
    return _NONE if not number else _ONE if number == 1 else _SEVERAL


def _aspects(sample: JudgedSample) -> str:
    return _how_many(len({(item.term, item.ref) for item in sample.tuples.gold}))


def _polarities(sample: JudgedSample) -> str:
    return _how_many(len({item.polarity for item in sample.tuples.gold}))


SAMPLE_SUBSETS: Mapping[str, Callable[[JudgedSample], str]] = MappingProxyType(
    {
        "negation": _has("negation"),
        "contrast": _has("contrast"),
        "multi": _aspects,
        "polarities": _polarities,
        "conflict": lambda sample: _YES if sample.result.conflict_flags else _NO,
        "language": lambda sample: sample.result.language,
    }
)


# The parts a sample belongs to, one per breakdown, in the order of SAMPLE_SUBSETS.
Profile = tuple[str, ...]


def profile_of(sample: JudgedSample) -> Profile:
    """Return the sample's part in every breakdown by sample."""
    return tuple(part_of(sample) for part_of in SAMPLE_SUBSETS.values())


def polarity_part(key: Key) -> str:
    """Return the polarity of a key, which is its last part."""
    return key[-1]


def aspect_part(
    claimed: Iterable[ComparableTuple], right: Iterable[ComparableTuple], right_keys: frozenset[Key], family: Family
) -> Callable[[Key], str]:
    """Return a function that says whether the aspect of a sample's key is explicit or implicit."""
    named = _named(claimed, family)
    named |= {key: is_named for key, is_named in _named(right, family).items() if key in right_keys}
    return lambda key: EXPLICIT if named[key] else IMPLICIT


def _named(items: Iterable[ComparableTuple], family: Family) -> dict[Key, bool]:
    """Return, per key, whether any of its tuples names the aspect."""
    found: dict[Key, bool] = {}
    for item in items:
        key = key_of(item, family)
        found[key] = found.get(key, False) or bool(item.term)
    return found
