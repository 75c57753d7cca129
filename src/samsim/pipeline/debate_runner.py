"""The debate of one sample (spec 3): Stage 1, memory, three personas, judge, Stage 2, moderator.

The steps run strictly in this order, as in the conflict review. A failed call is recorded and the debate
continues without it; only without any sentiment from ATSA is there nothing to debate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from samsim.agents import debate_agents as cast
from samsim.engines.interface import ATSAInputs, DebateInputs, Stage1Inputs, Stage2Inputs
from samsim.engines.table import EngineTable
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, SampleFacts
from samsim.pipeline.assembly import (
    Conclusion,
    Examined,
    ask_memory,
    conclude,
    examine,
    final_tuples_of,
    require_an_answer,
)
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.debate_outcome import Outcome, decide
from samsim.rules.debate_edits import (
    enforce_edits,
    keep_known_conflicts,
    keep_known_risks,
    keep_valid_proposals,
    refusals_of,
)
from samsim.rules.debate_signals import LastWords, number_patch
from samsim.rules.stage1_drops import screen_aspects, screen_sentiments
from samsim.rules.stage2_answers import answer_patch
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.protocol_conflict_review import ASTETripletItem
from samsim.schemas.protocol_debate import (
    PERSONAS,
    AspectItem,
    CorrectionProposal,
    DebateRecord,
    DebateTurn,
    DropRecord,
    EditRefusal,
    JudgeRecord,
    Stage2Record,
    StructuralRisk,
)
from samsim.schemas.results import CallRecord, SampleResult
from samsim.schemas.taxonomy import Taxonomy


@dataclass(slots=True)
class _Proceedings:
    """What has been said so far, and the calls that were made."""

    calls: list[CallRecord] = field(default_factory=list)
    aspects: list[AspectItem] = field(default_factory=list)
    claimed_terms: int = 0
    drops: list[DropRecord] = field(default_factory=list)
    structural_risks: list[StructuralRisk] = field(default_factory=list)
    correction_proposals: list[CorrectionProposal] = field(default_factory=list)
    turns: list[DebateTurn] = field(default_factory=list)
    refusals: list[EditRefusal] = field(default_factory=list)
    judge: JudgeRecord | None = None
    stage2: Stage2Record | None = None
    prompts_with_context: int = 0

    def record(self, outcome: Outcome, config: PipelineConfig) -> DebateRecord:
        """Return everything said and decided."""
        return DebateRecord(
            aspects=self.aspects,
            drops=self.drops,
            structural_risks=self.structural_risks,
            correction_proposals=self.correction_proposals,
            turns=self.turns,
            judge=self.judge,
            stage2=self.stage2,
            refusals=self.refusals,
            override_profile=config.debate.override_profile,
            overrides=outcome.overrides,
            ev=outcome.ev,
            moderator=outcome.moderator,
        )


async def run_debate(
    uid: str,
    analysis: TextAnalysis,
    engines: EngineTable,
    config: PipelineConfig,
    memory: EpisodicOrchestrator | None = None,
) -> SampleResult:
    """Analyse one text by Stage 1, a debate about it, Stage 2 and the moderator."""
    taxonomy = config.taxonomy_for(analysis.language)
    said = _Proceedings()
    triplets = await _read(uid, analysis, taxonomy, engines, said)
    examined = examine(uid, analysis, taxonomy, {"ATSA": triplets}, config)
    inputs = DebateInputs(
        analysis, taxonomy, examined.candidates, examined.flags, examined.risks, drops=tuple(said.drops)
    )
    if examined.candidates:
        inputs = await _validate(uid, inputs, engines, said)
    advice = ask_memory(memory, _facts(examined, said))
    if examined.candidates and config.enable_review:
        inputs = replace(inputs, memory_slot=advice.merged)
        await _debate(uid, inputs, engines, config.debate.rounds, said)
        await _answer(uid, inputs, engines, said)
    outcome = decide(examined, said.turns, said.judge, said.stage2, said.structural_risks)
    conclusion = Conclusion(
        surviving=outcome.surviving,
        final_tuples=final_tuples_of(examined, outcome.surviving),
        applied=outcome.applied,
        debate=said.record(outcome, config),
    )
    injected = _injected(advice.merged, said.prompts_with_context)
    return conclude(examined, conclusion, said.calls, advice, injected_chars=injected)


def _facts(examined: Examined, said: _Proceedings) -> SampleFacts:
    """Return the facts that memory may know; its gate also reads the drops and the validating engine's risks."""
    return replace(
        examined.facts(),
        drop_reasons=tuple(drop.reason for drop in said.drops),
        explicit_aspects=said.claimed_terms,
        structural_risk_ids=tuple(risk.tuple_id for risk in said.structural_risks),
    )


