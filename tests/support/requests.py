"""Inputs of the agents for prompt tests: one sample as it stands before Stage 1 and before the review."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.agents.perspective_agents import render_stage1
from samsim.agents.prompt_files import load_prompt
from samsim.agents.review_agents import render_review
from samsim.engines.protocol import Message, ReviewInputs, Stage1Inputs
from samsim.schemas.analysis import Language
from samsim.schemas.protocol_conflict_review import Candidate, ConflictFlag, ValidatorRisk
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import analysis
from tests.support.prompt_examples import STAGE1_PROMPTS


def rendered(
    name: str,
    text: str,
    *,
    language: Language = "ko",
    candidates: Sequence[Candidate] = (),
    flags: Sequence[ConflictFlag] = (),
    risks: Sequence[ValidatorRisk] = (),
    memory_context: str = "",
) -> tuple[Message, ...]:
    """The messages a model would read for this prompt and sample."""
    prompt = load_prompt(name)
    given = analysis(text, language=language)
    taxonomy = load_taxonomy("nikl2022" if language == "ko" else "none")
    if name in STAGE1_PROMPTS:
        return render_stage1(prompt, Stage1Inputs(given, taxonomy))
    return render_review(prompt, ReviewInputs(given, taxonomy, candidates, flags, risks, memory_context))


def user_part(messages: Sequence[Message]) -> str:
    return next(message.content for message in messages if message.role == "user")
