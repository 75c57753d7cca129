"""The expected value of Stage 2: its arithmetic and its threshold."""

from __future__ import annotations

from itertools import product

import pytest

from samsim.rules.evidence import EvidenceReader
from samsim.rules.expected_value import expected_value, grounded_share
from tests.support.builders import analysis, candidate, word
from tests.support.debate import override, signal


@pytest.mark.parametrize(("applied", "resolved", "grounded"), list(product([False, True], repeat=3)))
@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0])
def test_the_parts_and_their_sum(applied: bool, resolved: bool, grounded: bool, confidence: float) -> None:
    decisions = [override(applied=applied, given=signal(2 * confidence))]
    value = expected_value(decisions, risk_resolved=resolved, better_grounded=grounded, threshold=0.5)
    # Nothing is worth anything where nothing was done.
    wanted = (0.4, 0.3 * resolved, 0.2 * grounded, round(0.1 * confidence, 6)) if applied else (0.0, 0.0, 0.0, 0.0)
    assert (value.action, value.risk, value.grounding, value.confidence) == wanted
    assert value.total == pytest.approx(sum(wanted))
    assert value.passed == (applied and round(sum(wanted), 6) >= 0.5)


@pytest.mark.parametrize(
    ("resolved", "grounded", "confidence", "threshold", "passed"),
    [
        (False, False, 1.0, 0.5, True),  # 0.4 + 0.1: just enough
        (False, False, 0.99, 0.5, False),
        (False, True, 0.0, 0.5, True),
        (True, False, 0.0, 0.7, True),
        (True, False, 0.0, 0.71, False),
        (True, True, 1.0, 1.0, True),
        (False, False, 0.0, 0.0, True),
    ],
)
def test_the_threshold_is_met_at_its_edge(
    resolved: bool, grounded: bool, confidence: float, threshold: float, passed: bool
) -> None:
    given = [override(given=signal(2 * confidence))]
    value = expected_value(given, risk_resolved=resolved, better_grounded=grounded, threshold=threshold)
    assert value.passed is passed
    assert value.threshold == threshold


def test_no_action_never_passes() -> None:
    value = expected_value([], risk_resolved=True, better_grounded=True, threshold=0.0)
    assert (value.total, value.passed) == (0.0, False)


def test_the_confidence_is_the_mean_of_those_who_wanted_the_applied_changes() -> None:
    sure, unsure = override(given=signal(2.0)), override(given=signal(1.0), change_id="c1")
    ignored = override(given=signal(0.2), applied=False, change_id="c2")
    value = expected_value([sure, unsure, ignored], risk_resolved=False, better_grounded=False, threshold=0.5)
    assert value.confidence == pytest.approx(0.075)


def test_grounded_is_what_its_own_words_do_not_deny() -> None:
    text = "사용감이 좋지 않아요. 향은 은은해요."
    seen = EvidenceReader(analysis(text, words=[word(text, "좋지 않아요", 1.0, negated=True)]))
    wrong = candidate("t0", "사용감", polarity="positive", evidence="좋지 않아요")
    right = candidate("t1", "사용감", polarity="negative", evidence="좋지 않아요")
    silent = candidate("t2", "향", polarity="positive", evidence="은은해요")
    invented = candidate("t3", "향", polarity="positive", evidence="강해요")
    unnamed = candidate("t4", "가격", polarity="negative", evidence="좋지 않아요")
    assert [seen.grounds(one) for one in (wrong, right, silent, invented, unnamed)] == [False, True, True, False, False]
    assert grounded_share([wrong, right], seen) == 0.5
    assert grounded_share([], seen) == 1.0
