"""The records of the conflict-review protocol, with the seed documents' names.

Engine answers (``PerspectiveASTEStage1Schema``, ``ReviewOutputSchema``) are read leniently: missing
optional fields get defaults and unknown ones are ignored, because the rules enforce the rest. The
records samsim writes itself are strict and frozen.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from typing_extensions import TypedDict

from samsim.schemas.polarity import Polarity, PolarityName

Agent = Literal["A", "B", "C"]
AGENTS: tuple[Agent, ...] = get_args(Agent)
# Everyone who may be asked: the three perspectives, the roles of the debate and the baseline's single agent.
DebateAgent = Literal["ATE", "ATSA", "VALIDATOR", "EPM", "TAN", "CJ", "JUDGE", "STAGE2"]
AgentName = Literal["A", "B", "C", "ATE", "ATSA", "VALIDATOR", "EPM", "TAN", "CJ", "JUDGE", "STAGE2", "SINGLE"]
# Who found a tuple: an agent, or one of the draws S1, S2 … of self-consistency.
Origin = Annotated[str, Field(pattern=r"^([A-Z]+|S[1-9][0-9]?)$")]

ActionType = Literal["KEEP", "DROP", "FLIP", "MERGE", "FLAG"]
ACTION_TYPES: tuple[ActionType, ...] = get_args(ActionType)
DecidedAction = Literal["KEEP", "DROP", "FLIP", "FLAG"]
ArbiterRule = Literal["1", "2", "3", "facet"]
ArbiterVersion = Literal["v1", "v2"]
# How much a model writes: everything, or only what cannot be derived without it.
AnswerForm = Literal["full", "terse"]

ReasonCode = Literal[
    "NEGATION_SCOPE",
    "CONTRAST_CLAUSE",
    "IMPLICIT_ASPECT",
    "ASPECT_REF_MISMATCH",
    "SPAN_OVERLAP_MERGE",
    "DUPLICATE_TUPLE",
    "WEAK_EVIDENCE",
    "POLARITY_UNCERTAIN",
    "FORMAT_INCOMPLETE",
    "KEEP_BEST_SUPPORTED",
    "WEAK_INFERENCE",
    "EXPLICIT_NOT_REQUIRED",
    "STRUCTURAL_INCONSISTENT",
    # CR v2
    "REDUNDANT_UPPER_REF",
    "REDUNDANT_REF_UNCERTAIN",
    "FACET_MINORITY_SIGNAL",
    "TIE_UNRESOLVED",
]
REASON_CODES: tuple[ReasonCode, ...] = get_args(ReasonCode)

ConflictType = Literal[
    "ref_polarity_mismatch",
    "term_polarity_mismatch",
    "semantic_conflict_candidate",
    "granularity_overlap_candidate",
    # Seed 002 lists this one in _FACET_PRIORITY; it is accepted in input but never written.
    "REDUNDANT_UPPER_REF",
]
RiskType = Literal[
    "INVALID_REF",
    "TERM_NOT_IN_TEXT",
    "EVIDENCE_NOT_IN_TEXT",
    "SPAN_MISMATCH",
    "OPINION_AS_TARGET",
    "NEGATION_SCOPE",
    "CONTRAST_SCOPE",
]
Severity = Literal["low", "mid", "high"]

USUAL_CONFIDENCE = 0.5
_LEGACY_CONFLICT_TYPES = {"polarity_mismatch": "ref_polarity_mismatch"}


def _empty_for_null(value: Any) -> Any:
    return "" if value is None else value


def _as_text(value: Any) -> Any:
    """Convert a reason code of any type to text, for refusing it and keeping it in the trace."""
    return "" if value is None else str(value)


def _readable_new_value(value: Any) -> Any:
    """Return the new value with everything but text removed: only text can be a polarity or a ref."""
    if not isinstance(value, dict):
        return None
    return {name: value[name] if isinstance(value.get(name), str) else None for name in value}


def _known_agent(value: Any) -> Any:
    """Return a known agent, else None: the caller sets the actor, whatever an engine calls itself."""
    return value if value in AGENTS else None


def _current_conflict_type(value: Any) -> Any:
    return _LEGACY_CONFLICT_TYPES.get(value, value) if isinstance(value, str) else value


# Models often write null for an empty string.
LenientText = Annotated[str, BeforeValidator(_empty_for_null), WithJsonSchema({"type": "string"})]
# Any text is accepted here, so the enforcement can refuse and count invalid values.
ClaimedAction = Annotated[str, WithJsonSchema({"type": "string", "enum": list(ACTION_TYPES)})]
ClaimedReason = Annotated[
    str, BeforeValidator(_as_text), WithJsonSchema({"type": "string", "enum": list(REASON_CODES)})
]


class Written(BaseModel):
    """Base of the records samsim writes: frozen, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(BaseModel):
    """Character offsets (code points) into the text as given."""

    model_config = ConfigDict(frozen=True)

    start: int = Field(ge=0)
    end: int = Field(ge=0)


