"""RQ3: what was overridden, what was not and why, and the outcome in terms of risk and safety.

An override is a change of a tuple. A sample is an opportunity if there was risk before. Coverage =
opportunities with an override / opportunities; success and harm (seed 003 §3.6: risk and safety, never
gold) are shares of the samples with an override. ``skip_reasons`` counts changes that were proposed
but not made: ``outvoted`` and ``flagged`` by the arbiter, ``refused: …`` by the rules of the review, or
the reason given by the debate's override gate.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pydantic import Field

from samsim.metrics.statistics import Share
from samsim.rules.decided import CHANGING, decisions_of
from samsim.schemas.memory_v1_1 import EvaluationV1_1
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.results import SampleResult


class OverrideMetrics(Written):
    """Overrides per sample, and single changes."""

    samples: int
    opportunities: int
    applied: Share
    coverage: Share
    skipped: Share
    success: Share
    harm: Share
    changes_applied: int
    changes_skipped: int
    actions: dict[str, int] = Field(default_factory=dict)
    skip_reasons: dict[str, int] = Field(default_factory=dict)


@dataclass(slots=True)
class OverrideTally:
    """Counts overrides, sample by sample."""

    counts: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    skip_reasons: Counter[str] = field(default_factory=Counter)

    def add(self, result: SampleResult, evaluation: EvaluationV1_1) -> None:
        """Count one sample."""
        opportunity = evaluation.risk_before.severity_sum > 0
        for name, holds in (
            ("samples", True),
            ("opportunities", opportunity),
            ("applied", evaluation.override_applied),
            ("covered", opportunity and evaluation.override_applied),
            ("success", evaluation.override_success),
            ("harm", evaluation.override_harm),
        ):
            self.counts[name] += holds
        for decision in decisions_of(result):
            self.actions[decision.label] += 1
            self.counts["changes"] += decision.effect in CHANGING
            if decision.skipped:
                self.skip_reasons[decision.skipped] += 1
        self.skip_reasons.update(f"refused: {refusal.reason}" for refusal in result.refusals)

    def metrics(self) -> OverrideMetrics:
        """Return the measures over the samples counted so far."""
        samples, opportunities = self.counts["samples"], self.counts["opportunities"]
        applied, covered = self.counts["applied"], self.counts["covered"]
        return OverrideMetrics(
            samples=samples,
            opportunities=opportunities,
            applied=Share.of_cases(applied, samples),
            coverage=Share.of_cases(covered, opportunities),
            skipped=Share.of_cases(opportunities - covered, opportunities),
            success=Share.of_cases(self.counts["success"], applied),
            harm=Share.of_cases(self.counts["harm"], applied),
            changes_applied=self.counts["changes"],
            changes_skipped=self.skip_reasons.total(),
            actions=dict(sorted(self.actions.items())),
            skip_reasons=dict(sorted(self.skip_reasons.items())),
        )
