"""RQ1: how much risk there was, how much remains, and how often the agents contradicted each other.

Computed by code alone, without gold (seed 003 §3.6), over the samples that have an evaluation; a rate is
a share of these samples. Residual share = Σ severity after / Σ severity before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import get_args

from pydantic import Field

from samsim.metrics.statistics import Interval, Share, bootstrap_mean
from samsim.schemas.memory_v1_1 import EvaluationV1_1
from samsim.schemas.protocol_conflict_review import ConflictType, Written
from samsim.schemas.results import SampleResult

_CONFLICTS = frozenset(get_args(ConflictType))
_POLARITY_CONFLICTS = frozenset({"ref_polarity_mismatch", "term_polarity_mismatch"})


class TagCount(Written):
    """The number of samples with a kind of risk, before and after."""

    before: int = 0
    after: int = 0


class RiskMetrics(Written):
    """Risk before and after the decisions."""

    samples: int
    risk: Share
    residual: Share
    resolved: Share
    worsened: Share
    validator_risk: Share
    conflict: Share
    polarity_conflict: Share
    residual_conflict: Share
    mean_severity_before: float | None
    mean_severity_after: float | None
    mean_delta: float | None
    mean_delta_interval: Interval | None
    residual_share: float | None
    tags: dict[str, TagCount] = Field(default_factory=dict)


@dataclass(slots=True)
class RiskTally:
    """Counts risk, sample by sample; keeps two small numbers per sample."""

    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    tags_before: Counter[str] = field(default_factory=Counter)
    tags_after: Counter[str] = field(default_factory=Counter)

    def add(self, result: SampleResult, evaluation: EvaluationV1_1) -> None:
        """Count one sample."""
        was, now = evaluation.risk_before, evaluation.risk_after
        self.before.append(was.severity_sum)
        self.after.append(now.severity_sum)
        self.tags_before.update(was.tags)
        self.tags_after.update(now.tags)
        flags = {flag.conflict_type for flag in result.conflict_flags}
        for name, holds in (
            ("risk", was.severity_sum > 0),
            ("residual", now.severity_sum > 0),
            ("resolved", 0 == now.severity_sum < was.severity_sum),
            ("worsened", now.severity_sum > was.severity_sum),
            ("validator_risk", bool(result.validator_risks)),
            ("conflict", bool(flags)),
            ("polarity_conflict", not flags.isdisjoint(_POLARITY_CONFLICTS)),
            ("residual_conflict", not _CONFLICTS.isdisjoint(now.tags)),
        ):
            self.counts[name] += holds

    def metrics(self, *, resamples: int, seed: int) -> RiskMetrics:
        """Return the measures over the samples counted so far."""
        total = len(self.before)
        deltas = [now - was for was, now in zip(self.before, self.after, strict=True)]

        def share(name: str, of: int = total) -> Share:
            return Share.of_cases(self.counts[name], of)

        return RiskMetrics(
            samples=total,
            risk=share("risk"),
            residual=share("residual"),
            resolved=share("resolved", self.counts["risk"]),
            worsened=share("worsened"),
            validator_risk=share("validator_risk"),
            conflict=share("conflict"),
            polarity_conflict=share("polarity_conflict"),
            residual_conflict=share("residual_conflict"),
            mean_severity_before=sum(self.before) / total if total else None,
            mean_severity_after=sum(self.after) / total if total else None,
            mean_delta=sum(deltas) / total if total else None,
            mean_delta_interval=bootstrap_mean(deltas, resamples=resamples, seed=seed),
            residual_share=sum(self.after) / sum(self.before) if sum(self.before) else None,
            tags={
                tag: TagCount(before=self.tags_before[tag], after=self.tags_after[tag])
                for tag in sorted(self.tags_before | self.tags_after)
            },
        )
