"""Hand-made Stage 1 answers, reviewed by the embedded reviewers with advice from hand-made episodes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.memory.conditions import resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySettings
from samsim.memory.principles import find_principle
from samsim.memory.store import open_store
from samsim.pipeline.api import Pipeline
from samsim.schemas.memory_v1_1 import EpisodicMemoryEntryV1_1
from samsim.schemas.protocol_conflict_review import PerspectiveASTEStage1Schema
from samsim.schemas.results import SampleResult
from tests.memory import FAILURE, SUCCESS, episode


class StageOneGiven:
    """A finds the given triplets, B and C nothing; the embedded engine reviews them."""

    def __init__(self, triplets: Sequence[dict[str, Any]]) -> None:
        self.name = "embedded"
        self._triplets = triplets
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        if request.stage != "stage1":
            return await self._engine.complete(request)
        found = self._triplets if request.agent == "A" else []
        return EngineReply(output=PerspectiveASTEStage1Schema.model_validate({"triplets": found}))


def lesson(principle_id: str, *, failed: bool = False, language: str = "ko") -> EpisodicMemoryEntryV1_1:
    """An episode that ended, for better or worse, with what the principle names, about some other target."""
    principle = find_principle(principle_id)
    assert principle is not None
    action = principle.action if principle.action != "*" else "FLAG"
    signature = episode().input_signature.model_copy(
        update={"language": language, "detected_structure": ("none",), "has_negation": False}
    )
    return episode(
        principle=principle_id,
        outcome=FAILURE if failed else SUCCESS,
        after=5 if failed else 0,
        pairs=(("다른 것", "positive"),),
        action_taken=action,
        input_signature=signature,
    )


def reviewed(
    folder: Path,
    text: str,
    triplets: Sequence[dict[str, Any]],
    lessons: Sequence[EpisodicMemoryEntryV1_1] = (),
    **settings: Any,
) -> SampleResult:
    """The sample under C2_frozen on a store of the lessons; the gate is open."""
    folder.mkdir()
    with closing(open_store(folder / "store.jsonl")) as store:
        for one in lessons:
            store.append(one)
        memory = EpisodicOrchestrator(
            store,
            resolve_condition("C2_frozen"),
            now=lambda: "2026-01-02T03:04:05Z",
            version="test",
            settings=MemorySettings(**{"gate": False, **settings}),
        )
        return Pipeline({"protocol": "cr_v2"}, engine=StageOneGiven(triplets), memory=memory).analyze(text)


def votes(result: SampleResult, tuple_id: str = "t0") -> dict[str, str]:
    """What each reviewer said of a tuple, as "ACTION REASON"."""
    return {
        str(item.actor): f"{item.action_type} {item.reason_code}"
        for item in result.review_actions
        if item.target_tuple_ids == [tuple_id]
    }
