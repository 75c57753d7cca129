"""Risk, agreement of the agents, overrides, memory, cost, funnel and sanity of small runs, counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from samsim.memory.principles import find_principle
from samsim.metrics.agent_labels import measurement_units
from samsim.metrics.samples import judged as judged_sample
from samsim.metrics.sanity import SanityCheck, SanityTally
from samsim.metrics.summary import RunMetrics, summarise
from samsim.schemas.memory_v1_1 import EvaluationV1_1, RiskSnapshotV1_1, RiskTag
from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import (
    ActionType,
    CastVote,
    ConflictFlag,
    ConflictType,
    DecidedAction,
    Refusal,
    ValidatorRisk,
)
from samsim.schemas.results import MemoryRecord
from samsim.schemas.scorecards import Counts, UsageRecord
from tests.metrics.hand_made import ALL_FIELDS, HandSample, Quad, candidate, evaluation, failed, result, sample
from tests.metrics.test_correction import decision
from tests.support.narrowing import some

TASTE: Quad = ("taste", "food#quality", "good", "positive")
BAD_TASTE: Quad = ("taste", "food#quality", "bad", "negative")
STAFF: Quad = ("staff", "service#general", "rude", "negative")
NEGATION = ValidatorRisk(tuple_id="t0", risk_type="NEGATION_SCOPE", severity="high", description="d")
CONFLICT = ConflictFlag(tuple_ids=["t0", "t1"], conflict_type="ref_polarity_mismatch")


def measured(*run: HandSample) -> RunMetrics:
    return summarise(run, gold_fields=ALL_FIELDS, resamples=200)


def bare(uid: str = "0", **more: Any) -> HandSample:
    return sample([TASTE], [TASTE], [TASTE], uid=uid, **more)


def judged(before: int, after: int, tags: tuple[RiskTag, ...] = (), left: tuple[RiskTag, ...] = ()) -> EvaluationV1_1:
    return EvaluationV1_1(
        risk_before=RiskSnapshotV1_1(tags=tags, severity_sum=before),
        risk_after=RiskSnapshotV1_1(tags=left, severity_sum=after),
        override_applied=before != after,
        override_success=after < before,
        override_harm=after > before,
    )


# --- RQ1 ----------------------------------------------------------------------------------------------------


def test_risk_by_hand() -> None:
    """Four samples: risk 6 → 0, 3 → 3 (a conflict stays), 0 → 0, 2 → 4."""
    conflict: ConflictType = "ref_polarity_mismatch"
    run = [
        bare("0", evaluation=judged(6, 0, ("NEGATION_SCOPE", conflict)), conflict_flags=[CONFLICT]),
        bare("1", evaluation=judged(3, 3, (conflict,), (conflict,)), conflict_flags=[CONFLICT]),
        bare("2", evaluation=judged(0, 0)),
        bare("3", evaluation=judged(2, 4, ("CONTRAST_SCOPE",), ("CONTRAST_SCOPE",)), validator_risks=[NEGATION]),
    ]
    # Less risk than before is not yet resolved.
    assert measured(bare(evaluation=judged(5, 2))).risk.resolved.count == 0
    risk = measured(*run).risk
    assert (risk.risk.rate, risk.residual.rate, risk.worsened.rate) == (0.75, 0.5, 0.25)
    assert (risk.resolved.count, risk.resolved.of) == (1, 3)
    assert (risk.conflict.rate, risk.polarity_conflict.rate, risk.residual_conflict.rate) == (0.5, 0.5, 0.25)
    assert risk.validator_risk.count == 1
    assert (risk.mean_severity_before, risk.mean_severity_after, risk.mean_delta) == (11 / 4, 7 / 4, -1.0)
    assert risk.residual_share == 7 / 11
    assert {tag: (n.before, n.after) for tag, n in risk.tags.items()} == {
        "CONTRAST_SCOPE": (1, 1),
        "NEGATION_SCOPE": (1, 0),
        conflict: (2, 1),
    }
    interval = some(risk.mean_delta_interval)
    assert interval.low <= -1.0 <= interval.high


def test_a_run_without_evaluations_has_no_rates() -> None:
    risk = measured(bare(evaluation=None)).risk
    assert (risk.samples, risk.risk.rate, risk.mean_delta, risk.residual_share) == (0, None, None, None)


# --- RQ2: what A, B and C said ----------------------------------------------------------------------------------


def vote(action: ActionType, polarity: PolarityName | None = None) -> CastVote:
    counted: DecidedAction = "KEEP" if action == "MERGE" else action
    return CastVote(action=action, counted_as=counted, reason_code=None, polarity=polarity)


def test_process_labels_with_and_without_implicit_votes() -> None:
    """A and B flip, C said nothing; then all three drop; then MERGE is a label of its own."""
    decisions = [
        decision(
            "t0",
            "FLIP",
            votes={"A": vote("FLIP", "negative"), "B": vote("FLIP", "negative"), "C": vote("KEEP")},
            implicit=["C"],
        ),
        decision("t0", "DROP", votes={agent: vote("DROP") for agent in "ABC"}),
        decision("t0", "KEEP", votes={"A": vote("MERGE"), "B": vote("KEEP"), "C": vote("KEEP")}),
    ]
    found = measured(bare(arbiter_decisions=decisions)).agreement
    # Equal pairs: 1 of 3, 3 of 3, 1 of 3.
    process, explicit = some(found.process), some(found.process_explicit)
    assert process.raw == 5 / 9
    assert process.labels["A"] == {"DROP": 1, "FLIP": 1, "MERGE": 1}
    # Without C's silence: 1 of 1, 3 of 3, 1 of 3.
    assert explicit.raw == 5 / 7
    assert (process.complete, explicit.complete) == (3, 2)


def test_measurement_labels_by_hand() -> None:
    """taste: A and C agree, B gives both polarities; staff: only B; the price: A and B disagree."""
    claimed = [
        candidate(0, TASTE, "A"),
        candidate(1, ("Taste ", "FOOD#quality", "great", "positive"), "C"),
        candidate(2, TASTE, "B"),
        candidate(3, BAD_TASTE, "B"),
        candidate(4, STAFF, "B"),
        candidate(5, ("price", "food#price", "fair", "positive"), "A"),
        candidate(6, ("price", "food#price", "fair", "neutral"), "B"),
    ]
    assert list(measurement_units(result(claimed))) == [
        ("positive", "neutral", None),
        (None, "negative", None),
        ("positive", "negative+positive", "positive"),
    ]
    found = measured(sample(claimed, [], [TASTE])).agreement
    # price 0 of 1 pairs, taste 1 of 3; staff has no pair.
    assert (some(found.measurement).units, some(found.measurement).raw) == (2, 1 / 4)
    # With absence as a label: price 0 of 3, staff 1 of 3, taste 1 of 3.
    assert (some(found.measurement_absent).units, some(found.measurement_absent).raw) == (3, 2 / 9)


def test_agents_that_said_nothing_have_no_agreement() -> None:
    found = measured(sample([candidate(0, TASTE, "SINGLE")], [TASTE], [TASTE])).agreement
    assert (found.process, found.measurement) == (None, None)


# --- RQ3 ----------------------------------------------------------------------------------------------------


def test_overrides_by_hand() -> None:
    """Three samples with risk; two overridden, one with success, one with harm; one skipped."""
    wants_flip = {"A": vote("FLIP", "negative"), "B": vote("KEEP"), "C": vote("KEEP")}
    run = [
        bare("0", evaluation=judged(3, 0), arbiter_decisions=[decision("t0", "DROP")]),
        bare("1", evaluation=judged(3, 5), arbiter_decisions=[decision("t0", "FLIP", new_value={"polarity": "mixed"})]),
        bare(
            "2",
            evaluation=judged(3, 3),
            arbiter_decisions=[decision("t0", "KEEP", votes=wants_flip), decision("t0", "FLAG", votes=wants_flip)],
            refusals=[
                Refusal(actor="A", tuple_id="t9", reason="unknown_tuple", claimed_action="DROP", claimed_reason_code="")
            ],
        ),
        bare("3", evaluation=judged(0, 0), arbiter_decisions=[decision("t0", "KEEP")]),
        # An override where there was no risk covers nothing.
        bare("4", evaluation=evaluation(override_applied=True), arbiter_decisions=[decision("t0", "DROP")]),
    ]
    found = measured(*run).overrides
    assert (found.samples, found.opportunities) == (5, 3)
    assert (found.applied.rate, found.coverage.rate, found.skipped.rate) == (3 / 5, 2 / 3, 1 / 3)
    assert (found.success.rate, found.harm.rate) == (1 / 3, 1 / 3)
    assert (found.changes_applied, found.changes_skipped) == (3, 3)
    assert found.actions == {"DROP": 2, "FLAG": 1, "FLIP": 1, "KEEP": 2}
    assert found.skip_reasons == {"flagged": 1, "outvoted": 1, "refused: unknown_tuple": 1}


# --- memory --------------------------------------------------------------------------------------------------


def memory(*principles: str, shown: bool = True, gated: bool = False) -> MemoryRecord:
    ids = [f"adv_{number:06d}" for number in range(1, len(principles) + 1)]
    return MemoryRecord(
        condition="C2",
        memory_mode="on" if shown else "silent",
        exposed_to_debate=shown,
        prompt_injection_chars=100 if shown and ids else 0,
        retrieved_k=len(ids),
        retrieved_ids=[],
        advisory_ids=ids,
        principle_ids=list(principles),
        advisory_injection_gated=gated,
        injection_trigger_reason="",
        advisories_present=bool(ids) and shown and not gated,
        advisories_ids=ids if shown and not gated else [],
    )


def advised(uid: str, record: MemoryRecord, action: DecidedAction, before: int, after: int, **more: Any) -> HandSample:
    change: dict[str, Any] = {"new_value": {"polarity": "negative"}} if action == "FLIP" else {}
    made = {"validator_risks": [NEGATION], "evaluation": judged(before, after), **more}
    return bare(uid, memory=record, arbiter_decisions=[decision("t0", action, **change)], **made)


def test_memory_impact_by_hand() -> None:
    assert some(find_principle("negation_scope_flip")).action == "FLIP"
    flip = "negation_scope_flip"
    run = [
        advised("0", memory(flip), "FLIP", 3, 0),
        advised("1", memory(flip), "FLIP", 3, 4),
        advised("2", memory(flip), "KEEP", 3, 3),
        # The same action on a tuple without that risk is not what the principle names.
        advised("3", memory(flip), "FLIP", 2, 1, validator_risks=[]),
        advised("4", memory(flip, shown=False), "KEEP", 3, 3),
        advised("5", memory(flip, gated=True), "KEEP", 0, 0),
        advised("6", memory(), "KEEP", 0, 0),
        advised("7", memory("of_another_catalogue"), "FLIP", 3, 2),
    ]
    found = some(measured(*run).memory)
    assert (found.samples, found.advised.count, found.coverage.rate) == (8, 7, 5 / 8)
    assert (found.follow_rate.count, found.follow_rate.of) == (2, 4)
    assert (found.followed.mean_delta_risk, found.followed.harm.rate) == (-1.0, 0.5)
    assert (found.ignored.mean_delta_risk, found.ignored.harm.rate) == (-0.5, 0.0)
    assert (found.masked.samples, found.masked.mean_delta_risk) == (1, 0.0)
    assert (found.gate_open.count, found.gate_open.of) == (6, 7)
    assert (found.unknown_principles, found.prompt_injection_chars) == (1, 600)
    interval = some(found.follow_rate.interval)
    assert interval.low < 0.5 < interval.high


@pytest.mark.parametrize(
    ("principle", "action", "reason", "followed"),
    [
        ("any_drop", "DROP", None, True),
        ("any_drop", "KEEP", None, False),
        ("implicit_drop", "DROP", "WEAK_INFERENCE", True),
        ("implicit_drop", "DROP", "WEAK_EVIDENCE", False),
        # "*" as action: any change will do, leaving it alone will not.
        ("term_conflict_other", "DROP", None, True),
        ("term_conflict_other", "KEEP", None, False),
        ("any_unreviewed", "KEEP", None, False),
    ],
)
def test_what_it_means_to_follow(principle: str, action: DecidedAction, reason: str | None, followed: bool) -> None:
    flag = ConflictFlag(tuple_ids=["t0"], conflict_type="term_polarity_mismatch")
    one = bare(
        memory=memory(principle), conflict_flags=[flag], arbiter_decisions=[decision("t0", action, reason=reason)]
    )
    assert some(measured(one).memory).follow_rate.count == followed


@pytest.mark.parametrize(
    ("types", "action", "followed"),
    [
        (["failed_override_warning"], "FLIP", 0),
        (["failed_override_warning"], "KEEP", 1),
        (["successful_override"], "FLIP", 1),
        ([], "FLIP", 1),  # a record of before the types
    ],
)
def test_a_warning_is_followed_by_not_doing_it_again(types: list[str], action: DecidedAction, followed: int) -> None:
    record = memory("negation_scope_flip").model_copy(update={"advisory_types": types})
    found = some(measured(advised("0", record, action, 3, 3)).memory)
    assert (found.follow_rate.count, found.follow_rate.of) == (followed, 1)


def test_dropped_and_downgraded_advice_is_counted() -> None:
    record = memory().model_copy(update={"memory_unknown_principle_n": 2, "memory_downgraded_advisory_n": 1})
    found = some(measured(bare("0", memory=record), bare("1", memory=record)).memory)
    assert (found.unknown_principles, found.downgraded_advisories) == (4, 2)


def test_a_placebo_is_no_advice() -> None:
    """The same decisions: with advice they followed it, with a placebo they are what happens anyway."""
    flip = "negation_scope_flip"
    records = [memory(flip), memory(flip)]
    placebos = [record.model_copy(update={"injection_source": "placebo"}) for record in records]
    found, chance = (
        some(measured(advised("0", first, "FLIP", 3, 0), advised("1", second, "KEEP", 3, 3)).memory)
        for first, second in (records, placebos)
    )
    assert (found.source, found.follow_rate.rate, found.chance_rate) == ("retrieved", 0.5, None)
    assert (chance.source, chance.follow_rate.of, chance.follow_rate.rate) == ("placebo", 0, None)
    assert (some(chance.chance_rate).count, some(chance.chance_rate).of) == (1, 2)
    assert chance.coverage == found.coverage


def test_advice_that_was_blocked_is_not_masked() -> None:
    """The condition shows advice; that none was left to show is no masking."""
    record = memory("any_drop").model_copy(
        update={"advisory_ids": [], "principle_ids": [], "advisories_ids": [], "advisories_present": False}
    )
    found = some(measured(bare(memory=record)).memory)
    assert (found.gate_open.count, found.masked.samples, found.coverage.count) == (1, 0, 0)


def test_advice_to_leave_alone_is_followed_by_not_reviewing() -> None:
    assert some(measured(bare(memory=memory("any_unreviewed"))).memory).follow_rate.rate == 1.0


def test_a_run_without_memory_has_no_impact() -> None:
    assert measured(bare()).memory is None


# --- cost -----------------------------------------------------------------------------------------------------


def usage(seconds: float, *, cached: int = 0, tokens: int | None = 10, cost: float | None = 0.5) -> UsageRecord:
    return UsageRecord(
        calls=2, cached_calls=cached, attempts=2, input_tokens=tokens, output_tokens=5, cost=cost, seconds=seconds
    )


def test_cost_by_hand() -> None:
    """Times 1 … 5 s; the sixth sample came from the cache and says nothing about latency."""
    run = [bare(str(n), usage=usage(float(n))) for n in range(1, 6)]
    found = measured(*run, bare("6", usage=usage(0.01, cached=2))).cost
    assert (found.samples, found.calls, found.cached_calls, found.calls_per_sample) == (6, 12, 2, 2.0)
    assert (found.input_tokens, found.output_tokens, found.cost) == (60, 30, 3.0)
    assert (found.timed_samples, found.seconds_p50, found.seconds_mean) == (5, 3.0, 3.0)
    assert found.seconds_p95 == pytest.approx(4.8)


def test_unknown_cost_stays_unknown() -> None:
    found = measured(bare("0", usage=usage(1)), bare("1", usage=usage(1, tokens=None, cost=None))).cost
    assert (found.input_tokens, found.output_tokens, found.cost, found.cost_per_sample) == (None, 10, None, None)


def test_runs_that_share_a_cache_have_the_same_budget() -> None:
    """What one run asked (10 in, 5 out) the other found in the cache; the protocol needs 15 tokens either way."""
    kept = UsageRecord(calls=2, cached_calls=2, saved_input_tokens=10, saved_output_tokens=5)
    asked, cached = measured(bare("0", usage=usage(1.0))).cost, measured(bare("0", usage=kept)).cost
    assert asked.tokens_per_sample == cached.tokens_per_sample == 15
    assert (cached.input_tokens, cached.cost) == (0, 0.0)


def test_a_failed_sample_costs_too() -> None:
    broken = failed("1")
    card = some(broken.card).model_copy(update={"usage": usage(2.0)})
    found = measured(bare("0", usage=usage(1.0)), HandSample("1", None, "no answer", card)).cost
    assert (found.samples, found.calls, found.cost) == (2, 4, 1.0)


# --- funnel and sanity -------------------------------------------------------------------------------------------


def test_the_funnel_by_hand() -> None:
    """One helped by a FLIP, one harmed by a DROP, one only kept, one never flagged, one failed."""
    flip = decision("t0", "FLIP", new_value={"polarity": "positive"})
    run = [
        sample([BAD_TASTE], [TASTE], [TASTE], uid="0", validator_risks=[NEGATION], arbiter_decisions=[flip]),
        sample([STAFF], [], [STAFF], uid="1", conflict_flags=[CONFLICT], arbiter_decisions=[decision("t0", "DROP")]),
        sample([STAFF], [STAFF], [], uid="2", conflict_flags=[CONFLICT], arbiter_decisions=[decision("t0", "KEEP")]),
        sample([TASTE], [TASTE], [TASTE], uid="3"),
        # From one error to another: changed, but neither helped nor harmed.
        sample([BAD_TASTE], [(*TASTE[:3], "mixed")], [TASTE], uid="5", arbiter_decisions=[flip]),
        failed("4"),
    ]
    found = measured(*run).funnel
    assert (found.samples, found.failed, found.flagged, found.reviewed, found.changed) == (6, 1, 3, 4, 3)
    assert (found.judged, found.helped, found.harmed, found.unaffected) == (3, 1, 1, 1)
    assert found.family == "ref_pol"


def test_without_gold_nobody_knows_who_was_helped() -> None:
    found = measured(sample([BAD_TASTE], [TASTE], None, arbiter_decisions=[decision("t0", "DROP")]))
    assert (found.funnel.changed, found.funnel.helped, found.funnel.harmed) == (1, None, None)
    assert (found.scored, found.tuples, found.primary, found.sanity) == (0, {}, None, [])


def test_with_gold_and_no_change_nobody_was_helped() -> None:
    found = measured(bare()).funnel
    assert (found.changed, found.judged, found.helped, found.harmed, found.unaffected) == (0, 0, 0, 0, 0)
    assert found.family == "ref_pol"


def test_the_funnel_judges_in_one_family() -> None:
    """The second sample's gold has no ref, so the run's primary family cannot say whether it was helped."""
    flip = decision("t0", "FLIP", new_value={"polarity": "positive"})
    no_ref: Quad = ("bun", "", "dry", "negative")
    run = [
        sample([BAD_TASTE], [TASTE], [TASTE], uid="0", arbiter_decisions=[flip]),
        sample([no_ref], [], [no_ref], uid="1", arbiter_decisions=[decision("t0", "DROP")]),
    ]
    found = measured(*run).funnel
    assert (found.family, found.changed, found.judged, found.helped, found.harmed) == ("ref_pol", 2, 1, 1, 0)


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ([], "no_samples"),
        ([failed("0", [TASTE])], "all_failed"),
        ([HandSample("0", result([TASTE], [TASTE])), failed("1")], "no_scorecards"),
        ([sample([TASTE], [TASTE], None), failed("1")], "no_gold"),
        ([sample([TASTE], [TASTE], None, uid="0"), bare("1")], None),
    ],
)
def test_why_nothing_is_scored(run: list[HandSample], reason: str | None) -> None:
    assert measured(*run).unscored_reason == reason


def test_what_is_not_scored_is_counted() -> None:
    found = measured(sample([], [], None, uid="0"), HandSample("1", result()), failed("2"), bare("3"))
    assert (found.samples, found.scored, found.errors) == (4, 1, 1)
    assert (found.unannotated, found.without_scorecard) == (1, 1)


def named(checks: list[SanityCheck], name: str) -> list[SanityCheck]:
    return [check for check in checks if check.name == name]


def test_the_checks_hold_on_a_sound_run() -> None:
    found = measured(sample([BAD_TASTE], [TASTE], [TASTE, STAFF], uid="0"), bare("1")).sanity
    assert all(check.ok for check in found)
    assert {check.name for check in found} == {
        "gold_as_prediction",
        "no_change",
        "subsets_add_up",
        "scorecards_agree",
    }
    assert len(named(found, "gold_as_prediction")) == 4


def test_gold_without_a_ref_shows_the_ceiling() -> None:
    """Two gold tuples, one without a ref: as an answer it is one hit and one false positive, F1 = 2/3.

    That is the gold's doing and no fault of the scorer.
    """
    bare_gold: Quad = ("bun", "", "dry", "negative")
    found = measured(sample([], [], [TASTE, bare_gold]))
    assert all(check.ok and check.value == 1.0 for check in named(found.sanity, "gold_as_prediction"))
    assert (found.tuples["ref_pol"].ceiling, found.tuples["ref_pol"].unmatchable) == (2 / 3, 1)
    assert (found.tuples["triplet"].ceiling, found.tuples["triplet"].unmatchable) == (1.0, 0)


def test_a_scorer_that_does_not_know_its_own_gold_is_noticed() -> None:
    made = sample([], [TASTE], [TASTE, STAFF])
    sound = judged_sample(made, ALL_FIELDS)
    assert sound is not None
    keys = sound.keys["ref_pol"]
    asks_too_much = replace(sound, keys={"ref_pol": replace(keys, gold=keys.gold | {("of nobody", "positive")})})
    tally = SanityTally()
    tally.add(asks_too_much)
    (check,) = named(tally.checks({"ref_pol": measured(made).tuples["ref_pol"]}), "gold_as_prediction")
    assert (check.ok, check.value) == (False, 4 / 5)


def test_a_scorecard_that_says_something_else_is_noticed() -> None:
    good = bare("0")
    scores = {"triplet": {"stage1": Counts(), "final": Counts(matched=9, predicted=9, gold=9)}}
    forged = HandSample("1", good.result, None, some(good.card).model_copy(update={"scores": scores}))
    (check,) = named(measured(good, forged).sanity, "scorecards_agree")
    assert (check.ok, check.value) == (False, 0.5)


def test_everything_is_plain_json_and_reads_back() -> None:
    found = measured(bare("0", memory=memory("any_drop"), evaluation=evaluation(3, 1)), failed("1"))
    assert RunMetrics.model_validate_json(found.model_dump_json()) == found
