"""The main table of a report for an 80-column terminal, in English or Korean."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samsim.metrics.comparison import Contrast
from samsim.plurals import how_many
from samsim.reports.build import ReportFiles
from samsim.reports.codes import BASELINE, FAMILY, named
from samsim.reports.collecting import Collected, Problem
from samsim.reports.numbers import NOTHING, p_value, percent, percent_interval, points
from samsim.reports.scored import Scored, scored_runs, trivial_scores
from samsim.reports.tables.model import filled, said
from samsim.reports.tables.results import budget_cells
from samsim.reports.tables.run_rows import missing_row, primary_of
from samsim.schemas.code_names import Pair, Ui
from samsim.schemas.scorecards import Family

_BUDGET: tuple[Pair, ...] = (("calls", "호출"), ("tokens", "토큰"), ("cost", "비용"))
# As short as the p they replace; the legend explains them.
_IDENTICAL: Pair = ("identical", "동일")
_SAME: Pair = ("same", "같음")


def comparison_table(collected: Collected, ui: Ui = "en") -> Table:
    """Return every cell: F1 from Stage 1 to final with its interval, the difference to the baseline, and the budget."""
    family = primary_of(collected.evaluated)
    table = Table(
        title=Text(_title(collected, family, ui)),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    compared = bool(collected.comparisons)
    table.add_column("", overflow="fold")
    for heading in ("F1", "95% CI", *(("Δ", "p") if compared else ()), *(said(words, ui) for words in _BUDGET)):
        table.add_column(heading, justify="right", no_wrap=True)
    scored = [] if family is None else scored_runs(collected, family)
    for cell in scored:
        difference = _difference(cell.contrast, ui) if compared else []
        table.add_row(*map(Text, (cell.row_name, *_score(cell), *difference, *budget_cells(cell.runs))))
    there = {run.name for cell in scored for run in cell.runs}
    for run in collected.evaluated:
        if run.name not in there:
            missing = [NOTHING] * (4 if compared else 2)
            table.add_row(*map(Text, (run.name, *missing, *budget_cells([run]))))
    if family is not None:
        table.add_row(*(Text(cell, style="dim") for cell in _trivial(collected, family, ui)))
    return table


def show_comparison(console: Console, files: ReportFiles, ui: Ui = "en") -> None:
    """Print the main table, what is missing, and where the files are."""
    collected = files.collected
    console.print(comparison_table(collected, ui))
    console.print(Text(_legend(collected, ui), style="dim"))
    for problem in collected.problems:
        console.print(Text(missing_line(problem, ui), style="yellow"))
    for line in partial_lines(collected, ui):
        console.print(Text(line, style="yellow"))
    if files.checks_failed:
        console.print(Text(failed_checks_line(files, ui), style="bold red"))
    console.print(Text(f"{said(('Report', '보고서'), ui)}: {files.page}"), soft_wrap=True)


def missing_line(problem: Problem, ui: Ui = "en") -> str:
    """Return a line on what is missing from a run, or a hint about it."""
    kind = ("missing", "누락") if problem.kind == "missing" else ("hint", "도움말")
    return f"{said(kind, ui)}: {problem.run}: {said(problem.problem.words, ui)}"


def partial_lines(collected: Collected, ui: Ui = "en") -> list[str]:
    """Return a line for each run with samples that were decided without some of their calls."""
    return [
        said(
            (
                f"partial: {run.name}: {run.metrics.partial:,} of {how_many(run.metrics.samples, 'sample')}, counted in"
                " the measures (samsim report --complete-only leaves them out)",
                f"일부만 완료(partial): {run.name}: 샘플 {run.metrics.samples:,}개 가운데 {run.metrics.partial:,}개."
                " 지표에는 포함됩니다(samsim report --complete-only로 제외).",
            ),
            ui,
        )
        for run in collected.runs
        if run.metrics.partial
    ]


def failed_checks_line(files: ReportFiles, ui: Ui = "en") -> str:
    """Return the message of ``samsim run`` and ``samsim report`` for measures that cannot be trusted."""
    failed = files.checks_failed
    english = f"{how_many(failed, 'check')} of the measures FAILED: do not use these numbers."
    return said((english, f"지표 점검 {failed:,}건에 실패했습니다. 이 수치를 쓰지 마세요."), ui)


def _title(collected: Collected, family: Family | None, ui: Ui) -> str:
    samples = max((run.metrics.samples for run in collected.evaluated), default=0)
    counted = said((how_many(samples, "sample"), f"샘플 {samples:,}개"), ui)
    if family is None:
        return f"{counted}; {_unscored(collected, ui)}"
    measure = said(named(FAMILY, family), ui)
    return f"{counted}; " + said((f"F1 in percent, {measure}", f"F1(%), {measure}"), ui)


def _unscored(collected: Collected, ui: Ui) -> str:
    """Return why nothing is scored; the reasons may differ between runs."""
    return "; ".join(dict.fromkeys(said(missing_row(run).cells[1], ui) for run in collected.evaluated))


def _legend(collected: Collected, ui: Ui) -> str:
    parts: list[Pair] = [("F1: Stage 1 → final.", "F1: 1단계 → 최종.")]
    if len(collected.comparisons) == 1:
        difference: Pair = (
            "Δ: final, difference to {baseline}; p after Holm.",
            "Δ: 최종 점수에서 {baseline}과의 차이, p는 Holm 보정.",
        )
        parts.append(filled(difference, baseline=collected.comparisons[0].baseline))
    elif collected.comparisons:
        parts.append(
            (
                "Δ: final, difference to the first run over the same data; p after Holm.",
                "Δ: 최종 점수에서 같은 데이터의 첫 실행과의 차이, p는 Holm 보정.",
            )
        )
    untested = [contrast for found in collected.comparisons for contrast in found.contrasts if not contrast.tested]
    if any(contrast.identical for contrast in untested):
        parts.append(
            (
                f"{_IDENTICAL[0]}: identical answers, nothing to test.",
                f"{_IDENTICAL[1]}: 답이 모두 같아 검정하지 않음.",
            )
        )
    if any(not contrast.identical for contrast in untested):
        parts.append(
            (
                f"{_SAME[0]}: the same tuples, nothing to test; the page shows what differs.",
                f"{_SAME[1]}: 튜플이 같아 검정하지 않음. 다른 점은 보고서에 있음.",
            )
        )
    parts.append(("Calls, tokens, cost: per sample.", "호출·토큰·비용: 샘플당."))
    parts.append(
        (
            "Trivial: knows the gold's frequencies and reads no text.",
            "단순 기준선: 정답의 빈도만 알고 본문은 읽지 않음.",
        )
    )
    failed = ", ".join(f"{run.name} {run.metrics.errors}" for run in collected.evaluated if run.metrics.errors)
    if failed:
        parts.append((f"Failed samples: {failed}.", f"실패한 샘플: {failed}."))
    if collected.complete_only:
        parts.append(("Partial samples count as failed.", "일부만 완료된(partial) 샘플은 실패로 셈."))
    if any(found.left_out for found in collected.comparisons):
        parts.append(
            (
                "Scores are over the samples that no run failed on.",
                "점수는 어느 실행에서도 실패하지 않은 샘플로 계산.",
            )
        )
    return " ".join(said(part, ui) for part in parts)


def _score(cell: Scored) -> list[str]:
    has_review = any(run.has_review for run in cell.runs)
    final = percent(cell.final.f1)
    return [f"{percent(cell.stage1.f1)} → {final}" if has_review else final, percent_interval(cell.interval)]


def _difference(contrast: Contrast | None, ui: Ui) -> list[str]:
    if contrast is None:
        return [NOTHING, NOTHING]
    if not contrast.tested:
        return [points(contrast.delta_f1), said(_IDENTICAL if contrast.identical else _SAME, ui)]
    return [points(contrast.delta_f1), p_value(contrast.p_holm)]


def _trivial(collected: Collected, family: Family, ui: Ui) -> list[str]:
    """Return the best of the trivial baselines; the page has all of them."""
    found = [
        (score.micro.f1, name) for _, answers in trivial_scores(collected, family) for name, score in answers.items()
    ]
    if not found:
        return [said(("trivial baseline", "단순 기준선"), ui), NOTHING]
    f1, best = max(found)
    return [said(named(BASELINE, best), ui), percent(f1)]
