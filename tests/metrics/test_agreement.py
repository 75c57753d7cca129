"""Agreement coefficients: by hand, and against scikit-learn, statsmodels and krippendorff."""

from __future__ import annotations

import math
from collections import Counter

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss

from samsim.metrics.agreement import (
    Unit,
    agreement_of,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    raw_agreement,
    unanimous_share,
)

LABELS = ("DROP", "FLIP", "KEEP")
complete_units = st.lists(st.tuples(*[st.sampled_from(LABELS)] * 3), min_size=2, max_size=40)
gappy_units = st.lists(st.tuples(*[st.sampled_from([*LABELS, None])] * 4), min_size=2, max_size=40)


def numbers(units: list[Unit]) -> np.ndarray:
    return np.array([[math.nan if label is None else LABELS.index(label) for label in unit] for unit in units])


def test_by_hand() -> None:
    """Two raters, ten units: both KEEP 4, both DROP 3, KEEP/DROP 2, DROP/KEEP 1."""
    units: Counter[Unit] = Counter({("KEEP", "KEEP"): 4, ("DROP", "DROP"): 3, ("KEEP", "DROP"): 2, ("DROP", "KEEP"): 1})
    assert raw_agreement(units) == 0.7
    # p_e = .6·.5 + .4·.5 = .5
    assert cohen_kappa(units) == pytest.approx((0.7 - 0.5) / 0.5)
    # p_e = .55² + .45² = .505
    assert fleiss_kappa(units) == pytest.approx((0.7 - 0.505) / 0.495)
    # D_o = 6, D_e = 2·11·9/19
    assert krippendorff_alpha(units) == pytest.approx(1 - 6 / (2 * 11 * 9 / 19))


def test_a_silent_rater_counts_for_nothing() -> None:
    units: Counter[Unit] = Counter({("KEEP", "KEEP", None): 3, ("KEEP", "DROP", None): 1, ("DROP", None, None): 5})
    found = agreement_of(units, ["A", "B", "C"])
    assert (found.units, found.complete, found.raw) == (4, 0, 0.75)
    assert found.fleiss is None
    assert found.unanimous is None
    assert [pair.units for pair in found.pairs] == [4, 0, 0]
    assert found.labels == {"A": {"DROP": 5, "KEEP": 4}, "B": {"DROP": 1, "KEEP": 3}, "C": {}}


def test_one_category_is_undefined_and_not_perfect() -> None:
    """The libraries say nan or refuse; a 1.0 would be made up."""
    units: list[Unit] = [("KEEP", "KEEP", "KEEP")] * 5
    found = agreement_of(Counter(units), "ABC")
    assert (found.raw, found.unanimous) == (1.0, 1.0)
    assert (found.cohen_mean, found.fleiss, found.krippendorff) == (None, None, None)
    with np.errstate(all="ignore"):
        with pytest.warns(UserWarning, match="."):
            assert math.isnan(cohen_kappa_score(["KEEP"] * 5, ["KEEP"] * 5))
        assert math.isnan(reference_fleiss(np.array([[3, 0]] * 5)))
    with pytest.raises(ValueError, match="more than one value"):
        krippendorff.alpha(numbers(units).T, level_of_measurement="nominal")


def test_nothing_is_undefined() -> None:
    found = agreement_of(Counter(), "ABC")
    assert (found.units, found.raw, found.fleiss, found.krippendorff) == (0, None, None, None)


@given(complete_units)
@settings(deadline=None)
def test_cohen_agrees_with_scikit_learn(units: list[Unit]) -> None:
    ours = cohen_kappa(Counter(units), 0, 2)
    first, second = [unit[0] for unit in units], [unit[2] for unit in units]
    if ours is None:
        assert len(set(first) | set(second)) == 1
    else:
        assert ours == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@given(complete_units)
@settings(deadline=None)
def test_fleiss_agrees_with_statsmodels(units: list[Unit]) -> None:
    ours = fleiss_kappa(Counter(units))
    if ours is None:
        assert len({label for unit in units for label in unit}) == 1
    else:
        table, _ = aggregate_raters(numbers(units).astype(int), n_cat=3)
        assert ours == pytest.approx(reference_fleiss(table), abs=1e-12)


@given(gappy_units)
@settings(deadline=None)
def test_krippendorff_agrees_with_its_library(units: list[Unit]) -> None:
    ours = krippendorff_alpha(Counter(units))
    pairable = {label for unit in units if sum(map(bool, unit)) > 1 for label in unit if label}
    if len(pairable) < 2:
        assert ours is None
    else:
        reference = krippendorff.alpha(numbers(units).T, level_of_measurement="nominal")
        assert ours == pytest.approx(reference, abs=1e-12)


@given(complete_units, st.permutations(range(3)))
@settings(deadline=None)
def test_neither_the_order_of_units_nor_of_raters_matters(units: list[Unit], order: list[int]) -> None:
    shuffled = Counter(tuple(unit[place] for place in order) for unit in reversed(units))
    counted = Counter(units)
    for measure in (raw_agreement, unanimous_share, fleiss_kappa, krippendorff_alpha):
        assert measure(shuffled) == pytest.approx(measure(counted))
