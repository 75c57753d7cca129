"""The records of the debate protocol (spec 3).

Engine answers are read leniently, as in the conflict review: the rules enforce the rest, and whatever
they refuse is recorded with its reason. The records samsim writes are strict and frozen.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator

from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import (
    USUAL_CONFIDENCE,
    ASTETripletItem,
    ClaimedConfidence,
    ClaimedSpan,
    LenientText,
    Severity,
    Written,
)

Persona = Literal["EPM", "TAN", "CJ"]
PERSONAS: tuple[Persona, ...] = get_args(Persona)
EditOp = Literal["set_polarity", "set_aspect_ref", "merge_tuples", "drop_tuple", "confirm_tuple"]
EDIT_OPS: tuple[EditOp, ...] = get_args(EditOp)
DropReason = Literal["alignment_failure", "filter_rejection", "hallucination"]
StructuralRiskType = Literal["negation", "contrast", "irony", "grounding", "target", "other"]
STRUCTURAL_RISK_TYPES: tuple[StructuralRiskType, ...] = get_args(StructuralRiskType)
OverrideProfileName = Literal["t0", "t1", "t2"]
SkipReason = Literal[
    "evidence_missing",
    "evidence_not_in_text",
    "below_min_total",
    "below_min_margin",
    "l3_conservative",
    "already_confident",
    # Not set by the gate: nothing to change, or Stage 2 as a whole is not adopted.
    "nothing_to_change",
    "ev_below_threshold",
    "confidence_fell",
]
RejectReason = Literal["stage2", "no_reasoning", "not_answered", "contradictory_answer", "altered_change"]
ModeratorRule = Literal[
    "stage2_preferred",
    "stage1_kept_nothing_applied",
    "stage1_kept_ev_below_threshold",
    "stage1_kept_confidence_fell",
    "no_tuples",
    "all_equal",
    "polarities_differ",
    "neutral_yields",
]


def _text_or_nothing(value: Any) -> Any:
    """Return a text, else "": a value of any other type cannot be a polarity, a ref or an id."""
    return value if isinstance(value, str) else ""


def _known_severity(value: Any) -> Any:
    return value if value in get_args(Severity) else "mid"


def _known_risk_type(value: Any) -> Any:
    name = value.strip().casefold() if isinstance(value, str) else ""
    return name if name in STRUCTURAL_RISK_TYPES else "other"


def _listed_texts(value: Any) -> Any:
    """Return a list of texts: a single id becomes a list of one, null an empty list; unknown ids are refused later."""
    if value is None:
        return []
    return list(map(str, value)) if isinstance(value, list | tuple) else [str(value)]


ClaimedText = Annotated[str, BeforeValidator(_text_or_nothing), WithJsonSchema({"type": "string"})]
ClaimedOp = Annotated[
    str, BeforeValidator(_text_or_nothing), WithJsonSchema({"type": "string", "enum": list(EDIT_OPS)})
]


class _Claimed(BaseModel):
    model_config = ConfigDict(frozen=True)


# --- what the engines write ------------------------------------------------------------------------------


class AspectItem(_Claimed):
    """One aspect term as ATE reports it."""

    term: LenientText = ""
    span: ClaimedSpan = None
    confidence: ClaimedConfidence = USUAL_CONFIDENCE
    rationale: LenientText = ""


class ATESchema(BaseModel):
    """What ATE answers."""

    aspects: list[AspectItem]


class AspectSentimentItem(ASTETripletItem):
    """One aspect with its sentiment as ATSA reports it."""

    is_implicit: bool = False


class ATSASchema(BaseModel):
    """What ATSA answers."""

    aspect_sentiments: list[AspectSentimentItem]


class StructuralRiskItem(_Claimed):
    """A doubt of the validating engine, beside the code's own checks."""

    tuple_id: ClaimedText = ""
    risk_type: Annotated[StructuralRiskType, BeforeValidator(_known_risk_type)] = "other"
    severity: Annotated[Severity, BeforeValidator(_known_severity)] = "mid"
    description: LenientText = ""


