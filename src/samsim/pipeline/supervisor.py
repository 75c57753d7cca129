"""The supervisor: one sample goes to the protocol its configuration names."""

from __future__ import annotations

from samsim.engines.table import EngineTable
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.conflict_review_runner import run_conflict_review
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.results import SampleResult


async def supervise(
    uid: str,
    analysis: TextAnalysis,
    engines: EngineTable,
    config: PipelineConfig,
    memory: EpisodicOrchestrator | None = None,
) -> SampleResult:
    """Analyse one text by the configured protocol, with memory around it if there is one."""
    return await run_conflict_review(uid, analysis, engines, config, memory)
