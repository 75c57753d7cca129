"""Turn one finished sample into the lines of a run: its outputs, its traces and its scorecard.

This is where gold is joined to a result, after inference. Code that decides cannot import this module.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from samsim.data.gold import GoldSample, GoldTuple
from samsim.engines.replay import TraceLine, trace_bytes
from samsim.experiments.artefacts import IN_SCORECARDS
from samsim.experiments.run_folder.signing import signed
from samsim.metrics.scoring import score_card_counts
from samsim.pipeline.epochs import Outcome, SampleError
from samsim.schemas.results import Completeness, MemoryRecord, MissingCall
from samsim.schemas.scorecards import GoldRecord, Scorecard, UsageRecord
from samsim.schemas.taxonomy import Taxonomy

NumberT = TypeVar("NumberT", int, float)


@dataclass(frozen=True, slots=True)
class SampleLines:
    """The lines written about one sample, and the facts that the progress shows."""

    uid: str
    outputs: bytes
    scorecard: bytes
    traces: bytes
    usage: UsageRecord
    error: str | None
    wrote_episode: bool
    missing: tuple[MissingCall, ...] = ()

    @property
    def completeness(self) -> Completeness:
        """Whether the sample was decided with all its calls, without those ``missing``, or not at all."""
        if self.error is not None:
            return "failed"
        return "partial" if self.missing else "complete"

    def signed(self, digest: str | None) -> SampleLines:
        """Return a copy in which each line carries the digest of its cell."""
        written = self.outputs, self.scorecard, self.traces
        outputs, scorecard, traces = (signed(lines, digest) for lines in written)
        return replace(self, outputs=outputs, scorecard=scorecard, traces=traces)


@dataclass(frozen=True, slots=True)
class Asked:
    """The calls of one sample and the time they took."""

    calls: Sequence[TraceLine]
    seconds: float


def project(
    outcome: Outcome,
    asked: Asked,
    gold: GoldSample | None,
    gold_fields: Collection[str],
    taxonomy: Taxonomy | None = None,
) -> SampleLines:
    """Return the lines of one sample; the refs of the gold are normalized to the run's taxonomy."""
    usage = usage_of(asked)
    error = outcome.message if isinstance(outcome, SampleError) else None
    records = None if gold is None else [_gold_record(item, taxonomy) for item in gold.tuples]
    card = Scorecard(
        uid=outcome.uid,
        completeness="failed" if isinstance(outcome, SampleError) else outcome.completeness,
        error=error,
        gold=records,
        tags=list(gold.tags) if gold is not None else [],
        usage=usage,
    )
    episode = False
    if not isinstance(outcome, SampleError):
        counts = {} if records is None else score_card_counts(outcome, records, gold_fields)
        facts = {"scores": counts, "evaluation": outcome.evaluation, "memory": _without_slot(outcome.memory)}
        card = card.model_copy(update=facts)
        episode = outcome.memory is not None and outcome.memory.episode_id is not None
    return SampleLines(
        uid=outcome.uid,
        outputs=_outputs(outcome),
        scorecard=_encoded(card.model_dump_json()),
        traces=b"".join(trace_bytes(line) for line in _with_memory(asked.calls, outcome)),
        usage=usage,
        error=error,
        wrote_episode=episode,
        missing=() if isinstance(outcome, SampleError) else tuple(outcome.missing_calls),
    )


def _without_slot(record: MemoryRecord | None) -> MemoryRecord | None:
    return None if record is None else record.model_copy(update={"shown": None})


def _with_memory(calls: Sequence[TraceLine], outcome: Outcome) -> Sequence[TraceLine]:
    """Return the calls of a sample, the last one with the memory record, as a trace must have it (seed 003 §7)."""
    if isinstance(outcome, SampleError) or not calls:
        return calls
    return [*calls[:-1], calls[-1].model_copy(update={"memory": outcome.memory})]


def _gold_record(item: GoldTuple, taxonomy: Taxonomy | None) -> GoldRecord:
    ref = item.aspect_ref if taxonomy is None else taxonomy.normalise(item.aspect_ref)
    return GoldRecord(**dict(item) | {"aspect_ref": ref})


def usage_of(asked: Asked) -> UsageRecord:
    """Return the total usage of a sample's calls; one unknown part makes a sum unknown."""
    attempts = [attempt for call in asked.calls for attempt in call.attempts]
    return UsageRecord(
        calls=len(asked.calls),
        cached_calls=sum(call.cached for call in asked.calls),
        failed_calls=sum(call.problem is not None for call in asked.calls),
        attempts=len(attempts),
        input_tokens=_sum(attempt.usage.input_tokens for attempt in attempts),
        output_tokens=_sum(attempt.usage.output_tokens for attempt in attempts),
        cost=_sum(attempt.cost for attempt in attempts),
        saved_input_tokens=_sum(call.kept_usage.input_tokens for call in asked.calls if call.kept_usage is not None),
        saved_output_tokens=_sum(call.kept_usage.output_tokens for call in asked.calls if call.kept_usage is not None),
        seconds=round(asked.seconds, 6),
    )


def _sum(values: Iterable[NumberT | None]) -> NumberT | None:
    known: list[NumberT] = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return cast(NumberT, sum(known))


def _outputs(outcome: Outcome) -> bytes:
    if isinstance(outcome, SampleError):
        row = {"uid": outcome.uid, "error": outcome.message, "completeness": "failed"}
        return _encoded(json.dumps(row, ensure_ascii=False))
    return _encoded(outcome.outputs_json(without=IN_SCORECARDS))


def _encoded(line: str) -> bytes:
    return line.encode("utf-8", "backslashreplace") + b"\n"
