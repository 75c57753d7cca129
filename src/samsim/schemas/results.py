"""The results: the tuples after review and the record of a sample.

Outputs, traces and scorecards are projections of ``SampleResult``, which stores no fact twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, Literal

from pydantic import Field, computed_field, model_validator

from samsim.notebook import DataFrame, Row, data_frame
from samsim.schemas.analysis import Language
from samsim.schemas.calls import AttemptRecord, MessageRecord, OutputMode
from samsim.schemas.memory_v1_1 import AdvisoryType, EvaluationV1_1, InjectionSource, MemoryMode, Structure
from samsim.schemas.polarity import Polarity
from samsim.schemas.protocol_conflict_review import (
    AgentName,
    ArbiterDecision,
    Candidate,
    ConflictFlag,
    Origin,
    Refusal,
    ReviewActionItem,
    Span,
    ValidatorRisk,
    Written,
)
from samsim.schemas.protocol_debate import DebateRecord
from samsim.schemas.protocols import ProtocolName

Stage = Literal["stage1", "review", "recheck", "debate", "judge", "stage2"]
Completeness = Literal["complete", "partial", "failed"]
# For use in a sentence; the other stages go by their names.
_STAGE_WORDS = {"stage1": "stage 1", "stage2": "stage 2"}
# Derived from the rest of a result: written for readers of the JSON, ignored when it is loaded.
_DERIVED = ("completeness", "missing_calls")
# The columns of one opinion in CSV files, data frames and rows.
OPINION_COLUMNS = (
    "aspect_term",
    "aspect_ref",
    "opinion_terms",
    "polarity",
    "confidence",
    "support",
    "flagged",
    "flag_reasons",
    "evidence",
    "start",
    "end",
    "completeness",
)
RESULT_COLUMNS = ("uid", "text", *OPINION_COLUMNS)


class ReviewedTuple(Candidate):
    """A candidate that survived the review; ``flagged`` means it is uncertain."""

    flagged: bool = False
    flag_reason: str | None = None


class FinalTuple(Written):
    """One statement about one aspect, with the agents that found it."""

    aspect_term: str
    aspect_ref: str
    opinion_term: str
    polarity: Polarity
    span: Span | None
    evidence: str
    opinion_terms: list[str]
    tuple_ids: list[str]
    support: list[Origin]
    confidence: float
    flagged: bool
    flag_reasons: list[str]

    def to_row(self) -> Row:
        """Return the tuple as one row of a table, with its lists joined into text."""
        return {
            "aspect_term": self.aspect_term,
            "aspect_ref": self.aspect_ref,
            "opinion_terms": "; ".join(self.opinion_terms),
            "polarity": self.polarity,
            "confidence": self.confidence,
            "support": " ".join(self.support),
            "flagged": self.flagged,
            "flag_reasons": "; ".join(self.flag_reasons),
            "evidence": self.evidence,
            "start": None if self.span is None else self.span.start,
            "end": None if self.span is None else self.span.end,
        }


class CallRecord(Written):
    """One engine call: the agent, the answer, and the time, tokens and cost.

    ``rejected`` lists the parts of the answer that violated the schema and were dropped, and the lists and
    texts that were cut at its limits. ``problem`` is the failure code of a call without a usable answer.
    ``messages`` and ``attempts`` are empty for the embedded engine, which uses no prompts.
    """

    agent: AgentName
    stage: Stage
    engine: str = ""
    prompt_hash: str
    mode: OutputMode | None = None
    cached: bool = False
    rationales: list[str] = Field(default_factory=list)
    rejected: list[str] = Field(default_factory=list)
    problem: str | None = None
    messages: list[MessageRecord] = Field(default_factory=list)
    attempts: list[AttemptRecord] = Field(default_factory=list)


class MissingCall(Written):
    """A call without a usable answer: the sample was decided without it."""

    agent: AgentName
    stage: Stage
    problem: str

    def __str__(self) -> str:
        """Return the missing agent, the stage and the failure code."""
        return f"{self.agent} at {_STAGE_WORDS.get(self.stage, self.stage)}: {self.problem}"


def missing_among(calls: Iterable[CallRecord]) -> list[MissingCall]:
    """Return the calls without a usable answer, in order; they alone make a sample partial."""
    return [
        MissingCall(agent=call.agent, stage=call.stage, problem=call.problem)
        for call in calls
        if call.problem is not None
    ]


def missing_words(missing: Iterable[MissingCall]) -> str:
    """Return the missing calls in one line, with equal ones counted, as when several draws fail."""
    counts = Counter(map(str, missing))
    return ", ".join(words if count == 1 else f"{words} (×{count})" for words, count in counts.items())


class MemoryRecord(Written):
    """What the episodic memory did for one sample, in every condition (seeds 003 §7, 004).

    ``advisory_ids``, ``principle_ids`` and ``advisory_types`` list the advice, shown or not. If
    ``injection_source`` is placebo, neutral text of the same length was shown instead.
    ``prompt_injection_chars`` counts the characters of advice in all prompts together. The gate is
    evaluated and recorded in every condition, which keeps samples comparable. ``shown`` is the slot
    (an ``AdvisoryBundleV1_1``) in the prompts, or None if there was none; in a run, only the traces have it.
    """

    condition: str
    memory_mode: MemoryMode
    exposed_to_debate: bool
    prompt_injection_chars: int
    retrieved_k: int
    retrieved_ids: list[str]
    advisory_ids: list[str]
    principle_ids: list[str] = Field(default_factory=list)
    advisory_types: list[AdvisoryType] = Field(default_factory=list)
    advisory_injection_gated: bool
    injection_trigger_reason: str
    injection_source: InjectionSource = "retrieved"
    memory_blocked_episode_n: int = 0
    memory_blocked_advisory_n: int = 0
    memory_downgraded_advisory_n: int = 0
    memory_unknown_principle_n: int = 0
    memory_block_reason: str | None = None
    advisories_present: bool = False
    advisories_ids: list[str] = Field(default_factory=list)
    episode_id: str | None = None
    shown: dict[str, Any] | None = None


class SampleResult(Written):
    """Everything that was found, flagged, voted on and decided about one text, by any protocol.

    Reviews, refusals and arbiter decisions belong to the conflict review, ``debate`` to the debate; fields
    that a protocol does not use stay empty. ``structure`` is what the cue analysis found in the text,
    ``evaluation`` is how the decisions changed the risk, judged by code and never by gold.
    ``completeness`` and ``missing_calls`` are derived from the calls.
    """

    uid: str
    text: str
    language: Language
    protocol: ProtocolName
    taxonomy: str
    stage1_tuples: list[Candidate]
    conflict_flags: list[ConflictFlag]
    validator_risks: list[ValidatorRisk]
    review_actions: list[ReviewActionItem]
    refusals: list[Refusal]
    arbiter_decisions: list[ArbiterDecision]
    final_tuples_post_review: list[ReviewedTuple]
    final_tuples: list[FinalTuple]
    debate: DebateRecord | None = None
    structure: list[Structure] = Field(default_factory=list)
    evaluation: EvaluationV1_1 | None = None
    memory: MemoryRecord | None = None
    calls: list[CallRecord] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _without_what_follows(cls, data: Any) -> Any:
        return {name: value for name, value in data.items() if name not in _DERIVED} if isinstance(data, dict) else data

    @computed_field  # type: ignore[prop-decorator]
    @property
    def completeness(self) -> Completeness:
        """Whether every call was answered; a sample that failed has no result."""
        return "partial" if self.missing_calls else "complete"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def missing_calls(self) -> list[MissingCall]:
        """The calls without a usable answer, in order."""
        return missing_among(self.calls)

    def outputs_json(self, indent: int | None = None, *, without: Collection[str] = ()) -> str:
        """Return the decided content as JSON: equal for equal answers, also from a cache or a replay.

        It leaves out how the engine was asked. ``without`` names fields that are written elsewhere.
        """
        left_out: dict[str, Any] = {"calls": {"__all__": {"messages", "attempts", "cached", "engine"}}}
        return self.model_dump_json(exclude=left_out | dict.fromkeys(without, True), indent=indent)

    def to_rows(self) -> list[Row]:
        """Return one row per opinion, with the columns that ``samsim analyze -o NAME.csv`` writes.

        A text without opinions has one row, whose cells are None.
        """
        known = {"uid": self.uid, "text": self.text}
        found = [final.to_row() for final in self.final_tuples] or [dict.fromkeys(OPINION_COLUMNS)]
        return [{**known, **row, "completeness": self.completeness} for row in found]

    def to_dataframe(self) -> DataFrame:
        """Return the rows of ``to_rows`` as a pandas data frame."""
        return data_frame(self.to_rows(), RESULT_COLUMNS)

    def _repr_html_(self) -> str:
        """Show the text with its aspects colored by polarity, and the tuples below, in a notebook."""
        from samsim.schemas.result_html import result_html  # only notebooks need it

        return result_html(self)
