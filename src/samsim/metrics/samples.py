"""The input of the measures: the samples of a run, one after the other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from samsim.metrics.scoring import FamilyKeys, JudgedTuples
from samsim.schemas.results import SampleResult
from samsim.schemas.scorecards import Family, Scorecard


class MeasuredSample(Protocol):
    """A sample of a run: its result, or the error instead of one, and its scorecard."""

    @property
    def uid(self) -> str:
        """The id that joins results and scorecards."""

    @property
    def result(self) -> SampleResult | None:
        """The result; None for a sample that failed."""

    @property
    def error(self) -> str | None:
        """Why there is no result."""

    @property
    def card(self) -> Scorecard | None:
        """Gold, risk, memory and usage."""


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """A result with its gold, ready to be counted in every family."""

    result: SampleResult
    card: Scorecard
    tuples: JudgedTuples
    keys: dict[Family, FamilyKeys]


def judged(sample: MeasuredSample, gold_fields: Collection[str]) -> JudgedSample | None:
    """Return the sample with its gold; None if it failed (which is not a wrong answer) or has no gold."""
    card = sample.card
    if sample.result is None or card is None or card.gold is None:
        return None
    tuples = JudgedTuples.of(sample.result, card.gold)
    return JudgedSample(sample.result, card, tuples, tuples.keys(gold_fields))
