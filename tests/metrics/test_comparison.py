"""Paired comparison of runs: flips, tests, baselines, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.errors import ConfigError, InputError
from samsim.metrics.comparison import Comparison, Contrast, compare
from samsim.schemas.protocol_conflict_review import ConflictFlag, ValidatorRisk
from samsim.schemas.results import FinalTuple
from samsim.schemas.runs import DataRecord
from tests.metrics.hand_made import HandSample, Quad, candidate, failed, gold, quad_lists, sample
from tests.metrics.runs import HandRun, big_run, hand_run
from tests.support.narrowing import some

TASTE: Quad = ("taste", "food#quality", "good", "positive")
BAD_TASTE: Quad = ("taste", "food#quality", "good", "negative")
STAFF: Quad = ("staff", "service#general", "rude", "negative")
BARE: Quad = ("bun", "", "dry", "negative")


def run(name: str, *finals: list[Quad], right: list[Quad] | None = None) -> HandRun:
    wanted = [TASTE, STAFF] if right is None else right
    return hand_run(name, [sample([], final, wanted, uid=str(number)) for number, final in enumerate(finals)])


def contrast_of(found: Comparison, family: str = "triplet") -> Contrast:
    return next(one for one in found.contrasts if one.family == family)


def test_equal_runs_do_not_differ() -> None:
    one = big_run("one", 100)
    found = compare([one, replace(one, name="other")])
    assert [contrast.family for contrast in found.contrasts] == ["ref_pol", "triplet", "ote_pol", "attr_pol"]
    for contrast in found.contrasts:
        assert (contrast.identical, contrast.tested) == (True, False)
        assert (contrast.delta_f1, contrast.delta_macro, contrast.p_value, contrast.p_holm) == (0.0, 0.0, None, None)
        assert (contrast.interval, contrast.mcnemar) == (None, None)
        assert (contrast.tuple_flips, contrast.sample_flips) == ([], [])


def test_five_per_cent_of_broken_tuples_are_found() -> None:
    found = compare([big_run("good"), big_run("broken", broken=0.05)])
    for contrast in found.contrasts:
        assert contrast.delta_f1 < 0
        assert some(contrast.p_value) < 0.01
        assert some(contrast.interval).high < 0
        assert some(contrast.mcnemar).p_value < 0.01
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
    test = some(contrast.mcnemar)
    assert (test.wrong_to_right, test.right_to_wrong) == (1, 1)


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


def test_holm_goes_over_the_runs_within_a_family() -> None:
    """Two runs against the baseline: the smaller p of each family counts twice, however many families there are."""
    runs = [big_run("good"), big_run("worse", broken=0.02), big_run("bad", broken=0.1)]
    found = compare(runs)
    assert len(found.contrasts) == 8
    for family in found.families:
        smaller, larger = sorted(some(one.p_value) for one in found.contrasts if one.family == family)
        corrected = sorted(some(one.p_holm) for one in found.contrasts if one.family == family)
        assert corrected == pytest.approx([min(1, 2 * smaller), max(min(1, 2 * smaller), larger)])
    alone = compare(runs, families=["triplet"])
    assert contrast_of(alone).p_holm == contrast_of(found).p_holm


def test_holm_counts_distinct_outcomes_only() -> None:
    """Four runs against the baseline, of which two are one outcome and one is the baseline's: two tests."""
    good, bad, worse = big_run("good"), big_run("bad", broken=0.05), big_run("worse", broken=0.02)
    found = compare([good, bad, replace(bad, name="bad again"), replace(good, name="good again"), worse])
    alone = compare([good, bad, worse])
    for family in found.families:
        listed = {one.run: one for one in found.contrasts if one.family == family}
        expected = {one.run: one for one in alone.contrasts if one.family == family}
        for name, same in {"bad": "bad", "bad again": "bad", "worse": "worse"}.items():
            assert listed[name].p_holm == expected[same].p_holm
        assert listed["good again"].p_holm is None


def _marked(made: HandSample) -> HandSample:
    finals = [one.model_copy(update={"flagged": True, "flag_reasons": ["WEAK_EVIDENCE"]}) for one in _finals(made)]
    return _with(made, final_tuples=finals)


def _flagged(made: HandSample) -> HandSample:
    flag = ConflictFlag(aspect_ref="food#quality", tuple_ids=["t0", "t1"], conflict_type="ref_polarity_mismatch")
    return _with(made, conflict_flags=[flag])