class CorrectionProposalItem(_Claimed):
    """What the validating engine would change; the personas may take it up or not."""

    tuple_id: ClaimedText = ""
    op: ClaimedOp = ""
    value: ClaimedText = ""
    rationale: LenientText = ""


class ValidatorSchema(BaseModel):
    """What the validator answers."""

    structural_risks: list[StructuralRiskItem]
    correction_proposals: list[CorrectionProposalItem]


class ProposedEditItem(_Claimed):
    """One edit as a persona or the judge writes it.

    ``value`` is a polarity for set_polarity, a ref for set_aspect_ref, and for merge_tuples the id of
    the tuple into which the target is merged; the other ops have none.
    """

    op: ClaimedOp
    target_tuple_id: ClaimedText = ""
    value: ClaimedText = ""
    evidence: LenientText = ""
    confidence: ClaimedConfidence = USUAL_CONFIDENCE


class DebateTurnSchema(BaseModel):
    """What a persona answers."""

    proposed_edits: list[ProposedEditItem]


class UnresolvedItem(_Claimed):
    """A conflict the judge leaves open; plain words are taken as its issue."""

    tuple_ids: Annotated[list[str], BeforeValidator(_listed_texts)] = Field(default_factory=list)
    issue: LenientText = ""

    @model_validator(mode="before")
    @classmethod
    def _words_alone(cls, value: Any) -> Any:
        return {"issue": value} if isinstance(value, str) else value


class JudgeSchema(BaseModel):
    """What the judge answers."""

    final_patch: list[ProposedEditItem]
    unresolved_conflicts: list[UnresolvedItem]
    rationale: LenientText = ""


class ClaimedChangeItem(_Claimed):
    """Stage 2's answer to one op of the patch, as far as it can be read."""

    change_id: ClaimedText = ""
    op: ClaimedOp = ""
    target_tuple_id: ClaimedText = ""
    value: ClaimedText = ""
    reasoning: ClaimedText = ""


class ChangeItem(ClaimedChangeItem):
    """The same as it must be: without a reasoning it is sent back (seed 003 §3.3)."""

    reasoning: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Stage2Schema(BaseModel):
    """What Stage 2 answers; there is no memory_advisory_impact (seed 003 §3.3)."""

    accepted_changes: list[ChangeItem]
    rejected_changes: list[ChangeItem]


# --- what samsim writes ----------------------------------------------------------------------------------


class DropRecord(Written):
    """An aspect that Stage 1 dropped, and why; the gate of the memory reads these."""

    agent: Literal["ATE", "ATSA"]
    aspect_term: str
    reason: DropReason


class StructuralRisk(Written):
    """A doubt of the validating engine about a tuple that exists."""

    tuple_id: str
    risk_type: StructuralRiskType
    severity: Severity
    description: str


class CorrectionProposal(Written):
    """A correction the validating engine proposes for a tuple that exists."""

    tuple_id: str
    op: EditOp
    value: str
    rationale: str


class Edit(Written):
    """A valid edit: known op, known tuple, canonical value."""

    op: EditOp
    target_tuple_id: str
    value: str = ""
    evidence: str = ""
    confidence: float = USUAL_CONFIDENCE

    @property
    def key(self) -> tuple[EditOp, str, str]:
        """The change itself, without who proposes it."""
        return self.op, self.target_tuple_id, self.value


class EditRefusal(Written):
    """An edit that the rules did not let through, as it was claimed."""

    actor: Literal["EPM", "TAN", "CJ", "JUDGE"]
    round: int = 0
    reason: str
    op: str
    target_tuple_id: str
    value: str


class DebateTurn(Written):
    """One persona's turn; ``answered`` is False where the engine gave none."""

    persona: Persona
    round: int
    answered: bool
    proposed_edits: list[Edit]


