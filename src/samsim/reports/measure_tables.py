"""The tables of measures that need no gold: risk, agreement, memory, cost."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.metrics.agreement import Agreement
from samsim.metrics.memory_impact import MemoryGroup
from samsim.reports.codes import named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.numbers import (
    NOTHING,
    coefficient,
    decimal,
    dollars,
    percent,
    seconds,
    share,
    signed,
    signed_interval,
    whole,
)
from samsim.reports.run_rows import rows_per_run
from samsim.reports.table_model import Column, Row, Table, Text, name_column
from samsim.schemas.code_names import CONFLICT, RISK, Pair

_SAMPLES: Pair = ("samples", "표본")


def risk_table(collected: Collected) -> Table:
    """Risk before and after, by code alone."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.risk
        shares = (found.risk, found.residual, found.resolved, found.worsened, found.conflict, found.polarity_conflict)
        severity = (found.mean_severity_before, found.mean_severity_after)
        delta = [signed(found.mean_delta), signed_interval(found.mean_delta_interval)]
        return [*map(share, shares), *map(decimal, severity), *delta, percent(found.residual_share)]

    headings: Sequence[Pair] = (
        ("with risk before", "이전에 위험 있음"),
        ("with risk after", "이후에 위험 있음"),
        ("resolved", "해소"),
        ("worsened", "악화"),
        ("with conflict", "충돌 있음"),
        ("polarity conflict", "극성 충돌"),
        ("severity before", "이전 심각도"),
        ("severity after", "이후 심각도"),
        ("Δ severity", "심각도 변화"),
        ("95% CI", "95% CI"),
        ("residual, %", "잔여, %"),
    )
    rows = rows_per_run(collected.evaluated, lambda run: run.metrics.risk.samples > 0, cells)
    return Table(
        "risk",
        ("Risk before and after, by code and without gold", "전후 위험(정답 없이 코드로 계산)"),
        (name_column(), *map(Column, headings)),
        rows,
    )


def risk_tags_table(collected: Collected) -> Table:
    """In how many samples each kind of risk was found."""
    known = [run for run in collected.evaluated if run.metrics.risk.samples]
    tags = sorted({tag for run in known for tag in run.metrics.risk.tags})
    columns = [Column(("risk", "위험"), numeric=False)]
    for run in known:
        columns += [Column(("before", "이전"), run.name), Column(("after", "이후"), run.name)]
    rows = []
    for tag in tags:
        cells: list[Text] = [named({**RISK, **CONFLICT}, tag)]
        for run in known:
            found = run.metrics.risk.tags.get(tag)
            cells += [whole(found.before), whole(found.after)] if found else ["0", "0"]
        rows.append(Row(tuple(cells)))
    return Table("risk-tags", ("Samples with each kind of risk", "위험 종류별 표본 수"), tuple(columns), tuple(rows))


def agreement_table(collected: Collected) -> Table:
    """Agreement of A, B and C on what to do and on what is there."""
    kinds: Sequence[tuple[str, Pair]] = (
        ("process", ("actions voted", "투표한 조치")),
        ("process_explicit", ("actions voted, without implicit votes", "투표한 조치(암묵적 표 제외)")),
        ("measurement", ("polarity of shared aspects", "함께 찾은 속성의 극성")),
        ("measurement_absent", ("polarity, absence counted", "극성(못 찾은 것도 셈)")),
    )
    columns = (
        name_column(),
        Column(("labels", "레이블"), numeric=False),
        Column(("units", "단위")),
        Column(("raw, %", "단순 일치, %")),
        Column(("unanimous, %", "만장일치, %")),
        Column(("Cohen κ (mean)", "Cohen κ(평균)")),
        Column("Fleiss κ"),
        Column("Krippendorff α"),
        Column("A–B κ"),
        Column("A–C κ"),
        Column("B–C κ"),
    )

    def cells(found: Agreement) -> list[str]:
        shares = (found.raw, found.unanimous)
        kappas = (found.cohen_mean, found.fleiss, found.krippendorff, *(pair.cohen for pair in found.pairs))
        return [whole(found.units), *map(percent, shares), *map(coefficient, kappas)]

    rows = []
    for run in collected.evaluated:
        for kind, words in kinds:
            found: Agreement | None = getattr(run.metrics.agreement, kind)
            if found is not None and found.units:
                rows.append(Row((run.name, words, *cells(found))))
    note: Pair = (
        f"{NOTHING}: undefined, because only one label was used or no unit has all labels.",
        f"{NOTHING}: 레이블이 하나뿐이거나 모두가 답한 단위가 없어 정의되지 않습니다.",
    )
    return Table("agreement", ("Agreement between A, B and C", "A·B·C 사이의 일치도"), columns, tuple(rows), (note,))


