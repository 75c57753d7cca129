"""What the review changed: fix, break, still, keep, CDA, and how often each rule was right."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from samsim.metrics.correction import ChangeCounts
from samsim.metrics.decisions import DecisionRow
from samsim.metrics.summary import RunMetrics, summarise
from samsim.schemas.protocol_conflict_review import ArbiterDecision, ArbiterRule, CastVote, DecidedAction
from samsim.schemas.protocol_debate import DebateRecord, EditOp, ModeratorRecord, OverrideDecision, Signal, SkipReason
from tests.metrics.hand_made import ALL_FIELDS, HandSample, Quad, candidate, sample, samples

TASTE: Quad = ("taste", "food#quality", "good", "positive")
WRONG_TASTE: Quad = ("taste", "food#quality", "good", "negative")
STAFF: Quad = ("staff", "service#general", "rude", "negative")
PLACE: Quad = ("place", "place#general", "fine", "neutral")
MENU: Quad = ("menu", "food#range", "long", "mixed")


def measured(*run: HandSample) -> RunMetrics:
    return summarise(run, gold_fields=ALL_FIELDS, resamples=20)


def tally(found: ChangeCounts) -> tuple[int, int, int, int]:
    return found.fixed, found.broken, found.still, found.kept


def decision(
    tuple_id: str, action: DecidedAction, rule: ArbiterRule = "1", reason: str | None = None, **more: Any
) -> ArbiterDecision:
    keep = CastVote(action="KEEP", counted_as="KEEP", reason_code=None)
    fields: dict[str, Any] = {
        "new_value": None,
        "votes": dict.fromkeys("ABC", keep),
        "implicit": [],
        "dissent": [],
        "conflict_types": [],
        **more,
    }
    return ArbiterDecision(tuple_id=tuple_id, action=action, rule=rule, reason_code=reason, **fields)


def test_every_kind_of_change_by_hand() -> None:
    """A FLIP repairs taste (two fixes), STAFF is lost, PLACE is kept, MENU stays wrong, a new error appears."""
    new: Quad = ("bun", "food#quality", "dry", "negative")
    found = measured(
        sample(
            [WRONG_TASTE, STAFF, PLACE, MENU],
            [TASTE, PLACE, MENU, new],
            [TASTE, STAFF, PLACE, ("x", "y", "z", "mixed")],
        )
    ).correction["triplet"]
    assert tally(found.gold) == (1, 1, 1, 1)
    assert tally(found.spurious) == (1, 1, 1, 0)
    assert tally(found.tuples) == (2, 2, 2, 1)
    assert (found.tuples.net_gain, found.tuples.cda) == (0, 0.5)
    assert tally(found.samples) == (0, 0, 1, 0)


def test_without_a_change_the_accuracy_of_changes_is_unknown() -> None:
    found = measured(sample([TASTE], [TASTE], [TASTE])).correction["triplet"]
    assert (found.tuples.cda, found.tuples.cda_interval, found.tuples.net_gain) == (None, None, 0)
    assert tally(found.samples) == (0, 0, 0, 1)


@given(samples())
@settings(deadline=None, max_examples=60)
def test_the_changes_explain_the_difference_of_the_counts(run: list[HandSample]) -> None:
    found = measured(*run)
    for family, changed in found.correction.items():
        before, after = found.tuples[family].stage1.micro, found.tuples[family].final.micro
        assert after.matched - before.matched == changed.gold.net_gain
        wrong_before, wrong_after = before.predicted - before.matched, after.predicted - after.matched
        assert wrong_before - wrong_after == changed.spurious.net_gain
        assert sum(tally(changed.gold)) == after.gold
        assert changed.spurious.fixed + changed.spurious.still == wrong_before
        assert changed.tuples.net_gain == changed.gold.net_gain + changed.spurious.net_gain
        assert sum(tally(changed.samples)) == found.tuples[family].samples


def rows(found: list[DecisionRow]) -> dict[tuple[str, str], tuple[int, int, int, int]]:
    return {(row.name, row.action): (row.judged, row.right, row.helped, row.harmed) for row in found}


def test_decisions_against_gold_by_rule_and_reason() -> None:
    """t0 flipped right, t1 dropped though right, t2 dropped rightly, t3 kept wrongly, t4 marked but right."""
    stage1: list[Quad] = [WRONG_TASTE, STAFF, MENU, ("bun", "food#quality", "dry", "negative"), PLACE]
    decisions = [
        decision("t0", "FLIP", "3", "NEGATION_SCOPE", new_value={"polarity": "positive"}),
        decision("t1", "DROP", "1", "WEAK_EVIDENCE"),
        decision("t2", "DROP", "1", "WEAK_EVIDENCE"),
        decision("t3", "KEEP", "1"),
        decision("t4", "FLAG", "2", "POLARITY_UNCERTAIN"),
        decision("t9", "DROP", "1"),
    ]
    tables = measured(sample(stage1, [], [TASTE, STAFF, PLACE], arbiter_decisions=decisions)).rules["triplet"]
    assert rows(tables.by_rule) == {
        ("1", "DROP"): (2, 1, 1, 1),
        ("1", "KEEP"): (1, 0, 0, 0),
        ("2", "FLAG"): (1, 1, 0, 0),
        ("3", "FLIP"): (1, 1, 1, 0),
    }
    assert rows(tables.by_reason) == {
        ("NEGATION_SCOPE", "FLIP"): (1, 1, 1, 0),
        ("WEAK_EVIDENCE", "DROP"): (2, 1, 1, 1),
        ("(none)", "KEEP"): (1, 0, 0, 0),
        ("POLARITY_UNCERTAIN", "FLAG"): (1, 1, 0, 0),
    }
    assert next(row for row in tables.by_rule if row.action == "DROP").accuracy == 0.5


def test_a_flip_from_one_error_to_another_is_wrong_but_no_harm() -> None:
    decisions = [decision("t0", "FLIP", new_value={"polarity": "mixed"})]
    tables = measured(sample([WRONG_TASTE], [], [TASTE], arbiter_decisions=decisions)).rules["triplet"]
    assert rows(tables.by_rule) == {("1", "FLIP"): (1, 0, 0, 0)}


def debate(*overrides: OverrideDecision) -> DebateRecord:
    moderator = ModeratorRecord(label=None, confidence=0.5, stage="stage1", rules=[], summary="")
    return DebateRecord(
        aspects=[],
        drops=[],
        structural_risks=[],
        correction_proposals=[],
        turns=[],
        judge=None,
        stage2=None,
        refusals=[],
        override_profile="t1",
        overrides=list(overrides),
        ev=None,
        moderator=moderator,
    )


def override(op: EditOp, target: str, value: str = "", skip: SkipReason | None = None) -> OverrideDecision:
    signal = Signal(support=1.0, against=0.0, supporters=["EPM"])
    return OverrideDecision(
        change_id="c0",
        op=op,
        target_tuple_id=target,
        value=value,
        applied=skip is None,
        skip_reason=skip,
        signal=signal,
    )


def test_the_changes_of_a_debate_are_judged_likewise() -> None:
    """A polarity set right, a ref set right, a right tuple merged away, and a skipped change to a wrong tuple."""
    stage1: list[Quad] = [WRONG_TASTE, ("staff", "food#quality", "rude", "negative"), PLACE, MENU]
    record = debate(
        override("set_polarity", "t0", "positive"),
        override("set_aspect_ref", "t1", "SERVICE#general"),
        override("merge_tuples", "t2", "t0"),
        override("drop_tuple", "t3", skip="below_min_margin"),
    )
    found = measured(sample(stage1, [], [TASTE, STAFF, PLACE], debate=record, protocol="debate"))
    assert rows(found.rules["ref_pol"].by_rule) == {
        ("applied", "merge_tuples"): (1, 0, 0, 1),
        ("applied", "set_aspect_ref"): (1, 1, 1, 0),
        ("applied", "set_polarity"): (1, 1, 1, 0),
        ("skipped", "drop_tuple"): (1, 0, 0, 0),
    }
    assert ("below_min_margin", "drop_tuple") in rows(found.rules["ref_pol"].by_reason)
    assert found.overrides.skip_reasons == {"below_min_margin": 1}
    assert (found.overrides.changes_applied, found.overrides.changes_skipped) == (3, 1)


def test_copies_of_one_tuple_are_one_decision() -> None:
    """A, B and C each found the same wrong tuple and each copy is dropped: one right decision, not three."""
    copies = [candidate(number, WRONG_TASTE, agent) for number, agent in enumerate("ABC")]
    other_opinion = candidate(3, ("taste", "food#quality", "great", "negative"), "C")
    decisions = [decision(f"t{number}", "DROP", reason="WEAK_EVIDENCE") for number in range(4)]
    run = [sample([*copies, other_opinion], [], [TASTE], uid=uid, arbiter_decisions=decisions) for uid in ("0", "1")]
    found = measured(*run).rules
    for tables in (found["ref_pol"].by_rule, found["ref_pol"].by_reason):
        (row,) = tables
        # One per sample: copies are copies within their sample only.
        assert (row.judged, row.right, row.helped, row.copies) == (2, 2, 2, 6)
    # In triplet the opinion is part of the tuple.
    (row,) = found["triplet"].by_rule
    assert (row.judged, row.copies) == (4, 4)


def test_different_decisions_about_copies_all_count() -> None:
    copies = [candidate(number, WRONG_TASTE, agent) for number, agent in enumerate("AB")]
    flips = [
        decision("t0", "FLIP", new_value={"polarity": "positive"}),
        decision("t1", "FLIP", new_value={"polarity": "mixed"}),
    ]
    (row,) = measured(sample(copies, [], [TASTE], arbiter_decisions=flips)).rules["ref_pol"].by_rule
    assert (row.judged, row.right, row.copies) == (2, 1, 0)
