"""The tables of scores: the main one with its baselines and budgets, the other families, stability."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from samsim.metrics.comparison import Contrast
from samsim.metrics.family_scores import FamilyScores, ScoreDelta
from samsim.metrics.tuples import FAMILIES
from samsim.plurals import how_many
from samsim.reports.codes import BASELINE, FAMILY, named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.equal_answers import instead_of_a_test, what_differs
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
from samsim.reports.scored import Scored, has_repeats, scored_runs, trivial_scores
from samsim.reports.tables.model import Column, Row, Table, Text, name_column
from samsim.reports.tables.run_rows import missing_row, primary_of
from samsim.schemas.code_names import Pair
from samsim.schemas.scorecards import Family

_STAGE1: Pair = ("Stage 1", "1단계")
_FINAL: Pair = ("final", "최종")
_CHANGE: Pair = ("final − Stage 1", "최종 − 1단계")
_BUDGET: Pair = ("per sample", "샘플당")
_RATES = ("P", "R", "F1")


def main_table(collected: Collected, family: Family, *, single: bool = False) -> Table:
    """Return every cell in one family: scores, effect of the review, difference to the baseline, and budget.

    Repeats of a cell are one row, unless ``single`` asks for every run.
    """
    columns = (
        name_column(),
        Column(("samples", "샘플")),
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
    return _score_table(collected, family, columns, _main_cells, single=single)


def paper_table(collected: Collected, family: Family) -> Table:
    """Return the columns that fit in a paper: scores and the difference to the baseline."""
    columns = (
        name_column(),
        Column(("samples", "샘플")),
        Column("F1", _STAGE1),
        *(Column(rate, _FINAL) for rate in _RATES),
        Column(("95% CI", "95% CI"), _FINAL, numeric=False),
        Column("Δ F1", _against(collected)),
        Column("p (Holm)", _against(collected)),
    )
    return _score_table(collected, family, columns, _paper_cells)


def _score_table(
    collected: Collected,
    family: Family,
    columns: tuple[Column, ...],
    cells: Callable[[Scored], Sequence[Text]],
    *,
    single: bool = False,
) -> Table:
    scored = scored_runs(collected, family, single=single)
    there = {run.name for cell in scored for run in cell.runs}
    rows = [Row(tuple(cells(cell))) for cell in scored]
    rows += [missing_row(run) for run in collected.evaluated if run.name not in there]
    if not single:
        before = sum(column.group == _STAGE1 for column in columns)
        rows += _baseline_rows(collected, family, before, len(columns))
    english, korean = named(FAMILY, family)
    if single:
        caption = f"Every single run: {english}", f"개별 실행: {korean}"
        return Table(f"single-{family}", caption, columns, tuple(rows))
    caption = f"Scores of every run: {english}", f"실행별 점수: {korean}"
    return Table(f"main-{family}", caption, columns, tuple(rows), _main_notes(collected, scored))


def _against(collected: Collected) -> Pair:
    names = [found.baseline for found in collected.comparisons]
    if len(names) == 1:
        return f"against {names[0]}", f"{names[0]} 대비"
    return "compared with the first run", "첫 실행 대비"


def _main_notes(collected: Collected, scored: Sequence[Scored]) -> tuple[Pair, ...]:
    notes: list[Pair] = [
        (
            "Micro scores in percent. CI: bootstrap over samples; p: paired permutation test. Holm corrects for the"
            " distinct outcomes in this measure; the p of final − Stage 1, and McNemar's in metrics.json, are not"
            " corrected. Trivial baselines know the gold's frequencies and read no text.",
            "마이크로 점수(%). CI는 샘플 부트스트랩, p는 대응 순열 검정입니다. Holm 보정은 이 지표에서 서로 다른 결과의"
            " 수만큼 했고, '최종 − 1단계'의 p와 metrics.json의 McNemar p는 보정하지 않았습니다. 단순 기준선은 정답의"
            " 빈도만 알고 본문은 읽지 않습니다.",
        )
    ]
    left_out = sum(len(found.left_out) for found in collected.comparisons)
    if left_out:
        notes.append(
            (
                f"All scores are over the samples that no run failed on; {how_many(left_out, 'sample')} left out.",
                f"모든 점수는 어느 실행에서도 실패하지 않은 샘플로 계산했습니다. 뺀 샘플: {left_out}개.",
            )
        )
    if any(cell.partial for cell in scored):
        notes.append(
            (
                "Partial samples were decided without some of their calls; they are counted (--complete-only leaves"
                " them out).",
                "'일부만 완료(partial)'는 응답하지 않은 호출을 빼고 판정한 샘플입니다. 점수에 넣었으며"
                " --complete-only를 붙이면 뺍니다.",
            )
        )
    if collected.complete_only:
        notes.append(("Partial samples count as failed.", "일부만 완료된(partial) 샘플은 실패로 셌습니다."))
    if any(not run.has_review for run in collected.shown):
        notes.append(
            (
                f"{NOTHING} under final − Stage 1: the protocol has no review, so Stage 1 is final.",
                f"'최종 − 1단계'의 {NOTHING}: 재검토가 없는 프로토콜이라 1단계가 곧 최종입니다.",
            )
        )
    if has_repeats(collected):
        notes.append(
            (
                "×n: n runs of one cell pooled; the range after their F1 is over these runs, not a confidence interval."
                " Tests treat a sample and all its repeats as one; for final − Stage 1 see the single runs.",
                "×n은 같은 셀을 n번 실행해 합친 것입니다. F1 뒤의 괄호는 실행 사이의 범위이며 신뢰구간이 아닙니다."
                " 검정에서는 한 샘플의 반복을 함께 다룹니다. '최종 − 1단계'는 개별 실행에 있습니다.",
            )
        )
    if any(len(cell.runs) > cell.repeats for cell in scored):
        notes.append(
            (
                "A = B: identical answers. Tuples, flags, risks and marks of every sample are the same; budgets are"
                " given as a range.",
                "A = B: 답이 모두 같은 실행입니다. 모든 샘플의 튜플, 충돌 표시, 위험, 불확실 표시가 같습니다. 이때"
                " 샘플당 값은 범위로 적었습니다.",
            )
        )
    for cell in scored:
        if cell.contrast is not None and not cell.contrast.tested and not cell.contrast.identical:
            english, korean = what_differs(cell.contrast)
            notes.append(
                (
                    f"{cell.name}: the same tuples as the baseline, so nothing is tested. What differs: {english}.",
                    f"{cell.name}: 튜플이 기준 실행과 같아 검정하지 않았습니다. 다른 점: {korean}.",
                )
            )
    if any(run.metrics.cost.cached_calls for run in collected.evaluated):
        notes.append(
            (
                "Some calls were answered from the cache: their tokens count as if requested, their cost does not.",
                "일부 호출은 캐시로 답했습니다. 샘플당 토큰에는 넣었고 비용에는 넣지 않았습니다.",
            )
        )
    return tuple(notes)


def _samples(cell: Scored) -> Pair:
    counts = [(cell.failed, "failed", "실패"), (cell.partial, "partial", "일부만 완료(partial)")]
    marked = [(f"{count:,} {english}", f"{count:,}개 {korean}") for count, english, korean in counts if count]
    if not marked:
        return whole(cell.samples), whole(cell.samples)
    english, korean = (", ".join(parts) for parts in zip(*marked, strict=True))
    return f"{cell.samples:,} ({english})", f"{cell.samples:,} ({korean})"


def _final_f1(cell: Scored) -> str:
    if cell.spread is None:
        return percent(cell.final.f1)
    return f"{percent(cell.final.f1)} ({percent(cell.spread[0])}–{percent(cell.spread[1])})"


def _main_cells(cell: Scored) -> list[Text]:
    before, after = cell.stage1, cell.final
    return [
        cell.row_name,
        _samples(cell),
        *map(percent, (before.precision, before.recall, before.f1)),
        *map(percent, (after.precision, after.recall)),
        _final_f1(cell),
        percent_interval(cell.interval),
        *_change_cells(cell.delta),
        *_contrast_cells(cell.contrast),
        *budget_cells(cell.runs),
    ]


def _paper_cells(cell: Scored) -> list[Text]:
    after, contrast = cell.final, _contrast_cells(cell.contrast)
    return [
        cell.row_name,
        _samples(cell),
        percent(cell.stage1.f1),
        *map(percent, (after.precision, after.recall)),
        _final_f1(cell),
        percent_interval(cell.interval),
        contrast[0],
        contrast[2],
    ]


def _change_cells(delta: ScoreDelta | None) -> tuple[str, str, str]:
    if delta is None:
        return NOTHING, NOTHING, NOTHING
    return points(delta.f1), points_interval(delta.interval), p_value(delta.p_value)


def _contrast_cells(contrast: Contrast | None) -> tuple[Text, Text, Text]:
    if contrast is None:
        return NOTHING, NOTHING, NOTHING
    p = instead_of_a_test(contrast) or p_value(contrast.p_holm)
    return points(contrast.delta_f1), points_interval(contrast.interval), p


def budget_cells(runs: Sequence[MeasuredRun]) -> list[str]:
    """Return calls, tokens and cost per sample: one value if all runs agree, else the range."""
    costs = [run.metrics.cost for run in runs]
    return [
        _range([decimal(cost.calls_per_sample) for cost in costs], [cost.calls_per_sample for cost in costs]),
        _range([decimal(cost.tokens_per_sample, 0) for cost in costs], [cost.tokens_per_sample for cost in costs]),
        _range([dollars(cost.cost_per_sample) for cost in costs], [cost.cost_per_sample for cost in costs]),
    ]


def _range(written: Sequence[str], values: Sequence[float | None]) -> str:
    """Return the common value, or the range from lowest to highest; unknown if any value is."""
    known = sorted((value, words) for value, words in zip(values, written, strict=True) if value is not None)
    if len(known) < len(values):
        return NOTHING
    low, high = known[0][1], known[-1][1]
    return low if low == high else f"{low}–{high}"


def _baseline_rows(collected: Collected, family: Family, before: int, columns: int) -> Iterator[Row]:
    """Yield the rows of the trivial answers, once per data set."""
    for samples, answers in trivial_scores(collected, family):
        for name, found in answers.items():
            rates = map(percent, (found.micro.precision, found.micro.recall, found.micro.f1))
            cells: list[Text] = [named(BASELINE, name), whole(samples), *[NOTHING] * before, *rates]
            yield Row((*cells, *[NOTHING] * (columns - len(cells))), "baseline")


def families_table(collected: Collected) -> Table:
    """Return Stage 1 → final F1 of every run in every family, with macro scores and the number of scored samples."""
    families = [family for family in FAMILIES if any(family in run.tuples for run in collected.shown)]
    columns = [name_column()]
    for family in families:
        group = family.replace("_", "-")
        columns += [
            Column("n", group),
            Column(_STAGE1, group),
            Column(_FINAL, group),
            Column(("macro", "매크로"), group),
        ]
    rows = []
    for run in collected.shown:
        if not run.tuples:
            rows.append(missing_row(run))
            continue
        cells: list[Text] = [run.name]
        for family in families:
            cells += _family_cells(run.tuples.get(family))
        rows.append(Row(tuple(cells)))
    caption = (
        "F1 in every measure (micro; macro is the mean over samples, final)",
        "지표별 F1(마이크로, 매크로는 샘플 평균·최종)",
    )
    note: Pair = (
        "n: the samples that this measure can score and that the run did not fail on.",
        "n은 정답으로 그 지표를 계산할 수 있고 실행에 실패하지 않은 샘플 수입니다.",
    )
    return Table("families", caption, tuple(columns), tuple(rows) if families else (), (note,))


def _family_cells(scores: FamilyScores | None) -> list[str]:
    if scores is None:
        return [NOTHING] * 4
    f1 = scores.stage1.micro.f1, scores.final.micro.f1, scores.final.macro
    return [whole(scores.samples), *map(percent, f1)]


def stability_table(collected: Collected) -> Table:
    """Return how far runs of the same cell agree."""
    columns = (
        name_column(("cell", "셀")),
        Column(("runs", "실행 수"), numeric=False),
        Column(("samples", "샘플")),
        Column(("same tuples in all", "튜플이 모두 같음")),
        Column(("identical in all", "표시까지 모두 같음")),
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
                    share(found.identical),
                    coefficient(found.jaccard),
                    share(found.flip_flop),
                    share(found.presence),
                    coefficient(found.polarity.krippendorff),
                    percent(spread.mean if spread else None),
                    f"{percent(spread.low)} … {percent(spread.high)}" if spread else NOTHING,
                )
            )
        )
    note = ("A range over a few runs, not a confidence interval.", "몇 번의 실행에 걸친 범위일 뿐 신뢰구간이 아닙니다.")
    return Table(
        "stability", ("Agreement over repeated runs", "반복 실행 사이의 일치도"), columns, tuple(rows), (note,)
    )
