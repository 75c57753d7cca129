"""The breakdowns of one family: Stage 1 → final F1 of every run in every part, with the counts behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samsim.metrics.family_scores import Rates, SubsetPart
from samsim.reports.codes import BREAKDOWN, PART, named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.numbers import NOTHING, percent, points, whole
from samsim.reports.tables.model import Column, Row, Table, Text, name_column
from samsim.reports.tables.run_rows import missing_row
from samsim.schemas.code_names import Pair
from samsim.schemas.scorecards import Family

# Scores over fewer gold tuples than this say little.
FEW = 30
_STAGE1: Pair = ("Stage 1", "1단계")
_FINAL: Pair = ("final", "최종")
_OWN_FLAGS = "conflict"


def subset_tables(collected: Collected, family: Family) -> list[Table]:
    """Return one table per breakdown that has more than one part."""
    scored = [run for run in collected.shown if family in run.tuples]
    names = dict.fromkeys(name for run in scored for name in run.tuples[family].subsets)
    return [table for name in names if not (table := _subset_table(collected, family, name)).is_empty]


def _subset_table(collected: Collected, family: Family, name: str) -> Table:
    found = {run.name: _parts_of(run, family, name) for run in collected.shown}
    known = {part for parts in found.values() for part in parts}
    order = [part for part in PART if part in known] + sorted(known - PART.keys())
    counted = {part: [parts[part] for parts in found.values() if part in parts] for part in order}
    apart = any(len({_counts(part) for part in parts}) > 1 for parts in counted.values())
    columns = [name_column()]
    for part in order:
        columns += _columns(part, counted[part], apart=apart)
    rows = [
        Row((run.name, *_cells(run, found[run.name], order, apart=apart))) if family in run.tuples else missing_row(run)
        for run in collected.shown
    ]
    english, korean = named(BREAKDOWN, name)
    caption = (f"F1 {english}" if name == "polarity" else f"F1: {english}", f"F1: {korean}")
    few = any(part.final.gold < FEW for parts in counted.values() for part in parts)
    shown = tuple(rows) if len(order) > 1 else ()
    return Table(f"subset-{name}", caption, tuple(columns), shown, _notes(name, few=few))


def _parts_of(run: MeasuredRun, family: Family, name: str) -> Mapping[str, SubsetPart]:
    scores = run.tuples.get(family)
    return {} if scores is None else scores.subsets.get(name, {})


def _counts(part: SubsetPart) -> tuple[int | None, int]:
    return part.samples, part.final.gold


def _columns(part: str, found: Sequence[SubsetPart], *, apart: bool) -> list[Column]:
    """Return the columns of a part, with the counts in the heading if all runs share them, else in a column."""
    group = named(PART, part)
    predicted = Column(("predicted", "예측"), group)
    if apart:
        own = [Column(("samples", "샘플"), group)] if found[0].samples is not None else []
        counts = [*own, Column(("gold", "정답"), group)]
    else:
        group = _counted(group, found[0])
        predicted, counts = Column(("predicted", "예측"), group), []
    return [*counts, predicted, Column(_STAGE1, group), Column(_FINAL, group), Column("Δ", group)]


def _counted(group: Pair, part: SubsetPart) -> Pair:
    few = "*" if part.final.gold < FEW else ""
    samples, gold = part.samples, part.final.gold
    if samples is None:
        return f"{group[0]} (gold {gold:,}{few})", f"{group[1]} (정답 {gold:,}개{few})"
    return f"{group[0]} (n={samples:,}, gold {gold:,}{few})", f"{group[1]} (샘플 {samples:,}개, 정답 {gold:,}개{few})"


def _cells(run: MeasuredRun, parts: Mapping[str, SubsetPart], order: Sequence[str], *, apart: bool) -> list[Text]:
    cells: list[Text] = []
    by_sample = any(part.samples is not None for part in parts.values())
    for name in order:
        part = parts.get(name)
        if part is None:
            cells += [NOTHING] * (4 + (apart and 1 + by_sample))
            continue
        if apart:
            few = "*" if part.final.gold < FEW else ""
            cells += [whole(part.samples)] if by_sample else []
            cells.append(whole(part.final.gold) + few)
        cells += [whole(part.final.predicted), *_scores(part.stage1, part.final, reviewed=run.has_review)]
    return cells


def _scores(before: Rates, after: Rates, *, reviewed: bool) -> list[str]:
    """Return the F1 of both stages and the difference; nothing if the part has no gold to find."""
    if not after.gold:
        return [NOTHING] * 3
    return [percent(before.f1), percent(after.f1), points(after.f1 - before.f1) if reviewed else NOTHING]


def _notes(name: str, *, few: bool) -> tuple[Pair, ...]:
    notes: list[Pair] = []
    if name == _OWN_FLAGS:
        notes.append(
            (
                "A sample belongs here by the run's own flags: the parts contain different samples in every run, so"
                " their scores cannot be compared across runs.",
                "각 실행이 스스로 찾은 충돌로 샘플을 나눕니다. 실행마다 샘플이 다르므로"
                " 실행끼리 점수를 비교할 수 없습니다.",
            )
        )
    if few:
        notes.append(
            (
                f"*: fewer than {FEW} gold tuples, so one tuple moves the score a lot.",
                f"*: 정답 튜플이 {FEW}개보다 적어 튜플 하나에도 점수가 크게 달라집니다.",
            )
        )
    return tuple(notes)
