"""The supervisor (the seeds' ``SupervisorAgent``): it runs the protocol that a sample's configuration names."""

from __future__ import annotations

from samsim.engines.table import EngineTable
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.baseline_runner import run_baseline
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.conflict_review_runner import run_conflict_review
from samsim.pipeline.debate_runner import run_debate
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.protocols import is_conflict_review
from samsim.schemas.results import SampleResult


async def supervise(
    uid: str,
    analysis: TextAnalysis,
    engines: EngineTable,
    config: PipelineConfig,
    memory: EpisodicOrchestrator | None = None,
) -> SampleResult:
    """Analyze one text with the configured protocol and, if given, a memory."""
    if is_conflict_review(config.protocol):
        run = run_conflict_review
    else:
        run = run_debate if config.protocol == "debate" else run_baseline
    return await run(uid, analysis, engines, config, memory)
