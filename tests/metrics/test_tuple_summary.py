"""Tuple scores of whole runs: worked examples, breakdowns that add up, trivial baselines."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.metrics.baselines import trivial_answers
from samsim.metrics.family_scores import STAGES, FamilyScores, baseline_scores
from samsim.metrics.sanity import adds_up
from samsim.metrics.scoring import score_card_counts
from samsim.metrics.subsets import SAMPLE_SUBSETS
from samsim.metrics.summary import summarise
from samsim.schemas.scorecards import Counts, Family
from tests.metrics.hand_made import ALL_FIELDS, HandSample, Quad, failed, final, gold, result, sample, samples

TASTE: Quad = ("taste", "food#quality", "good", "positive")
STAFF: Quad = ("staff", "service#general", "rude", "negative")
PLACE: Quad = ("", "place#general", "fine", "neutral")
WRONG: Quad = ("taste", "food#quality", "good", "negative")


def scores(run: list[HandSample], family: Family = "triplet") -> FamilyScores:
    return summarise(run, gold_fields=ALL_FIELDS, resamples=200).tuples[family]


def test_stage_1_final_and_delta_by_hand() -> None:
    """Stage 1: 1 of 2 claims right, 3 gold tuples; final: 2 of 2. Macro: mean of the samples' F1."""
    run = [
        sample([WRONG, STAFF], [TASTE, STAFF], [TASTE, STAFF], uid="0"),
        sample([], [], [PLACE], uid="1"),
        sample([], [], [], uid="2"),
    ]
    found = scores(run)
    assert (found.stage1.micro.matched, found.stage1.micro.predicted, found.stage1.micro.gold) == (1, 2, 3)
    assert found.stage1.micro.f1 == 2 / 5
    assert (found.final.micro.precision, found.final.micro.recall, found.final.micro.f1) == (1.0, 2 / 3, 4 / 5)
    assert found.delta.f1 == pytest.approx(2 / 5)
    # Sample 0: 1/2 then 1; sample 1: 0; sample 2 has nothing to say and says nothing: 1.
    assert (found.stage1.macro, found.final.macro) == pytest.approx((0.5, 2 / 3))
    # positive 0 then 1, negative 2/3 (one spurious) then 1, neutral 0.
    assert (found.stage1.macro_polarity, found.final.macro_polarity) == pytest.approx((2 / 9, 2 / 3))
    assert found.exact_samples == {"stage1": 1, "final": 2}


def test_every_opinion_of_a_final_tuple_counts() -> None:
    found = result([], [], uid="0").model_copy(update={"final_tuples": [final(TASTE, "fresh")]})
    right = gold(TASTE, ("taste", "food#quality", "fresh", "positive"))
    counts = score_card_counts(found, right, ALL_FIELDS)
    assert counts["triplet"]["final"] == Counts(matched=2, predicted=2, gold=2)
    assert counts["ref_pol"]["final"] == Counts(matched=1, predicted=1, gold=1)


def test_a_scorecard_has_the_families_the_gold_can_judge() -> None:
    found = result([TASTE], [TASTE])
    assert set(score_card_counts(found, gold(TASTE), ("term", "opinion", "polarity"))) == {"triplet", "ote_pol"}
    assert set(score_card_counts(found, gold(TASTE), ALL_FIELDS)) == {"triplet", "ref_pol", "ote_pol", "attr_pol"}
    without_attribute = gold(("taste", "food", "good", "positive"))
    assert "attr_pol" not in score_card_counts(found, without_attribute, ALL_FIELDS)
    # No gold at all is no reason to forgive what is claimed.
    assert score_card_counts(found, [], ALL_FIELDS)["attr_pol"]["final"] == Counts(matched=0, predicted=1, gold=0)


def test_a_prediction_without_a_ref_lowers_ref_pol_precision_of_a_run() -> None:
    right = [sample([TASTE], [TASTE], [TASTE])]
    worse = [sample([TASTE], [TASTE, ("staff", "", "rude", "negative")], [TASTE])]
    assert scores(right, "ref_pol").final.micro.precision == 1.0
    assert scores(worse, "ref_pol").final.micro.precision == 0.5


