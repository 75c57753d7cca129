"""The baselines for comparisons: a single call, the perspectives without review, and a vote over several draws."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from samsim.agents.perspective_agents import SingleAgent
from samsim.engines.interface import Stage1Inputs
from samsim.engines.table import EngineTable
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.assembly import (
    Conclusion,
    as_reviewed,
    ask_memory,
    conclude,
    examine,
    final_tuples_of,
    require_an_answer,
)
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.conflict_review_runner import ask_perspectives
from samsim.rules.candidates import Stage1Triplets
from samsim.rules.majority import keep_majority, voters_of
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.protocol_conflict_review import AnswerForm, Candidate
from samsim.schemas.protocols import draws_of
from samsim.schemas.results import CallRecord, FinalTuple, SampleResult


async def run_baseline(
    uid: str,
    analysis: TextAnalysis,
    engines: EngineTable,
    config: PipelineConfig,
    memory: EpisodicOrchestrator | None = None,
) -> SampleResult:
    """Run ``single``, ``stage1_only`` or ``self_consistency:N``, as configured.

    The prompts of the baselines have no place for advice: memory is read and written as the condition says,
    to keep runs comparable, but nothing is injected.
    """
    taxonomy = config.taxonomy_for(analysis.language)
    draws = draws_of(config.protocol)
    inputs = Stage1Inputs(analysis, taxonomy)
    if config.protocol == "stage1_only":
        stage1: Stage1Triplets
        stage1, calls = await ask_perspectives(uid, inputs, engines, config.answer)
    else:
        stage1, calls = await _draw(uid, inputs, engines, draws, config.answer)
    examined = examine(uid, analysis, taxonomy, stage1, config, equals_once=draws is not None)
    advice = ask_memory(memory, examined.facts())
    kept = examined.candidates
    if draws is not None:
        kept = keep_majority(kept, sum(call.problem is None for call in calls))
    surviving = as_reviewed(kept)
    finals = final_tuples_of(examined, surviving)
    if draws is not None:
        finals = _with_voters(finals, examined.candidates)
    # A vote chooses between readings; it overrides none.
    return conclude(examined, Conclusion(surviving, finals, applied=False), calls, advice, injected_chars=0)


def _with_voters(finals: Sequence[FinalTuple], candidates: Sequence[Candidate]) -> list[FinalTuple]:
    """Return the final tuples with all draws that voted for each as its support."""
    voters = voters_of(candidates, finals)
    return [final.model_copy(update={"support": support}) for final, support in zip(finals, voters, strict=True)]


async def _draw(
    uid: str, inputs: Stage1Inputs, engines: EngineTable, draws: int | None, answer: AnswerForm
) -> tuple[Stage1Triplets, list[CallRecord]]:
    """Ask once, or several times for a vote; the draws are called S1, S2, … and numbered by ``repeat``."""
    engine = engines.engine_for(SingleAgent.agent, "stage1")
    answers = await asyncio.gather(
        *(SingleAgent.extract(engine, uid, inputs, repeat, answer) for repeat in range(draws or 1))
    )
    calls = [call for _, call in answers]
    require_an_answer("No call", uid, calls)
    origins = [SingleAgent.agent] if draws is None else [f"S{number}" for number in range(1, draws + 1)]
    return {origin: items for origin, (items, _) in zip(origins, answers, strict=True)}, calls
