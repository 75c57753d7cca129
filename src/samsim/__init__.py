"""samsim (삼심, three hearings): aspect sentiment settled in the open.

Everything public is listed in ``__all__`` and imported on first use, so that ``import samsim`` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samsim.errors import ConfigError, ContractError, EngineError, InputError, SamsimError, StoreError
    from samsim.experiments.artefacts import Run, load_run
    from samsim.pipeline.api import Pipeline, analyze
    from samsim.pipeline.config import PipelineConfig
    from samsim.pipeline.epochs import SampleError
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
    from samsim.schemas.results import FinalTuple, SampleResult
    from samsim.schemas.taxonomy import Taxonomy, load_taxonomy

__version__ = "0.1.0"

__all__ = [
    "ASTETripletItem",
    "ArbiterDecision",
    "Candidate",
    "ConfigError",
    "ConflictFlag",
    "ContractError",
    "EngineError",
    "FinalTuple",
    "InputError",
    "PerspectiveASTEStage1Schema",
    "Pipeline",
    "PipelineConfig",
    "ReviewActionItem",
    "ReviewOutputSchema",
    "Run",
    "SampleError",
    "SampleResult",
    "SamsimError",
    "Span",
    "StoreError",
    "Taxonomy",
    "ValidatorRisk",
    "analyze",
    "load_run",
    "load_taxonomy",
]

_HOMES = {
    "samsim.errors": ("ConfigError", "ContractError", "EngineError", "InputError", "SamsimError", "StoreError"),
    "samsim.experiments.artefacts": ("Run", "load_run"),
    "samsim.pipeline.api": ("Pipeline", "analyze"),
    "samsim.pipeline.config": ("PipelineConfig",),
    "samsim.pipeline.epochs": ("SampleError",),
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
    "samsim.schemas.results": ("FinalTuple", "SampleResult"),
    "samsim.schemas.taxonomy": ("Taxonomy", "load_taxonomy"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'samsim' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
