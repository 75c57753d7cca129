"""The tables of scores: the main one with its baselines and budgets, the other families, breakdowns, stability."""

from __future__ import annotations

from collections.abc import Iterator

from samsim.metrics.comparison import Contrast
from samsim.metrics.family_scores import FamilyScores
from samsim.metrics.tuples import FAMILIES
from samsim.reports.codes import BASELINE, FAMILY, PART, SUBSET, named
from samsim.reports.collecting import Collected, MeasuredRun, data_of
from samsim.reports.numbers import (
    NOTHING,
    coefficient,
    decimal,
    dollars,
    p_value,
    percent,
    percent_interval,
    points,
    points_interval,
    share,
    whole,
)
from samsim.reports.run_rows import missing_row, primary_of
from samsim.reports.table_model import Column, Row, Table, Text, name_column
from samsim.schemas.code_names import Pair
from samsim.schemas.scorecards import Family

_STAGE1: Pair = ("Stage 1", "1단계")
_FINAL: Pair = ("final", "최종")
_CHANGE: Pair = ("final − Stage 1", "최종 − 1단계")
_BUDGET: Pair = ("per sample", "표본당")
_RATES = ("P", "R", "F1")


def contrasts_of(collected: Collected, family: Family) -> dict[str, Contrast]:
    """Each run's contrast with the baseline of its comparison."""
    return {one.run: one for found in collected.comparisons for one in found.contrasts if one.family == family}


def main_table(collected: Collected, family: Family) -> Table:
    """Every cell in one family: scores, what the review changed, against the baseline, and at which budget."""
    columns = (
        name_column(),
        Column(("samples", "표본")),
        *(Column(rate, _STAGE1) for rate in _RATES),
        *(Column(rate, _FINAL) for rate in _RATES),
        Column(("95% CI", "95% CI"), _FINAL, numeric=False),
        Column("Δ F1", _CHANGE),
        Column(("95% CI", "95% CI"), _CHANGE, numeric=False),
        Column("p", _CHANGE),
        Column("Δ F1", _against(collected)),
        Column(("95% CI", "95% CI"), _against(collected), numeric=False),
        Column("p (Holm)", _against(collected)),
        Column(("calls", "호출"), _BUDGET),
        Column(("tokens", "토큰"), _BUDGET),
        Column(("cost", "비용"), _BUDGET),
    )
    contrasts = contrasts_of(collected, family)
    rows = [_main_row(run, family, contrasts.get(run.name)) for run in collected.evaluated]
    rows += _baseline_rows(collected, family, len(columns))
    return Table(
        key=f"main-{family}",
        caption=_caption(family),
        columns=columns,
        rows=tuple(rows),
        notes=_main_notes(collected),
    )


def _caption(family: Family) -> Pair:
    english, korean = named(FAMILY, family)
    return f"Scores of every run: {english}", f"실행별 점수: {korean}"


def _against(collected: Collected) -> Pair:
    names = [found.baseline for found in collected.comparisons]
    if len(names) == 1:
        return f"against {names[0]}", f"{names[0]} 대비"
    return "against the first run", "첫 실행 대비"


def _main_notes(collected: Collected) -> tuple[Pair, ...]:
    notes: list[Pair] = [
        (
            "Micro scores in percent. CI: bootstrap over samples; p: paired permutation test; Holm over all runs and"
            " measures of the comparison. Trivial baselines know the gold's frequencies and read no text.",
            "마이크로 점수(%). CI는 표본 부트스트랩, p는 대응 순열 검정이며 Holm 보정은 비교한 모든 실행과 지표에"
            " 걸쳐 했습니다. 단순 기준선은 정답의 빈도만 알고 본문은 읽지 않습니다.",
        )
    ]
    left_out = sum(len(found.left_out) for found in collected.comparisons)
    if left_out:
        notes.append(
            (
                f"{left_out} samples that failed in some run are left out of the comparison.",
                f"어느 실행에서든 실패한 표본 {left_out}개는 비교에서 뺐습니다.",
            )
        )
    if any(run.metrics.cost.cached_calls for run in collected.evaluated):
        notes.append(
            (
                "Some calls were answered from the cache: their tokens count as if asked, their cost does not.",
                "일부 호출은 캐시로 답했습니다. 표본당 토큰에는 넣었고 비용에는 넣지 않았습니다.",
            )
        )
    return tuple(notes)


def _main_row(run: MeasuredRun, family: Family, contrast: Contrast | None) -> Row:
    scores = run.metrics.tuples.get(family)
    if scores is None:
        return missing_row(run)
    micro, before = scores.final.micro, scores.stage1.micro
    delta, cost = scores.delta, run.metrics.cost
    errors = f" (+{run.metrics.errors} ✗)" if run.metrics.errors else ""
    return Row(
        (
            run.name,
            f"{scores.samples:,}{errors}",
            *map(percent, (before.precision, before.recall, before.f1)),
            *map(percent, (micro.precision, micro.recall, micro.f1)),
            percent_interval(scores.final.interval),
            points(delta.f1),
            points_interval(delta.interval),
            p_value(delta.p_value),
            *_contrast_cells(contrast),
            decimal(cost.calls_per_sample),
            decimal(cost.tokens_per_sample, 0),
            dollars(cost.cost_per_sample),
        )
    )


def _contrast_cells(contrast: Contrast | None) -> tuple[str, str, str]:
    if contrast is None:
        return NOTHING, NOTHING, NOTHING
    return points(contrast.delta_f1), points_interval(contrast.interval), p_value(contrast.p_holm)


