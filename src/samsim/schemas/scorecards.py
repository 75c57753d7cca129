"""The score of a sample: its gold, its counts, its risk, its memory and its cost.

Gold is joined after inference, by code that inference cannot import; a run without gold has
scorecards too, with ``gold`` set to None.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from samsim.schemas.memory_v1_1 import EvaluationV1_1
from samsim.schemas.polarity import Polarity
from samsim.schemas.protocol_conflict_review import Span, Written
from samsim.schemas.results import Completeness, MemoryRecord

Family = Literal["triplet", "ref_pol", "ote_pol", "attr_pol"]
ScoredStage = Literal["stage1", "final"]


class GoldRecord(Written):
    """The annotation of a text."""

    aspect_term: str
    aspect_ref: str
    opinion_term: str
    polarity: Polarity
    span: Span | None = None


class Counts(Written):
    """The number of matched, predicted and gold tuples."""

    matched: int = 0
    predicted: int = 0
    gold: int = 0


class UsageRecord(Written):
    """The cost of one sample's engine calls; unknown is None, never 0.

    ``seconds`` is the sum of the attempts' times. A cached call costs nothing and is counted separately;
    ``saved_*`` are the tokens its answer used when it was first requested.
    """

    calls: int = 0
    cached_calls: int = 0
    failed_calls: int = 0
    attempts: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0
    saved_input_tokens: int | None = 0
    saved_output_tokens: int | None = 0
    seconds: float = 0.0


class Scorecard(Written):
    """One line of ``scorecards.jsonl``, joined with the outputs by ``uid``.

    ``completeness`` repeats the result's for readers of the scorecards alone; older scorecards lack it. The
    outputs name the missing calls.
    """

    uid: str
    completeness: Completeness | None = None
    error: str | None = None
    gold: list[GoldRecord] | None = None
    tags: list[str] = Field(default_factory=list)
    scores: dict[Family, dict[ScoredStage, Counts]] = Field(default_factory=dict)
    evaluation: EvaluationV1_1 | None = None
    memory: MemoryRecord | None = None
    usage: UsageRecord = Field(default_factory=UsageRecord)
