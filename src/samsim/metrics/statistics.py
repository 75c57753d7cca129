"""Intervals and tests. The resampled or swapped unit is the sample: never an interval over a few seeds.

Only Wilson's interval takes cases as they are; if these are tuples or decisions, several of them from one
sample, it is somewhat too narrow.

The counts of a run are an array with a row (matched, predicted, gold) per sample; two runs are paired
row by row. Everything random is drawn from the given seed. Samples with equal rows are
interchangeable, so resampling draws how often each *distinct* row occurs (a multinomial), and
swapping draws how many of the equal rows are swapped (a binomial): the same distributions as drawing
sample by sample, at a fraction of the work and regardless of the order of the samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field

from samsim.metrics.f1 import f1_from
from samsim.schemas.protocol_conflict_review import Written

CountTable = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

DEFAULT_RESAMPLES = 10_000
DEFAULT_SEED = 20_150_101
CONFIDENCE = 0.95
# One sample says nothing about the variation between samples.
_FEWEST = 2
# After correction for all tests, the smallest p that can be drawn must still be below this.
_FINEST = 0.005
MOST_DRAWS = 200_000
# Up to here the binomial tail is summed exactly; above it, chi-square is as good.
_EXACT_MCNEMAR = 1_000
# Cells of one chunk of draws: 64 MB of counts.
_CHUNK_CELLS = 8_000_000
# Two differences that are equal as fractions may differ in the last bits as floats.
_TOLERANCE = 1e-12


class Interval(Written):
    """A confidence interval."""

    low: float
    high: float


class Share(Written):
    """A share of cases with Wilson's interval; both are None without cases."""

    count: int
    of: int
    rate: float | None
    interval: Interval | None

    @classmethod
    def of_cases(cls, found: int, total: int) -> Share:
        """Build the share of ``found`` among ``total``."""
        return cls(count=found, of=total, rate=found / total if total else None, interval=wilson(found, total))


class McNemar(Written):
    """A test of paired right/wrong verdicts; ``statistic`` only for chi-square."""

    right_to_wrong: int = Field(ge=0)
    wrong_to_right: int = Field(ge=0)
    method: str
    statistic: float | None = None
    p_value: float


def bootstrap_f1(
    counts: CountTable, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED
) -> Interval | None:
    """Return the percentile interval of micro F1 over resampled samples; None for fewer than two samples.

    A draw without any tuple has no F1 and is skipped. If every sample has the same F1 (all right, all wrong),
    so does every draw, and the interval is a single point: nothing varied here, which does not mean that
    nothing can.
    """
    if len(counts) < _FEWEST:
        return None
    sums = _resampled_sums(_f1_parts(counts), resamples, seed)
    return _percentiles(np.concatenate([f1_from(drawn[:, 0], drawn[:, 1])[drawn[:, 1] > 0] for drawn in sums]))


def bootstrap_f1_difference(
    first: CountTable, second: CountTable, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED
) -> Interval | None:
    """Return the percentile interval of F1(second) - F1(first) over the same resamples (see ``bootstrap_f1``)."""
    if len(first) < _FEWEST:
        return None
    both = np.hstack([_f1_parts(first), _f1_parts(second)])
    sums = _resampled_sums(both, resamples, seed)
    differences = [
        (f1_from(drawn[:, 2], drawn[:, 3]) - f1_from(drawn[:, 0], drawn[:, 1]))[(drawn[:, 1] > 0) & (drawn[:, 3] > 0)]
        for drawn in sums
    ]
    return _percentiles(np.concatenate(differences))


def bootstrap_mean(
    values: Sequence[float], *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED
) -> Interval | None:
    """Return the percentile interval of a mean; None for fewer than two values, which show no variation."""
    if len(values) < _FEWEST:
        return None
    column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    draws = [sums[:, 0] / len(values) for sums in _resampled_sums(column, resamples, seed)]
    return _percentiles(np.concatenate(draws))


