"""The tables of what happened: funnel, correction, rules, risk, agreement, overrides, memory, cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from samsim.metrics.agreement import Agreement
from samsim.metrics.correction import ChangeCounts
from samsim.metrics.decisions import DecisionRow
from samsim.metrics.memory_impact import MemoryGroup
from samsim.reports.codes import RULE, SKIP, named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.numbers import (
    NOTHING,
    coefficient,
    decimal,
    dollars,
    percent,
    percent_interval,
    seconds,
    share,
    signed,
    signed_interval,
    whole,
)
from samsim.reports.result_tables import missing_row, tokens_per_sample
from samsim.reports.table_model import Column, Row, Table, Text, name_column
from samsim.schemas.code_names import CONFLICT, REASON, REFUSAL, RISK, Pair
from samsim.schemas.scorecards import Family

_SAMPLES: Pair = ("samples", "표본")


def _rows(
    runs: Iterable[MeasuredRun], known: Callable[[MeasuredRun], bool], cells: Callable[[MeasuredRun], Sequence[Text]]
) -> tuple[Row, ...]:
    """A row per run; where the facts were not recorded, it says so."""
    return tuple(Row((run.name, *cells(run))) if known(run) else missing_row(run) for run in runs)


def _has_outputs(run: MeasuredRun) -> bool:
    return run.metrics.samples > 0


def funnel_table(collected: Collected) -> Table:
    """From all samples to those that were helped or harmed."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.funnel
        counts = (found.samples, found.failed, found.flagged, found.reviewed, found.changed)
        return [*map(whole, counts), *map(whole, (found.helped, found.harmed, found.unaffected))]

    headings: Sequence[Pair] = (
        _SAMPLES,
        ("failed", "실패"),
        ("flagged", "충돌·의심"),
        ("reviewed", "재검토"),
        ("changed", "바뀜"),
        ("helped", "나아짐"),
        ("harmed", "나빠짐"),
        ("neither", "변화 없음"),
    )
    columns = (name_column(), *map(Column, headings))
    note: Pair = (
        "Helped and harmed: changed samples whose F1 rose or fell. Without gold they are unknown.",
        "나아짐·나빠짐은 바뀐 표본 가운데 F1이 오르거나 내린 것입니다. 정답이 없으면 알 수 없습니다.",
    )
    return Table(
        "funnel",
        ("From flag to change", "충돌에서 변경까지"),
        columns,
        _rows(collected.evaluated, _has_outputs, cells),
        (note,),
    )


def correction_table(collected: Collected, family: Family) -> Table:
    """Fix, break, still, keep of tuples and of samples."""

    def counts(found: ChangeCounts) -> list[str]:
        numbers = (found.fixed, found.broken, found.still, found.kept)
        return [
            *map(whole, numbers),
            f"{found.net_gain:+d}".replace("-", "−"),
            percent(found.cda),
            percent_interval(found.cda_interval),
        ]

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.correction[family]
        return [*counts(found.tuples), *counts(found.samples)]

    headings: Sequence[Text] = (
        ("fix", "고침(fix)"),
        ("break", "깨뜨림(break)"),
        ("still", "여전히 틀림(still)"),
        ("keep", "그대로 맞음(keep)"),
        ("net", "순이득"),
        "CDA",
        "95% CI",
    )
    groups: Sequence[Pair] = (("tuples", "튜플"), ("whole samples", "표본 전체"))
    columns = (name_column(), *(Column(heading, group) for group in groups for heading in headings))
    rows = _rows(collected.evaluated, lambda run: family in run.metrics.correction, cells)
    note: Pair = (
        "CDA = fix / (fix + break), in percent.",
        "CDA = fix / (fix + break), 단위는 %입니다.",
    )
    return Table("correction", ("What the review corrected", "재검토가 바로잡은 것"), columns, rows, (note,))


def rules_table(collected: Collected, family: Family, *, by_reason: bool = False) -> Table:
    """Rule (or reason code) × action: how often right against gold, helped, harmed."""
    words = {**REASON, **SKIP} if by_reason else RULE
    first: Pair = ("reason", "이유") if by_reason else ("rule", "규칙")
    columns = (
        name_column(),
        Column(first, numeric=False),
        Column(("action", "조치"), numeric=False),
        Column(("decisions", "결정")),
        Column(("right", "맞음")),
        Column(("right, %", "맞음, %")),
        Column("95% CI", numeric=False),
        Column(("helped", "도움")),
        Column(("harmed", "해로움")),
    )

    def row(run: MeasuredRun, found: DecisionRow) -> Row:
        counts = whole(found.judged), whole(found.right), percent(found.accuracy), percent_interval(found.interval)
        return Row(
            (run.name, named(words, found.name), found.action, *counts, whole(found.helped), whole(found.harmed))
        )

    rows = [
        row(run, found)
        for run in collected.evaluated
        if (tables := run.metrics.rules.get(family)) is not None
        for found in (tables.by_reason if by_reason else tables.by_rule)
    ]
    caption: Pair = ("Reason × outcome", "이유별 결과") if by_reason else ("Rule × outcome", "규칙별 결과")
    return Table("reasons" if by_reason else "rules", caption, columns, tuple(rows))


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
    rows = _rows(collected.evaluated, lambda run: run.metrics.risk.samples > 0, cells)
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


def overrides_table(collected: Collected) -> Table:
    """What was overridden, what was not, and how it turned out by risk."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.overrides
        shares = (found.applied, found.coverage, found.skipped, found.success, found.harm)
        return [*map(share, shares), whole(found.changes_applied), whole(found.changes_skipped)]

    headings: Sequence[Pair] = (
        ("applied", "적용"),
        ("coverage of risky", "위험 표본 중 적용"),
        ("risky, not applied", "위험 표본 중 미적용"),
        ("success", "성공"),
        ("harm", "해로움"),
        ("changes made", "변경 수"),
        ("changes not made", "변경하지 않은 수"),
    )
    rows = _rows(collected.evaluated, lambda run: run.metrics.overrides.samples > 0, cells)
    return Table(
        "overrides",
        ("Overrides, judged by risk", "오버라이드(위험 기준)"),
        (name_column(), *map(Column, headings)),
        rows,
    )


def skips_table(collected: Collected) -> Table:
    """Why changes that somebody wanted were not made."""
    columns = (name_column(), Column(("why not", "이유"), numeric=False), Column(("changes", "변경")))
    rows = [
        Row((run.name, _skip_words(reason), whole(count)))
        for run in collected.evaluated
        for reason, count in run.metrics.overrides.skip_reasons.items()
    ]
    return Table("skips", ("Changes that were not made", "이루어지지 않은 변경"), columns, tuple(rows))


def _skip_words(reason: str) -> Pair:
    if not reason.startswith("refused: "):
        return named(SKIP, reason)
    english, korean = named(REFUSAL, reason.removeprefix("refused: "))
    return f"refused: {english}", f"받아들이지 않음: {korean}"


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
    rows = _rows(shown, lambda run: run.metrics.memory is not None, cells)
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
            decimal(tokens_per_sample(found), 0),
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
    rows = _rows(collected.runs, lambda run: run.has_cards, cells)
    return Table("cost", ("Cost", "비용"), columns, rows, (note,))
