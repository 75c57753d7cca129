"""The interface of an engine: one request in, one reply out, whoever answers.

An engine that writes text (a model) reads ``request.messages()``; the embedded engine reads
``request.inputs``. Both hold the same facts, so the whole product works with either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, runtime_checkable

from pydantic import BaseModel

from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.calls import AttemptRecord, FailureKind, OutputMode, Usage
from samsim.schemas.protocol_conflict_review import AgentName, Candidate, ConflictFlag, ValidatorRisk
from samsim.schemas.protocol_debate import (
    AspectItem,
    CorrectionProposal,
    DebateTurn,
    DropRecord,
    PatchOp,
    StructuralRisk,
)
from samsim.schemas.results import Stage
from samsim.schemas.taxonomy import Taxonomy


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Stage1Inputs:
    """What may be known before anything was found: for a perspective, for ATE and for a single call."""

    analysis: TextAnalysis
    taxonomy: Taxonomy


@dataclass(frozen=True, slots=True)
class ReviewInputs:
    """What a reviewer may know: exactly the seeds' five inputs (the analysis holds the text).

    ``memory_slot`` is the slot whose advice is the text in ``memory_context``, None where there is none.
    """

    analysis: TextAnalysis
    taxonomy: Taxonomy
    candidates: Sequence[Candidate]
    conflict_flags: Sequence[ConflictFlag]
    validator_risks: Sequence[ValidatorRisk]
    memory_context: str
    memory_slot: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ATSAInputs:
    """What ATSA may know: the text and the aspects that stood the check."""

    analysis: TextAnalysis
    taxonomy: Taxonomy
    aspects: Sequence[AspectItem]


@dataclass(frozen=True, slots=True)
class DebateInputs:
    """The debate's shared context: for the validator (nothing was said yet), a persona or the judge.

    ``memory_slot`` is the slot that was merged into the context, None where none was.
    """

    analysis: TextAnalysis
    taxonomy: Taxonomy
    candidates: Sequence[Candidate]
    conflict_flags: Sequence[ConflictFlag]
    validator_risks: Sequence[ValidatorRisk]
    drops: Sequence[DropRecord] = ()
    structural_risks: Sequence[StructuralRisk] = ()
    correction_proposals: Sequence[CorrectionProposal] = ()
    memory_slot: Mapping[str, Any] | None = None
    turns: Sequence[DebateTurn] = ()


@dataclass(frozen=True, slots=True)
class Stage2Inputs:
    """What Stage 2 may know: the tuples, their doubts, and the patch it must answer."""

    analysis: TextAnalysis
    taxonomy: Taxonomy
    candidates: Sequence[Candidate]
    conflict_flags: Sequence[ConflictFlag]
    validator_risks: Sequence[ValidatorRisk]
    patch: Sequence[PatchOp]
    structural_risks: Sequence[StructuralRisk] = ()


Inputs = Stage1Inputs | ReviewInputs | ATSAInputs | DebateInputs | Stage2Inputs


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """What a request narrows of the schema of its answer: fields by name, wherever in the schema they are.

    ``allowed`` are the values of a text (or of the texts in a list), ``most`` is how many items a list may
    have, and ``left_out`` need not be written at all.
    """

    allowed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    most: tuple[tuple[str, int], ...] = ()
    left_out: frozenset[str] = frozenset()


WHOLE_ANSWER = AnswerShape()


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One question to an engine. ``messages`` renders the prompt only when an engine reads it.

    ``shape`` is what the request narrows of the schema that a server is told.
    """

    agent: AgentName
    stage: Stage
    uid: str
    inputs: Inputs
    output_schema: type[BaseModel]
    messages: Callable[[], tuple[Message, ...]]
    prompt_hash: str
    seed: int | None = None
    repeat: int = 0
    shape: AnswerShape = WHOLE_ANSWER


@dataclass(frozen=True, slots=True)
class EngineReply:
    """An answer (a model object or plain JSON data, not yet trusted), or the reason there is none.

    ``cached`` says that the answer came from the response cache and cost nothing
    (``kept_usage`` is what it once took); ``messages`` are
    those really sent, for engines that read them. ``cut`` names what was beyond the schema's limits
    and is not in the output.
    """

    output: object
    failure: FailureKind | None = None
    mode: OutputMode | None = None
    cached: bool = False
    messages: tuple[Message, ...] = ()
    attempts: tuple[AttemptRecord, ...] = ()
    kept_usage: Usage | None = None
    cut: tuple[str, ...] = ()


class Engine(Protocol):
    """Anything that can answer a request."""

    @property
    def name(self) -> str:
        """Who answers, as recorded in results."""

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer one request; a failure is a reply, not an exception."""


def is_engine(value: object) -> TypeGuard[Engine]:
    """Return whether it has what an ``Engine`` has; a class is none, only its instances are."""
    return not isinstance(value, type) and callable(getattr(value, "complete", None)) and hasattr(value, "name")


@runtime_checkable
class ClosableEngine(Protocol):
    """An engine that holds connections or files."""

    async def aclose(self) -> None:
        """Let go of them; the engine may be used again, also from another event loop."""