def _baseline_rows(collected: Collected, family: Family, columns: int) -> Iterator[Row]:
    """The trivial answers, once per data set."""
    seen: set[str] = set()
    for run in collected.evaluated:
        scores, record = run.metrics.tuples.get(family), data_of(run.run)
        key = "" if record is None else record.sha256
        if scores is None or key in seen:
            continue
        seen.add(key)
        for name, found in scores.baselines.items():
            rates = map(percent, (found.micro.precision, found.micro.recall, found.micro.f1))
            cells: list[Text] = [named(BASELINE, name), whole(scores.samples), *[NOTHING] * 3, *rates]
            yield Row((*cells, *[NOTHING] * (columns - len(cells))), "baseline")


def families_table(collected: Collected) -> Table:
    """Stage 1 → final F1 of every run in every family, with the macro scores."""
    families = [one for one in FAMILIES if any(one in run.metrics.tuples for run in collected.evaluated)]
    columns = [name_column()]
    for family in families:
        group = family.replace("_", "-")
        columns += [Column(_STAGE1, group), Column(_FINAL, group), Column(("macro", "매크로"), group)]
    rows = []
    for run in collected.evaluated:
        if not run.metrics.tuples:
            rows.append(missing_row(run))
            continue
        cells: list[Text] = [run.name]
        for family in families:
            cells += _family_cells(run.metrics.tuples.get(family))
        rows.append(Row(tuple(cells)))
    caption = (
        "F1 in every measure (micro; macro is the mean over samples, final)",
        "지표별 F1(마이크로, 매크로는 표본 평균·최종)",
    )
    return Table("families", caption, tuple(columns), tuple(rows) if families else ())


def _family_cells(scores: FamilyScores | None) -> tuple[str, str, str]:
    if scores is None:
        return NOTHING, NOTHING, NOTHING
    return percent(scores.stage1.micro.f1), percent(scores.final.micro.f1), percent(scores.final.macro)


def subset_tables(collected: Collected, family: Family) -> list[Table]:
    """One table per breakdown: Stage 1 → final F1 of every run in every part."""
    names = dict.fromkeys(
        name
        for run in collected.evaluated
        if family in run.metrics.tuples
        for name in run.metrics.tuples[family].subsets
    )
    return [table for name in names if not (table := _subset_table(collected, family, name)).is_empty]


def _subset_table(collected: Collected, family: Family, name: str) -> Table:
    found_parts = {
        part
        for run in collected.evaluated
        if family in run.metrics.tuples
        for part in run.metrics.tuples[family].subsets.get(name, {})
    }
    parts = [part for part in PART if part in found_parts] + sorted(found_parts - PART.keys())
    columns = [name_column()]
    for part in parts:
        group = named(PART, part)
        columns += [Column(("gold", "정답"), group), Column(_STAGE1, group), Column(_FINAL, group), Column("Δ", group)]
    rows = []
    for run in collected.evaluated:
        scores = run.metrics.tuples.get(family)
        if scores is None:
            rows.append(missing_row(run))
            continue
        cells: list[Text] = [run.name]
        for part in parts:
            found = scores.subsets.get(name, {}).get(part)
            if found is None:
                cells += [NOTHING] * 4
                continue
            before, after = found.stage1.f1, found.final.f1
            cells += [whole(found.final.gold), percent(before), percent(after), points(after - before)]
        rows.append(Row(tuple(cells)))
    english, korean = named(SUBSET, name)
    caption = (f"F1 {english}" if name == "polarity" else f"F1: {english}", f"F1: {korean}")
    return Table(f"subset-{name}", caption, tuple(columns), tuple(rows) if len(parts) > 1 else ())


def stability_table(collected: Collected) -> Table:
    """How far runs of the same cell agree."""
    columns = (
        name_column(("cell", "셀")),
        Column(("runs", "실행 수"), numeric=False),
        Column(("samples", "표본")),
        Column(("all runs equal", "모든 실행이 같음")),
        Column("Jaccard"),
        Column(("polarity flips", "극성이 뒤바뀜")),
        Column(("not in every run", "일부 실행에만 있음")),
        Column("α"),
        Column(("F1 mean", "F1 평균")),
        Column(("F1 range", "F1 범위"), numeric=False),
    )
    family = primary_of(collected.evaluated)
    rows = []
    for cell in collected.repeated:
        found = cell.metrics
        spread = found.f1[family]["final"] if family is not None and family in found.f1 else None
        kind: Pair = (
            (f"{found.runs} seeds", f"시드 {found.runs}개")
            if cell.kind == "seeds"
            else (f"{found.runs} repeats", f"반복 {found.runs}회")
        )
        rows.append(
            Row(
                (
                    cell.name,
                    kind,
                    whole(found.samples),
                    share(found.exact),
                    coefficient(found.jaccard),
                    share(found.flip_flop),
                    share(found.presence),
                    coefficient(found.polarity.krippendorff),
                    percent(spread.mean if spread else None),
                    f"{percent(spread.low)} … {percent(spread.high)}" if spread else NOTHING,
                )
            )
        )
    note = ("A range over a few runs, no confidence interval.", "몇 번의 실행에 걸친 범위일 뿐 신뢰 구간이 아닙니다.")
    return Table(
        "stability", ("Agreement over repeated runs", "반복 실행 사이의 일치도"), columns, tuple(rows), (note,)
    )
