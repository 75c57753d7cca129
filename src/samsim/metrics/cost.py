"""The cost of a run: calls, tokens, money, time. One unknown sample makes a total unknown (None).

Latency is per sample, over the samples with at least one real request: a sample answered entirely from
the cache says nothing about it. p50 and p95 are interpolated linearly between the sorted values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import UsageRecord


class CostMetrics(Written):
    """Totals of a run and the spread of the time per sample.

    Answers from the cache used no tokens; ``saved_*`` is what they used when they were first requested.
    tokens_per_sample = (input + output + saved input + saved output) / samples: what the protocol needs,
    cached or not, which makes runs that share a cache comparable at equal budget.
    """

    samples: int
    calls: int
    calls_per_sample: float | None
    cached_calls: int
    failed_calls: int
    attempts: int
    input_tokens: int | None
    output_tokens: int | None
    saved_input_tokens: int | None
    saved_output_tokens: int | None
    tokens_per_sample: float | None
    cost: float | None
    cost_per_sample: float | None
    timed_samples: int
    seconds: float
    seconds_mean: float | None
    seconds_p50: float | None
    seconds_p95: float | None


@dataclass(slots=True)
class CostTally:
    """Adds up usage; keeps one number per sample."""

    samples: int = 0
    calls: int = 0
    cached_calls: int = 0
    failed_calls: int = 0
    attempts: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    saved_input_tokens: int | None = 0
    saved_output_tokens: int | None = 0
    cost: float | None = 0.0
    seconds: list[float] = field(default_factory=list)

    def add(self, usage: UsageRecord) -> None:
        """Add one sample; a failed one is included, because its calls were made too."""
        self.samples += 1
        self.calls += usage.calls
        self.cached_calls += usage.cached_calls
        self.failed_calls += usage.failed_calls
        self.attempts += usage.attempts
        self.input_tokens = _plus(self.input_tokens, usage.input_tokens)
        self.output_tokens = _plus(self.output_tokens, usage.output_tokens)
        self.saved_input_tokens = _plus(self.saved_input_tokens, usage.saved_input_tokens)
        self.saved_output_tokens = _plus(self.saved_output_tokens, usage.saved_output_tokens)
        self.cost = None if self.cost is None or usage.cost is None else self.cost + usage.cost
        if usage.seconds > 0 and usage.calls > usage.cached_calls:
            self.seconds.append(usage.seconds)

    def metrics(self) -> CostMetrics:
        """Return the totals so far."""
        p50, p95 = percentiles(self.seconds, (50, 95))
        asked = _plus(self.input_tokens, self.output_tokens)
        needed = _plus(asked, _plus(self.saved_input_tokens, self.saved_output_tokens))
        return CostMetrics(
            samples=self.samples,
            calls=self.calls,
            calls_per_sample=self.calls / self.samples if self.samples else None,
            cached_calls=self.cached_calls,
            failed_calls=self.failed_calls,
            attempts=self.attempts,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            saved_input_tokens=self.saved_input_tokens,
            saved_output_tokens=self.saved_output_tokens,
            tokens_per_sample=needed / self.samples if needed is not None and self.samples else None,
            cost=self.cost,
            cost_per_sample=self.cost / self.samples if self.cost is not None and self.samples else None,
            timed_samples=len(self.seconds),
            seconds=sum(self.seconds),
            seconds_mean=sum(self.seconds) / len(self.seconds) if self.seconds else None,
            seconds_p50=p50,
            seconds_p95=p95,
        )


def percentiles(values: list[float], wanted: Iterable[float]) -> list[float | None]:
    """Return the percentiles of the values; None for each if there are no values."""
    return [float(np.percentile(values, percentage)) if values else None for percentage in wanted]


def _plus(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