def memory_table(collected: Collected) -> Table:
    """Did advice reach the prompts, was it followed, and what became of risk and harm."""

    def group(found: MemoryGroup) -> list[str]:
        return [
            whole(found.samples),
            signed(found.mean_delta_risk),
            signed_interval(found.mean_delta_risk_interval),
            share(found.harm),
        ]

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.memory
        if found is None:
            return []
        shares = (found.retrieved, found.advised, found.gate_open, found.coverage, found.follow_rate)
        groups = [cell for one in (found.followed, found.ignored, found.masked) for cell in group(one)]
        return [*map(share, shares), *groups, whole(found.prompt_injection_chars)]

    headings: Sequence[Pair] = (
        ("retrieved", "검색됨"),
        ("advised", "조언 있음"),
        ("gate open", "게이트 열림"),
        ("exposed", "노출"),
        ("followed", "따름"),
    )
    groups: Sequence[Pair] = (
        ("advice followed", "조언을 따름"),
        ("advice ignored", "조언을 따르지 않음"),
        ("advice masked", "조언을 가림"),
    )
    of_group: Sequence[Pair] = (_SAMPLES, ("Δ risk", "위험 변화"), ("95% CI", "95% CI"), ("harm", "해로움"))
    columns = (
        name_column(),
        *map(Column, headings),
        *(Column(heading, one) for one in groups for heading in of_group),
        Column(("characters", "글자 수")),
    )
    shown = [
        run
        for run in collected.runs
        if run.metrics.memory is not None or (not run.has_cards and run.run.manifest.store)
    ]
    rows = rows_per_run(shown, lambda run: run.metrics.memory is not None, cells)
    note: Pair = (
        "Risk is the change in severity, never gold. Masked: advice was there, but the condition did not show it.",
        "위험은 심각도의 변화이며 정답과 무관합니다. '조언을 가림'은 조언이 있었지만 조건에 따라"
        " 보이지 않은 표본입니다.",
    )
    return Table("memory", ("Memory impact", "메모리의 영향"), columns, rows, (note,))


def cost_table(collected: Collected) -> Table:
    """Calls, tokens, money and time of every run."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.cost
        counts = (found.calls, found.cached_calls, found.failed_calls)
        times = (found.seconds_p50, found.seconds_p95)
        return [
            *map(whole, (*counts, found.input_tokens, found.output_tokens)),
            dollars(found.cost),
            decimal(found.calls_per_sample),
            decimal(found.tokens_per_sample, 0),
            dollars(found.cost_per_sample),
            *map(seconds, times),
        ]

    total: Pair = ("in all", "전체")
    each: Pair = ("per sample", "표본당")
    columns = (
        name_column(),
        Column(("calls", "호출"), total),
        Column(("cached", "캐시"), total),
        Column(("failed", "실패"), total),
        Column(("tokens in", "입력 토큰"), total),
        Column(("tokens out", "출력 토큰"), total),
        Column(("cost", "비용"), total),
        Column(("calls", "호출"), each),
        Column(("tokens", "토큰"), each),
        Column(("cost", "비용"), each),
        Column("p50", ("time per sample", "표본당 시간")),
        Column("p95", ("time per sample", "표본당 시간")),
    )
    note: Pair = (
        f"{NOTHING}: unknown, because a server did not say or the price is not known; never 0.",
        f"{NOTHING}: 서버가 알려 주지 않았거나 단가를 몰라 알 수 없음. 0이 아닙니다.",
    )
    rows = rows_per_run(collected.runs, lambda run: run.has_cards, cells)
    return Table("cost", ("Cost", "비용"), columns, rows, (note,))
