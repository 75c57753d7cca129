from __future__ import annotations

import pytest

from samsim import Pipeline
from samsim.cli.result_view.labels import Labels
from samsim.cli.result_view.verdicts import other_decisions, other_version_of, outcome, rule_in_words
from samsim.data.shipped import load_reviews
from samsim.schemas.results import SampleResult
from tests.cli.hand_made import contested


def analysed(protocol: str) -> dict[str, SampleResult]:
    results = Pipeline({"protocol": protocol}).stream((sample.uid, sample.text) for sample in load_reviews())
    return {result.uid: result for result in results if isinstance(result, SampleResult)}


@pytest.mark.slow
def test_the_other_version_is_what_that_version_really_decides() -> None:
    """Where v2 raised no flag of its own the votes are the same, so v1 run for real must agree."""
    v1, v2 = analysed("cr_v1"), analysed("cr_v2")
    compared = 0
    for uid, result in v2.items():
        if result.conflict_flags != v1[uid].conflict_flags:
            continue
        compared += len(result.arbiter_decisions)
        assert list(other_decisions(result).values()) == v1[uid].arbiter_decisions
        assert list(other_decisions(v1[uid]).values()) == result.arbiter_decisions
    assert compared > 0


def test_v1_does_not_know_granularity() -> None:
    result = contested()
    others = other_decisions(result)
    assert other_version_of(result) == "v1"
    assert set(others) == {"t2", "t4", "t5"}
    assert outcome(others.get("t1")) == ("KEEP", None)
    assert outcome(others["t4"]) == ("FLAG", None)


def test_every_rule_has_its_words() -> None:
    words = {decision.tuple_id: rule_in_words(decision, Labels("en")) for decision in contested().arbiter_decisions}
    assert words == {
        "t1": "facet: C's minority view is protected → FLAG",
        "t2": "Rule 1: two of three agree → FLIP −",
        "t3": "Rule 1: all three agree → KEEP",
        "t4": "Rule 3: FLIP, DROP and KEEP; DROP's reason justifies it → DROP",
        "t5": "Rule 2: no two agree → FLAG",
    }
