"""Intervals and tests: by hand, against scipy and statsmodels, and what must hold for any data."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from samsim.metrics.f1 import f1_from
from samsim.metrics.statistics import (
    Share,
    bootstrap_f1,
    bootstrap_f1_difference,
    bootstrap_mean,
    holm,
    mcnemar,
    permutation_test,
    wilson,
)
from samsim.metrics.tuples import Score
from tests.support.narrowing import some


def random_counts(samples: int, seed: int) -> np.ndarray:
    """Rows (matched, predicted, gold) of a run that is right about half of the time."""
    draw = np.random.default_rng(seed)
    gold, predicted = draw.integers(0, 5, samples), draw.integers(0, 5, samples)
    matched = np.minimum(gold, predicted) * draw.integers(0, 2, samples)
    return np.column_stack([matched, predicted, gold])


def with_losses(counts: np.ndarray, share: float, seed: int) -> np.ndarray:
    worse = counts.copy()
    worse[np.random.default_rng(seed).random(len(counts)) < share, 0] = 0
    return worse


def f1(rows: np.ndarray) -> float:
    return float(2 * rows[:, 0].sum() / max(1, rows[:, 1].sum() + rows[:, 2].sum()))


# --- permutation ---------------------------------------------------------------------------------------------


def test_equal_runs_have_no_difference_at_all() -> None:
    counts = random_counts(300, 1)
    assert permutation_test(counts, counts) == 1.0
    interval = some(bootstrap_f1_difference(counts, counts))
    assert (interval.low, interval.high) == (0.0, 0.0)


def test_few_differing_samples_are_permuted_exhaustively() -> None:
    """Three samples lost their match: only the two extreme of 2^3 assignments are as far apart, p = 2/8."""
    before = np.array([[1, 1, 1]] * 3 + [[1, 2, 2]] * 4)
    after = np.array([[0, 1, 1]] * 3 + [[1, 2, 2]] * 4)
    assert permutation_test(before, after) == 0.25


@pytest.mark.parametrize("seed", range(8))
def test_the_exhaustive_test_agrees_with_a_plain_enumeration(seed: int) -> None:
    before, after = random_counts(8, seed), random_counts(8, seed + 100)
    observed = abs(f1(after) - f1(before))
    extreme = [
        abs(f1(np.where(mask, before, after)) - f1(np.where(mask, after, before))) >= observed - 1e-12
        for swaps in itertools.product([False, True], repeat=8)
        for mask in [np.array(swaps)[:, None]]
    ]
    assert permutation_test(before, after) == pytest.approx(np.mean(extreme))


@pytest.mark.parametrize("seed", range(3))
def test_the_drawn_test_agrees_with_scipy(seed: int) -> None:
    before = random_counts(60, seed)
    after = with_losses(before, 0.3, seed + 50) + np.array([0, 1, 0]) * (np.arange(60) % 3 == 0)[:, None]

    def micro(packed: np.ndarray, axis: int) -> Any:
        return 2 * (packed // 100).sum(axis=axis) / ((packed % 100).sum(axis=axis) + before[:, 2].sum())

    def difference(first: np.ndarray, second: np.ndarray, axis: int) -> Any:
        return micro(second, axis) - micro(first, axis)

    # scipy permutes single numbers: matched and predicted travel together as one.
    packed = tuple(table[:, 0] * 100 + table[:, 1] for table in (before, after))
    reference = stats.permutation_test(
        packed, difference, permutation_type="samples", n_resamples=9_999, vectorized=True, axis=-1, rng=seed
    )
    ours = permutation_test(before, after)
    assert ours == pytest.approx(float(reference.pvalue), abs=0.02)


def test_a_five_per_cent_loss_is_found() -> None:
    before = random_counts(1_000, 3)
    assert permutation_test(before, with_losses(before, 0.05, 4)) < 0.01


def test_a_drawn_p_value_is_never_zero() -> None:
    """Thirty samples that all lose: no draw comes near, and the found assignment counts as one."""
    before = np.array([[1, 1, 1]] * 30)
    after = np.array([[0, 1, 1]] * 30)
    assert permutation_test(before, after, resamples=999) == 0.001


def test_more_is_drawn_where_a_correction_would_need_it() -> None:
    """The smallest p of 10,000 draws, times 100 tests, would be 0.01: too coarse to find anything below."""
    before = np.array([[1, 1, 1]] * 40)
    after = np.array([[0, 1, 1]] * 40)
    assert permutation_test(before, after) == 1 / 10_001
    assert 100 * permutation_test(before, after, tests=100) < 0.005
    # There is an end to it.
    assert permutation_test(before, after, tests=10_000) == 1 / 200_001
    # What is not at the floor stays as it was drawn.
    mild = with_losses(random_counts(60, 1), 0.05, 2)
    assert permutation_test(random_counts(60, 1), mild) == permutation_test(random_counts(60, 1), mild, tests=100)


def test_under_no_difference_small_p_values_are_as_rare_as_they_say() -> None:
    """Two runs that differ by chance only: about one in twenty tests is below 0.05."""
    hits = 0
    for seed in range(200):
        one, other = random_counts(40, seed), random_counts(40, seed + 10_000)
        other[:, 2] = one[:, 2]
        other[:, 0] = np.minimum(other[:, 0], one[:, 2])
        one[:, 0] = np.minimum(one[:, 0], one[:, 1])
        swap = np.random.default_rng(seed).random((40, 1)) < 0.5
        hits += permutation_test(np.where(swap, one, other), np.where(swap, other, one), resamples=400) < 0.05
    assert 2 <= hits <= 22


@given(st.permutations(range(30)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_samples_does_not_matter(order: list[int]) -> None:
    before, after = random_counts(30, 5), random_counts(30, 6)
    assert permutation_test(before[order], after[order], resamples=500) == permutation_test(
        before, after, resamples=500
    )
    assert bootstrap_f1_difference(before[order], after[order], resamples=500) == bootstrap_f1_difference(
        before, after, resamples=500
    )


# --- bootstrap -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_bootstrap_agrees_with_scipy(seed: int) -> None:
    counts = random_counts(150, seed)

    def micro(matched: np.ndarray, total: np.ndarray, axis: int = -1) -> Any:
        return 2 * matched.sum(axis=axis) / total.sum(axis=axis)

    reference = stats.bootstrap(
        (counts[:, 0], counts[:, 1] + counts[:, 2]), micro, paired=True, method="percentile", rng=seed
    ).confidence_interval
    ours = some(bootstrap_f1(counts))
    assert (ours.low, ours.high) == pytest.approx((reference.low, reference.high), abs=0.01)
    assert ours.low < f1(counts) < ours.high


def test_the_paired_bootstrap_is_narrower_than_an_unpaired_one() -> None:
    before = random_counts(300, 9)
    after = with_losses(before, 0.1, 10)
    paired = some(bootstrap_f1_difference(before, after))
    alone = some(bootstrap_f1(after))
    assert paired.high < 0
    assert paired.high - paired.low < alone.high - alone.low


def test_the_bootstrap_of_a_mean_agrees_with_scipy() -> None:
    values = np.random.default_rng(2).integers(-5, 3, 80)
    reference = stats.bootstrap((values,), np.mean, method="percentile", rng=1).confidence_interval
    ours = some(bootstrap_mean(values.tolist()))
    assert (ours.low, ours.high) == pytest.approx((reference.low, reference.high), abs=0.06)
    assert bootstrap_mean([1.0]) is None


def test_the_same_seed_gives_the_same_interval() -> None:
    counts = random_counts(50, 11)
    assert bootstrap_f1(counts, seed=1) == bootstrap_f1(counts, seed=1)
    assert bootstrap_f1(counts, seed=1) != bootstrap_f1(counts, seed=2)


def test_nothing_has_no_interval() -> None:
    nothing = np.zeros((0, 3), dtype=np.int64)
    assert bootstrap_f1(nothing) is None
    assert bootstrap_f1_difference(nothing, nothing) is None
    assert permutation_test(nothing, nothing) == 1.0


def test_one_sample_says_nothing_about_the_spread() -> None:
    one = np.array([[1, 2, 2]])
    assert bootstrap_f1(one) is None
    assert bootstrap_f1_difference(one, one) is None
    assert bootstrap_f1(np.array([[1, 2, 2], [1, 1, 1]])) is not None


def test_a_draw_without_any_tuple_has_no_f1() -> None:
    """Every tuple is right; one of the two samples has none. To draw only that one is no F1 of 0."""
    right = np.array([[1, 1, 1], [0, 0, 0]])
    interval = some(bootstrap_f1(right))
    assert (interval.low, interval.high) == (1.0, 1.0)
    wrong = np.array([[0, 1, 1], [0, 0, 0]])
    difference = some(bootstrap_f1_difference(right, wrong))
    assert (difference.low, difference.high) == (-1.0, -1.0)
    assert bootstrap_f1(np.zeros((3, 3), dtype=np.int64)) is None


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_f1_is_the_same_for_a_number_and_for_an_array(matched: int, predicted: int, gold: int) -> None:
    score = Score(min(matched, predicted, gold), predicted, gold)
    total = predicted + gold
    (in_array,) = f1_from(np.array([float(score.matched)]), np.array([float(total)])).tolist()
    assert in_array == score.f1 == (2 * score.matched / total if total else 0.0)


def test_ten_thousand_samples_are_no_burden() -> None:
    before = random_counts(10_000, 12)
    after = with_losses(before, 0.02, 13)
    started = time.process_time()
    assert some(bootstrap_f1_difference(before, after, resamples=10_000)).high < 0
    assert permutation_test(before, after, resamples=10_000) < 0.001
    assert time.process_time() - started < 20


# --- McNemar, Holm, Wilson -----------------------------------------------------------------------------------


def test_mcnemar_by_hand() -> None:
    """Eight flips, one of them bad: p = 2·(1 + 8) / 2^8."""
    found = mcnemar(right_to_wrong=1, wrong_to_right=7)
    assert (found.p_value, found.method) == (18 / 256, "exact binomial")
    assert mcnemar(0, 0).p_value == 1.0
    assert mcnemar(5, 5).p_value == 1.0


@given(st.integers(0, 400), st.integers(0, 400))
@settings(deadline=None)
def test_the_exact_mcnemar_agrees_with_statsmodels(b: int, c: int) -> None:
    if b + c:
        reference = reference_mcnemar([[0, b], [c, 0]], exact=True).pvalue
        assert mcnemar(b, c).p_value == pytest.approx(reference, rel=1e-9)


@given(st.integers(501, 5_000), st.integers(501, 5_000))
@settings(deadline=None)
def test_the_chi_square_mcnemar_agrees_with_statsmodels(b: int, c: int) -> None:
    ours = mcnemar(b, c)
    if b == c:
        # statsmodels corrects past zero here; no difference is p = 1.
        assert ours.p_value == 1.0
        return
    reference = reference_mcnemar([[0, b], [c, 0]], exact=False, correction=True)
    assert ours.statistic == pytest.approx(reference.statistic)
    assert ours.p_value == pytest.approx(reference.pvalue, rel=1e-9, abs=1e-300)


@pytest.fixture
def _cheap_collections() -> Iterator[None]:
    """statsmodels collects garbage in every call: what other tests loaded need not be looked through each time."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("_cheap_collections")
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


def test_holm_by_hand() -> None:
    assert holm([0.03, 0.01, 0.04]) == [0.06, 0.03, 0.06]
    assert holm([]) == []


@given(st.integers(0, 300), st.integers(1, 300))
@settings(deadline=None)
def test_wilson_agrees_with_statsmodels(successes: int, more: int) -> None:
    total = successes + more
    found = some(wilson(successes, total))
    reference = proportion_confint(successes, total, method="wilson")
    assert (found.low, found.high) == pytest.approx(reference, abs=1e-9)
    assert found.low <= successes / total <= found.high


def test_a_share_of_nothing_is_unknown() -> None:
    assert Share.of_cases(0, 0).rate is None
    assert Share.of_cases(0, 0).interval is None
    assert Share.of_cases(1, 4).rate == 0.25
