"""Conflict review of one sample: Stage 1, flags, review, arbiter, result.

The steps run strictly in this order. Each is a pure function; only this module awaits engines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from samsim.agents.perspective_agents import PERSPECTIVE_AGENTS
from samsim.agents.review_agents import REVIEW_AGENTS
from samsim.engines.interface import ReviewInputs, Stage1Inputs
from samsim.engines.table import EngineTable
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.assembly import (
    Conclusion,
    ask_memory,
    conclude,
    examine,
    final_tuples_of,
    require_an_answer,
)
from samsim.pipeline.config import PipelineConfig
from samsim.rules.apply import apply_decisions, merged_refs
from samsim.rules.arbiter import arbiter_vote
from samsim.rules.recheck import groups_to_recheck, with_recheck
from samsim.rules.review_actions import EnforcedReview, enforce_review_actions, reviewable_ids
from samsim.rules.risk import changes_a_tuple
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.protocol_conflict_review import Agent, AnswerForm, ASTETripletItem, ReviewActionItem
from samsim.schemas.results import CallRecord, SampleResult

_NOT_REVIEWED = EnforcedReview(actions_by_tuple={}, refusals=())


async def run_conflict_review(
    uid: str,
    analysis: TextAnalysis,
    engines: EngineTable,
    config: PipelineConfig,
    memory: EpisodicOrchestrator | None = None,
) -> SampleResult:
    """Analyze one text with three perspectives, their review and the code arbiter."""
    taxonomy = config.taxonomy_for(analysis.language)
    stage1, calls = await ask_perspectives(uid, Stage1Inputs(analysis, taxonomy), engines, config.answer)
    examined = examine(uid, analysis, taxonomy, stage1, config)
    candidates, risks, flags = examined.candidates, examined.risks, examined.flags
    advice = ask_memory(memory, examined.facts())
    review = _NOT_REVIEWED
    advised_prompts = 0
    if config.enable_review and (config.review_scope == "always" or reviewable_ids(flags, risks)):
        inputs = ReviewInputs(analysis, taxonomy, candidates, flags, risks, advice.context, advice.merged)
        review, review_calls = await _review(uid, inputs, engines, config.answer)
        if config.recheck:
            review, recheck_calls = await _recheck(uid, inputs, review, engines, config.answer)
            review_calls += recheck_calls
        calls += review_calls
        advised_prompts = len(review_calls)
    decisions = arbiter_vote(review.actions_by_tuple, flags, version=config.arbiter_version)
    surviving = apply_decisions(candidates, decisions)
    new_refs = merged_refs(review.actions_by_tuple, taxonomy) if config.finalize == "p2" else None
    conclusion = Conclusion(
        surviving=surviving,
        final_tuples=final_tuples_of(examined, surviving, new_refs),
        applied=changes_a_tuple(decisions),
        review_actions=_votes_cast(review),
        refusals=review.refusals,
        arbiter_decisions=decisions,
    )
    return conclude(examined, conclusion, calls, advice, injected_chars=len(advice.context) * advised_prompts)


async def ask_perspectives(
    uid: str, inputs: Stage1Inputs, engines: EngineTable, answer: AnswerForm = "full"
) -> tuple[dict[Agent, Sequence[ASTETripletItem]], list[CallRecord]]:
    """Ask the three perspectives concurrently; return their triplets by agent, and the records of the calls."""
    answers = await asyncio.gather(
        *(
            perspective.extract(engines.engine_for(perspective.agent, "stage1"), uid, inputs, answer=answer)
            for perspective in PERSPECTIVE_AGENTS
        )
    )
    calls = [call for _, call in answers]
    require_an_answer("No perspective", uid, calls)
    return {
        perspective.agent: items for perspective, (items, _) in zip(PERSPECTIVE_AGENTS, answers, strict=True)
    }, calls


async def _review(
    uid: str, inputs: ReviewInputs, engines: EngineTable, answer: AnswerForm
) -> tuple[EnforcedReview, list[CallRecord]]:
    answers = await asyncio.gather(
        *(
            reviewer.review(engines.engine_for(reviewer.agent, "review"), uid, inputs, answer=answer)
            for reviewer in REVIEW_AGENTS
        )
    )
    proposals = {reviewer.agent: items for reviewer, (items, _) in zip(REVIEW_AGENTS, answers, strict=True)}
    return _enforced(proposals, inputs), [call for _, call in answers]


async def _recheck(
    uid: str, inputs: ReviewInputs, review: EnforcedReview, engines: EngineTable, answer: AnswerForm
) -> tuple[EnforcedReview, list[CallRecord]]:
    """Ask one agent again about each group that needs it, showing it only that group."""
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
        engine = engines.engine_for(group.asked, "recheck")
        items, call = await reviewers[group.asked].review(engine, uid, narrowed, "recheck", answer)
        review = with_recheck(review, group.asked, _enforced({group.asked: items[:1]}, narrowed))
        calls.append(call)
    return review, calls


def _enforced(proposals: Mapping[Agent, Sequence[ReviewActionItem]], inputs: ReviewInputs) -> EnforcedReview:
    return enforce_review_actions(
        proposals, inputs.candidates, inputs.conflict_flags, inputs.validator_risks, inputs.taxonomy
    )


def _votes_cast(review: EnforcedReview) -> list[ReviewActionItem]:
    return [vote for votes in review.actions_by_tuple.values() for vote in votes.values() if vote is not None]
