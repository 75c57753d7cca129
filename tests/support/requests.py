"""Inputs of the agents for prompt tests: one sample as it stands before Stage 1 and before the review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samsim.agents.debate_agents import render
from samsim.agents.perspective_agents import render_stage1
from samsim.agents.prompt_files import load_prompt
from samsim.agents.review_agents import render_review
from samsim.engines.interface import ATSAInputs, DebateInputs, Inputs, Message, ReviewInputs, Stage1Inputs, Stage2Inputs
from samsim.schemas.analysis import Language
from samsim.schemas.protocol_conflict_review import AnswerForm, Candidate, ConflictFlag, ValidatorRisk
from samsim.schemas.protocol_debate import DebateTurn, PatchOp
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import analysis
from tests.support.prompt_examples import DEBATE_PROMPTS, STAGE1_PROMPTS


def rendered(
    name: str,
    text: str,
    *,
    language: Language = "ko",
    candidates: Sequence[Candidate] = (),
    flags: Sequence[ConflictFlag] = (),
    risks: Sequence[ValidatorRisk] = (),
    memory_context: str = "",
    memory_slot: Mapping[str, Any] | None = None,
    turns: Sequence[DebateTurn] = (),
    patch: Sequence[PatchOp] = (),
    answer: AnswerForm = "full",
) -> tuple[Message, ...]:
    """The messages a model would read for this prompt and sample."""
    prompt = load_prompt(name, answer)
    given = analysis(text, language=language)
    taxonomy = load_taxonomy("nikl2022" if language == "ko" else "none")
    if name in STAGE1_PROMPTS:
        return render_stage1(prompt, Stage1Inputs(given, taxonomy))
    if name in DEBATE_PROMPTS:
        inputs: Inputs = DebateInputs(
            given, taxonomy, candidates, flags, risks, memory_slot=memory_slot, turns=tuple(turns)
        )
        if DEBATE_PROMPTS[name] == "ATE":
            inputs = Stage1Inputs(given, taxonomy)
        elif DEBATE_PROMPTS[name] == "ATSA":
            inputs = ATSAInputs(given, taxonomy, [])
        elif DEBATE_PROMPTS[name] == "STAGE2":
            inputs = Stage2Inputs(given, taxonomy, candidates, flags, risks, patch)
        return render(prompt, inputs)
    return render_review(prompt, ReviewInputs(given, taxonomy, candidates, flags, risks, memory_context))


def user_part(messages: Sequence[Message]) -> str:
    return next(message.content for message in messages if message.role == "user")
