"""The families by worked examples, and what holds for any tuples."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from samsim.metrics.systems import PlainTuple
from samsim.metrics.tuples import FAMILIES, Score, families_of, primary_family, score, score_sample
from samsim.schemas.scorecards import Family
from tests.metrics.hand_made import Quad, quad_lists


def plain(*quads: Quad) -> list[PlainTuple]:
    return [PlainTuple(*quad) for quad in quads]


TASTE: Quad = ("taste", "food#quality", "good", "positive")
STAFF: Quad = ("staff", "service#general", "rude", "negative")


def test_a_worked_example() -> None:
    """Two of three claims are right, two of four gold tuples are found: P 2/3, R 1/2, F1 4/7."""
    gold = plain(TASTE, STAFF, ("", "place#general", "fine", "neutral"), ("menu", "food#range", "long", "positive"))
    claimed = plain(TASTE, ("Staff ", "service#general", "RUDE", "negative"), ("bun", "food#quality", "", "mixed"))
    found = score_sample(claimed, gold, "triplet")
    assert (found.matched, found.predicted, found.gold) == (2, 3, 4)
    assert (found.precision, found.recall, found.f1) == (2 / 3, 1 / 2, 4 / 7)


def test_what_each_family_asks_for() -> None:
    gold = plain(TASTE)
    other_opinion = plain(("taste", "food#quality", "great", "positive"))
    other_term = plain(("flavour", "food#quality", "good", "positive"))
    other_entity = plain(("flavour", "drinks#quality", "good", "positive"))
    other_polarity = plain(("taste", "food#quality", "good", "negative"))
    right = {
        "other opinion": [family for family in FAMILIES if score_sample(other_opinion, gold, family).matched],
        "other term": [family for family in FAMILIES if score_sample(other_term, gold, family).matched],
        "other entity": [family for family in FAMILIES if score_sample(other_entity, gold, family).matched],
        "other polarity": [family for family in FAMILIES if score_sample(other_polarity, gold, family).matched],
    }
    assert right == {
        "other opinion": ["ref_pol", "ote_pol", "attr_pol"],
        "other term": ["ref_pol", "attr_pol"],
        "other entity": ["attr_pol"],
        "other polarity": [],
    }


@pytest.mark.parametrize("family", ["ref_pol", "attr_pol"])
def test_a_prediction_without_a_ref_lowers_precision(family: Family) -> None:
    gold = plain(TASTE)
    without = plain(("staff", "", "rude", "negative"))
    assert score_sample(plain(TASTE), gold, family).precision == 1.0
    found = score_sample([*plain(TASTE), *without], gold, family)
    assert (found.precision, found.recall) == (0.5, 1.0)


def test_predictions_without_a_ref_match_no_gold_without_one_and_count_each() -> None:
    bare = plain(("taste", "", "good", "positive"), ("staff", "", "good", "positive"))
    assert score_sample(bare, bare, "ref_pol") == Score(0, 2, 0)


def test_implicit_gold_is_matched_by_its_ref_or_by_nothing() -> None:
    """In ote_pol and triplet, "" equals "" only; in ref_pol the term does not matter."""
    gold = plain(("", "place#general", "fine", "neutral"))
    named = plain(("place", "place#general", "fine", "neutral"))
    implicit = plain(("", "", "fine", "neutral"))
    assert score_sample(named, gold, "ref_pol").matched == 1
    assert score_sample(named, gold, "ote_pol").matched == score_sample(named, gold, "triplet").matched == 0
    assert score_sample(implicit, gold, "ref_pol").matched == 0
    assert score_sample(implicit, gold, "ote_pol").matched == score_sample(implicit, gold, "triplet").matched == 1


def test_refs_are_compared_without_regard_to_case_and_spaces() -> None:
    gold = plain(("taste", "FOOD#QUALITY", "good", "positive"))
    assert score_sample(plain(("taste", "food # quality", "good", "positive")), gold, "ref_pol").f1 == 1.0


def test_the_fields_of_the_gold_decide_the_families() -> None:
    assert families_of(["term", "opinion", "polarity"]) == ("triplet", "ote_pol")
    assert families_of(["ref", "polarity"]) == ("ref_pol", "attr_pol")
    assert families_of([]) == ()
    assert primary_family(["triplet", "ref_pol"]) == "ref_pol"
    assert primary_family(["triplet", "ote_pol"]) == "triplet"
    assert primary_family([]) is None


@given(quad_lists, quad_lists)
@settings(deadline=None)
def test_scores_stay_in_bounds_and_are_symmetric(one: list[Quad], other: list[Quad]) -> None:
    for family in FAMILIES:
        found = score_sample(plain(*one), plain(*other), family)
        assert 0 <= found.matched <= min(found.predicted, found.gold)
        assert 0 <= found.precision <= 1
        assert 0 <= found.recall <= 1
        assert min(found.precision, found.recall) - 1e-12 <= found.f1 <= max(found.precision, found.recall) + 1e-12
    # Where gold and prediction are treated alike, changing places changes precision for recall.
    for family in ("triplet", "ote_pol"):
        there, back = (score_sample(plain(*a), plain(*b), family) for a, b in ((one, other), (other, one)))
        assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)


@given(quad_lists)
@settings(deadline=None)
def test_repeating_a_tuple_changes_nothing(quads: list[Quad]) -> None:
    for family in FAMILIES:
        once, twice = plain(*quads), plain(*quads, *quads)
        assert score_sample(once, once, family) == score_sample(twice, twice, family)


def test_a_sample_without_prediction_counts_as_empty() -> None:
    assert score({}, {"0": plain(TASTE)}, "triplet") == Score(0, 0, 1)
