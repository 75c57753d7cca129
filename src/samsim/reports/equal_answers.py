"""Words for a run with the same tuples as the baseline, for which there is nothing to test."""

from __future__ import annotations

from samsim.metrics.comparison import Contrast
from samsim.plurals import how_many
from samsim.reports.codes import ANSWER_PART, named
from samsim.schemas.code_names import Pair

IDENTICAL: Pair = ("identical answers", "답이 모두 같음")
SAME_TUPLES: Pair = ("same tuples", "튜플이 같음")


def instead_of_a_test(contrast: Contrast) -> Pair | None:
    """Return the words shown in place of a p-value; None if there is one."""
    if contrast.tested:
        return None
    return IDENTICAL if contrast.identical else SAME_TUPLES


def what_differs(contrast: Contrast) -> Pair:
    """Return the parts of the answers that differ from the baseline's, with the number of samples."""
    parts = [(named(ANSWER_PART, part), samples) for part, samples in contrast.differs.items()]
    english = ", ".join(f"{name[0]} ({how_many(samples, 'sample')})" for name, samples in parts)
    return english, ", ".join(f"{name[1]}(샘플 {samples:,}개)" for name, samples in parts)