def _risky(made: HandSample) -> HandSample:
    risk = ValidatorRisk(tuple_id="t0", risk_type="NEGATION_SCOPE", severity="high", description="")
    return _with(made, validator_risks=[risk])


def _found_more(made: HandSample) -> HandSample:
    return _with(made, stage1_tuples=[candidate(0, STAFF)])


def _finals(made: HandSample) -> list[FinalTuple]:
    assert made.result is not None
    return made.result.final_tuples


def _with(made: HandSample, **changes: object) -> HandSample:
    assert made.result is not None
    return replace(made, result=made.result.model_copy(update=changes))


@pytest.mark.parametrize(
    ("part", "change"),
    [("marks", _marked), ("flags", _flagged), ("risks", _risky), ("stage1", _found_more)],
)
def test_runs_with_the_same_tuples_may_differ_in_all_else(
    part: str, change: Callable[[HandSample], HandSample]
) -> None:
    one = run("one", [TASTE], [TASTE, STAFF], [BAD_TASTE])
    found = compare([one, replace(one, name="other", made=[change(one.made[0]), *one.made[1:]])])
    for contrast in found.contrasts:
        assert contrast.differs == {part: 1}
        assert (contrast.identical, contrast.tested, contrast.p_holm) == (False, False, None)


def test_the_order_of_tuples_is_no_difference() -> None:
    assert all(
        contrast.identical for contrast in compare([run("a", [TASTE, STAFF]), run("b", [STAFF, TASTE])]).contrasts
    )


def test_a_family_that_sees_no_difference_is_not_tested() -> None:
    """Another opinion word: only the triplets differ."""
    other = (TASTE[0], TASTE[1], "great", TASTE[3])
    found = compare([run("a", [TASTE]), run("b", [other])])
    assert {one.family: one.tested for one in found.contrasts} == {
        "ref_pol": False,
        "triplet": True,
        "ote_pol": False,
        "attr_pol": False,
    }
    assert {frozenset(one.differs.items()) for one in found.contrasts} == {frozenset({("final", 1)})}


def test_trivial_answers_always_stand_beside() -> None:
    found = compare([run("a", [TASTE]), run("b", [STAFF])])
    for family in found.families:
        assert set(found.trivial[family]) == {"constant_pair", "constant_pairs", "majority_target"}
    assert found.trivial["triplet"]["constant_pairs"].micro.f1 == 1.0


def test_a_sample_that_failed_in_one_run_is_left_out_of_all_and_named() -> None:
    good = run("a", [TASTE, STAFF], [TASTE])
    bad = hand_run("b", [good.made[0], failed("1", [TASTE, STAFF])])
    found = compare([good, bad])
    assert (found.samples, found.left_out, [row.errors for row in found.runs]) == (1, ["1"], [0, 1])
    assert all(row.scores["triplet"].micro.f1 == 1.0 for row in found.runs)


def test_a_run_that_fails_where_it_is_hard_does_not_look_better() -> None:
    """The same answers; one of the runs failed where they are wrong. Over what both finished they are equal."""
    whole = run("a", [TASTE, STAFF], [BAD_TASTE], [TASTE, STAFF])
    sick = hand_run("b", [whole.made[0], failed("1", [TASTE, STAFF]), whole.made[2]])
    found = compare([whole, sick])
    for rows in (found.runs, found.groups):
        scores = [row.scores["triplet"] for row in rows]
        assert [one.micro.f1 for one in scores] == [1.0, 1.0]
        assert [one.exact_samples for one in scores] == [2, 2]
    assert contrast_of(found).delta_f1 == 0


def partly(name: str, *finals: list[Quad], without: str) -> HandRun:
    """A run in which some samples have no gold."""
    made = [
        sample([], final, None if str(number) in without else [TASTE, STAFF], uid=str(number))
        for number, final in enumerate(finals)
    ]
    return hand_run(name, made)


def test_samples_that_nobody_annotated_are_left_out_and_counted() -> None:
    found = compare([partly("a", [TASTE], [TASTE, STAFF], without="0"), partly("b", [], [TASTE], without="0")])
    assert (found.samples, found.unannotated, found.left_out) == (1, 1, [])
    assert [row.scores["triplet"].micro.matched for row in found.runs] == [2, 1]


