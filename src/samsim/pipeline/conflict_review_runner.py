"""Conflict review of one sample: Stage 1, flags, review, arbiter, result.

Left to right and never back; each arrow is one pure function, and this is the only place that awaits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from samsim.agents.perspective_agents import PERSPECTIVE_AGENTS
from samsim.agents.review_agents import REVIEW_AGENTS
from samsim.engines.protocol import ReviewInputs, Stage1Inputs
from samsim.engines.table import EngineTable
from samsim.errors import EngineError
from samsim.memory.episode_builder import RiskFindings, evaluate
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, SampleFacts
from samsim.memory.signature_builder import detect_structure
from samsim.pipeline.config import PipelineConfig
from samsim.rules.apply import apply_decisions, finalize, merged_refs
from samsim.rules.arbiter import arbiter_vote
from samsim.rules.candidates import build_candidates, claimed_spans
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.recheck import groups_to_recheck, with_recheck
from samsim.rules.review_actions import EnforcedReview, enforce_review_actions, reviewable_ids
from samsim.rules.validator import compute_validator_risks
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.memory_v1_1 import EvaluationV1_1
from samsim.schemas.protocol_conflict_review import (
    Agent,
    ArbiterDecision,
    ASTETripletItem,
    Candidate,
    ConflictFlag,
    ReviewActionItem,
    Span,
)
from samsim.schemas.results import CallRecord, MemoryRecord, SampleResult
from samsim.schemas.taxonomy import Taxonomy

_SHOWN_OF_AN_ANSWER = 200
_NOT_REVIEWED = EnforcedReview(actions_by_tuple={}, refusals=())


async def run_conflict_review(
    uid: str,
    analysis: TextAnalysis,
    engines: EngineTable,
    config: PipelineConfig,
    memory: EpisodicOrchestrator | None = None,
) -> SampleResult:
    """Analyse one text with three perspectives, their review and the code arbiter."""
    taxonomy = config.taxonomy_for(analysis.language)
    stage1, calls = await _stage1(uid, Stage1Inputs(analysis, taxonomy), engines)
    candidates = build_candidates(stage1, analysis.text, taxonomy)
    spans = claimed_spans(stage1)
    risks = compute_validator_risks(candidates, analysis, taxonomy, claimed_spans=spans)
    flags = _flags(candidates, taxonomy, config)
    facts = SampleFacts(uid, analysis, taxonomy, candidates, risks, flags)
    slot = memory.get_slot_payload_for_current_sample(facts) if memory is not None else None
    review = _NOT_REVIEWED
    advised_prompts = 0
    if config.enable_review and (config.review_scope == "always" or reviewable_ids(flags, risks)):
        context = slot.context if slot is not None else ""
        inputs = ReviewInputs(analysis, taxonomy, candidates, flags, risks, memory_context=context)
        review, review_calls = await _review(uid, inputs, engines)
        if config.recheck:
            review, recheck_calls = await _recheck(uid, inputs, review, engines)
            review_calls += recheck_calls
        calls += review_calls
        advised_prompts = len(review_calls)
    decisions = arbiter_vote(review.actions_by_tuple, flags, version=config.arbiter_version)
    surviving = apply_decisions(candidates, decisions)
    new_refs = merged_refs(review.actions_by_tuple, taxonomy) if config.finalize == "p2" else None
    result = SampleResult(
        uid=uid,
        text=analysis.text,
        language=analysis.language,
        protocol=config.protocol,
        taxonomy=taxonomy.name,
        stage1_tuples=candidates,
        conflict_flags=flags,
        validator_risks=risks,
        review_actions=_votes_cast(review),
        refusals=list(review.refusals),
        arbiter_decisions=decisions,
        final_tuples_post_review=surviving,
        final_tuples=finalize(surviving, new_refs),
        structure=list(detect_structure(analysis)),
        evaluation=_evaluation(facts, surviving, spans, decisions, config),
        calls=calls,
    )
    if memory is None or slot is None:
        return result
    return _remember(memory, slot.record, advised_prompts, facts, result)


def _evaluation(
    facts: SampleFacts,
    surviving: Sequence[Candidate],
    spans: Mapping[str, Span],
    decisions: Sequence[ArbiterDecision],
    config: PipelineConfig,
) -> EvaluationV1_1:
    """The risk before the review and, found in the same way, after it."""
    risks = compute_validator_risks(surviving, facts.analysis, facts.taxonomy, claimed_spans=spans)
    after = RiskFindings.of(risks, _flags(surviving, facts.taxonomy, config))
    return evaluate(RiskFindings.of(facts.risks, facts.flags), after, decisions)


def _remember(
    memory: EpisodicOrchestrator,
    record: MemoryRecord,
    advised_prompts: int,
    facts: SampleFacts,
    result: SampleResult,
) -> SampleResult:
    """Write the episode if the condition says so, and record what memory did."""
    changes = {
        "prompt_injection_chars": record.prompt_injection_chars * advised_prompts,
        "advisories_present": record.advisories_present and advised_prompts > 0,
        "advisories_ids": record.advisories_ids if advised_prompts > 0 else [],
        "episode_id": memory.append_episode_if_needed(facts, result),
    }
    return result.model_copy(update={"memory": record.model_copy(update=changes)})


async def _stage1(
    uid: str, inputs: Stage1Inputs, engines: EngineTable
) -> tuple[dict[Agent, Sequence[ASTETripletItem]], list[CallRecord]]:
    answers = await asyncio.gather(
        *(
            perspective.extract(engines.perspectives[perspective.agent], uid, inputs)
            for perspective in PERSPECTIVE_AGENTS
        )
    )
    calls = [call for _, call in answers]
    if all(call.problem for call in calls):
        raise EngineError(
            f"No perspective got an answer for sample {uid} from {calls[0].engine}: {_what_happened(calls[0])}. "
            "Check the engine (samsim doctor) and run it again."
        )
    return {
        perspective.agent: items for perspective, (items, _) in zip(PERSPECTIVE_AGENTS, answers, strict=True)
    }, calls


def _what_happened(call: CallRecord) -> str:
    """The typed failure and the beginning of what the server said."""
    said = " ".join(call.attempts[-1].raw.split())[:_SHOWN_OF_AN_ANSWER] if call.attempts else ""
    return f"{call.problem} ({said})" if said else str(call.problem)


def _flags(candidates: Sequence[Candidate], taxonomy: Taxonomy, config: PipelineConfig) -> list[ConflictFlag]:
    if not config.compute_conflict_flags:
        return []
    return compute_conflict_flags(
        candidates,
        conflict_mode=config.conflict_mode,
        semantic_conflict_enabled=config.semantic_conflict_enabled,
        semantic_theta=config.semantic_theta,
        granularity=config.arbiter_version == "v2",
        taxonomy=taxonomy,
    )


async def _review(uid: str, inputs: ReviewInputs, engines: EngineTable) -> tuple[EnforcedReview, list[CallRecord]]:
    answers = await asyncio.gather(
        *(reviewer.review(engines.reviewers[reviewer.agent], uid, inputs) for reviewer in REVIEW_AGENTS)
    )
    proposals = {reviewer.agent: items for reviewer, (items, _) in zip(REVIEW_AGENTS, answers, strict=True)}
    return _enforced(proposals, inputs), [call for _, call in answers]


async def _recheck(
    uid: str, inputs: ReviewInputs, review: EnforcedReview, engines: EngineTable
) -> tuple[EnforcedReview, list[CallRecord]]:
    """Ask one agent once more about each group that needs it, shown that group alone."""
    reviewers = {reviewer.agent: reviewer for reviewer in REVIEW_AGENTS}
    calls = []
    for group in groups_to_recheck(review, inputs.conflict_flags):
        members = frozenset(group.flag.tuple_ids)
        narrowed = replace(
            inputs,
            candidates=[candidate for candidate in inputs.candidates if candidate.tuple_id in members],
            conflict_flags=[group.flag],
            validator_risks=[risk for risk in inputs.validator_risks if risk.tuple_id in members],
        )
        items, call = await reviewers[group.asked].review(engines.reviewers[group.asked], uid, narrowed, "recheck")
        review = with_recheck(review, group.asked, _enforced({group.asked: items[:1]}, narrowed))
        calls.append(call)
    return review, calls


def _enforced(proposals: Mapping[Agent, Sequence[ReviewActionItem]], inputs: ReviewInputs) -> EnforcedReview:
    return enforce_review_actions(proposals, inputs.candidates, inputs.conflict_flags, inputs.validator_risks)


def _votes_cast(review: EnforcedReview) -> list[ReviewActionItem]:
    return [vote for votes in review.actions_by_tuple.values() for vote in votes.values() if vote is not None]
