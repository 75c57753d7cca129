"""The tables of measures that need no gold: risk, agreement, memory, cost."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.metrics.agreement import Agreement
from samsim.metrics.memory_impact import MemoryGroup, MemoryImpactAnalysis
from samsim.metrics.risk import TagCount
from samsim.reports.codes import SHOWN, named
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
from samsim.reports.tables.model import Column, Row, Table, Text, filled, name_column
from samsim.reports.tables.run_rows import merged, rows_per_run
from samsim.reports.words import PAGE
from samsim.schemas.code_names import CONFLICT, RISK, Pair

_SAMPLES: Pair = ("samples", "샘플")


def risk_table(collected: Collected) -> Table:
    """Return the number of samples with risk before and after, determined by code alone."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.risk
        was, now = share(found.risk), share(found.residual)
        conflicts = map(share, (found.conflict, found.polarity_conflict))
        if not run.has_review:
            return [was, NOTHING, NOTHING, NOTHING, *conflicts]
        return [was, now, share(found.resolved), share(found.worsened), *conflicts]

    headings: Sequence[Pair] = (
        ("with risk before", "이전에 위험 있음"),
        ("with risk after", "이후에 위험 있음"),
        ("resolved", "해소"),
        ("worsened", "악화"),
        ("with conflict", "충돌 있음"),
        ("polarity conflict", "극성 충돌"),
    )
    return Table(
        "risk",
        (
            "Samples with risk before and after, by code and without gold",
            "전후에 위험이 있는 샘플(정답 없이 코드로 계산)",
        ),
        (name_column(), *map(Column, headings)),
        rows_per_run(collected.evaluated, _has_risk, cells),
    )


def severity_table(collected: Collected) -> Table:
    """Return the severity of the risk before and after."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.risk
        if not run.has_review:
            return [decimal(found.mean_severity_before), *[NOTHING] * 4]
        delta = [signed(found.mean_delta), signed_interval(found.mean_delta_interval)]
        severity = (found.mean_severity_before, found.mean_severity_after)
        return [*map(decimal, severity), *delta, percent(found.residual_share)]

    headings: Sequence[Pair] = (
        ("before", "이전"),
        ("after", "이후"),
        ("Δ", "변화"),
        ("95% CI", "95% CI"),
        ("residual, %", "잔여, %"),
    )
    return Table(
        "severity",
        ("Mean severity per sample", "샘플당 평균 심각도"),
        (name_column(), *map(Column, headings)),
        rows_per_run(collected.evaluated, _has_risk, cells),
    )


def _has_risk(run: MeasuredRun) -> bool:
    return run.metrics.risk.samples > 0


def risk_tags_table(collected: Collected) -> Table:
    """Return the number of samples with each kind of risk, before → after."""
    known = [run for run in collected.evaluated if _has_risk(run)]
    tags = sorted({tag for run in known for tag in run.metrics.risk.tags})
    columns = (name_column(), *(Column(named({**RISK, **CONFLICT}, tag)) for tag in tags))

    def cells(run: MeasuredRun) -> list[Text]:
        found = [run.metrics.risk.tags.get(tag, TagCount()) for tag in tags]
        if not run.has_review:
            return [whole(change.before) for change in found]
        return [f"{change.before:,} → {change.after:,}" for change in found]

    rows = rows_per_run(known, _has_risk, cells) if tags else ()
    return Table("risk-tags", ("Samples with each kind of risk", "위험 종류별 샘플 수"), columns, rows)


def agreement_table(collected: Collected) -> Table:
    """Return the agreement of A, B and C on actions and on findings."""
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

    def cells(found: Agreement) -> list[Text]:
        shares = (found.raw, found.unanimous)
        kappas = (found.cohen_mean, found.fleiss, found.krippendorff, *(pair.cohen for pair in found.pairs))
        return [whole(found.units), *map(percent, shares), *map(coefficient, kappas)]

    def block(run: MeasuredRun) -> list[list[Text]]:
        found = [(words, getattr(run.metrics.agreement, kind)) for kind, words in kinds]
        return [[words, *cells(agreement)] for words, agreement in found if agreement is not None and agreement.units]

    rows = [Row((run.name, *line)) for run, found in merged(collected.evaluated, block) for line in found]
    note: Pair = (
        f"{NOTHING}: undefined, because only one label was used or no unit has all labels.",
        f"{NOTHING}: 레이블이 하나뿐이거나 모두가 답한 단위가 없어 정의되지 않습니다.",
    )
    return Table("agreement", ("Agreement between A, B and C", "A·B·C 사이의 일치도"), columns, tuple(rows), (note,))


def _with_memory(collected: Collected) -> list[MeasuredRun]:
    """Return the runs in which anything was retrieved, and those for which this is unknown."""
    return [
        run
        for run in collected.runs
        if (run.metrics.memory is not None and run.metrics.memory.retrieved.count)
        or (not run.has_cards and run.run.manifest.store)
    ]


def _without_memory(collected: Collected) -> tuple[Pair, ...]:
    names = ", ".join(
        run.name for run in collected.runs if run.metrics.memory is not None and not run.metrics.memory.retrieved.count
    )
    return (filled(PAGE["nothing_retrieved"], names=names),) if names else ()


def _has_memory(run: MeasuredRun) -> bool:
    return run.metrics.memory is not None


def _shown(found: MemoryImpactAnalysis) -> Pair:
    return named(SHOWN, found.source if found.coverage.count else "nothing")


def memory_table(collected: Collected) -> Table:
    """Return whether advice reached the prompts, and whether it was followed."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.memory
        if found is None:
            return []
        shares = (found.retrieved, found.advised, found.gate_open, found.coverage)
        chance = NOTHING if found.chance_rate is None else share(found.chance_rate)
        return [
            _shown(found),
            *map(share, shares),
            share(found.follow_rate),
            chance,
            whole(found.prompt_injection_chars),
        ]

    headings: Sequence[Pair] = (
        ("retrieved", "검색됨"),
        ("advised", "조언 있음"),
        ("gate open", "게이트 열림"),
        ("exposed", "노출"),
        ("followed", "따름"),
        ("by chance", "우연 수준"),
        ("characters", "글자 수"),
    )
    notes: Sequence[Pair] = (
        (
            "By chance: the placebo showed neutral text, so nothing could be followed; this is the share of samples"
            " that agree with advice they never saw. A follow rate is meaningful only in comparison with it.",
            "우연 수준: 플라시보는 중립적인 글을 보였으므로 따른 조언이 없습니다. 아무도 보지 못한 조언과 결정이"
            " 우연히 맞은 비율이며, '따름'은 이 값과 견주어야 뜻이 있습니다.",
        ),
    )
    columns = (name_column(), Column(("shown", "노출 내용"), numeric=False), *map(Column, headings))
    rows = rows_per_run(_with_memory(collected), _has_memory, cells)
    is_placebo = any(run.metrics.memory and run.metrics.memory.chance_rate for run in collected.runs)
    caption: Pair = ("Memory: what reached the prompts", "메모리: 프롬프트에 들어간 조언")
    return Table("memory", caption, columns, rows, (*(notes if is_placebo else ()), *_without_memory(collected)))


