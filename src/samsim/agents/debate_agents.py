"""The participants of the debate (spec 3): ATE, ATSA and the validator, three personas, the judge, and Stage 2.

The shared context is one JSON object, ``debate_context``. If a memory slot was merged, it is one of its keys;
``slot_text`` returns its text there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from samsim.agents.answers import Answer, ask_for_all
from samsim.agents.perspective_agents import LANGUAGE_NAMES, describe_taxonomy
from samsim.agents.prompt_files import PromptFile, guard_frame, load_prompt
from samsim.engines.interface import (
    ATSAInputs,
    DebateInputs,
    Engine,
    EngineRequest,
    Inputs,
    Message,
    Stage1Inputs,
    Stage2Inputs,
)
from samsim.schemas.memory_v1_1 import SLOT_NAME
from samsim.schemas.protocol_conflict_review import AgentName
from samsim.schemas.protocol_debate import (
    AspectItem,
    AspectSentimentItem,
    ATESchema,
    ATSASchema,
    ClaimedChangeItem,
    CorrectionProposalItem,
    DebateTurnSchema,
    JudgeSchema,
    Persona,
    ProposedEditItem,
    Stage2Schema,
    StructuralRiskItem,
    UnresolvedItem,
    ValidatorSchema,
)
from samsim.schemas.results import CallRecord, Stage


@dataclass(frozen=True, slots=True)
class DebateVoice:
    """One participant: its name, its stage, its prompt and the schema of its answer."""

    agent: AgentName
    stage: Stage
    prompt_name: str
    output_schema: type[BaseModel]

    async def ask(self, engine: Engine, uid: str, inputs: Inputs) -> Answer:
        """Call the engine; the caller reads the parts of the answer."""
        prompt = load_prompt(self.prompt_name)
        request = EngineRequest(
            agent=self.agent,
            stage=self.stage,
            uid=uid,
            inputs=inputs,
            output_schema=self.output_schema,
            messages=lambda: render(prompt, inputs),
            prompt_hash=prompt.digest,
        )
        return await ask_for_all(engine, request)


ATE = DebateVoice("ATE", "stage1", "debate_ate_stage1", ATESchema)
ATSA = DebateVoice("ATSA", "stage1", "debate_atsa_stage1", ATSASchema)
VALIDATOR = DebateVoice("VALIDATOR", "stage1", "debate_validator_stage1", ValidatorSchema)
PERSONA_VOICES: Mapping[Persona, DebateVoice] = {
    "EPM": DebateVoice("EPM", "debate", "debate_epm", DebateTurnSchema),
    "TAN": DebateVoice("TAN", "debate", "debate_tan", DebateTurnSchema),
    "CJ": DebateVoice("CJ", "debate", "debate_cj", DebateTurnSchema),
}
JUDGE = DebateVoice("JUDGE", "judge", "debate_judge", JudgeSchema)
STAGE2 = DebateVoice("STAGE2", "stage2", "debate_stage2", Stage2Schema)
DEBATE_VOICES = (ATE, ATSA, VALIDATOR, *PERSONA_VOICES.values(), JUDGE, STAGE2)


async def extract_aspects(engine: Engine, uid: str, inputs: Stage1Inputs) -> tuple[list[AspectItem], CallRecord]:
    """Ask ATE for the aspect terms; return them and the record of the call."""
    answer = await ATE.ask(engine, uid, inputs)
    items = answer.items("aspects", AspectItem)
    return items, answer.record([item.rationale for item in items])


async def judge_aspects(engine: Engine, uid: str, inputs: ATSAInputs) -> tuple[list[AspectSentimentItem], CallRecord]:
    """Ask ATSA for the sentiment of each aspect; return the sentiments and the record of the call."""
    answer = await ATSA.ask(engine, uid, inputs)
    items = answer.items("aspect_sentiments", AspectSentimentItem)
    return items, answer.record([item.rationale for item in items])


async def validate(
    engine: Engine, uid: str, inputs: DebateInputs
) -> tuple[list[StructuralRiskItem], list[CorrectionProposalItem], CallRecord]:
    """Return the risks and correction proposals of the validating engine, and the record of the call."""
    answer = await VALIDATOR.ask(engine, uid, inputs)
    risks = answer.items("structural_risks", StructuralRiskItem)
    proposals = answer.items("correction_proposals", CorrectionProposalItem)
    return risks, proposals, answer.record()


async def take_turn(
    persona: Persona, engine: Engine, uid: str, inputs: DebateInputs
) -> tuple[list[ProposedEditItem], CallRecord]:
    """Return the edits that one persona proposes in its turn, and the record of the call."""
    answer = await PERSONA_VOICES[persona].ask(engine, uid, inputs)
    items = answer.items("proposed_edits", ProposedEditItem)
    return items, answer.record()


async def close_debate(
    engine: Engine, uid: str, inputs: DebateInputs
) -> tuple[list[ProposedEditItem], list[UnresolvedItem], str, CallRecord]:
    """Return the judge's patch, the unresolved conflicts, the rationale and the record of the call."""
    answer = await JUDGE.ask(engine, uid, inputs)
    patch = answer.items("final_patch", ProposedEditItem)
    unresolved = answer.items("unresolved_conflicts", UnresolvedItem)
    return patch, unresolved, answer.text("rationale"), answer.record()