def test_gold_without_any_ref_says_nothing_about_refs() -> None:
    """As in attr_pol: a sample whose gold has tuples, but no ref, is left out of ref_pol; an empty one is not."""
    bare: Quad = ("bun", "", "dry", "negative")
    run = [
        sample([], [TASTE], [bare], uid="0"),
        sample([], [TASTE], [TASTE], uid="1"),
        sample([], [STAFF], [], uid="2"),
    ]
    found = scores(run, "ref_pol")
    assert (found.samples, found.final.micro.predicted, found.final.micro.gold) == (2, 2, 1)
    assert (found.unmatchable, found.ceiling) == (0, 1.0)
    assert scores(run).samples == 3


def test_a_family_that_no_gold_tuple_is_about_is_not_reported() -> None:
    run = [sample([], [], [("taste", "food", "good", "positive")], uid="0"), sample([], [TASTE], [], uid="1")]
    assert set(summarise(run, gold_fields=ALL_FIELDS, resamples=5).tuples) == {"triplet", "ref_pol", "ote_pol"}


@pytest.mark.parametrize("fields", [ALL_FIELDS, ()])
def test_gold_that_is_empty_everywhere_is_gold(fields: tuple[str, ...]) -> None:
    """Annotators found nothing: every claim is wrong, in every family. Such gold has no field to know it by."""
    run = [sample([TASTE], [TASTE], [], uid="0"), sample([], [], [], uid="1")]
    found = summarise(run, gold_fields=fields, resamples=50)
    assert (found.scored, found.unscored_reason, found.primary) == (2, None, "ref_pol")
    assert set(found.tuples) == {"triplet", "ref_pol", "ote_pol", "attr_pol"}
    for family in found.tuples.values():
        micro = family.final.micro
        assert (micro.matched, micro.predicted, micro.gold, micro.f1) == (0, 1, 0, 0.0)
        assert (family.final.macro, family.final.macro_polarity, family.ceiling) == (0.5, None, None)
    assert all(check.ok for check in found.sanity)


def test_a_failed_sample_is_no_wrong_answer() -> None:
    run = [sample([TASTE], [TASTE], [TASTE], uid="0"), failed("1", [STAFF])]
    found = summarise(run, gold_fields=ALL_FIELDS, resamples=50)
    assert (found.samples, found.errors, found.scored) == (2, 1, 1)
    assert found.tuples["triplet"].final.micro.f1 == 1.0


def test_explicit_and_implicit_aspects_by_hand() -> None:
    """In ref_pol the implicit gold is found by a tuple that names a term: it counts as the gold says."""
    named: Quad = ("place", "place#general", "fine", "neutral")
    found = scores([sample([named, TASTE], [named, TASTE], [PLACE, STAFF])], "ref_pol").subsets["aspect"]
    assert found["implicit"].final.model_dump(include={"matched", "predicted", "gold"}) == {
        "matched": 1,
        "predicted": 1,
        "gold": 1,
    }
    assert found["explicit"].final.model_dump(include={"matched", "predicted", "gold"}) == {
        "matched": 0,
        "predicted": 1,
        "gold": 1,
    }


def test_samples_fall_into_the_parts_they_belong_to() -> None:
    run = [
        sample([TASTE], [TASTE], [TASTE, STAFF], uid="0", structure=["contrast"], language="ko"),
        sample([TASTE], [TASTE], [TASTE], uid="1", structure=["none"]),
        sample([], [], [], uid="2"),
    ]
    found = {
        name: {part: row.samples for part, row in parts.items()}
        for name, parts in scores(run).subsets.items()
        if name in SAMPLE_SUBSETS
    }
    assert found == {
        "negation": {"no": 2, "unknown": 1},
        "contrast": {"yes": 1, "no": 1, "unknown": 1},
        "multi": {"several": 1, "one": 1, "none": 1},
        "polarities": {"several": 1, "one": 1, "none": 1},
        "conflict": {"no": 3},
        "language": {"ko": 1, "en": 2},
    }


