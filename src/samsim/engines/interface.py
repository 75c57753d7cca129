"""The interface of an engine: one request in, one reply out.

A model reads ``request.messages()``; the embedded engine reads ``request.inputs``. Both hold the same
facts, so everything works with either.
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
    """What a perspective, ATE or a single call may know: nothing has been found yet."""

    analysis: TextAnalysis
    taxonomy: Taxonomy


@dataclass(frozen=True, slots=True)
class ReviewInputs:
    """What a reviewer may know: exactly the seeds' five inputs (the analysis holds the text).

    ``memory_slot`` is the slot whose advice ``memory_context`` renders, or None if there is no advice.
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
    """What ATSA may know: the text and the aspects that passed the check."""

    analysis: TextAnalysis
    taxonomy: Taxonomy
    aspects: Sequence[AspectItem]


@dataclass(frozen=True, slots=True)
class DebateInputs:
    """The shared context of the debate: for the validator (before any turn), a persona or the judge.

    ``memory_slot`` is the slot that was merged into the context, or None.
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
    """What Stage 2 may know: the tuples, what is doubtful about them, and the patch it must answer."""

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
    """How a request narrows the schema of its answer, by field name at any depth.

    ``allowed`` lists the values of a string (or of the strings in a list), ``most`` is how many items a list may
    have, and fields in ``left_out`` need not be written.
    """

    allowed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    most: tuple[tuple[str, int], ...] = ()
    left_out: frozenset[str] = frozenset()


WHOLE_ANSWER = AnswerShape()


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One question to an engine. ``messages`` renders the prompt only if an engine reads it.

    ``shape`` narrows the schema that is sent to a server.
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
    """An answer (a model object or plain JSON data, not yet validated), or why there is none.

    ``cached`` says that the answer came from the response cache and cost nothing; ``kept_usage`` is what it
    originally took. ``messages`` are the ones actually sent, for engines that read them. ``cut`` names what
    exceeded the schema's limits and was removed from the output.
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
        """The engine's name, as recorded in results."""

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer one request; a failure is returned as a reply, not raised."""


def is_engine(value: object) -> TypeGuard[Engine]:
    """Return whether it has what an ``Engine`` has; a class is none, only its instances are."""
    return not isinstance(value, type) and callable(getattr(value, "complete", None)) and hasattr(value, "name")


@runtime_checkable
class ClosableEngine(Protocol):
    """An engine that holds connections or files."""

    async def aclose(self) -> None:
        """Release them; the engine may be used again, even from another event loop."""
