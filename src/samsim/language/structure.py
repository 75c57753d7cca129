"""The structures found in a text: negation, contrast, irony."""

from __future__ import annotations

from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.memory_v1_1 import STRUCTURES, Structure


def detect_structure(analysis: TextAnalysis) -> tuple[Structure, ...]:
    """Return which of negation, contrast and irony the cues show, in the order of ``STRUCTURES``; else ("none",)."""
    kinds = {cue.kind for cue in analysis.cues}
    return tuple(name for name in STRUCTURES if name in kinds) or ("none",)