def _usable_span(value: Any) -> Any:
    """Return a readable span, else None: spans of engines are never trusted."""
    try:
        return value if value is None else Span.model_validate(value)
    except ValidationError:
        return None


def _usual_confidence(value: Any) -> Any:
    return USUAL_CONFIDENCE if value is None else value


# An engine's claims about position and confidence, read leniently.
ClaimedSpan = Annotated[Span | None, BeforeValidator(_usable_span)]
ClaimedConfidence = Annotated[float, Field(ge=0.0, le=1.0), BeforeValidator(_usual_confidence)]


class ASTETripletItem(BaseModel):
    """One aspect–opinion–polarity triplet as a perspective reports it."""

    model_config = ConfigDict(frozen=True)

    aspect_term: LenientText = ""
    aspect_ref: LenientText = ""
    polarity: Polarity
    opinion_term: LenientText = ""
    evidence: LenientText = ""
    span: ClaimedSpan = None
    confidence: ClaimedConfidence = USUAL_CONFIDENCE
    rationale: LenientText = ""


class PerspectiveASTEStage1Schema(BaseModel):
    """What a perspective answers in Stage 1."""

    triplets: list[ASTETripletItem]


class NewValue(TypedDict, total=False):
    """What a FLIP or a MERGE wants to write; read leniently, enforced by the rules."""

    polarity: str | None
    normalized_ref: str | None


class ReviewActionItem(BaseModel):
    """One proposal of a reviewer."""

    model_config = ConfigDict(frozen=True)

    action_type: ClaimedAction
    target_tuple_ids: list[str] = Field(default_factory=list)
    new_value: Annotated[NewValue | None, BeforeValidator(_readable_new_value)] = None
    reason_code: ClaimedReason = ""
    actor: Annotated[Agent | None, BeforeValidator(_known_agent)] = None


class ReviewOutputSchema(BaseModel):
    """What a reviewer answers."""

    review_actions: list[ReviewActionItem]


class Candidate(Written):
    """A Stage 1 triplet with its id; the unit that is flagged, reviewed and decided."""

    tuple_id: str
    aspect_term: str
    aspect_ref: str
    polarity: Polarity
    opinion_term: str = ""
    evidence: str = ""
    span: Span | None = None
    origin_agent: Origin
    confidence: float = 0.5


class ValidatorRisk(Written):
    """A deterministic doubt about one tuple; the description never quotes the text."""

    tuple_id: str
    risk_type: RiskType
    severity: Severity
    description: str


class ConflictFlag(Written):
    """Tuples that cannot all stand as they are."""

    aspect_ref: str = ""
    aspect_term: str = ""
    tuple_ids: list[str]
    conflict_type: Annotated[ConflictType, BeforeValidator(_current_conflict_type)]


class Refusal(Written):
    """A reviewer's proposal, or part of one, that the rules did not let through unchanged."""

    actor: Agent
    tuple_id: str
    reason: str
    claimed_action: str
    claimed_reason_code: str


class CastVote(Written):
    """What one agent voted on one tuple; ``counted_as`` differs from ``action`` for MERGE only."""

    action: ActionType
    counted_as: DecidedAction
    reason_code: str | None
    polarity: PolarityName | None = None


class ArbiterDecision(Written):
    """What the arbiter decided for one tuple, with everything it looked at."""

    tuple_id: str
    action: DecidedAction
    reason_code: str | None
    new_value: dict[str, str] | None
    rule: ArbiterRule
    votes: dict[Agent, CastVote]
    implicit: list[Agent]
    dissent: list[Agent]
    conflict_types: list[ConflictType]