async def review_patch(
    engine: Engine, uid: str, inputs: Stage2Inputs
) -> tuple[list[ClaimedChangeItem], list[ClaimedChangeItem], CallRecord]:
    """Return the changes Stage 2 accepts and rejects, read leniently: the rules handle answers without reasoning."""
    answer = await STAGE2.ask(engine, uid, inputs)
    accepted = answer.items("accepted_changes", ClaimedChangeItem)
    rejected = answer.items("rejected_changes", ClaimedChangeItem)
    return accepted, rejected, answer.record()


def render(prompt: PromptFile, inputs: Inputs) -> tuple[Message, ...]:
    """Return the messages for a model; each prompt uses the values it has placeholders for."""
    values: dict[str, str] = {
        "text": guard_frame(inputs.analysis.text),
        "language": LANGUAGE_NAMES[inputs.analysis.language],
        "taxonomy": describe_taxonomy(inputs.taxonomy),
    }
    if isinstance(inputs, ATSAInputs):
        values["aspects_json"] = _as_json([_dump(aspect) for aspect in inputs.aspects])
    elif isinstance(inputs, DebateInputs):
        values["debate_context"] = _as_json(debate_context(inputs))
        values["turns_json"] = _as_json([_dump(turn) for turn in inputs.turns])
    elif isinstance(inputs, Stage2Inputs):
        values["candidates_json"] = _as_json([_dump(candidate) for candidate in inputs.candidates])
        values["conflict_flags_json"] = _as_json([_dump(flag) for flag in inputs.conflict_flags])
        values["validator_risks_json"] = _as_json([_dump(risk) for risk in inputs.validator_risks])
        values["structural_risks_json"] = _as_json([_dump(risk) for risk in inputs.structural_risks])
        values["patch_json"] = _as_json([_dump(op) for op in inputs.patch])
    return prompt.render(values)


def debate_context(inputs: DebateInputs) -> dict[str, Any]:
    """Return the context that all participants see, as plain data; it has the memory slot only if that was merged."""
    parts: Mapping[str, Sequence[BaseModel]] = {
        "candidates": inputs.candidates,
        "conflict_flags": inputs.conflict_flags,
        "validator_risks": inputs.validator_risks,
        "structural_risks": inputs.structural_risks,
        "correction_proposals": inputs.correction_proposals,
        "dropped_aspects": inputs.drops,
    }
    context: dict[str, Any] = {name: [_dump(record) for record in records] for name, records in parts.items()}
    if inputs.memory_slot is not None:
        context[SLOT_NAME] = inputs.memory_slot
    return context


def slot_text(slot: Mapping[str, Any]) -> str:
    """Return the slot exactly as it is written in a prompt."""
    return _as_json(slot)


def _dump(record: BaseModel) -> dict[str, Any]:
    return record.model_dump(mode="json")


def _as_json(data: object) -> str:
    return guard_frame(json.dumps(data, ensure_ascii=False))
