"""RQ2 over repeats of the same cell, counted by hand."""

from __future__ import annotations

import pytest

from samsim.errors import InputError
from samsim.metrics.repeats import jaccard, repeats
from tests.metrics.hand_made import ALL_FIELDS, HandSample, Quad, failed, sample

TASTE: Quad = ("taste", "food#quality", "good", "positive")
BAD_TASTE: Quad = ("taste", "food#quality", "good", "negative")
STAFF: Quad = ("staff", "service#general", "rude", "negative")


def run(*finals: list[Quad]) -> list[HandSample]:
    return [sample([], final, [TASTE], uid=str(number)) for number, final in enumerate(finals)]


def test_by_hand() -> None:
    """Three runs, three samples: the same; one flips the polarity; one finds more."""
    found = repeats(
        [
            run([TASTE], [TASTE], [TASTE]),
            run([TASTE], [BAD_TASTE], [TASTE]),
            run([TASTE], [TASTE], [TASTE, STAFF]),
        ],
        gold_fields=ALL_FIELDS,
    )
    assert (found.runs, found.samples, found.exact.count) == (3, 3, 1)
    # Pairs: 3 of 3, 1 of 3, 1 of 3.
    assert found.exact_pairs == pytest.approx(5 / 9)
    # Jaccard: 1, 1, 1; 0, 1, 0; 1, 1/2, 1/2.
    assert found.jaccard == pytest.approx((3 + 1 + 2) / 9)
    # Units in two or more runs: taste in each sample, of which one flips.
    assert (found.flip_flop.count, found.flip_flop.of) == (1, 3)
    assert (found.presence.count, found.presence.of) == (1, 4)
    assert found.polarity.raw == pytest.approx(7 / 9)
    # F1 of the runs: 6/6, 4/6, 6/7.
    f1 = found.f1["triplet"]["final"]
    assert f1.values == pytest.approx([1.0, 2 / 3, 6 / 7])
    assert f1.variance == pytest.approx(sum((x - f1.mean) ** 2 for x in f1.values) / 2)


def test_equal_runs_agree_in_everything() -> None:
    same = run([TASTE], [], [STAFF, TASTE])
    found = repeats([same, same], gold_fields=ALL_FIELDS)
    assert (found.exact.rate, found.exact_pairs, found.jaccard, found.flip_flop.rate) == (1.0, 1.0, 1.0, 0.0)
    assert found.f1["triplet"]["final"].variance == 0.0


def test_a_sample_that_failed_in_one_run_is_left_out_of_all() -> None:
    good = run([TASTE], [TASTE])
    found = repeats([good, [good[0], failed("1")]], gold_fields=ALL_FIELDS)
    assert (found.samples, found.left_out, found.exact.rate) == (1, 1, 1.0)
    assert found.f1["triplet"]["final"].values == [1.0, 1.0]


def test_two_empty_answers_are_the_same() -> None:
    assert jaccard(frozenset(), frozenset()) == 1.0


def test_one_run_is_no_repeat() -> None:
    with pytest.raises(InputError, match="at least two runs"):
        repeats([run([TASTE])], gold_fields=ALL_FIELDS)