def permutation_test(
    first: CountTable,
    second: CountTable,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
    tests: int = 1,
) -> float:
    """Return the two-sided p of the micro F1 difference if each sample's two rows may be swapped.

    All 2^m swaps of the m samples that differ are tried if there are at most ``resamples`` of them;
    otherwise p = (1 + draws at least as extreme) / (1 + draws). Equal runs have p = 1. If no draw was as
    extreme and ``tests`` / (1 + draws) is not below 0.005, a correction for that many tests could never
    find anything, so more are drawn, up to 200,000.
    """
    before, after = _f1_parts(first), _f1_parts(second)
    change = after - before
    rows, repeated = _different_rows(change[np.any(change != 0, axis=1)])
    totals = before.sum(axis=0), after.sum(axis=0)
    if 2 ** int(repeated.sum()) <= resamples:
        everything = _all_swaps(np.repeat(rows, repeated, axis=0))
        return _as_extreme(totals, everything) / len(everything)
    generator = np.random.default_rng(seed)

    def hits(draws: int) -> int:
        found = 0
        for size in _chunks(draws, len(rows)):
            swapped = generator.binomial(repeated, 0.5, size=(size, len(rows)))
            found += _as_extreme(totals, swapped.astype(np.float64) @ rows)
        return found

    found, drawn = hits(resamples), resamples
    wanted = min(MOST_DRAWS, math.ceil(tests / _FINEST))
    if not found and drawn < wanted:
        found, drawn = hits(wanted - drawn), wanted
    return (1 + found) / (1 + drawn)


def mcnemar(right_to_wrong: int, wrong_to_right: int) -> McNemar:
    """Return McNemar's test of b = right→wrong against c = wrong→right.

    Exact: p = min(1, 2·P(X ≤ min(b, c))), X ~ Binomial(b + c, ½). For more than 1,000 flips:
    χ² = max(0, |b - c| - 1)² / (b + c) with one degree of freedom. Without a flip p = 1.
    """
    flips, fewer = right_to_wrong + wrong_to_right, min(right_to_wrong, wrong_to_right)
    if flips <= _EXACT_MCNEMAR:
        tail = sum(math.comb(flips, k) for k in range(fewer + 1))
        # Integers until the last step: 2^1000 is beyond a float.
        p_value = min(1.0, 2 * tail / 2**flips)
        return McNemar(
            right_to_wrong=right_to_wrong, wrong_to_right=wrong_to_right, method="exact binomial", p_value=p_value
        )
    statistic = max(0, abs(right_to_wrong - wrong_to_right) - 1) ** 2 / flips
    return McNemar(
        right_to_wrong=right_to_wrong,
        wrong_to_right=wrong_to_right,
        method="chi-square with continuity correction",
        statistic=statistic,
        p_value=math.erfc(math.sqrt(statistic / 2)),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's step-down correction: the i-th smallest of m times m - i + 1, non-decreasing, at most 1."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted


def wilson(successes: int, total: int) -> Interval | None:
    """Return Wilson's score interval (95 %) of a share; None without a trial."""
    if not total:
        return None
    z = 1.959963984540054
    share = successes / total
    scale = 1 + z * z / total
    centre = (share + z * z / (2 * total)) / scale
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / scale
    # Rounding must not move the interval off the share itself at 0 and 1.
    return Interval(low=min(share, max(0.0, centre - half)), high=max(share, min(1.0, centre + half)))


def _f1_parts(counts: CountTable) -> Floats:
    """Return matched and predicted + gold per sample: all that F1 needs. Whole numbers, exact as floats."""
    table = np.asarray(counts, dtype=np.float64).reshape(-1, 3)
    return np.column_stack([table[:, 0], table[:, 1] + table[:, 2]])


def _difference(first: Floats, second: Floats) -> Floats:
    return f1_from(second[..., 0], second[..., 1]) - f1_from(first[..., 0], first[..., 1])


def _as_extreme(totals: tuple[Floats, Floats], swapped: Floats) -> int:
    """Return how many of the swaps make a difference at least as large as the observed one."""
    before, after = totals
    found = np.abs(_difference(before, after))
    return int(np.sum(np.abs(_difference(before + swapped, after - swapped)) >= found - _TOLERANCE))


def _different_rows(table: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    if not len(table):
        return table, np.zeros(0, dtype=np.int64)
    rows, repeated = np.unique(table, axis=0, return_counts=True)
    return rows, repeated.astype(np.int64)


def _resampled_sums(table: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield the column sums of tables drawn with replacement, in chunks."""
    rows, repeated = _different_rows(table)
    generator = np.random.default_rng(seed)
    for size in _chunks(resamples, len(rows)):
        drawn = generator.multinomial(len(table), repeated / len(table), size=size)
        yield drawn.astype(np.float64) @ rows


def _chunks(resamples: int, rows: int) -> Iterator[int]:
    at_once = max(1, _CHUNK_CELLS // max(1, rows))
    for start in range(0, resamples, at_once):
        yield min(at_once, resamples - start)


def _all_swaps(rows: Floats) -> Floats:
    """Return the summed change of every subset of the rows."""
    sums: Floats = np.zeros((1, 2), dtype=np.float64)
    for row in rows:
        sums = np.vstack([sums, sums + row])
    return sums


def _percentiles(draws: Floats) -> Interval | None:
    if not len(draws):
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(low=float(low), high=float(high))
