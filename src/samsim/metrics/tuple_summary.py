"""Tuple scores of a whole run, counted sample by sample; ``family_scores`` defines them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

from samsim.metrics.family_scores import (
    STAGES,
    FamilyScores,
    Rates,
    ScoreDelta,
    StageScores,
    SubsetPart,
    baseline_scores,
    count_table,
    macro_of,
    total_of,
)
from samsim.metrics.samples import JudgedSample
from samsim.metrics.statistics import CountTable, bootstrap_f1, bootstrap_f1_difference, permutation_test
from samsim.metrics.subsets import SAMPLE_SUBSETS, Profile, aspect_part, polarity_part
from samsim.metrics.tuples import Key, Score, count, predicted_keys
from samsim.schemas.scorecards import Family, ScoredStage


class _Counts:
    """Mutable counts."""

    __slots__ = ("gold", "matched", "predicted")

    def __init__(self) -> None:
        self.matched = self.predicted = self.gold = 0

    def add(self, score: Score) -> None:
        self.matched += score.matched
        self.predicted += score.predicted
        self.gold += score.gold

    def score(self) -> Score:
        return Score(self.matched, self.predicted, self.gold)


@dataclass(slots=True)
class _Parts:
    """The counts of one breakdown, by part."""

    counts: dict[ScoredStage, defaultdict[str, _Counts]] = field(
        default_factory=lambda: {stage: defaultdict(_Counts) for stage in STAGES}
    )
    samples: Counter[str] = field(default_factory=Counter)

    def add_keys(
        self, stage: ScoredStage, claimed: frozenset[Key], right: frozenset[Key], part_of: Callable[[Key], str]
    ) -> None:
        """Add every key to the counts of its part."""
        counts = self.counts[stage]
        for key in claimed:
            part = counts[part_of(key)]
            part.predicted += 1
            part.matched += key in right
        for key in right:
            counts[part_of(key)].gold += 1

    def score(self, stage: ScoredStage, part: str) -> Score:
        return self.counts[stage][part].score()

    def parts(self) -> list[str]:
        return sorted({part for counts in self.counts.values() for part in counts})

    def table(self, *, by_sample: bool) -> dict[str, SubsetPart]:
        return {
            part: SubsetPart(
                samples=self.samples[part] if by_sample else None,
                stage1=Rates.of(self.score("stage1", part)),
                final=Rates.of(self.score("final", part)),
            )
            for part in self.parts()
        }


@dataclass(slots=True)
class FamilyTally:
    """Counts one family, sample by sample; keeps each sample's counts, profile and gold keys."""

    family: Family
    rows: dict[ScoredStage, list[tuple[int, int, int]]] = field(default_factory=lambda: {stage: [] for stage in STAGES})
    profiles: list[Profile] = field(default_factory=list)
    gold: list[frozenset[Key]] = field(default_factory=list)
    whole_gold: _Counts = field(default_factory=_Counts)
    unmatchable: int = 0
    by_tuple: dict[str, _Parts] = field(default_factory=lambda: {"polarity": _Parts(), "aspect": _Parts()})

    def add(self, sample: JudgedSample, profile: Profile) -> None:
        """Count one sample."""
        keys = sample.keys[self.family]
        self.gold.append(keys.gold)
        self.profiles.append(profile)
        everything = predicted_keys(sample.tuples.gold, self.family)
        self.whole_gold.add(count(everything, keys.gold))
        self.unmatchable += len(everything - keys.gold)
        for stage in STAGES:
            claimed = keys.of(stage)
            found = count(claimed, keys.gold)
            self.rows[stage].append((found.matched, found.predicted, found.gold))
            tuples = sample.tuples.stage1 if stage == "stage1" else sample.tuples.final
            explicit_or_not = aspect_part(tuples, sample.tuples.gold, keys.gold, self.family)
            self.by_tuple["polarity"].add_keys(stage, claimed, keys.gold, polarity_part)
            self.by_tuple["aspect"].add_keys(stage, claimed, keys.gold, explicit_or_not)

    def scores(self, *, resamples: int, seed: int) -> FamilyScores:
        """Return all scores of the family."""
        tables = {stage: count_table(rows) for stage, rows in self.rows.items()}
        stage1, final = (self._stage(stage, tables[stage], resamples, seed) for stage in STAGES)
        subsets = {name: parts.table(by_sample=False) for name, parts in self.by_tuple.items()}
        subsets |= {name: parts.table(by_sample=True) for name, parts in self._by_sample(tables).items()}
        return FamilyScores(
            samples=len(self.gold),
            exact_samples={stage: sum(m == p == g for m, p, g in rows) for stage, rows in self.rows.items()},
            stage1=stage1,
            final=final,
            delta=_delta(stage1, final, tables, resamples, seed),
            subsets=subsets,
            baselines=baseline_scores(self.gold),
            unmatchable=self.unmatchable,
            ceiling=self.whole_gold.score().f1 if any(self.gold) else None,
        )

    def _by_sample(self, tables: dict[ScoredStage, CountTable]) -> dict[str, _Parts]:
        """Return the breakdowns by sample; samples with the same profile are counted together."""
        places: dict[Profile, list[int]] = {}
        for place, profile in enumerate(self.profiles):
            places.setdefault(profile, []).append(place)
        found = {name: _Parts() for name in SAMPLE_SUBSETS}
        for profile, members in places.items():
            for name, part in zip(SAMPLE_SUBSETS, profile, strict=True):
                found[name].samples[part] += len(members)
                for stage in STAGES:
                    found[name].counts[stage][part].add(total_of(tables[stage][members]))
        return found

    def _stage(self, stage: ScoredStage, table: CountTable, resamples: int, seed: int) -> StageScores:
        polarities = self.by_tuple["polarity"]
        in_gold = [found for part in polarities.parts() if (found := polarities.score(stage, part)).gold]
        return StageScores(
            micro=Rates.of(total_of(table)),
            macro=macro_of(table),
            macro_polarity=fmean(score.f1 for score in in_gold) if in_gold else None,
            interval=bootstrap_f1(table, resamples=resamples, seed=seed),
        )


def _delta(
    stage1: StageScores, final: StageScores, tables: dict[ScoredStage, CountTable], resamples: int, seed: int
) -> ScoreDelta:
    before, after = tables["stage1"], tables["final"]
    return ScoreDelta(
        precision=final.micro.precision - stage1.micro.precision,
        recall=final.micro.recall - stage1.micro.recall,
        f1=final.micro.f1 - stage1.micro.f1,
        macro=final.macro - stage1.macro,
        macro_polarity=_difference(stage1.macro_polarity, final.macro_polarity),
        interval=bootstrap_f1_difference(before, after, resamples=resamples, seed=seed),
        p_value=permutation_test(before, after, resamples=resamples, seed=seed),
    )


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before
