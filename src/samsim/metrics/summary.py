"""All measures of one run, in one pass over its samples; only counts are kept, not results."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from samsim.metrics.agent_labels import AgentAgreement, AgentTally
from samsim.metrics.correction import Correction, CorrectionTally
from samsim.metrics.cost import CostMetrics, CostTally
from samsim.metrics.decisions import DecisionTables, DecisionTally
from samsim.metrics.family_scores import FamilyScores
from samsim.metrics.funnel import Funnel, FunnelTally
from samsim.metrics.memory_impact import MemoryImpactAnalysis, MemoryTally
from samsim.metrics.overrides import OverrideMetrics, OverrideTally
from samsim.metrics.risk import RiskMetrics, RiskTally
from samsim.metrics.samples import JudgedSample, MeasuredSample, judged
from samsim.metrics.sanity import SanityCheck, SanityTally
from samsim.metrics.statistics import DEFAULT_RESAMPLES, DEFAULT_SEED
from samsim.metrics.subsets import profile_of
from samsim.metrics.tuple_summary import FamilyTally
from samsim.metrics.tuples import primary_family
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.results import missing_words
from samsim.schemas.scorecards import Family

UnscoredReason = Literal["no_samples", "all_failed", "no_scorecards", "no_gold"]


class RunMetrics(Written):
    """Everything measured of one run.

    ``scored`` samples have a result and gold. Failed ones are not wrong answers and are counted separately, as are
    unannotated ones and those whose scorecard (and with it the gold) is gone. ``partial`` ones are measured as they
    are; ``partial_samples`` names them all with their missing calls, ``failed_samples`` names the failed ones with
    their errors. ``unscored_reason`` says why no sample is scored at all, and is None if one is. The dictionaries by
    family are empty in that case; ``memory`` is None if no condition ran.
    """

    samples: int
    errors: int
    partial: int = 0
    scored: int
    unannotated: int = 0
    without_scorecard: int = 0
    unscored_reason: UnscoredReason | None = None
    gold_fields: list[str]
    primary: Family | None
    tuples: dict[Family, FamilyScores] = Field(default_factory=dict)
    correction: dict[Family, Correction] = Field(default_factory=dict)
    rules: dict[Family, DecisionTables] = Field(default_factory=dict)
    risk: RiskMetrics
    agreement: AgentAgreement
    overrides: OverrideMetrics
    memory: MemoryImpactAnalysis | None
    cost: CostMetrics
    funnel: Funnel
    sanity: list[SanityCheck]
    partial_samples: dict[str, str] = Field(default_factory=dict)
    failed_samples: dict[str, str] = Field(default_factory=dict)


@dataclass(slots=True)
class _GoldTally:
    """The tallies against gold, per family."""

    scores: dict[Family, FamilyTally] = field(default_factory=dict)
    correction: dict[Family, CorrectionTally] = field(default_factory=dict)
    decisions: dict[Family, DecisionTally] = field(default_factory=dict)
    sanity: SanityTally = field(default_factory=SanityTally)
    samples: int = 0
    tuples: int = 0

    def add(self, sample: JudgedSample) -> None:
        self.samples += 1
        self.tuples += len(sample.tuples.gold)
        self.sanity.add(sample)
        profile = profile_of(sample)
        for family in sample.keys:
            self.scores.setdefault(family, FamilyTally(family)).add(sample, profile)
            self.correction.setdefault(family, CorrectionTally(family)).add(sample)
            self.decisions.setdefault(family, DecisionTally(family)).add(sample)


@dataclass(slots=True)
class RunTally:
    """Counts a run sample by sample; ``metrics`` returns the measures so far."""

    gold_fields: Collection[str]
    failed: dict[str, str] = field(default_factory=dict)
    unannotated: int = 0
    without_scorecard: int = 0
    partial: dict[str, str] = field(default_factory=dict)
    gold: _GoldTally = field(default_factory=_GoldTally)
    risk: RiskTally = field(default_factory=RiskTally)
    agents: AgentTally = field(default_factory=AgentTally)
    overrides: OverrideTally = field(default_factory=OverrideTally)
    memory: MemoryTally = field(default_factory=MemoryTally)
    cost: CostTally = field(default_factory=CostTally)
    funnel: FunnelTally = field(default_factory=FunnelTally)

    def add(self, sample: MeasuredSample) -> None:
        """Count one sample."""
        if sample.card is not None:
            self.cost.add(sample.card.usage)
        result = sample.result
        if result is None:
            self.failed[sample.uid] = sample.error or ""
            self.funnel.add_failed()
            return
        if result.completeness == "partial":
            self.partial[result.uid] = missing_words(result.missing_calls)
        found = judged(sample, self.gold_fields)
        if found is not None:
            self.gold.add(found)
        elif sample.card is None:
            self.without_scorecard += 1
        else:
            self.unannotated += 1
        self.agents.add(result)
        self.funnel.add(result, found)
        if result.evaluation is not None:
            self.risk.add(result, result.evaluation)
            self.overrides.add(result, result.evaluation)
            if result.memory is not None:
                self.memory.add(result, result.memory, result.evaluation)

    def metrics(self, *, resamples: int = DEFAULT_RESAMPLES, seed: int = DEFAULT_SEED) -> RunMetrics:
        """Return everything measured; the seed determines the draws of the intervals and tests."""
        # A family without any gold tuple says nothing, unless there are no gold tuples at all.
        by_family = {
            family: tally.scores(resamples=resamples, seed=seed)
            for family, tally in self.gold.scores.items()
            if any(tally.gold) or not self.gold.tuples
        }
        primary = primary_family(by_family)
        return RunMetrics(
            samples=self.funnel.counts["samples"],
            errors=len(self.failed),
            partial=len(self.partial),
            scored=self.gold.samples,
            unannotated=self.unannotated,
            without_scorecard=self.without_scorecard,
            unscored_reason=self._unscored_reason(),
            gold_fields=sorted(self.gold_fields),
            primary=primary,
            tuples=by_family,
            correction={family: self.gold.correction[family].correction() for family in by_family},
            rules={family: self.gold.decisions[family].tables() for family in by_family},
            risk=self.risk.metrics(resamples=resamples, seed=seed),
            agreement=self.agents.agreement(),
            overrides=self.overrides.metrics(),
            memory=self.memory.metrics(resamples=resamples, seed=seed),
            cost=self.cost.metrics(),
            funnel=self.funnel.funnel(primary),
            sanity=self.gold.sanity.checks(by_family),
            partial_samples=self.partial,
            failed_samples=self.failed,
        )

    def _unscored_reason(self) -> UnscoredReason | None:
        if self.gold.samples:
            return None
        if not self.funnel.counts["samples"]:
            return "no_samples"
        if len(self.failed) == self.funnel.counts["samples"]:
            return "all_failed"
        return "no_gold" if self.unannotated else "no_scorecards"


def summarise(
    samples: Iterable[MeasuredSample],
    *,
    gold_fields: Collection[str],
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> RunMetrics:
    """Return all measures of a run. ``gold_fields`` (term, ref, opinion) say which families its gold can judge."""
    tally = RunTally(gold_fields)
    for sample in samples:
        tally.add(sample)
    return tally.metrics(resamples=resamples, seed=seed)
