"""Comparison of runs over the same samples, each with the first one.

Runs that differ only in seed or repeat form one group (``run_groups``). Per group and family there are the
difference of micro F1 with its bootstrap interval, the p of the paired permutation test, Holm-corrected within the
family over the distinct outcomes, and McNemar's test over samples (right = exactly the gold's tuples). A group with
the baseline's tuples is not tested: ``differs`` (``outcomes``) says whether anything else differs. A *flip* is a
tuple that one group has right and the other wrong: a gold tuple found or missed, or a spurious one claimed or not.
The trivial answers of ``baselines`` are included for reference. Everything, including the scores of single runs, is
computed over the shared samples: those that are annotated and failed in no run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from statistics import fmean
from typing import Literal

from pydantic import Field

from samsim.errors import InputError
from samsim.metrics.baselines import BaselineName
from samsim.metrics.compared_runs import ComparedRun, Keys, PairedRun, paired
from samsim.metrics.comparison_rows import (
    FLIP_COLUMNS,
    SCORE_COLUMNS,
    comparison_html,
    comparison_text,
    flip_rows,
    score_rows,
)
from samsim.metrics.family_scores import BaselineScores, Rates, baseline_scores, macro_of, total_of
from samsim.metrics.outcomes import Part
from samsim.metrics.run_groups import RunGroup, grouped, run_table, unique
from samsim.metrics.statistics import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    CountTable,
    Interval,
    McNemar,
    bootstrap_f1,
    bootstrap_f1_difference,
    holm,
    mcnemar,
    permutation_test,
)
from samsim.metrics.tuples import FAMILIES, Key, primary_family, readable_key
from samsim.notebook import DataFrame, Row, data_frame
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import Family

Direction = Literal["wrong_to_right", "right_to_wrong"]
FlipKind = Literal["gold", "spurious"]


class RunScores(Written):
    """A run's final tuples in one family, over the shared samples only.

    A run that failed on hard samples must not profit from it: a sample that failed in any run is excluded from all.
    """

    micro: Rates
    macro: float
    exact_samples: int
    interval: Interval | None


class RunRow(Written):
    """One run of the comparison; ``errors`` counts its failed samples, ``scores`` are over the shared ones.

    ``partial`` counts the shared samples that were decided without some of their calls.
    """

    name: str
    run_id: str
    group: str
    errors: int
    partial: int = 0
    scores: dict[Family, RunScores]


class GroupScores(Written):
    """A group's final tuples in one family, over the shared samples.

    ``micro`` has the counts of all its runs together; ``macro`` and ``exact_samples`` are means over its runs.
    ``f1_runs`` lists the F1 of the single runs in order: their spread is not a confidence interval.
    """

    micro: Rates
    macro: float
    exact_samples: float
    interval: Interval | None
    f1_runs: list[float]


class GroupRow(Written):
    """Runs that differ only in seed or repeat (often just one); ``errors`` counts the failures of all of them."""

    name: str
    runs: list[str]
    errors: int
    scores: dict[Family, GroupScores]


class TupleFlip(Written):
    """A tuple that is right in the baseline and wrong in another group, or vice versa."""

    uid: str
    direction: Direction
    kind: FlipKind
    key: list[str]


class SampleFlip(Written):
    """A sample that exactly one of the two groups has completely right."""

    uid: str
    direction: Direction


class Contrast(Written):
    """One group (``run`` is its name) against the baseline in one family; differences are group - baseline.

    ``differs`` maps each part of the answers that differs in any family to the number of samples. If the
    tuples of this family are the same in every sample, there is nothing to test: interval and tests are None.
    """

    run: str
    family: Family
    differs: dict[Part, int]
    delta_f1: float
    delta_macro: float
    interval: Interval | None
    p_value: float | None
    p_holm: float | None
    mcnemar: McNemar | None
    tuple_flips: list[TupleFlip] = Field(default_factory=list)
    sample_flips: list[SampleFlip] = Field(default_factory=list)

    @property
    def identical(self) -> bool:
        """Whether all answers equal the baseline's, including flags, risks and marks."""
        return not self.differs

    @property
    def tested(self) -> bool:
        """Whether the tuples of this family differ in at least one sample."""
        return self.p_value is not None

    def flips(self, direction: Direction) -> int:
        """Return how many tuples flipped in that direction."""
        return sum(flip.direction == direction for flip in self.tuple_flips)


