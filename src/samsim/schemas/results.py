"""What comes out: the tuples after review and the one record of a sample.

Outputs, traces and scorecards are projections of ``SampleResult``; no fact is stored twice in it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from samsim.schemas.analysis import Language
from samsim.schemas.polarity import Polarity
from samsim.schemas.protocol_conflict_review import (
    Agent,
    ArbiterDecision,
    Candidate,
    ConflictFlag,
    Refusal,
    ReviewActionItem,
    Span,
    ValidatorRisk,
    Written,
)

CRProtocol = Literal["cr_v1", "cr_v2"]
Stage = Literal["stage1", "review"]


class ReviewedTuple(Candidate):
    """A candidate that survived the review; ``flagged`` marks what stayed uncertain."""

    flagged: bool = False
    flag_reason: str | None = None


class FinalTuple(Written):
    """One statement about one aspect, with the agents that found it."""

    aspect_term: str
    aspect_ref: str
    opinion_term: str
    polarity: Polarity
    span: Span | None
    evidence: str
    opinion_terms: tuple[str, ...]
    tuple_ids: tuple[str, ...]
    support: tuple[Agent, ...]
    confidence: float
    flagged: bool
    flag_reasons: tuple[str, ...]


class CallRecord(Written):
    """One engine call: who was asked, what it answered, what it took.

    ``rejected`` counts parts of the answer that broke the schema and were dropped. ``problem`` is
    the typed failure of a call that gave no usable answer.
    """

    agent: Agent
    stage: Stage
    engine: str
    prompt_hash: str
    rationales: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    problem: str | None = None


class SampleResult(Written):
    """Everything that was found, flagged, voted and decided about one text."""

    uid: str
    text: str
    language: Language
    protocol: CRProtocol
    taxonomy: str
    stage1_tuples: tuple[Candidate, ...]
    conflict_flags: tuple[ConflictFlag, ...]
    validator_risks: tuple[ValidatorRisk, ...]
    review_actions: tuple[ReviewActionItem, ...]
    refusals: tuple[Refusal, ...]
    arbiter_decisions: tuple[ArbiterDecision, ...]
    final_tuples_post_review: tuple[ReviewedTuple, ...]
    final_tuples: tuple[FinalTuple, ...]
    calls: tuple[CallRecord, ...] = Field(default=())