class PatchOp(Edit):
    """One op of the judge's patch, numbered."""

    change_id: str


class UnresolvedConflict(Written):
    """A conflict the judge left open."""

    tuple_ids: list[str]
    issue: str


class JudgeRecord(Written):
    """How the debate was closed."""

    answered: bool
    final_patch: list[PatchOp]
    unresolved_conflicts: list[UnresolvedConflict]
    rationale: str


class AcceptedChange(Written):
    """An op of the patch that Stage 2 accepts, with its reasoning."""

    change_id: str
    op: EditOp
    target_tuple_id: str
    value: str
    reasoning: str = Field(min_length=1)


class RejectedChange(Written):
    """An op that Stage 2 rejects, or whose answer could not be used; then the reasoning may be empty."""

    change_id: str
    op: EditOp
    target_tuple_id: str
    value: str
    reasoning: str
    reason: RejectReason


class Stage2Record(Written):
    """Stage 2's answer to every op of the patch; ``unknown_changes`` are ids that the patch does not have."""

    answered: bool
    accepted_changes: list[AcceptedChange]
    rejected_changes: list[RejectedChange]
    unknown_changes: list[str] = Field(default_factory=list)


class Signal(Written):
    """The personas' confidences for and against a change, and who is for it."""

    support: float
    against: float
    supporters: list[Persona]

    @property
    def total(self) -> float:
        """The sum of support and opposition."""
        return round(self.support + self.against, 6)

    @property
    def margin(self) -> float:
        """How far support exceeds opposition."""
        return round(self.support - self.against, 6)

    @property
    def mean_support(self) -> float:
        """The mean confidence of the supporters."""
        return round(self.support / len(self.supporters), 6) if self.supporters else 0.0


class OverrideDecision(Written):
    """What became of one accepted change."""

    change_id: str
    op: EditOp
    target_tuple_id: str
    value: str
    applied: bool
    skip_reason: SkipReason | None
    signal: Signal


class EVRecord(Written):
    """The expected value of the whole of Stage 2."""

    action: float
    risk: float
    grounding: float
    confidence: float
    total: float
    threshold: float
    passed: bool


class ModeratorRecord(Written):
    """The sentence's label and confidence, with every rule that was applied; ``summary`` is codes only."""

    label: PolarityName | None
    confidence: float
    stage: Literal["stage1", "stage2"]
    rules: list[ModeratorRule]
    summary: str


class DebateRecord(Written):
    """Everything the debate said and decided about one sample."""

    aspects: list[AspectItem]
    drops: list[DropRecord]
    structural_risks: list[StructuralRisk]
    correction_proposals: list[CorrectionProposal]
    turns: list[DebateTurn]
    judge: JudgeRecord | None
    stage2: Stage2Record | None
    refusals: list[EditRefusal]
    override_profile: OverrideProfileName
    overrides: list[OverrideDecision]
    ev: EVRecord | None
    moderator: ModeratorRecord


class OverrideProfile(Written):
    """How strict the override gate is."""

    min_total: float
    min_margin: float
    target_confidence: float
    conservative: bool


OVERRIDE_PROFILES: Mapping[OverrideProfileName, OverrideProfile] = MappingProxyType(
    {
        "t0": OverrideProfile(min_total=1.6, min_margin=0.8, target_confidence=0.7, conservative=True),
        "t1": OverrideProfile(min_total=1.0, min_margin=0.5, target_confidence=0.6, conservative=True),
        "t2": OverrideProfile(min_total=0.6, min_margin=0.3, target_confidence=0.55, conservative=False),
    }
)


class DebateSettings(BaseModel):
    """What a user may set about the debate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rounds: int = Field(default=1, ge=1, le=5)
    override_profile: OverrideProfileName = "t1"
    ev_threshold: float = Field(default=0.5, ge=0.0, le=1.0)
