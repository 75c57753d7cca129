"""The embedded engine: answers every request by linguistic analysis, immediately and deterministically."""

from __future__ import annotations

from pydantic import BaseModel

from samsim.engines.embedded import debate_stage1, debate_stage2, debaters
from samsim.engines.embedded.lenses import extract_by, read_once
from samsim.engines.embedded.reviewers import review
from samsim.engines.embedded.triplets import as_triplets
from samsim.engines.interface import (
    ATSAInputs,
    DebateInputs,
    EngineReply,
    EngineRequest,
    ReviewInputs,
    Stage1Inputs,
    Stage2Inputs,
)
from samsim.errors import ContractError
from samsim.schemas.protocol_conflict_review import (
    AGENTS,
    AgentName,
    PerspectiveASTEStage1Schema,
    ReviewOutputSchema,
)
from samsim.schemas.protocol_debate import PERSONAS


class EmbeddedEngine:
    """A deterministic, offline engine; it reads the request's inputs, not its prompt."""

    name = "embedded"

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Extract, review or debate from the perspective of the requesting agent."""
        return EngineReply(output=_answer(request))


def _answer(request: EngineRequest) -> BaseModel:
    agent, inputs = request.agent, request.inputs
    if isinstance(inputs, Stage1Inputs):
        return _stage1(agent, inputs)
    if isinstance(inputs, ReviewInputs) and agent in AGENTS:
        return ReviewOutputSchema(review_actions=review(agent, inputs))
    if isinstance(inputs, ATSAInputs):
        return debate_stage1.judge_aspects(inputs)
    if isinstance(inputs, DebateInputs):
        return _debate(agent, inputs)
    if isinstance(inputs, Stage2Inputs):
        return debate_stage2.answer_patch(inputs)
    raise ContractError(f"The embedded engine cannot answer as {agent} at the stage {request.stage}.")


def _stage1(agent: AgentName, inputs: Stage1Inputs) -> BaseModel:
    if agent == "ATE":
        return debate_stage1.find_aspects(inputs)
    found = extract_by(agent, inputs.analysis) if agent in AGENTS else read_once(inputs.analysis)
    return PerspectiveASTEStage1Schema(triplets=as_triplets(found, inputs.analysis, inputs.taxonomy))


def _debate(agent: AgentName, inputs: DebateInputs) -> BaseModel:
    if agent in PERSONAS:
        return debaters.take_turn(agent, inputs)
    return debaters.close_debate(inputs) if agent == "JUDGE" else debate_stage1.validate(inputs)
