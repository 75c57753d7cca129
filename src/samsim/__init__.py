"""samsim (삼심, three hearings): aspect sentiment settled in the open.

Everything public is listed in ``__all__`` and imported on first use, so that ``import samsim`` is fast. What is not
listed may change at any time; ``docs/api.md`` describes what is, ``docs/versions.md`` says what may change when.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samsim.checking.engines import check_engine
    from samsim.checking.findings import CheckedEngine, EngineCheck, EngineFinding
    from samsim.checking.leaks import find_leaks
    from samsim.data.converting import ConvertedData, convert_data
    from samsim.data.gold import GoldSample, GoldTuple, gold_fields, load_gold
    from samsim.data.registry import LoadedSamples, load_samples
    from samsim.data.samples import Sample
    from samsim.data.sources import DataSource
    from samsim.engines.cache import ResponseCache
    from samsim.engines.interface import Engine, EngineReply, EngineRequest, Message
    from samsim.engines.opening import OpenEngine, open_engine
    from samsim.errors import (
        ConfigError,
        ContractError,
        EngineError,
        InputError,
        SamsimError,
        StoreError,
        UnknownKeyError,
    )
    from samsim.experiments.artefacts import Run, RunSample
    from samsim.experiments.config.file import load_config
    from samsim.experiments.config.model import ExperimentConfig
    from samsim.experiments.planning import ExperimentPlan, plan_experiment
    from samsim.experiments.run_set import Experiment, load_run
    from samsim.experiments.runner import run_experiment
    from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
    from samsim.memory.leaks import Leak
    from samsim.memory.opening import open_memory
    from samsim.memory.store import MemoryStore, open_store
    from samsim.metrics.comparison import Comparison, Contrast
    from samsim.pipeline.api import Pipeline, analyze
    from samsim.pipeline.config import PipelineConfig
    from samsim.pipeline.epochs import SampleError
    from samsim.reports.build import ReportFiles, build_report
    from samsim.reports.comparing import compare
    from samsim.schemas.memory_v1_1 import EpisodicMemoryEntryV1_1
    from samsim.schemas.protocol_conflict_review import (
        ArbiterDecision,
        ASTETripletItem,
        Candidate,
        ConflictFlag,
        PerspectiveASTEStage1Schema,
        ReviewActionItem,
        ReviewOutputSchema,
        Span,
        ValidatorRisk,
    )
    from samsim.schemas.protocol_debate import DebateRecord
    from samsim.schemas.results import CallRecord, FinalTuple, MemoryRecord, SampleResult
    from samsim.schemas.runs import Manifest
    from samsim.schemas.scorecards import Scorecard
    from samsim.schemas.taxonomy import Taxonomy, load_taxonomy

__version__ = "0.1.0"

__all__ = [
    "ASTETripletItem",
    "ArbiterDecision",
    "CallRecord",
    "Candidate",
    "CheckedEngine",
    "Comparison",
    "ConfigError",
    "ConflictFlag",
    "ContractError",
    "Contrast",
    "ConvertedData",
    "DataSource",
    "DebateRecord",
    "Engine",
    "EngineCheck",
    "EngineError",
    "EngineFinding",
    "EngineReply",
    "EngineRequest",
    "EpisodicMemoryEntryV1_1",
    "EpisodicOrchestrator",
    "Experiment",
    "ExperimentConfig",
    "ExperimentPlan",
    "FinalTuple",
    "GoldSample",
    "GoldTuple",
    "InputError",
    "Leak",
    "LoadedSamples",
    "Manifest",
    "MemoryRecord",
    "MemoryStore",
    "Message",
    "OpenEngine",
    "PerspectiveASTEStage1Schema",
    "Pipeline",
    "PipelineConfig",
    "ReportFiles",
    "ResponseCache",
    "ReviewActionItem",
    "ReviewOutputSchema",
    "Run",
    "RunSample",
    "Sample",
    "SampleError",
    "SampleResult",
    "SamsimError",
    "Scorecard",
    "Span",
    "StoreError",
    "Taxonomy",
    "UnknownKeyError",
    "ValidatorRisk",
    "analyze",
    "build_report",
    "check_engine",
    "compare",
    "convert_data",
    "find_leaks",
    "gold_fields",
    "load_config",
    "load_gold",
    "load_run",
    "load_samples",
    "load_taxonomy",
    "open_engine",
    "open_memory",
    "open_store",
    "plan_experiment",
    "run_experiment",
]

_HOMES = {
    "samsim.checking.engines": ("check_engine",),
    "samsim.checking.findings": ("CheckedEngine", "EngineCheck", "EngineFinding"),
    "samsim.checking.leaks": ("find_leaks",),
    "samsim.data.converting": ("ConvertedData", "convert_data"),
    "samsim.data.gold": ("GoldSample", "GoldTuple", "gold_fields", "load_gold"),
    "samsim.data.registry": ("LoadedSamples", "load_samples"),
    "samsim.data.samples": ("Sample",),
    "samsim.data.sources": ("DataSource",),
    "samsim.engines.cache": ("ResponseCache",),
    "samsim.engines.interface": ("Engine", "EngineReply", "EngineRequest", "Message"),
    "samsim.engines.opening": ("OpenEngine", "open_engine"),
    "samsim.errors": (
        "ConfigError",
        "ContractError",
        "EngineError",
        "InputError",
        "SamsimError",
        "StoreError",
        "UnknownKeyError",
    ),
    "samsim.experiments.artefacts": ("Run", "RunSample"),
    "samsim.experiments.config.file": ("load_config",),
    "samsim.experiments.config.model": ("ExperimentConfig",),
    "samsim.experiments.planning": ("ExperimentPlan", "plan_experiment"),
    "samsim.experiments.run_set": ("Experiment", "load_run"),
    "samsim.experiments.runner": ("run_experiment",),
    "samsim.memory.episodic_orchestrator": ("EpisodicOrchestrator",),
    "samsim.memory.leaks": ("Leak",),
    "samsim.memory.store": ("MemoryStore", "open_store"),
    "samsim.memory.opening": ("open_memory",),
    "samsim.metrics.comparison": ("Comparison", "Contrast"),
    "samsim.pipeline.api": ("Pipeline", "analyze"),
    "samsim.pipeline.config": ("PipelineConfig",),
    "samsim.pipeline.epochs": ("SampleError",),
    "samsim.reports.build": ("ReportFiles", "build_report"),
    "samsim.reports.comparing": ("compare",),
    "samsim.schemas.memory_v1_1": ("EpisodicMemoryEntryV1_1",),
    "samsim.schemas.protocol_conflict_review": (
        "ASTETripletItem",
        "ArbiterDecision",
        "Candidate",
        "ConflictFlag",
        "PerspectiveASTEStage1Schema",
        "ReviewActionItem",
        "ReviewOutputSchema",
        "Span",
        "ValidatorRisk",
    ),
    "samsim.schemas.protocol_debate": ("DebateRecord",),
    "samsim.schemas.results": ("CallRecord", "FinalTuple", "MemoryRecord", "SampleResult"),
    "samsim.schemas.runs": ("Manifest",),
    "samsim.schemas.scorecards": ("Scorecard",),
    "samsim.schemas.taxonomy": ("Taxonomy", "load_taxonomy"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'samsim' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
