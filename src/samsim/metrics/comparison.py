"""Runs over the same samples, compared pair by pair with the first of them.

Per run and family: the difference of micro F1 with its bootstrap interval, the p of the paired
permutation test, Holm-corrected over all runs and families of the comparison, and McNemar's test over
samples (right = exactly the gold's tuples). A *flip* is a tuple that one run has right and the other
wrong: a gold tuple found or missed, or a spurious one claimed or not. The trivial answers of
``baselines`` stand beside. Samples that failed in any run are left out of all, and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pydantic import Field

from samsim.errors import InputError
from samsim.metrics.baselines import BaselineName
from samsim.metrics.compared_runs import ComparedRun, PairedRun, paired
from samsim.metrics.family_scores import BaselineScores, Rates, baseline_scores, count_table, macro_of, total_of
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
from samsim.metrics.tuples import FAMILIES, Key, count, primary_family, readable_key
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import Family

Direction = Literal["wrong_to_right", "right_to_wrong"]
FlipKind = Literal["gold", "spurious"]


class RunScores(Written):
    """A run's final tuples in one family."""

    micro: Rates
    macro: float
    exact_samples: int
    interval: Interval | None


class RunRow(Written):
    """One run of the comparison; ``errors`` are the samples that failed in it."""

    name: str
    run_id: str
    errors: int
    scores: dict[Family, RunScores]


class TupleFlip(Written):
    """A tuple that the baseline and another run judge differently."""

    uid: str
    direction: Direction
    kind: FlipKind
    key: list[str]


class SampleFlip(Written):
    """A sample that exactly one of the two has altogether right."""

    uid: str
    direction: Direction


class Contrast(Written):
    """One run against the baseline in one family; differences are run - baseline."""

    run: str
    family: Family
    delta_f1: float
    delta_macro: float
    interval: Interval | None
    p_value: float
    p_holm: float
    mcnemar: McNemar
    tuple_flips: list[TupleFlip] = Field(default_factory=list)
    sample_flips: list[SampleFlip] = Field(default_factory=list)

    def flips(self, direction: Direction) -> int:
        """How many tuples flipped that way."""
        return sum(flip.direction == direction for flip in self.tuple_flips)


class Comparison(Written):
    """All runs beside each other; the first is the baseline."""

    baseline: str
    samples: int
    left_out: list[str]
    families: list[Family]
    primary: Family | None
    resamples: int
    seed: int
    runs: list[RunRow]
    trivial: dict[Family, dict[BaselineName, BaselineScores]]
    contrasts: list[Contrast]


def compare(
    runs: Sequence[ComparedRun],
    *,
    families: Iterable[Family] | None = None,
    names: Sequence[str] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Comparison:
    """Compare runs with the first; runs over different data are refused with what differs."""
    read, left_out = paired(runs, _unique(names or [run.name for run in runs]))
    wanted = _families(read[0], families)
    tables = {(run.name, family): _table(run, family) for run in read for family in wanted}
    first = read[0]
    contrasts = [_contrast(first, run, family, tables, resamples, seed) for run in read[1:] for family in wanted]
    corrected = holm([contrast.p_value for contrast in contrasts])
    return Comparison(
        baseline=first.name,
        samples=len(first.keys),
        left_out=left_out,
        families=wanted,
        primary=primary_family(wanted),
        resamples=resamples,
        seed=seed,
        runs=[_row(run, wanted, tables, resamples, seed) for run in read],
        trivial={family: baseline_scores([gold for gold, _ in first.of(family).values()]) for family in wanted},
        contrasts=[contrast.model_copy(update={"p_holm": p}) for contrast, p in zip(contrasts, corrected, strict=True)],
    )


def tuple_flips(gold: frozenset[Key], before: frozenset[Key], after: frozenset[Key], uid: str) -> Iterator[TupleFlip]:
    """The tuples of one sample whose verdict differs, in sorting order."""
    for key in sorted(before ^ after):
        is_gold = key in gold
        better = (key in after) == is_gold
        yield TupleFlip(
            uid=uid,
            direction="wrong_to_right" if better else "right_to_wrong",
            kind="gold" if is_gold else "spurious",
            key=list(readable_key(key)),
        )


def _unique(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _families(run: PairedRun, asked: Iterable[Family] | None) -> list[Family]:
    judged = [family for family in FAMILIES if any(gold for gold, _ in run.of(family).values())]
    wanted = judged if asked is None else list(dict.fromkeys(asked))
    for family in wanted:
        if family not in judged:
            has = ", ".join(judged) or "none"
            raise InputError(f"The gold of these runs cannot judge {family}. Families it can judge: {has}.")
    return wanted


def _table(run: PairedRun, family: Family) -> CountTable:
    scores = (count(final, gold) for gold, final in run.of(family).values())
    return count_table([(score.matched, score.predicted, score.gold) for score in scores])


def _row(
    run: PairedRun, families: Iterable[Family], tables: dict[tuple[str, Family], CountTable], resamples: int, seed: int
) -> RunRow:
    return RunRow(
        name=run.name,
        run_id=run.run_id,
        errors=run.errors,
        scores={
            family: RunScores(
                micro=Rates.of(total_of(tables[run.name, family])),
                macro=macro_of(tables[run.name, family]),
                exact_samples=sum(gold == final for gold, final in run.of(family).values()),
                interval=bootstrap_f1(tables[run.name, family], resamples=resamples, seed=seed),
            )
            for family in families
        },
    )


def _contrast(
    first: PairedRun,
    run: PairedRun,
    family: Family,
    tables: dict[tuple[str, Family], CountTable],
    resamples: int,
    seed: int,
) -> Contrast:
    before, after = tables[first.name, family], tables[run.name, family]
    flips: list[TupleFlip] = []
    samples: list[SampleFlip] = []
    others = run.of(family)
    for uid, (gold, claimed) in first.of(family).items():
        claimed_now = others[uid][1]
        flips.extend(tuple_flips(gold, claimed, claimed_now, uid))
        if (claimed == gold) != (claimed_now == gold):
            samples.append(SampleFlip(uid=uid, direction="wrong_to_right" if claimed_now == gold else "right_to_wrong"))
    better = sum(flip.direction == "wrong_to_right" for flip in samples)
    p_value = permutation_test(before, after, resamples=resamples, seed=seed)
    return Contrast(
        run=run.name,
        family=family,
        delta_f1=total_of(after).f1 - total_of(before).f1,
        delta_macro=macro_of(after) - macro_of(before),
        interval=bootstrap_f1_difference(before, after, resamples=resamples, seed=seed),
        p_value=p_value,
        p_holm=p_value,
        mcnemar=mcnemar(right_to_wrong=len(samples) - better, wrong_to_right=better),
        tuple_flips=flips,
        sample_flips=samples,
    )
