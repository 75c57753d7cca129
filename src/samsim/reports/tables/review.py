"""The tables on the effect of the review: funnel, correction, rules and reasons, overrides."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.metrics.correction import ChangeCounts
from samsim.metrics.decisions import DecisionRow
from samsim.reports.codes import NOT_MADE, RULE, named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.numbers import net, percent, percent_interval, share, whole
from samsim.reports.tables.model import Column, Row, Table, Text, name_column
from samsim.reports.tables.run_rows import merged, rows_per_run, without_review
from samsim.schemas.code_names import REASON, REFUSAL, Pair
from samsim.schemas.scorecards import Family

_SAMPLES: Pair = ("samples", "샘플")


def _has_outputs(run: MeasuredRun) -> bool:
    return run.metrics.samples > 0


def _reviewing(collected: Collected) -> list[MeasuredRun]:
    return [run for run in collected.evaluated if run.has_review]


def _debate_note(runs: Sequence[MeasuredRun]) -> tuple[Pair, ...]:
    if not any(run.run.manifest.cell.protocol == "debate" for run in runs):
        return ()
    return (
        (
            "The debate reviews every sample with tuples, flagged or not: more reviewed than flagged is not an error.",
            "토론은 충돌·의심 표시와 관계없이 튜플이 있는 샘플을 모두 재검토합니다. '재검토'가 '충돌·의심'보다 많아도"
            " 오류가 아닙니다.",
        ),
    )


def funnel_table(collected: Collected) -> Table:
    """Return the funnel from all samples to those that were helped or harmed."""

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
        "나아짐·나빠짐은 바뀐 샘플 가운데 F1이 오르거나 내린 것입니다. 정답이 없으면 알 수 없습니다.",
    )
    return Table(
        "funnel",
        ("From flag to change", "충돌에서 변경까지"),
        columns,
        rows_per_run(_reviewing(collected), _has_outputs, cells),
        (note, *_debate_note(_reviewing(collected)), *without_review(collected.shown)),
    )


def correction_table(collected: Collected, family: Family) -> Table:
    """Return fix, break, still and keep of tuples and of samples."""

    def counts(found: ChangeCounts) -> list[str]:
        numbers = (found.fixed, found.broken, found.still, found.kept)
        return [
            *map(whole, numbers),
            net(found.net_gain),
            percent(found.cda),
            percent_interval(found.cda_interval),
        ]

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.correction[family]
        return [*counts(found.tuples), *counts(found.samples)]

    headings: Sequence[Text] = (
        ("fix", "고침(fix)"),
        ("break", "맞던 것을 틀림(break)"),
        ("still", "여전히 틀림(still)"),
        ("keep", "그대로 맞음(keep)"),
        ("net", "순이득"),
        "CDA",
        "95% CI",
    )
    groups: Sequence[Pair] = (("tuples", "튜플"), ("whole samples", "샘플 전체"))
    columns = (name_column(), *(Column(heading, group) for group in groups for heading in headings))
    rows = rows_per_run(_reviewing(collected), lambda run: family in run.metrics.correction, cells)
    note: Pair = (
        "CDA = fix / (fix + break), in percent.",
        "CDA = fix / (fix + break), 단위는 %입니다.",
    )
    return Table("correction", ("What the review corrected", "재검토가 바로잡은 것"), columns, rows, (note,))


def rules_table(collected: Collected, family: Family, *, by_reason: bool = False) -> Table:
    """Return, per rule (or reason code) and action, how often it was right by gold, helped and harmed."""
    words = {**REASON, **NOT_MADE} if by_reason else RULE
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

    def cells(found: DecisionRow) -> list[Text]:
        counts = whole(found.judged), whole(found.right), percent(found.accuracy), percent_interval(found.interval)
        return [named(words, found.name), found.action, *counts, whole(found.helped), whole(found.harmed)]

    def block(run: MeasuredRun) -> list[list[Text]]:
        tables = run.metrics.rules.get(family)
        return [] if tables is None else [cells(found) for found in (tables.by_reason if by_reason else tables.by_rule)]

    rows = [Row((run.name, *line)) for run, found in merged(collected.evaluated, block) for line in found]
    note: Pair = (
        "Agents that found the same tuple each have a copy; copies in one sample with the same decision count once.",
        "여러 에이전트가 같은 튜플을 찾으면 사본이 생깁니다. 한 샘플에서 똑같이 결정된 사본은 한 번만 셉니다.",
    )
    caption: Pair = ("Reason × outcome", "이유별 결과") if by_reason else ("Rule × outcome", "규칙별 결과")
    return Table("reasons" if by_reason else "rules", caption, columns, tuple(rows), (note,))


def overrides_table(collected: Collected) -> Table:
    """Return what was overridden, what was not, and the outcome in terms of risk."""

    def cells(run: MeasuredRun) -> list[Text]:
        found = run.metrics.overrides
        shares = (found.applied, found.coverage, found.skipped, found.success, found.harm)
        return [*map(share, shares), whole(found.changes_applied), whole(found.changes_skipped)]

    headings: Sequence[Pair] = (
        ("applied", "적용"),
        ("coverage of risky samples", "위험 샘플 중 적용"),
        ("risky, not applied", "위험 샘플 중 미적용"),
        ("success", "성공"),
        ("harm", "해로움"),
        ("changes made", "변경 수"),
        ("changes not made", "변경하지 않은 수"),
    )
    rows = rows_per_run(_reviewing(collected), lambda run: run.metrics.overrides.samples > 0, cells)
    return Table(
        "overrides",
        ("Overrides, judged by risk", "오버라이드(위험 기준)"),
        (name_column(), *map(Column, headings)),
        rows,
    )


def skips_table(collected: Collected) -> Table:
    """Return why proposed changes were not made."""
    columns = (name_column(), Column(("why not", "이유"), numeric=False), Column(("changes", "변경")))

    def block(run: MeasuredRun) -> list[list[Text]]:
        return [[_skip_words(reason), whole(count)] for reason, count in run.metrics.overrides.skip_reasons.items()]

    rows = [Row((run.name, *line)) for run, found in merged(collected.evaluated, block) for line in found]
    return Table("skips", ("Changes that were not made", "이루어지지 않은 변경"), columns, tuple(rows))


def _skip_words(reason: str) -> Pair:
    if not reason.startswith("refused: "):
        return named(NOT_MADE, reason)
    english, korean = named(REFUSAL, reason.removeprefix("refused: "))
    return f"refused: {english}", f"받아들이지 않음: {korean}"
