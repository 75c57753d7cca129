"""Paired comparison of runs: flips, tests, baselines, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.errors import ConfigError, InputError
from samsim.metrics.comparison import Comparison, compare
from samsim.schemas.runs import DataRecord
from tests.metrics.hand_made import HandSample, Quad, failed, gold, quad_lists, sample
from tests.metrics.runs import HandRun, big_run, hand_run

TASTE = ("taste", "food#quality", "good", "positive")
BAD_TASTE = ("taste", "food#quality", "good", "negative")
STAFF = ("staff", "service#general", "rude", "negative")
BARE = ("bun", "", "dry", "negative")


def run(name: str, *finals: list[Quad], right: list[Quad] | None = None) -> HandRun:
    wanted = [TASTE, STAFF] if right is None else right
    return hand_run(name, [sample([], final, wanted, uid=str(number)) for number, final in enumerate(finals)])


def contrast_of(found: Comparison, family: str = "triplet"):
    return next(one for one in found.contrasts if one.family == family)


def test_equal_runs_do_not_differ() -> None:
    one = big_run("one", 100)
    found = compare([one, replace(one, name="other")])
    assert [contrast.family for contrast in found.contrasts] == ["triplet", "ref_pol", "ote_pol", "attr_pol"]
    for contrast in found.contrasts:
        assert (contrast.delta_f1, contrast.delta_macro, contrast.p_value, contrast.p_holm) == (0.0, 0.0, 1.0, 1.0)
        assert (contrast.interval.low, contrast.interval.high) == (0.0, 0.0)
        assert contrast.mcnemar.p_value == 1.0
        assert contrast.tuple_flips == contrast.sample_flips == []


def test_five_per_cent_of_broken_tuples_are_found() -> None:
    found = compare([big_run("good"), big_run("broken", broken=0.05)])
    for contrast in found.contrasts:
        assert contrast.delta_f1 < 0
        assert contrast.p_value < 0.01
        assert contrast.interval.high < 0
        assert contrast.mcnemar.p_value < 0.01
    assert contrast_of(found).flips("right_to_wrong") > contrast_of(found).flips("wrong_to_right")


def test_flips_by_hand() -> None:
    """Sample 0 is repaired, in sample 1 a gold tuple is lost and a bare one claimed."""
    found = compare([run("a", [BAD_TASTE, STAFF], [TASTE, STAFF]), run("b", [TASTE, STAFF], [TASTE, BARE])])
    flips = {
        family: [(one.uid, one.direction, one.kind, tuple(one.key)) for one in contrast_of(found, family).tuple_flips]
        for family in ("triplet", "ref_pol")
    }
    assert flips["triplet"] == [
        ("0", "wrong_to_right", "spurious", ("taste", "good", "negative")),
        ("0", "wrong_to_right", "gold", ("taste", "good", "positive")),
        ("1", "right_to_wrong", "spurious", ("bun", "dry", "negative")),
        ("1", "right_to_wrong", "gold", ("staff", "rude", "negative")),
    ]
    # A claim without a ref is shown with everything it says.
    assert ("1", "right_to_wrong", "spurious", BARE) in flips["ref_pol"]
    contrast = contrast_of(found)
    assert [(one.uid, one.direction) for one in contrast.sample_flips] == [
        ("0", "wrong_to_right"),
        ("1", "right_to_wrong"),
    ]
    assert (contrast.mcnemar.wrong_to_right, contrast.mcnemar.right_to_wrong) == (1, 1)


@given(st.lists(st.tuples(quad_lists, quad_lists), min_size=1, max_size=5))
@settings(deadline=None, max_examples=40)
def test_changing_places_turns_everything_round(pairs: list[tuple[list[Quad], list[Quad]]]) -> None:
    one, other = (run(name, *[pair[place] for pair in pairs]) for place, name in enumerate("ab"))
    there, back = compare([one, other], resamples=200), compare([other, one], resamples=200)
    for first, second in zip(there.contrasts, back.contrasts, strict=True):
        assert first.delta_f1 == pytest.approx(-second.delta_f1)
        assert first.p_value == pytest.approx(second.p_value)
        assert first.flips("wrong_to_right") == second.flips("right_to_wrong")
        assert len(first.tuple_flips) == len(second.tuple_flips)
        # What flipped explains what changed.
        before, after = there.runs[0].scores[first.family].micro, there.runs[1].scores[first.family].micro
        of_gold = [flip for flip in first.tuple_flips if flip.kind == "gold"]
        gained = sum(1 if flip.direction == "wrong_to_right" else -1 for flip in of_gold)
        assert after.matched - before.matched == gained


def test_holm_goes_over_all_runs_and_families() -> None:
    found = compare([big_run("good"), big_run("worse", broken=0.02), big_run("bad", broken=0.1)])
    assert len(found.contrasts) == 8
    for contrast in found.contrasts:
        assert contrast.p_value <= contrast.p_holm <= 1
    best = min(found.contrasts, key=lambda contrast: contrast.p_value)
    assert best.p_holm == pytest.approx(8 * best.p_value)


def test_trivial_answers_always_stand_beside() -> None:
    found = compare([run("a", [TASTE]), run("b", [STAFF])])
    for family in found.families:
        assert set(found.trivial[family]) == {"constant_pair", "constant_pairs", "majority_ref"}
    assert found.trivial["triplet"]["constant_pairs"].micro.f1 == 1.0


def test_a_sample_that_failed_in_one_run_is_left_out_of_all_and_named() -> None:
    good = run("a", [TASTE, STAFF], [TASTE])
    bad = hand_run("b", [good.made[0], failed("1", [TASTE, STAFF])])
    found = compare([good, bad])
    assert (found.samples, found.left_out, [row.errors for row in found.runs]) == (1, ["1"], [0, 1])
    assert all(row.scores["triplet"].micro.f1 == 1.0 for row in found.runs)


def test_only_the_families_asked_for() -> None:
    found = compare([run("a", [TASTE]), run("b", [STAFF])], families=["ref_pol"])
    assert (found.families, len(found.contrasts)) == (["ref_pol"], 1)
    terms_only = [hand_run(name, run(name, [TASTE]).made, data=_data("x", ["term"])) for name in "ab"]
    with pytest.raises(InputError, match=r"cannot judge triplet\. Families it can judge: ote_pol"):
        compare(terms_only, families=["triplet"])


def test_runs_of_the_same_name_are_told_apart() -> None:
    found = compare([run("a", [TASTE]), run("a", [STAFF])])
    assert [row.name for row in found.runs] == ["a", "a (2)"]


def _data(sha256: str, fields: list[str], source: str = "reviews") -> dict[str, DataRecord]:
    return {"evaluation": DataRecord(source=source, samples=1, rows=1, bad_rows=0, sha256=sha256, gold_fields=fields)}


def _changed_gold(one: HandSample) -> HandSample:
    assert one.card is not None
    return replace(one, card=one.card.model_copy(update={"gold": gold(BAD_TASTE)}))


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (
            hand_run("b", run("b", [TASTE]).made, data=_data("b" * 64, ["term"], "hotels")),
            r"a and b ran over different data: reviews \(1 samples, sha256 a{12}\), but hotels \(1 samples, sha256 b",
        ),
        (hand_run("b", run("b", [TASTE]).made, data=_data("a" * 64, ["term"])), "gold with different fields"),
        (hand_run("b", run("b", [TASTE]).made, data={}), "b does not say what it was evaluated on"),
        (hand_run("b", run("b", [TASTE]).made, data=_data("a" * 64, [])), "b ran over reviews, which has no gold"),
        (hand_run("b", []), "b lacks 1 of the samples of a: 0. Finish b"),
        (run("b", [TASTE], [TASTE]), "a lacks 1 of the samples of b: 1. Finish a"),
        (
            hand_run("b", [_changed_gold(run("b", [TASTE]).made[0])]),
            "a and b were scored against different gold in 1 samples: 0",
        ),
        (hand_run("b", [failed("0")]), "No sample was finished by all"),
        (hand_run("b", [sample([], [TASTE], None)]), "Sample 0 of b has no gold"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(other: HandRun, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compare([run("a", [TASTE]), other])


def test_one_run_is_no_comparison() -> None:
    with pytest.raises(ConfigError, match="two runs or more"):
        compare([run("a", [TASTE])])
