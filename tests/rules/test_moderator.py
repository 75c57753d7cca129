"""The moderator: every rule, on its own and at its edge."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from samsim.rules.expected_value import expected_value
from samsim.rules.moderator import StageChoice, choose_stage, label_of, moderate
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.protocol_debate import EVRecord
from tests.support.builders import candidate
from tests.support.debate import override


def tuples(*polarities: str, confidence: float = 0.8) -> list[Candidate]:
    return [
        candidate(f"t{number}", polarity=polarity, confidence=confidence) for number, polarity in enumerate(polarities)
    ]


def worth(*, passed: bool = True) -> EVRecord:
    return expected_value([override()], risk_resolved=passed, better_grounded=False, threshold=0.5)


# --- the label ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("polarities", "label", "rule"),
    [
        ((), None, "no_tuples"),
        (("positive",), "positive", "all_equal"),
        (("negative", "negative"), "negative", "all_equal"),
        (("neutral", "neutral"), "neutral", "all_equal"),
        (("mixed",), "mixed", "all_equal"),
        (("positive", "negative"), "mixed", "polarities_differ"),
        (("positive", "mixed"), "mixed", "polarities_differ"),
        (("negative", "neutral", "positive"), "mixed", "polarities_differ"),
        (("positive", "neutral"), "positive", "neutral_yields"),
        (("neutral", "negative", "negative"), "negative", "neutral_yields"),
        (("mixed", "neutral"), "mixed", "neutral_yields"),
    ],
)
def test_the_label_follows_from_the_polarities(polarities: tuple[str, ...], label: str | None, rule: str) -> None:
    assert label_of(tuples(*polarities)) == (label, rule)


def test_every_set_of_polarities_has_one_label_whatever_its_order() -> None:
    for size in range(1, 5):
        for chosen in combinations_with_replacement(POLARITIES, size):
            assert label_of(tuples(*chosen)) == label_of(tuples(*reversed(chosen)))


# --- the stage ----------------------------------------------------------------------------------------------


def test_without_an_applied_change_stage_1_stands() -> None:
    before = tuples("positive")
    wanted = StageChoice("stage1", "stage1_kept_nothing_applied")
    assert choose_stage(before, before, [], None) == wanted
    assert choose_stage(before, before, [override(applied=False)], worth()) == wanted


def test_below_the_expected_value_stage_1_stands() -> None:
    choice = choose_stage(tuples("positive"), tuples("negative"), [override()], worth(passed=False))
    assert choice == StageChoice("stage1", "stage1_kept_ev_below_threshold")


@pytest.mark.parametrize(
    ("after", "stage"), [(0.9, "stage2"), (0.8, "stage2"), (0.61, "stage2"), (0.6, "stage1"), (0.1, "stage1")]
)
def test_stage_2_is_preferred_unless_confidence_fell_by_a_fifth(after: float, stage: str) -> None:
    choice = choose_stage(tuples("positive"), tuples("negative", confidence=after), [override()], worth())
    rule = "stage2_preferred" if stage == "stage2" else "stage1_kept_confidence_fell"
    assert (choice.stage, choice.rule) == (stage, rule)


def test_a_removal_of_everything_is_no_fall_of_confidence() -> None:
    assert choose_stage(tuples("positive"), [], [override("drop_tuple", value="")], worth()).stage == "stage2"


# --- the record ---------------------------------------------------------------------------------------------


def test_the_record_has_every_applied_rule_and_the_mean_confidence() -> None:
    final = [candidate("t0", confidence=0.9), candidate("t1", polarity="negative", confidence=0.6)]
    done, skipped = override(), override(applied=False, change_id="c1")
    record = moderate(final, StageChoice("stage2", "stage2_preferred"), [done, skipped], worth())
    assert (record.label, record.confidence, record.stage) == ("mixed", 0.75, "stage2")
    assert record.rules == ["stage2_preferred", "polarities_differ"]


def test_the_summary_is_codes_and_numbers_only() -> None:
    secret = [candidate("t0", "아주 긴 비밀 관점 표현", evidence="인용된 문장 전체")]
    record = moderate(secret, StageChoice("stage1", "stage1_kept_nothing_applied"), [], None)
    assert record.summary == (
        "label:positive conf:0.5 rule:stage1_kept_nothing_applied rule:all_equal applied:0 skipped:0 ev:none"
    )
