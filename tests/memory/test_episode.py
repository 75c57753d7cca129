"""Episodes: judged by risk exhaustively, and without a trace of the text."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest
from pydantic import ValidationError

from samsim.errors import ContractError
from samsim.memory.episode_builder import (
    aspect_norm,
    build_episode,
    episode_type_of,
    snapshot_of,
)
from samsim.rules.apply import apply_decisions, finalize
from samsim.rules.risk import FLAG_SEVERITY, RiskFindings, changes_a_tuple, evaluate
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.memory_v1_1 import EpisodeDraftV1_1
from samsim.schemas.protocol_conflict_review import (
    ArbiterDecision,
    Candidate,
    ConflictFlag,
    DecidedAction,
    Severity,
    ValidatorRisk,
)
from samsim.schemas.results import SampleResult
from tests.support.builders import analysis, candidate, conflict, cue, decision, nfd, risk

NOTHING = RiskFindings((), ())


def doubt(tuple_id: str, severity: Severity, kind: str = "NEGATION_SCOPE") -> ValidatorRisk:
    return ValidatorRisk.model_validate(
        {"tuple_id": tuple_id, "risk_type": kind, "severity": severity, "description": "doubtful"}
    )


def result(
    text: str,
    tuples: list[Candidate],
    decisions: list[ArbiterDecision],
    found: RiskFindings = NOTHING,
    language: str = "ko",
) -> SampleResult:
    reviewed = apply_decisions(tuples, decisions)
    return SampleResult.model_validate(
        {
            "uid": "s1",
            "text": text,
            "language": language,
            "protocol": "cr_v2",
            "taxonomy": "nikl2022",
            "stage1_tuples": tuples,
            "conflict_flags": list(found.flags),
            "validator_risks": list(found.risks),
            "review_actions": [],
            "refusals": [],
            "arbiter_decisions": decisions,
            "final_tuples_post_review": reviewed,
            "final_tuples": finalize(reviewed),
        }
    )


def remember(
    tuples: list[Candidate],
    decisions: list[ArbiterDecision],
    before: RiskFindings = NOTHING,
    after: RiskFindings = NOTHING,
    seen: TextAnalysis | None = None,
    **fields: Any,
) -> EpisodeDraftV1_1:
    read = seen or analysis("품질이 좋지 않아요", cues=[cue("품질이 좋지 않아요", "negation", "지 않", "좋")])
    given = {"timestamp": "2026-01-02T03:04:05Z", "version": "0.1.0", "created_from_split": "train", **fields}
    whole = result(read.text, tuples, decisions, before, read.language)
    judged = whole.model_copy(update={"evaluation": evaluate(before, after, applied=changes_a_tuple(decisions))})
    return build_episode(judged, read, before, **given)


# --- evaluation, exhaustively -----------------------------------------------------------------------

OLD_LOW, OLD_HIGH = doubt("t0", "low", "SPAN_MISMATCH"), doubt("t1", "high")
NEW_LOW, NEW_HIGH = doubt("t2", "low", "SPAN_MISMATCH"), doubt("t2", "high")
OLD_FLAG, NEW_FLAG = conflict("t0", "t1"), conflict("t2", "t3")
LIGHT_FLAG = conflict("t2", "t3", kind="granularity_overlap_candidate")
WEIGHT = {id(OLD_LOW): 1, id(OLD_HIGH): 3, id(NEW_LOW): 1, id(NEW_HIGH): 3}
FLAG_WEIGHT = {id(OLD_FLAG): 3, id(NEW_FLAG): 3, id(LIGHT_FLAG): 1}
OLD = [OLD_LOW, OLD_HIGH, OLD_FLAG]
NEW = [NEW_LOW, NEW_HIGH, NEW_FLAG, LIGHT_FLAG]


def subsets(items: list[Any]) -> list[tuple[Any, ...]]:
    return [chosen for size in range(len(items) + 1) for chosen in combinations(items, size)]


def findings(chosen: tuple[Any, ...]) -> RiskFindings:
    return RiskFindings.of(
        [one for one in chosen if isinstance(one, ValidatorRisk)],
        [one for one in chosen if isinstance(one, ConflictFlag)],
    )


def total(chosen: tuple[Any, ...]) -> int:
    return sum({**WEIGHT, **FLAG_WEIGHT}[id(one)] for one in chosen)


def test_evaluation_rules_exhaustively() -> None:
    """Every set of risks before, every set after (old and new ones), every kind of decision."""
    decided: list[list[DecidedAction]] = [
        [],
        ["KEEP"],
        ["FLAG"],
        ["FLIP"],
        ["DROP"],
        ["KEEP", "FLIP"],
        ["FLAG", "DROP"],
    ]
    seen = set()
    for before, after, actions in product(subsets(OLD), subsets([*OLD, *NEW]), decided):
        decisions = [decision(f"t{number}", action) for number, action in enumerate(actions)]
        judged = evaluate(findings(before), findings(after), applied=changes_a_tuple(decisions))
        was, now = total(before), total(after)
        new = [one for one in after if not any(one is known for known in before)]
        new_conflict = any(isinstance(one, ConflictFlag) for one in new)
        applied = "FLIP" in actions or "DROP" in actions
        assert (judged.risk_before.severity_sum, judged.risk_after.severity_sum) == (was, now)
        assert judged.override_applied is applied
        assert judged.override_success is (applied and now < was and not new)
        assert judged.override_harm is (applied and (now > was or new_conflict))
        kind = episode_type_of(judged)
        expected = "harm" if judged.override_harm or now > was else "success" if was > 0 and now < was else "neutral"
        assert kind == expected
        seen.add((judged.override_applied, judged.override_success, judged.override_harm, kind))
    assert seen == {
        (False, False, False, "neutral"),
        (False, False, False, "success"),
        (False, False, False, "harm"),
        (True, False, False, "neutral"),
        (True, False, False, "success"),  # risk fell, but another doubt came up: no success of the override
        (True, True, False, "success"),
        (True, False, True, "harm"),
    }


def test_severity_sums_high_3_mid_2_low_1() -> None:
    found = RiskFindings.of([doubt("t0", "high"), doubt("t1", "mid"), doubt("t2", "low")], [])
    assert found.snapshot().severity_sum == 6
    assert found.snapshot().tags == ("NEGATION_SCOPE",)


@pytest.mark.parametrize("kind", list(FLAG_SEVERITY))
def test_flags_count_as_well(kind: Any) -> None:
    found = RiskFindings.of([], [conflict("t0", "t1", kind=kind)])
    assert found.snapshot().tags == (kind,)
    assert found.snapshot().severity_sum == {"high": 3, "mid": 2, "low": 1}[FLAG_SEVERITY[kind]]


def test_a_conflict_that_shrinks_is_not_new_and_one_that_moves_is() -> None:
    before = RiskFindings.of([], [conflict("t0", "t1", "t2")])
    assert not RiskFindings.of([], [conflict("t0", "t2")]).new_since(before)
    assert RiskFindings.of([], [conflict("t0", "t3")]).new_since(before) == {"ref_polarity_mismatch"}
    other_kind = RiskFindings.of([], [conflict("t0", "t1", kind="granularity_overlap_candidate")])
    assert other_kind.new_since(before) == {"granularity_overlap_candidate"}


# --- what an episode says -----------------------------------------------------------------------------


def test_a_flipped_negation() -> None:
    before = RiskFindings.of([doubt("t0", "high")], [])
    built = remember([candidate("t0", "품질")], [decision("t0", "FLIP", "NEGATION_SCOPE", "negative")], before)
    assert (built.episode_type, built.risk_type, built.action_taken, built.outcome_delta) == (
        "success",
        "NEGATION_SCOPE",
        "FLIP",
        -3,
    )
    assert built.case_summary.model_dump() == {
        "target_aspect_type": "explicit",
        "symptom": "NEGATION_SCOPE negation:않다",
        "rationale_summary": "FLIP NEGATION_SCOPE risk_down",
    }
    assert built.stage_snapshot.stage1.pairs() == {("품질", "positive")}
    assert built.stage_snapshot.final.pairs() == {("품질", "negative")}
    assert built.correction.principle_id == "negation_scope_flip"
    assert built.correction.applicable_conditions == ("language:ko", "structure:negation", "risk:NEGATION_SCOPE")
    assert built.provenance.created_from_split == "train"


def test_a_sample_without_trouble() -> None:
    built = remember([], [])
    assert (built.episode_type, built.risk_type, built.action_taken, built.outcome_delta) == (
        "neutral",
        "none",
        "NONE",
        0,
    )
    assert (built.case_summary.target_aspect_type, built.case_summary.symptom) == ("none", "no_risk negation:않다")
    assert built.stage_snapshot.final.confidence == 0.0


@pytest.mark.parametrize(
    ("actions", "leading"),
    [
        (["KEEP", "FLAG", "DROP"], "DROP"),
        (["KEEP", "KEEP", "FLAG"], "FLAG"),
        (["DROP", "FLIP"], "FLIP"),
        (["DROP", "FLIP", "DROP"], "DROP"),
        (["KEEP"], "KEEP"),
        ([], "NONE"),
    ],
)
def test_the_weightiest_action_leads(actions: list[DecidedAction], leading: str) -> None:
    tuples = [candidate(f"t{number}", "품질") for number in range(3)]
    decisions = [
        decision(f"t{number}", action, None, "negative" if action == "FLIP" else None)
        for number, action in enumerate(actions)
    ]
    assert remember(tuples, decisions).action_taken == leading


def test_the_risk_is_the_gravest_of_the_tuples_the_action_touched() -> None:
    before = RiskFindings.of([doubt("t0", "high", "INVALID_REF"), doubt("t1", "mid", "EVIDENCE_NOT_IN_TEXT")], [])
    tuples = [candidate("t0", "품질"), candidate("t1", "가격")]
    built = remember(tuples, [decision("t0", "KEEP"), decision("t1", "DROP", "WEAK_EVIDENCE")], before)
    assert (built.risk_type, built.correction.principle_id) == ("EVIDENCE_NOT_IN_TEXT", "evidence_not_in_text_drop")
    assert built.case_summary.rationale_summary == "DROP WEAK_EVIDENCE risk_down"


@pytest.mark.parametrize(
    ("terms", "kind"), [(["품질"], "explicit"), ([""], "implicit"), (["품질", ""], "mixed"), ([], "none")]
)
def test_target_aspect_type(terms: list[str], kind: str) -> None:
    tuples = [candidate(f"t{number}", term) for number, term in enumerate(terms)]
    assert remember(tuples, []).case_summary.target_aspect_type == kind


def test_snapshots_hold_each_pair_once_and_the_mean_confidence() -> None:
    found = snapshot_of(
        [
            candidate("t0", "품질", confidence=0.4),
            candidate("t1", " 품질", confidence=0.8),
            candidate("t2", "가격", polarity="negative", confidence=0.6),
        ]
    )
    assert (found.aspects_norm, found.polarities) == (("품질", "가격"), ("positive", "negative"))
    assert found.confidence == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("term", "norm"),
    [
        ("  The  Soup ", "the soup"),
        (nfd("품질"), "품질"),
        ("가" * 31, "가" * 30),
        ("a" * 29 + " bc", "a" * 29),
        ("", ""),
    ],
)
def test_terms_are_normalised_and_cut(term: str, norm: str) -> None:
    assert aspect_norm(term) == norm


def test_a_moderator_summary_that_quotes_the_text_is_refused() -> None:
    seen = analysis("배터리가 하루도 못 가서 정말 실망했어요")
    assert remember([], [], seen=seen, moderator_summary="all_equal; kept 2").moderator_summary == "all_equal; kept 2"
    with pytest.raises(ContractError, match="quotes the text"):
        remember([], [], seen=seen, moderator_summary="요약: 배터리가 하루도 못 가서 정말")


@pytest.mark.parametrize("fields", [{"timestamp": "yesterday"}, {"created_from_split": "a b"}, {"version": ""}])
def test_provenance_is_checked(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        remember([], [], **fields)


def test_findings_do_not_depend_on_order() -> None:
    tuples = [candidate("t0", "품질"), candidate("t1", "가격")]
    risks = [risk("t0", "SPAN_MISMATCH"), risk("t1", "INVALID_REF")]
    decisions = [decision("t0", "KEEP"), decision("t1", "KEEP")]
    one = remember(tuples, decisions, RiskFindings.of(risks, []))
    assert one == remember(tuples, decisions[::-1], RiskFindings.of(risks[::-1], []))
