"""The embedded engine: answers every request by linguistic analysis, at once and the same every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from samsim.engines.embedded.extraction import Extraction
from samsim.engines.embedded.reviewers import review
from samsim.engines.embedded.triplets import as_triplets
from samsim.engines.protocol import EngineReply, EngineRequest, ReviewInputs, Stage1Inputs
from samsim.schemas.analysis import Language, TextAnalysis
from samsim.schemas.protocol_conflict_review import Agent, PerspectiveASTEStage1Schema, ReviewOutputSchema

Extractor = Callable[[TextAnalysis], list[Extraction]]

_EXTRACTOR_NAMES: Mapping[Agent, str] = {"A": "extract_negation", "B": "extract_implicit", "C": "extract_literal"}
_EXTRACTOR_MODULES: Mapping[Language, str] = {
    "ko": "samsim.engines.embedded.korean",
    "en": "samsim.engines.embedded.english",
}


class EmbeddedEngine:
    """Deterministic and offline; reads the request's inputs, not its prompt."""

    name = "embedded"

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Extract or review, by the lens of the agent that asks."""
        inputs = request.inputs
        if isinstance(inputs, Stage1Inputs):
            return EngineReply(output=_extract(request.agent, inputs))
        return EngineReply(output=_review(request.agent, inputs))


def _extract(agent: Agent, inputs: Stage1Inputs) -> PerspectiveASTEStage1Schema:
    module = import_module(_EXTRACTOR_MODULES[inputs.analysis.language])
    extractor: Extractor = getattr(module, _EXTRACTOR_NAMES[agent])
    found = extractor(inputs.analysis)
    return PerspectiveASTEStage1Schema(triplets=as_triplets(found, inputs.analysis, inputs.taxonomy))


def _review(agent: Agent, inputs: ReviewInputs) -> ReviewOutputSchema:
    return ReviewOutputSchema(review_actions=review(agent, inputs))
