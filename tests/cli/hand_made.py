"""Hand-made results: written candidates, flags and votes, decided by the real rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from samsim.rules.apply import apply_decisions, finalize
from samsim.rules.arbiter import arbiter_vote
from samsim.rules.review_actions import reviewable_ids
from samsim.schemas.protocol_conflict_review import (
    AGENTS,
    Agent,
    Candidate,
    ConflictFlag,
    Refusal,
    ReviewActionItem,
    Span,
    ValidatorRisk,
)
from samsim.schemas.results import CallRecord, SampleResult

TEXT = "화면은 좋은데 배터리는 오래가지 않아요."


def candidate(
    tuple_id: str, agent: Agent, term: str, ref: str, polarity: Any, *, text: str = TEXT, **more: Any
) -> Candidate:
    start = text.find(term) if term else -1
    span = Span(start=start, end=start + len(term)) if start >= 0 else None
    return Candidate(
        tuple_id=tuple_id,
        origin_agent=agent,
        aspect_term=term,
        aspect_ref=ref,
        polarity=polarity,
        span=span,
        **{"opinion_term": "", "evidence": "", **more},
    )


def vote(actor: Agent, tuple_id: str, action: str, reason: str, **new_value: Any) -> ReviewActionItem:
    return ReviewActionItem.model_validate(
        {
            "action_type": action,
            "target_tuple_ids": [tuple_id],
            "new_value": new_value or None,
            "reason_code": reason,
            "actor": actor,
        }
    )


def result(
    candidates: Sequence[Candidate],
    *,
    flags: Sequence[ConflictFlag] = (),
    risks: Sequence[ValidatorRisk] = (),
    votes: Sequence[ReviewActionItem] = (),
    refusals: Sequence[Refusal] = (),
    calls: Sequence[CallRecord] = (),
    text: str = TEXT,
    protocol: Any = "cr_v2",
) -> SampleResult:
    allowed = reviewable_ids(flags, risks)
    actions: dict[str, dict[Agent, ReviewActionItem | None]] = {
        found.tuple_id: dict.fromkeys(AGENTS) for found in candidates if found.tuple_id in allowed
    }
    for action in votes:
        assert action.actor is not None
        actions[action.target_tuple_ids[0]][action.actor] = action
    decisions = arbiter_vote(actions, flags, version="v2" if protocol == "cr_v2" else "v1")
    surviving = apply_decisions(candidates, decisions)
    return SampleResult(
        uid="0",
        text=text,
        language="ko",
        protocol=protocol,
        taxonomy="nikl2022",
        stage1_tuples=list(candidates),
        conflict_flags=list(flags),
        validator_risks=list(risks),
        review_actions=list(votes),
        refusals=list(refusals),
        arbiter_decisions=decisions,
        final_tuples_post_review=surviving,
        final_tuples=finalize(surviving),
        calls=list(calls),
    )


def contested(protocol: str = "cr_v2") -> SampleResult:
    """Every kind of decision: majority FLIP, justified DROP (v1: FLAG), facet protection, a tie."""
    candidates = [
        candidate("t0", "A", "화면", "본품#품질", "positive", opinion_term="좋다", evidence="좋은데"),
        candidate("t1", "B", "", "제품 전체#품질", "positive", evidence="좋은데"),
        candidate("t2", "C", "배터리", "본품#품질", "positive", opinion_term="오래가", evidence="오래가지 않아요"),
        candidate("t3", "C", "화면", "본품#품질", "positive", opinion_term="좋다", evidence="좋은데"),
        candidate("t4", "B", "", "브랜드#품질", "neutral", opinion_term="그냥"),
        candidate("t5", "B", "배터리", "본품#가격", "mixed"),
    ]
    flags = [
        ConflictFlag(
            aspect_ref="본품#품질",
            aspect_term="화면",
            tuple_ids=["t2", "t4", "t5"],
            conflict_type="ref_polarity_mismatch",
        )
    ]
    if protocol == "cr_v2":
        flags.append(
            ConflictFlag(
                aspect_ref="제품 전체#품질", tuple_ids=["t1", "t3"], conflict_type="granularity_overlap_candidate"
            )
        )
    risks = [ValidatorRisk(tuple_id="t2", risk_type="NEGATION_SCOPE", severity="high", description="d")]
    votes = [
        vote("A", "t2", "FLIP", "NEGATION_SCOPE", polarity="negative"),
        vote("B", "t2", "FLIP", "STRUCTURAL_INCONSISTENT", polarity="negative"),
        vote("A", "t4", "KEEP", "KEEP_BEST_SUPPORTED"),
        vote("B", "t4", "FLIP", "POLARITY_UNCERTAIN", polarity="positive"),
        vote("C", "t4", "DROP", "WEAK_EVIDENCE"),
        vote("A", "t5", "FLAG", "CONTRAST_CLAUSE"),
        vote("B", "t5", "DROP", "WEAK_INFERENCE"),
        vote("C", "t5", "KEEP", "KEEP_BEST_SUPPORTED"),
    ]
    if protocol == "cr_v2":
        votes += [
            vote("A", "t1", "KEEP", "KEEP_BEST_SUPPORTED"),
            vote("B", "t1", "MERGE", "ASPECT_REF_MISMATCH", normalized_ref="본품#품질"),
            vote("C", "t1", "DROP", "REDUNDANT_UPPER_REF"),
        ]
    refusals = [
        Refusal(
            actor="C", tuple_id="t2", reason="flip_to_same_polarity", claimed_action="FLIP", claimed_reason_code="X"
        ),
        Refusal(actor="A", tuple_id="t99", reason="unknown_tuple", claimed_action="DROP", claimed_reason_code="X"),
    ]
    return result(candidates, flags=flags, risks=risks, votes=votes, refusals=refusals, protocol=protocol)