class Comparison(Written):
    """All compared runs; the group of the first one is the baseline.

    ``samples`` counts the shared ones, including those that are ``partial`` in some run; ``left_out`` failed
    in some run, ``unannotated`` ones have no gold. ``families`` starts with the primary one, ``contrasts``
    are ordered by family. ``texts`` are those of the samples in which a tuple flipped.
    """

    baseline: str
    samples: int
    left_out: list[str]
    partial: list[str] = Field(default_factory=list)
    unannotated: int = 0
    families: list[Family]
    primary: Family | None
    resamples: int
    seed: int
    runs: list[RunRow]
    groups: list[GroupRow]
    trivial: dict[Family, dict[BaselineName, BaselineScores]]
    contrasts: list[Contrast]
    # Only for rows: the runs have the texts.
    texts: dict[str, str] = Field(default_factory=dict, exclude=True)

    def to_rows(self, *, flips: bool = False) -> list[Row]:
        """Return the scores and tests, one row per measure and run; with ``flips``, one row per flipped tuple."""
        return flip_rows(self) if flips else score_rows(self)

    def to_dataframe(self, *, flips: bool = False) -> DataFrame:
        """Return the rows of ``to_rows`` as a pandas data frame."""
        return data_frame(self.to_rows(flips=flips), FLIP_COLUMNS if flips else SCORE_COLUMNS)

    def __repr__(self) -> str:
        return comparison_text(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """Show the scores and tests as a table, in a notebook."""
        return comparison_html(self)


@dataclass(frozen=True, slots=True)
class _Draws:
    resamples: int
    seed: int


def compare(
    runs: Sequence[ComparedRun],
    *,
    families: Iterable[Family] | None = None,
    names: Sequence[str] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Comparison:
    """Compare each run with the first; raise ``InputError`` saying what differs if the runs' data differ."""
    read = paired(runs, unique(names or [run.name for run in runs]))
    first_run = read.runs[0]
    wanted = _families(first_run, families)
    groups = grouped(read.runs)
    draws = _Draws(resamples, seed)
    rows = {group.name: [_row(run, group.name, wanted, draws) for run in group.runs] for group in groups}
    by_name = {row.name: row for listed in rows.values() for row in listed}
    scored = [_Scored.of(group, rows[group.name], draws) for group in groups]
    return Comparison(
        baseline=groups[0].name,
        samples=len(first_run.keys),
        left_out=read.failed,
        partial=read.partial,
        unannotated=read.unannotated,
        families=wanted,
        primary=primary_family(wanted),
        resamples=resamples,
        seed=seed,
        runs=[by_name[run.name] for run in read.runs],
        groups=[group.row for group in scored],
        trivial={family: baseline_scores([gold for gold, _ in first_run.of(family).values()]) for family in wanted},
        contrasts=[contrast for family in wanted for contrast in _contrasts(scored, family, draws)],
    )


def tuple_flips(gold: frozenset[Key], before: frozenset[Key], after: frozenset[Key], uid: str) -> Iterator[TupleFlip]:
    """Yield the tuples of one sample that are right in only one of the two, in sorting order."""
    for key in sorted(before ^ after):
        is_gold = key in gold
        better = (key in after) == is_gold
        yield TupleFlip(
            uid=uid,
            direction="wrong_to_right" if better else "right_to_wrong",
            kind="gold" if is_gold else "spurious",
            key=list(readable_key(key)),
        )


def _families(run: PairedRun, asked: Iterable[Family] | None) -> list[Family]:
    with_gold = [family for family in FAMILIES if any(gold for gold, _ in run.of(family).values())]
    # Gold that is empty everywhere counts for every family.
    judged = with_gold or [family for family in FAMILIES if run.of(family)]
    primary = primary_family(judged)
    wanted = sorted(judged, key=lambda family: family != primary) if asked is None else list(dict.fromkeys(asked))
    for family in wanted:
        if family not in judged:
            has = ", ".join(judged) or "none"
            raise InputError(f"The gold of these runs cannot score {family}. Families it can score: {has}.")
    return wanted


def _row(run: PairedRun, group: str, families: Iterable[Family], draws: _Draws) -> RunRow:
    scores = {}
    for family in families:
        table = run_table(run, family)
        scores[family] = RunScores(
            micro=Rates.of(total_of(table)),
            macro=macro_of(table),
            exact_samples=sum(gold == final for gold, final in run.of(family).values()),
            interval=bootstrap_f1(table, resamples=draws.resamples, seed=draws.seed),
        )
    counts = {"errors": run.errors, "partial": len(run.partial)}
    return RunRow(name=run.name, run_id=run.manifest.run_id, group=group, **counts, scores=scores)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A group with its row and, per family, its table of counts."""

    group: RunGroup
    row: GroupRow
    tables: Mapping[Family, CountTable]

    @classmethod
    def of(cls, group: RunGroup, rows: Sequence[RunRow], draws: _Draws) -> _Scored:
        tables = {family: group.table(family) for family in rows[0].scores}
        row = GroupRow(
            name=group.name,
            runs=[row.name for row in rows],
            errors=sum(row.errors for row in rows),
            scores={
                family: _group_scores(table, [row.scores[family] for row in rows], draws)
                for family, table in tables.items()
            },
        )
        return cls(group, row, tables)


def _group_scores(table: CountTable, runs: Sequence[RunScores], draws: _Draws) -> GroupScores:
    alone = runs[0].interval if len(runs) == 1 else None
    return GroupScores(
        micro=Rates.of(total_of(table)),
        macro=fmean(run.macro for run in runs),
        exact_samples=fmean(run.exact_samples for run in runs),
        interval=alone or bootstrap_f1(table, resamples=draws.resamples, seed=draws.seed),
        f1_runs=[run.micro.f1 for run in runs],
    )


def _contrasts(groups: Sequence[_Scored], family: Family, draws: _Draws) -> list[Contrast]:
    """Compare every group with the first; groups with the same claims are one outcome, tested and corrected once."""
    first, others = groups[0], groups[1:]
    same = first.group.claims(family)
    claims = [scored.group.claims(family) for scored in others]
    outcomes = dict(zip(claims, others, strict=True))
    outcomes.pop(same, None)
    tests = {
        claimed: _tested(first, scored, family, draws, tests=len(outcomes)) for claimed, scored in outcomes.items()
    }
    corrected = dict(zip(tests, holm([test.p_value for test in tests.values()]), strict=True))
    return [
        _contrast(first, scored, family, tests.get(claimed), corrected.get(claimed))
        for claimed, scored in zip(claims, others, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Tested:
    """The test results of one outcome."""

    delta_f1: float
    interval: Interval | None
    p_value: float


def _tested(first: _Scored, other: _Scored, family: Family, draws: _Draws, tests: int) -> _Tested:
    # Groups of different size get equal weight; F1 is invariant under a common factor.
    sizes = len(first.group.runs), len(other.group.runs)
    before, after = (
        scored.tables[family] * (lcm(*sizes) // size) for scored, size in zip((first, other), sizes, strict=True)
    )
    options = {"resamples": draws.resamples, "seed": draws.seed}
    return _Tested(
        delta_f1=total_of(after).f1 - total_of(before).f1,
        interval=bootstrap_f1_difference(before, after, **options),
        p_value=permutation_test(before, after, tests=tests, **options),
    )


def _contrast(first: _Scored, other: _Scored, family: Family, tested: _Tested | None, p_holm: float | None) -> Contrast:
    flips, samples = _flips(first.group.answers(family), other.group.answers(family))
    better = sum(flip.direction == "wrong_to_right" for flip in samples)
    return Contrast(
        run=other.group.name,
        family=family,
        differs=first.group.differs_from(other.group),
        delta_f1=0.0 if tested is None else tested.delta_f1,
        delta_macro=0.0 if tested is None else other.row.scores[family].macro - first.row.scores[family].macro,
        interval=None if tested is None else tested.interval,
        p_value=None if tested is None else tested.p_value,
        p_holm=p_holm,
        mcnemar=None if tested is None else mcnemar(right_to_wrong=len(samples) - better, wrong_to_right=better),
        tuple_flips=flips,
        sample_flips=samples,
    )


def _flips(before: Mapping[str, Keys], after: Mapping[str, Keys]) -> tuple[list[TupleFlip], list[SampleFlip]]:
    flips: list[TupleFlip] = []
    samples: list[SampleFlip] = []
    for uid, (gold, claimed) in before.items():
        claimed_now = after[uid][1]
        flips.extend(tuple_flips(gold, claimed, claimed_now, uid))
        if (claimed == gold) != (claimed_now == gold):
            samples.append(SampleFlip(uid=uid, direction="wrong_to_right" if claimed_now == gold else "right_to_wrong"))
    return flips, samples
