"""The three English perspectives of the embedded engine."""

from __future__ import annotations

from samsim.engines.embedded.english.clausal import extract_negation
from samsim.engines.embedded.english.implicit import extract_implicit
from samsim.engines.embedded.english.literal import extract_literal

__all__ = ["extract_implicit", "extract_literal", "extract_negation"]
