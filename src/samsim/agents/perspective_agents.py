"""Stage 1: three perspectives that read the text independently (seed 001, part A), and the single baseline agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from samsim.agents.answers import ask
from samsim.agents.prompt_files import PromptFile, guard_frame, load_prompt
from samsim.engines.interface import AnswerShape, Engine, EngineRequest, Message, Stage1Inputs
from samsim.schemas.protocol_conflict_review import (
    Agent,
    AgentName,
    AnswerForm,
    ASTETripletItem,
    PerspectiveASTEStage1Schema,
)
from samsim.schemas.results import CallRecord
from samsim.schemas.taxonomy import Taxonomy

LANGUAGE_NAMES = {"ko": "Korean (한국어)", "en": "English"}
# What a terse answer leaves out: code finds the position of a term, and the other fields decide nothing.
LEFT_OUT_WHEN_TERSE = frozenset({"span", "confidence", "rationale"})

NameT = TypeVar("NameT", bound=AgentName)


@dataclass(frozen=True, slots=True)
class PerspectiveAgent(Generic[NameT]):
    """One perspective: its agent and its prompt."""

    agent: NameT
    prompt_name: str

    async def extract(
        self, engine: Engine, uid: str, inputs: Stage1Inputs, repeat: int = 0, answer: AnswerForm = "full"
    ) -> tuple[list[ASTETripletItem], CallRecord]:
        """Ask the engine for this perspective's triplets; return the valid ones and the record of the call.

        ``repeat`` numbers the draws if the same question is asked several times.
        """
        prompt = load_prompt(self.prompt_name, answer)
        request = EngineRequest(
            agent=self.agent,
            stage="stage1",
            uid=uid,
            inputs=inputs,
            output_schema=PerspectiveASTEStage1Schema,
            messages=lambda: render_stage1(prompt, inputs),
            prompt_hash=prompt.digest,
            repeat=repeat,
            shape=stage1_shape(inputs.taxonomy, answer),
        )
        items, record = await ask(engine, request, "triplets", ASTETripletItem)
        return items, record.model_copy(update={"rationales": [item.rationale for item in items]})


PerspectiveAgentPneg: PerspectiveAgent[Agent] = PerspectiveAgent("A", "perspective_pneg_stage1")
PerspectiveAgentPimp: PerspectiveAgent[Agent] = PerspectiveAgent("B", "perspective_pimp_stage1")
PerspectiveAgentPlit: PerspectiveAgent[Agent] = PerspectiveAgent("C", "perspective_plit_stage1")
PERSPECTIVE_AGENTS = (PerspectiveAgentPneg, PerspectiveAgentPimp, PerspectiveAgentPlit)
SingleAgent: PerspectiveAgent[AgentName] = PerspectiveAgent("SINGLE", "single_aste")


def stage1_shape(taxonomy: Taxonomy, answer: AnswerForm) -> AnswerShape:
    """Return which refs a triplet may use, and which fields it may leave out."""
    left_out = LEFT_OUT_WHEN_TERSE if answer == "terse" else frozenset[str]()
    return AnswerShape(allowed=(("aspect_ref", taxonomy.refs),), left_out=left_out)


def render_stage1(prompt: PromptFile, inputs: Stage1Inputs) -> tuple[Message, ...]:
    """Return the messages for one perspective."""
    return prompt.render(
        {
            "text": guard_frame(inputs.analysis.text),
            "taxonomy": describe_taxonomy(inputs.taxonomy),
            "language": LANGUAGE_NAMES[inputs.analysis.language],
        }
    )


def describe_taxonomy(taxonomy: Taxonomy) -> str:
    """Return the allowed refs in the words of a prompt."""
    if taxonomy.is_free:
        return "Refs are free: use the lower-cased, normalised name of the aspect."
    general = taxonomy.general_category
    rest = "" if general is None else f"\n`{general}` is for the whole, and for what fits no other ref."
    return "Use exactly one of these refs:\n" + "\n".join(f"- {ref}" for ref in taxonomy.refs) + rest
