"""The embedded engine: answers every request by linguistic analysis, at once and the same every time."""

from __future__ import annotations

from pydantic import BaseModel

from samsim.engines.embedded.lenses import extract_by, read_once
from samsim.engines.embedded.reviewers import review
from samsim.engines.embedded.triplets import as_triplets
from samsim.engines.protocol import EngineReply, EngineRequest, ReviewInputs, Stage1Inputs
from samsim.errors import ContractError
from samsim.schemas.protocol_conflict_review import (
    AGENTS,
    AgentName,
    PerspectiveASTEStage1Schema,
    ReviewOutputSchema,
)


class EmbeddedEngine:
    """Deterministic and offline; reads the request's inputs, not its prompt."""

    name = "embedded"

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Extract, review or debate, by the lens of the agent that asks."""
        return EngineReply(output=_answer(request))


def _answer(request: EngineRequest) -> BaseModel:
    inputs = request.inputs
    if isinstance(inputs, Stage1Inputs):
        return _stage1(request.agent, inputs)
    if isinstance(inputs, ReviewInputs):
        agent = request.agent
        if agent in AGENTS:
            return ReviewOutputSchema(review_actions=review(agent, inputs))
    raise ContractError(f"The embedded engine cannot answer {request.agent} at the stage {request.stage}.")


def _stage1(agent: AgentName, inputs: Stage1Inputs) -> BaseModel:
    found = extract_by(agent, inputs.analysis) if agent in AGENTS else read_once(inputs.analysis)
    return PerspectiveASTEStage1Schema(triplets=as_triplets(found, inputs.analysis, inputs.taxonomy))