@given(samples())
@settings(deadline=None, max_examples=60)
def test_the_parts_of_every_breakdown_add_up(run: list[HandSample]) -> None:
    for family, found in summarise(run, gold_fields=ALL_FIELDS, resamples=5).tuples.items():
        assert set(found.subsets) == {"polarity", "aspect", *SAMPLE_SUBSETS}
        for name, parts in found.subsets.items():
            for stage in STAGES:
                total = getattr(found, stage).micro
                rows = [getattr(part, stage) for part in parts.values()]
                for count in ("matched", "predicted", "gold"):
                    assert sum(getattr(row, count) for row in rows) == getattr(total, count), (family, name, stage)
                assert all(0 <= row.f1 <= 1 for row in rows)
            assert adds_up(found, name)
            if name in SAMPLE_SUBSETS:
                assert sum(part.samples or 0 for part in parts.values()) == found.samples


@given(samples(max_size=5), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_the_order_of_the_samples_changes_nothing(run: list[HandSample], chance: random.Random) -> None:
    shuffled = list(run)
    chance.shuffle(shuffled)
    first, second = (summarise(one, gold_fields=ALL_FIELDS, resamples=20) for one in (run, shuffled))
    for family, found in first.tuples.items():
        other = second.tuples[family]
        # A mean may differ in its last bit.
        assert found.final.macro == pytest.approx(other.final.macro)
        assert found.stage1.macro == pytest.approx(other.stage1.macro)
        assert found.final.micro == other.final.micro
        assert found.final.interval == other.final.interval
        assert found.delta.p_value == other.delta.p_value
        assert found.subsets == other.subsets
    assert first.correction == second.correction
    assert first.agreement == second.agreement


def test_a_breakdown_that_does_not_add_up_is_noticed() -> None:
    found = scores([sample([TASTE], [TASTE], [TASTE, STAFF])])
    broken = found.model_copy(update={"subsets": {"polarity": {"positive": found.subsets["polarity"]["positive"]}}})
    assert adds_up(found, "polarity")
    assert not adds_up(broken, "polarity")


def test_trivial_answers_by_hand() -> None:
    """food/pos in three samples, food/neg in two, staff/neg in one; four samples, six gold tuples."""
    food, bad_food, staff = ("food", "positive"), ("food", "negative"), ("staff", "negative")
    right = [frozenset({food, staff}), frozenset({food, bad_food}), frozenset({food}), frozenset({bad_food})]
    answers = trivial_answers(right)
    assert answers["constant_pair"] == {food}
    # One pair: 2·3/(4+6) = .6; two: 2·5/(8+6) = .71; three: 2·6/(12+6) = .67.
    assert answers["constant_pairs"] == {food, bad_food}
    found = baseline_scores(right)
    assert found["constant_pair"].micro.f1 == 0.6
    assert found["constant_pairs"].micro.f1 == 10 / 14
    assert found["constant_pair"].macro == pytest.approx((2 / 3 + 2 / 3 + 1 + 0) / 4)
    assert found["constant_pairs"].answer == ["food / negative", "food / positive"]


def test_the_majority_target_may_differ_from_the_most_frequent_pair() -> None:
    """food is the most frequent ref, but staff/negative the most frequent pair."""
    right = [
        *[frozenset({("staff", "negative")})] * 3,
        *[frozenset({("food", "positive")})] * 2,
        *[frozenset({("food", "negative")})] * 2,
    ]
    answers = trivial_answers(right)
    assert answers["constant_pair"] == {("staff", "negative")}
    assert answers["majority_target"] == {("food", "negative")}
    assert trivial_answers([frozenset()]) == {}


@given(samples())
@settings(deadline=None, max_examples=30)
def test_baselines_are_always_there_and_the_best_constant_is_not_below_one_pair(run: list[HandSample]) -> None:
    for found in summarise(run, gold_fields=ALL_FIELDS, resamples=5).tuples.values():
        if not found.final.micro.gold:
            # Empty gold has no frequencies to know.
            assert found.baselines == {}
            continue
        assert set(found.baselines) == {"constant_pair", "constant_pairs", "majority_target"}
        assert found.baselines["constant_pairs"].micro.f1 >= found.baselines["constant_pair"].micro.f1
