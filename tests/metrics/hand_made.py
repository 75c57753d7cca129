"""Hand-made samples: what Stage 1 claimed, what was left in the end, what the gold says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from samsim.metrics.scoring import score_card_counts
from samsim.schemas.memory_v1_1 import EvaluationV1_1, RiskSnapshotV1_1
from samsim.schemas.polarity import POLARITIES, PolarityName
from samsim.schemas.protocol_conflict_review import Candidate, ConflictFlag
from samsim.schemas.results import FinalTuple, SampleResult
from samsim.schemas.scorecards import GoldRecord, Scorecard, UsageRecord

ALL_FIELDS = ("term", "ref", "opinion", "polarity")
# term, ref, opinion, polarity
Quad = tuple[str, str, str, PolarityName]


@dataclass(frozen=True)
class HandSample:
    """The same shape as a sample of a run on disk."""

    uid: str
    result: SampleResult | None
    error: str | None = None
    card: Scorecard | None = None


def candidate(number: int, quad: Quad, agent: str = "A") -> Candidate:
    term, ref, opinion, polarity = quad
    return Candidate(
        tuple_id=f"t{number}",
        aspect_term=term,
        aspect_ref=ref,
        opinion_term=opinion,
        polarity=polarity,
        origin_agent=agent,
    )


def final(quad: Quad, *more_opinions: str) -> FinalTuple:
    term, ref, opinion, polarity = quad
    return FinalTuple(
        aspect_term=term,
        aspect_ref=ref,
        opinion_term=opinion,
        polarity=polarity,
        span=None,
        evidence="",
        opinion_terms=[opinion, *more_opinions] if opinion else list(more_opinions),
        tuple_ids=[],
        support=["A"],
        confidence=0.5,
        flagged=False,
        flag_reasons=[],
    )


def gold(*quads: Quad) -> list[GoldRecord]:
    return [GoldRecord(aspect_term=t, aspect_ref=r, opinion_term=o, polarity=p) for t, r, o, p in quads]


def evaluation(before: int = 0, after: int = 0, **verdicts: Any) -> EvaluationV1_1:
    given = {"override_applied": False, "override_success": False, "override_harm": False, **verdicts}
    return EvaluationV1_1(
        risk_before=RiskSnapshotV1_1(severity_sum=before), risk_after=RiskSnapshotV1_1(severity_sum=after), **given
    )


def result(stage1: Sequence[Quad | Candidate] = (), finals: Sequence[Quad] = (), **more: Any) -> SampleResult:
    candidates = [one if isinstance(one, Candidate) else candidate(number, one) for number, one in enumerate(stage1)]
    fields = {
        "uid": "0",
        "text": "text",
        "language": "en",
        "protocol": "cr_v2",
        "taxonomy": "none",
        "conflict_flags": [],
        "validator_risks": [],
        "review_actions": [],
        "refusals": [],
        "arbiter_decisions": [],
        "final_tuples_post_review": [],
        "evaluation": evaluation(),
        **more,
    }
    return SampleResult(stage1_tuples=candidates, final_tuples=[final(one) for one in finals], **fields)


def sample(
    stage1: Sequence[Quad | Candidate],
    finals: Sequence[Quad],
    right: Sequence[Quad] | None,
    *,
    uid: str = "0",
    usage: UsageRecord | None = None,
    **more: Any,
) -> HandSample:
    """A sample with its scorecard, as the runner writes it."""
    found = result(stage1, finals, uid=uid, **more)
    records = None if right is None else gold(*right)
    card = Scorecard(
        uid=uid,
        gold=records,
        scores={} if records is None else score_card_counts(found, records, ALL_FIELDS),
        evaluation=found.evaluation,
        memory=found.memory,
        usage=usage or UsageRecord(),
    )
    return HandSample(uid, found, None, card)


def failed(uid: str, right: Sequence[Quad] = ()) -> HandSample:
    return HandSample(uid, None, "no answer", Scorecard(uid=uid, error="no answer", gold=gold(*right)))


quads = st.tuples(
    st.sampled_from(["", "taste", "Staff", "the  price"]),
    st.sampled_from(["", "food", "food#quality", "FOOD#price", "service#general"]),
    st.sampled_from(["", "good", "bad"]),
    st.sampled_from(POLARITIES),
)
quad_lists = st.lists(quads, max_size=4)
agents = st.sampled_from(["A", "B", "C"])
structures = st.sampled_from([[], ["none"], ["negation"], ["contrast"], ["negation", "contrast"]])


@st.composite
def samples(draw: st.DrawFn, min_size: int = 1, max_size: int = 6) -> list[HandSample]:
    """Any run: random tuples of random agents, cues, flags and languages."""
    made = []
    for number in range(draw(st.integers(min_size, max_size))):
        claimed = [candidate(place, quad, draw(agents)) for place, quad in enumerate(draw(quad_lists))]
        flags = [ConflictFlag(tuple_ids=["t0"], conflict_type="ref_polarity_mismatch")] if draw(st.booleans()) else []
        made.append(
            sample(
                claimed,
                draw(quad_lists),
                draw(quad_lists),
                uid=str(number),
                language=draw(st.sampled_from(["ko", "en"])),
                structure=draw(structures),
                conflict_flags=flags,
            )
        )
    return made