def _injected(slot: Mapping[str, Any] | None, prompts: int) -> int:
    return 0 if slot is None else len(cast.slot_text(slot)) * prompts


async def _read(
    uid: str, analysis: TextAnalysis, taxonomy: Taxonomy, engines: EngineTable, said: _Proceedings
) -> Sequence[ASTETripletItem]:
    """Ask ATE for aspects and ATSA for their sentiments; drop what is not in the text, with a reason."""
    engine = engines.engine_for("ATE", "stage1")
    aspects, call = await cast.extract_aspects(engine, uid, Stage1Inputs(analysis, taxonomy))
    said.calls.append(call)
    said.claimed_terms = sum(bool(aspect.term.strip()) for aspect in aspects)
    said.aspects, drops = screen_aspects(aspects, analysis)
    engine = engines.engine_for("ATSA", "stage1")
    sentiments, call = await cast.judge_aspects(engine, uid, ATSAInputs(analysis, taxonomy, said.aspects))
    said.calls.append(call)
    require_an_answer("ATSA has not", uid, [call])
    triplets, more_drops = screen_sentiments(sentiments, analysis, said.aspects, drops)
    said.drops = drops + more_drops
    return triplets


async def _validate(uid: str, inputs: DebateInputs, engines: EngineTable, said: _Proceedings) -> DebateInputs:
    """Add the engine's risks and proposals to the inputs; those about unknown tuples are recorded as rejected."""
    engine = engines.engine_for("VALIDATOR", "stage1")
    risks, proposals, call = await cast.validate(engine, uid, inputs)
    said.structural_risks, no_risks = keep_known_risks(risks, inputs.candidates)
    said.correction_proposals, no_proposals = keep_valid_proposals(proposals, inputs.candidates, inputs.taxonomy)
    said.calls.append(_with_rejected(call, [*no_risks, *no_proposals]))
    return replace(
        inputs,
        structural_risks=tuple(said.structural_risks),
        correction_proposals=tuple(said.correction_proposals),
    )


def _with_rejected(call: CallRecord, problems: Sequence[str]) -> CallRecord:
    return call.model_copy(update={"rejected": [*call.rejected, *problems]})


async def _debate(uid: str, inputs: DebateInputs, engines: EngineTable, rounds: int, said: _Proceedings) -> None:
    """Let EPM, TAN and CJ speak, each seeing the earlier turns; then let the judge close the debate."""
    for number in range(1, rounds + 1):
        for persona in PERSONAS:
            engine = engines.engine_for(persona, "debate")
            items, call = await cast.take_turn(persona, engine, uid, replace(inputs, turns=tuple(said.turns)))
            edits, refused = enforce_edits(items, inputs.candidates, inputs.taxonomy)
            said.refusals += refusals_of(persona, refused, number)
            said.turns.append(
                DebateTurn(persona=persona, round=number, answered=call.problem is None, proposed_edits=edits)
            )
            said.calls.append(call)
    engine = engines.engine_for("JUDGE", "judge")
    patch, unresolved, rationale, call = await cast.close_debate(engine, uid, replace(inputs, turns=tuple(said.turns)))
    edits, refused = enforce_edits(patch, inputs.candidates, inputs.taxonomy)
    said.refusals += refusals_of("JUDGE", refused)
    conflicts, strays = keep_known_conflicts(unresolved, inputs.candidates)
    said.judge = JudgeRecord(
        answered=call.problem is None,
        final_patch=number_patch(edits, LastWords(said.turns)),
        unresolved_conflicts=conflicts,
        rationale=rationale,
    )
    said.calls.append(_with_rejected(call, strays))
    said.prompts_with_context = len(said.turns) + 1


async def _answer(uid: str, inputs: DebateInputs, engines: EngineTable, said: _Proceedings) -> None:
    """Let Stage 2 answer every operation of the patch; an empty patch needs no answer."""
    patch = said.judge.final_patch if said.judge is not None else []
    if not patch:
        return
    engine = engines.engine_for("STAGE2", "stage2")
    asked = Stage2Inputs(
        inputs.analysis,
        inputs.taxonomy,
        inputs.candidates,
        inputs.conflict_flags,
        inputs.validator_risks,
        patch,
        inputs.structural_risks,
    )
    accepted, rejected, call = await cast.review_patch(engine, uid, asked)
    said.calls.append(call)
    said.stage2 = answer_patch(patch, accepted, rejected, answered=call.problem is None)
