"""Review: the three perspectives propose corrections of flagged tuples (seed 001, part B)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from samsim.agents.answers import ask
from samsim.agents.prompt_files import PromptFile, guard_frame, load_prompt
from samsim.engines.protocol import Engine, EngineRequest, Message, ReviewInputs
from samsim.schemas.protocol_conflict_review import Agent, ReviewActionItem, ReviewOutputSchema
from samsim.schemas.results import CallRecord, Stage


@dataclass(frozen=True, slots=True)
class ReviewAgent:
    """One reviewer: who it is and which prompt it follows."""

    agent: Agent
    prompt_name: str

    async def review(
        self, engine: Engine, uid: str, inputs: ReviewInputs, stage: Stage = "review"
    ) -> tuple[list[ReviewActionItem], CallRecord]:
        """Ask the engine for this reviewer's actions; broken ones are dropped and counted."""
        prompt = load_prompt(self.prompt_name)
        request = EngineRequest(
            agent=self.agent,
            stage=stage,
            uid=uid,
            inputs=inputs,
            output_schema=ReviewOutputSchema,
            messages=lambda: render_review(prompt, inputs),
            prompt_hash=prompt.digest,
        )
        return await ask(engine, request, "review_actions", ReviewActionItem)


ReviewAgentA = ReviewAgent("A", "review_pneg_action")
ReviewAgentB = ReviewAgent("B", "review_pimp_action")
ReviewAgentC = ReviewAgent("C", "review_plit_action")
REVIEW_AGENTS = (ReviewAgentA, ReviewAgentB, ReviewAgentC)


def render_review(prompt: PromptFile, inputs: ReviewInputs) -> tuple[Message, ...]:
    """The messages a model reads for one review: the seeds' five inputs."""
    return prompt.render(
        {
            "text": guard_frame(inputs.analysis.text),
            "candidates_json": _as_json(inputs.candidates),
            "conflict_flags_json": _as_json(inputs.conflict_flags),
            "validator_risks_json": _as_json(inputs.validator_risks),
            "memory_context": inputs.memory_context,
        }
    )


def _as_json(records: Sequence[BaseModel]) -> str:
    return guard_frame(json.dumps([record.model_dump() for record in records], ensure_ascii=False))