def test_a_failed_sample_without_gold_is_not_said_to_have_failed() -> None:
    no_gold = failed("0")
    lost = replace(no_gold, card=some(no_gold.card).model_copy(update={"gold": None}))
    other = hand_run("b", [lost, sample([], [TASTE], [TASTE, STAFF], uid="1")])
    found = compare([partly("a", [TASTE], [TASTE, STAFF], without="0"), other])
    assert (found.unannotated, found.left_out) == (1, [])


def test_gold_that_is_empty_everywhere_can_be_compared() -> None:
    """Nothing is right: the run that claims less is better in its samples, though F1 is 0 for both."""
    one, other = (
        hand_run(
            name, [sample([], final, [], uid=str(number)) for number, final in enumerate(finals)], data=_data("x", [])
        )
        for name, finals in (("a", [[TASTE], [STAFF]]), ("b", [[TASTE], []]))
    )
    found = compare([one, other])
    assert (found.samples, found.primary, found.trivial["ref_pol"]) == (2, "ref_pol", {})
    assert [row.scores["ref_pol"].exact_samples for row in found.runs] == [0, 1]
    assert contrast_of(found, "ref_pol").flips("wrong_to_right") == 1


# --- repeats and seeds ----------------------------------------------------------------------------------------


def repeat(number: int, *finals: list[Quad], condition: str = "C1", seed: int | None = None) -> HandRun:
    made = run("x", *finals).made
    name = f"cr_v2-{condition}-r{number}"
    return hand_run(name, made, cell={"condition": condition, "repeat": number, "seed": seed})


def test_repeats_of_a_cell_are_one_row() -> None:
    """C1 has one of two tuples in both runs, C2 one and then both: of four gold tuples 2 against 3 are found."""
    runs = [
        repeat(0, [TASTE], [TASTE]),
        repeat(1, [TASTE], [TASTE]),
        repeat(0, [TASTE], [TASTE], condition="C2"),
        repeat(1, [TASTE, STAFF], [TASTE, STAFF], condition="C2"),
    ]
    found = compare(runs)
    assert found.baseline == "cr_v2-C1"
    assert [(row.name, row.runs) for row in found.groups] == [
        ("cr_v2-C1", ["cr_v2-C1-r0", "cr_v2-C1-r1"]),
        ("cr_v2-C2", ["cr_v2-C2-r0", "cr_v2-C2-r1"]),
    ]
    assert [row.group for row in found.runs] == ["cr_v2-C1"] * 2 + ["cr_v2-C2"] * 2
    assert [contrast.run for contrast in found.contrasts] == ["cr_v2-C2"] * 4
    pooled = found.groups[1].scores["triplet"]
    assert (pooled.micro.matched, pooled.micro.predicted, pooled.micro.gold) == (6, 6, 8)
    assert pooled.f1_runs == [2 / 3, 1.0]
    assert pooled.macro == pytest.approx(5 / 6)
    assert pooled.exact_samples == 1.0
    contrast = contrast_of(found)
    assert contrast.delta_f1 == pytest.approx(2 * 6 / 14 - 2 / 3)
    # Two samples, whatever the number of runs: 2 of 4 ways to swap them are as extreme.
    assert contrast.p_value == 0.5


def test_more_repeats_are_not_more_samples() -> None:
    """The same two runs five times: no interval gets narrower, no p smaller."""
    good, bad = big_run("x", 60).made, big_run("x", 60, broken=0.1).made

    def cells(times: int) -> list[HandRun]:
        return [
            hand_run(f"{condition}-r{number}", made, cell={"condition": condition, "repeat": number})
            for condition, made in (("C1", good), ("C2", bad))
            for number in range(times)
        ]

    once, often = (contrast_of(compare(cells(times))) for times in (1, 5))
    assert often.p_value == pytest.approx(once.p_value, abs=0.02)
    narrow, wide = some(often.interval), some(once.interval)
    assert (narrow.low, narrow.high) == pytest.approx((wide.low, wide.high), abs=0.01)
    assert often.delta_f1 == pytest.approx(once.delta_f1)
    assert (often.mcnemar, often.tuple_flips) == (once.mcnemar, once.tuple_flips)


