"""The tuples of each part of one result, for scoring them side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samsim.metrics.tuples import TupleLike
from samsim.schemas.protocol_conflict_review import AGENTS
from samsim.schemas.results import FinalTuple, SampleResult


@dataclass(frozen=True, slots=True)
class PlainTuple:
    """A tuple with only the scored fields."""

    aspect_term: str
    aspect_ref: str
    opinion_term: str
    polarity: str


def final_triplets(tuples: Iterable[FinalTuple]) -> list[PlainTuple]:
    """Undo the collapse: return one triplet per opinion of a final tuple, keeping every opinion.

    Runs of earlier versions did not list a tuple's only opinion if it was implicit.
    """
    return [
        PlainTuple(item.aspect_term, item.aspect_ref, opinion, item.polarity)
        for item in tuples
        for opinion in item.opinion_terms or [item.opinion_term]
    ]


def predictions_by_system(result: SampleResult) -> dict[str, list[TupleLike]]:
    """Return the tuples of each perspective alone, their union (Stage 1) and the final tuples."""
    systems: dict[str, list[TupleLike]] = {
        agent: [item for item in result.stage1_tuples if item.origin_agent == agent] for agent in AGENTS
    }
    systems["stage1"] = list(result.stage1_tuples)
    systems["final"] = list(final_triplets(result.final_tuples))
    return systems
