"""Agreement between raters on nominal labels: raw, Cohen, Fleiss, Krippendorff.

A *unit* is an item labeled by several raters, written as one label per rater, None if a rater gave none.
Units with the same labels are counted together, so any number of units fits in a small table.
If only one category is used, chance agreement is certain and every coefficient is 0/0: the result is
None, never 1.0 (scikit-learn and statsmodels give nan, krippendorff rejects such data).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from pydantic import Field

from samsim.schemas.protocol_conflict_review import Written

Unit = tuple[str | None, ...]
Units = Mapping[Unit, int]


class PairAgreement(Written):
    """Two raters: the units both labeled, raw agreement and Cohen's κ."""

    raters: tuple[str, str]
    units: int
    raw: float | None
    cohen: float | None


class Agreement(Written):
    """How far raters agree. ``units`` have at least two labels, ``complete`` units have all of them."""

    raters: list[str]
    units: int = 0
    complete: int = 0
    raw: float | None = None
    unanimous: float | None = None
    cohen_mean: float | None = None
    fleiss: float | None = None
    krippendorff: float | None = None
    pairs: list[PairAgreement] = Field(default_factory=list)
    labels: dict[str, dict[str, int]] = Field(default_factory=dict)


def agreement_of(units: Units, raters: Sequence[str]) -> Agreement:
    """Return every coefficient over the same units; ``labels`` counts how often each rater gave each label."""
    pairs = [
        _pair(units, first, second, (raters[first], raters[second]))
        for first, second in combinations(range(len(raters)), 2)
    ]
    known = [pair.cohen for pair in pairs if pair.cohen is not None]
    return Agreement(
        raters=list(raters),
        units=sum(times for unit, times in units.items() if len(_given(unit)) > 1),
        complete=sum(_complete(units).values()),
        raw=raw_agreement(units),
        unanimous=unanimous_share(units),
        cohen_mean=sum(known) / len(known) if known else None,
        fleiss=fleiss_kappa(units),
        krippendorff=krippendorff_alpha(units),
        pairs=pairs,
        labels={rater: _labels(units, place) for place, rater in enumerate(raters)},
    )


def raw_agreement(units: Units) -> float | None:
    """Return the share of equal pairs of labels: Σ_units Σ_pairs [equal] / Σ_units pairs. None without a pair."""
    equal = pairs = 0
    for unit, times in units.items():
        for first, second in combinations(_given(unit), 2):
            pairs += times
            equal += times * (first == second)
    return equal / pairs if pairs else None


def unanimous_share(units: Units) -> float | None:
    """Return the share of complete units whose labels are all equal; None if no unit is complete."""
    complete = _complete(units)
    total = sum(complete.values())
    return sum(times for unit, times in complete.items() if len(set(unit)) == 1) / total if total else None


def cohen_kappa(units: Units, first: int = 0, second: int = 1) -> float | None:
    """Return κ = (p_o - p_e) / (1 - p_e) of two raters, p_e = Σ_labels p_first · p_second."""
    both: Counter[tuple[str, str]] = Counter()
    for unit, times in units.items():
        one, other = unit[first], unit[second]
        if one is not None and other is not None:
            both[one, other] += times
    total = sum(both.values())
    if not total:
        return None
    observed = sum(times for (one, other), times in both.items() if one == other)
    of_first: Counter[str] = Counter()
    of_second: Counter[str] = Counter()
    for (one, other), times in both.items():
        of_first[one] += times
        of_second[other] += times
    # Integers as long as possible, so that certain chance agreement is detected exactly.
    by_chance = sum(times * of_second[label] for label, times in of_first.items())
    return (observed * total - by_chance) / (total * total - by_chance) if by_chance < total * total else None


def fleiss_kappa(units: Units) -> float | None:
    """Return κ = (P - P_e) / (1 - P_e) over complete units: P the mean share of equal pairs, P_e = Σ_labels p²."""
    complete = _complete(units)
    total = sum(complete.values())
    raters = len(next(iter(complete), ()))
    if not total or raters < 2:
        return None
    used: Counter[str | None] = Counter()
    equal_pairs = 0
    for unit, times in complete.items():
        given = Counter(unit)
        equal_pairs += times * sum(n * (n - 1) for n in given.values())
        for label, n in given.items():
            used[label] += times * n
    by_chance = sum(n * n for n in used.values()) / (total * raters) ** 2
    observed = equal_pairs / (total * raters * (raters - 1))
    return (observed - by_chance) / (1 - by_chance) if len(used) > 1 else None


def krippendorff_alpha(units: Units) -> float | None:
    """Return α = 1 - D_o / D_e for nominal labels; labels may be missing, units with one label are left out.

    With o_ck the coincidences (each ordered pair of labels in a unit of m labels adds 1 / (m - 1)) and
    n_c their sums: D_o = Σ_{c≠k} o_ck, D_e = Σ_{c≠k} n_c·n_k / (n - 1).
    """
    disagreeing = 0.0
    used: Counter[str] = Counter()
    for unit, times in units.items():
        given = Counter(_given(unit))
        size = given.total()
        if size < 2:
            continue
        disagreeing += times * (size * size - sum(n * n for n in given.values())) / (size - 1)
        for label, n in given.items():
            used[label] += times * n
    total = used.total()
    if len(used) < 2:
        return None
    expected = (total * total - sum(n * n for n in used.values())) / (total - 1)
    return 1 - disagreeing / expected


def _pair(units: Units, first: int, second: int, names: tuple[str, str]) -> PairAgreement:
    both: Counter[Unit] = Counter()
    for unit, times in units.items():
        if unit[first] is not None and unit[second] is not None:
            both[unit[first], unit[second]] += times
    return PairAgreement(raters=names, units=both.total(), raw=raw_agreement(both), cohen=cohen_kappa(both))


def _given(unit: Unit) -> list[str]:
    return [label for label in unit if label is not None]


def _complete(units: Units) -> dict[Unit, int]:
    return {unit: times for unit, times in units.items() if len(unit) > 1 and None not in unit}


def _labels(units: Units, place: int) -> dict[str, int]:
    used: Counter[str] = Counter()
    for unit, times in units.items():
        label = unit[place]
        if label is not None:
            used[label] += times
    return dict(sorted(used.items()))