def test_groups_of_different_size_weigh_the_same() -> None:
    same = [[TASTE], [TASTE, STAFF]]
    found = compare([repeat(0, *same), repeat(1, *same), repeat(2, *same), repeat(0, *same, condition="C2")])
    assert [row.name for row in found.groups] == ["cr_v2-C1", "cr_v2-C2-r0"]
    assert (contrast_of(found).delta_f1, contrast_of(found).p_value) == (0.0, None)
    assert contrast_of(found).identical
    turned = compare([repeat(0, *same), repeat(1, *same), repeat(0, [BAD_TASTE], same[1], condition="C2")])
    assert contrast_of(turned).tested
    assert some(contrast_of(turned).interval).high <= 0.0


def test_a_group_claims_what_most_of_its_runs_claim() -> None:
    runs = [repeat(0, [TASTE, STAFF], condition="C0")]
    runs += [repeat(number, final) for number, final in enumerate([[TASTE], [TASTE, STAFF], [BAD_TASTE]])]
    (flip,) = contrast_of(compare(runs)).tuple_flips
    assert (flip.direction, flip.kind, tuple(flip.key)) == ("right_to_wrong", "gold", ("staff", "rude", "negative"))


def test_seeds_are_repeats_and_copies_are_not() -> None:
    seeds = [repeat(0, [TASTE], seed=1), repeat(0, [STAFF], seed=2)]
    assert [len(row.runs) for row in compare([*seeds, repeat(0, [TASTE], condition="C2")]).groups] == [2, 1]
    # The same seed again (a copy, or the experiment run twice) is another run to compare with.
    assert [len(row.runs) for row in compare([*seeds, *seeds]).groups] == [2, 2]


def test_repeats_of_one_cell_alone_are_compared_with_each_other() -> None:
    found = compare([repeat(0, [TASTE]), repeat(1, [STAFF])])
    assert [row.name for row in found.groups] == ["cr_v2-C1-r0", "cr_v2-C1-r1"]
    assert len(found.contrasts) == 4


def test_only_the_families_asked_for() -> None:
    found = compare([run("a", [TASTE]), run("b", [STAFF])], families=["ref_pol"])
    assert (found.families, len(found.contrasts)) == (["ref_pol"], 1)
    terms_only = [hand_run(name, run(name, [TASTE]).made, data=_data("x", ["term"])) for name in "ab"]
    with pytest.raises(InputError, match=r"cannot score triplet\. Families it can score: ote_pol"):
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
            r"a and b ran over different data: reviews \(1 sample, sha256 a{12}\), but hotels \(1 sample, sha256 b",
        ),
        (hand_run("b", run("b", [TASTE]).made, data=_data("a" * 64, ["term"])), "gold with different fields"),
        (hand_run("b", run("b", [TASTE]).made, data={}), "b does not say what it was evaluated on"),
        (hand_run("b", run("b", [TASTE]).made, data=_data("a" * 64, [])), "opinion, polarity, ref, term, but none"),
        (hand_run("b", []), "b lacks 1 sample of a: 0. Finish b"),
        (run("b", [TASTE], [TASTE]), "a lacks 1 sample of b: 1. Finish a"),
        (
            hand_run("b", [_changed_gold(run("b", [TASTE]).made[0])]),
            "a and b were scored against different gold in 1 sample: 0",
        ),
        (hand_run("b", [failed("0")]), "All samples of b failed"),
        (
            hand_run("b", [sample([], [TASTE], None)]),
            "a and b ran over different data: 1 sample with gold in a, without in b: 0",
        ),
        (
            hand_run("b", [HandSample("0", run("b", [TASTE]).made[0].result)]),
            r"b has no scorecard for 1 sample: 0\. The gold and with it all scores are gone",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(other: HandRun, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compare([run("a", [TASTE]), other])


def test_runs_without_gold_are_refused_with_that_reason() -> None:
    one, other = (hand_run(name, [sample([], [TASTE], None)], data=_data("x", [])) for name in "ab")
    with pytest.raises(InputError, match="a ran over reviews, which has no gold"):
        compare([one, other])


def test_runs_that_failed_on_different_samples_share_nothing() -> None:
    good = run("a", [TASTE], [TASTE]).made
    right = [TASTE, STAFF]
    with pytest.raises(InputError, match="No sample was finished by all"):
        compare([hand_run("a", [good[0], failed("1", right)]), hand_run("b", [failed("0", right), good[1]])])


def test_one_run_is_no_comparison() -> None:
    with pytest.raises(ConfigError, match="at least two runs"):
        compare([run("a", [TASTE])])
