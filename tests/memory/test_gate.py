"""The injection gate: opens on any of four triggers, and says which."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from samsim.memory.advisory_injection_gate import (
    has_polarity_conflict,
    should_inject_advisory,
    should_inject_advisory_with_reason,
)
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import candidate

A, F, H = "alignment_failure", "filter_rejection", "hallucination"
TABLE = [
    # conflict, risks, drops, explicit -> reason
    (False, (), (), 0, "none"),
    (False, (), (), 3, "none"),
    (True, (), (), 0, "conflict"),
    (False, ("t0",), (), 0, "validator"),
    (False, (), (A,), 0, "none"),
    (False, (), (A,), 1, "explicit_grounding_failure"),
    (False, (), (A, F), 1, "none"),
    (False, (), (F,), 1, "none"),
    (False, (), (F, H, H), 2, "none"),
    (False, (), (A, A), 0, "alignment"),
    (False, (), (A, A, F), 1, "alignment"),
    (False, (), (A, A), 1, "alignment,explicit_grounding_failure"),
    (True, ("t0", "t1"), (), 1, "conflict,validator"),
    (True, ("t0",), (A, A), 1, "conflict,validator,alignment,explicit_grounding_failure"),
]


@pytest.mark.parametrize(("conflict", "risks", "drops", "explicit", "reason"), TABLE)
def test_gate_truth_table(
    conflict: bool, risks: tuple[str, ...], drops: tuple[str, ...], explicit: int, reason: str
) -> None:
    seen: dict[str, Any] = {
        "polarity_conflict_raw": conflict,
        "validator_s1_risk_ids": risks,
        "drop_reasons": drops,
        "explicit_aspect_count": explicit,
    }
    assert should_inject_advisory_with_reason(**seen) == (reason != "none", reason)
    assert should_inject_advisory(**seen) is (reason != "none")


def test_the_whole_space_of_the_gate() -> None:
    drop_sets = [drops for size in range(5) for drops in combinations_with_replacement((A, F, H), size)]
    opened = 0
    for conflict, risk_n, drops, explicit in product([False, True], range(3), drop_sets, range(3)):
        gate, reason = should_inject_advisory_with_reason(
            polarity_conflict_raw=conflict,
            validator_s1_risk_ids=[f"t{number}" for number in range(risk_n)],
            drop_reasons=drops,
            explicit_aspect_count=explicit,
        )
        named = set() if reason == "none" else set(reason.split(","))
        assert gate is bool(named)
        assert ("conflict" in named) is conflict
        assert ("validator" in named) is (risk_n != 0)
        assert ("alignment" in named) is (drops.count(A) not in (0, 1))
        assert ("explicit_grounding_failure" in named) is (explicit != 0 and set(drops) == {A})
        opened += gate
    assert opened > 0


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (("품질", "제품 전체#품질", "negative"), True),
        (("마감", "제품 전체#품질", "negative"), True),  # one ref, two polarities
        (("품질", "제품 전체#품질", "positive"), False),
        (("품질", "본품#품질", "positive"), False),  # an overlap is no polarity conflict
        (("가격", "제품 전체#가격", "negative"), False),
    ],
)
def test_polarity_conflict_raw(second: tuple[str, str, str], expected: bool) -> None:
    tuples = [candidate("t0", "품질", "제품 전체#품질"), candidate("t1", second[0], second[1], second[2])]
    assert has_polarity_conflict(tuples, load_taxonomy("nikl2022")) is expected


def test_polarity_conflict_raw_on_a_term_without_a_ref() -> None:
    tuples = [candidate("t0", "Food", polarity="positive"), candidate("t1", "food", polarity="negative")]
    assert has_polarity_conflict(tuples, load_taxonomy("none"))