def memory_impact_table(collected: Collected) -> Table:
    """Return the risk and harm of samples whose advice was followed, ignored or masked."""

    def group(found: MemoryGroup) -> list[str]:
        if not found.samples:
            return ["0", NOTHING, NOTHING]
        interval = found.mean_delta_risk_interval
        delta = signed(found.mean_delta_risk) + ("" if interval is None else f" {signed_interval(interval)}")
        return [whole(found.samples), delta, share(found.harm)]

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.memory
        if found is None:
            return []
        return [_shown(found), *group(found.followed), *group(found.ignored), *group(found.masked)]

    groups: Sequence[Pair] = (
        ("advice followed", "조언을 따름"),
        ("advice ignored", "조언을 따르지 않음"),
        ("advice masked", "조언 숨김"),
    )
    of_group: Sequence[Pair] = (_SAMPLES, ("Δ risk [95% CI]", "위험 변화 [95% CI]"), ("harm", "해로움"))
    shown = Column(("shown", "노출 내용"), numeric=False)
    columns = (name_column(), shown, *(Column(heading, group) for group in groups for heading in of_group))
    notes: Sequence[Pair] = (
        (
            "Risk is the change in severity, never gold. Masked: something was retrieved and the gate was open, but the"
            " condition showed nothing. With a placebo, followed and ignored count agreement with the advice by"
            " chance.",
            "위험은 심각도의 변화이며 정답과 무관합니다. '조언 숨김'은 검색된 사례가 있고 게이트도 열렸지만 조건에"
            " 따라 아무것도 보이지 않은 샘플입니다. 플라시보에서는 보이지 않은 조언과 결정이"
            " 우연히 맞았는지를 뜻합니다.",
        ),
    )
    rows = rows_per_run(_with_memory(collected), _has_memory, cells)
    caption: Pair = ("Memory: effect on risk", "메모리: 위험의 변화")
    return Table("memory-impact", caption, columns, rows, tuple(notes))


def cost_table(collected: Collected) -> Table:
    """Return calls, tokens, cost and time of every run."""

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
    each: Pair = ("per sample", "샘플당")
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
        Column("p50", ("time per sample", "샘플당 시간")),
        Column("p95", ("time per sample", "샘플당 시간")),
    )
    note: Pair = (
        f"{NOTHING}: unknown, because a server did not say or the price is not known; never 0.",
        f"{NOTHING}: 서버가 알려 주지 않았거나 단가를 몰라 알 수 없음. 0이 아닙니다.",
    )
    rows = rows_per_run(collected.runs, lambda run: run.has_cards, cells)
    return Table("cost", ("Cost", "비용"), columns, rows, (note,))
