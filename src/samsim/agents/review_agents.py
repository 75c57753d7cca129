"""Review: the three perspectives propose corrections of flagged tuples (seed 001, part B).

The prompt is short: it shows only the flagged tuples, as a table, because reviewers comment on everything they
see. The schema also restricts the answer, to these tuples and to the refs of a closed taxonomy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from samsim.agents.answers import ask
from samsim.agents.prompt_files import PromptFile, guard_frame, load_prompt
from samsim.engines.interface import AnswerShape, Engine, EngineRequest, Message, ReviewInputs
from samsim.rules.review_actions import reviewable_ids
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import (
    Agent,
    AnswerForm,
    Candidate,
    ReviewActionItem,
    ReviewOutputSchema,
    ValidatorRisk,
)
from samsim.schemas.results import CallRecord, Stage

# The columns that a reviewer needs. Who found a tuple, and how confident it was, must not influence the review;
# the position of a term can be seen in the text.
CANDIDATE_COLUMNS = ("tuple_id", "aspect_term", "aspect_ref", "polarity", "opinion_term", "evidence")
# The description is left out, because it only repeats the type of the risk.
RISK_COLUMNS = ("tuple_id", "risk_type", "severity")


@dataclass(frozen=True, slots=True)
class ReviewAgent:
    """One reviewer: its agent and its prompt."""

    agent: Agent
    prompt_name: str

    async def review(
        self, engine: Engine, uid: str, inputs: ReviewInputs, stage: Stage = "review", answer: AnswerForm = "full"
    ) -> tuple[list[ReviewActionItem], CallRecord]:
        """Ask the engine for this reviewer's actions; return the valid ones and the record of the call."""
        prompt = load_prompt(self.prompt_name, answer)
        request = EngineRequest(
            agent=self.agent,
            stage=stage,
            uid=uid,
            inputs=inputs,
            output_schema=ReviewOutputSchema,
            messages=lambda: render_review(prompt, inputs),
            prompt_hash=prompt.digest,
            shape=review_shape(inputs, answer),
        )
        return await ask(engine, request, "review_actions", ReviewActionItem)


ReviewAgentA = ReviewAgent("A", "review_pneg_action")
ReviewAgentB = ReviewAgent("B", "review_pimp_action")
ReviewAgentC = ReviewAgent("C", "review_plit_action")
REVIEW_AGENTS = (ReviewAgentA, ReviewAgentB, ReviewAgentC)


def review_shape(inputs: ReviewInputs, answer: AnswerForm) -> AnswerShape:
    """Return what the actions may name: flagged tuples, with one action each, and the refs of a closed taxonomy."""
    ids = tuple(candidate.tuple_id for candidate in _flagged(inputs))
    return AnswerShape(
        allowed=(("target_tuple_ids", ids), ("normalized_ref", inputs.taxonomy.refs), ("polarity", POLARITIES)),
        most=(("review_actions", len(ids)), ("target_tuple_ids", len(ids))) if ids else (),
        # The caller knows the actor and sets it.
        left_out=frozenset({"actor"}) if answer == "terse" else frozenset(),
    )


def render_review(prompt: PromptFile, inputs: ReviewInputs) -> tuple[Message, ...]:
    """Return the messages for one review, filled with the seeds' five inputs."""
    flags = [flag.model_dump() for flag in inputs.conflict_flags]
    return prompt.render(
        {
            "text": guard_frame(inputs.analysis.text),
            "candidates_json": _as_table(CANDIDATE_COLUMNS, _flagged(inputs)),
            "conflict_flags_json": guard_frame(_compact(flags)),
            "validator_risks_json": _as_table(RISK_COLUMNS, inputs.validator_risks),
            "memory_context": inputs.memory_context,
        }
    )


def _flagged(inputs: ReviewInputs) -> list[Candidate]:
    allowed = reviewable_ids(inputs.conflict_flags, inputs.validator_risks)
    return [candidate for candidate in inputs.candidates if candidate.tuple_id in allowed]


def _as_table(columns: Sequence[str], records: Sequence[Candidate | ValidatorRisk]) -> str:
    """Return a JSON array with one row per line, the column names first; ``[]`` if there are no records."""
    rows = [[getattr(record, name) for name in columns] for record in records]
    lines = ",\n".join(map(_compact, [columns, *rows] if rows else []))
    return guard_frame(f"[{lines}]")


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
