"""The main table of a report for a terminal, narrow enough for one of 80 columns."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samsim.metrics.comparison import Contrast
from samsim.reports.build import ReportFiles
from samsim.reports.codes import BASELINE, FAMILY, named
from samsim.reports.collecting import Collected
from samsim.reports.numbers import NOTHING, how_many, p_value, percent, percent_interval, points
from samsim.reports.result_tables import budget_cells
from samsim.reports.run_rows import missing_row, primary_of
from samsim.reports.scored import Scored, scored_runs, trivial_scores
from samsim.reports.table_model import said
from samsim.schemas.scorecards import Family


def comparison_table(collected: Collected) -> Table:
    """Every cell: F1 from Stage 1 to final with its interval, the difference to the baseline, and the budget."""
    family = primary_of(collected.evaluated)
    table = Table(
        title=_title(collected, family), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False
    )
    compared = bool(collected.comparisons)
    table.add_column("", overflow="fold")
    for heading in ("F1", "95% CI", *(("Δ", "p") if compared else ()), "calls", "tokens", "cost"):
        table.add_column(heading, justify="right", no_wrap=True)
    scored = [] if family is None else scored_runs(collected, family)
    for one in scored:
        difference = _difference(one.contrast) if compared else []
        table.add_row(*map(Text, (_name(one), *_score(one), *difference, *budget_cells(one.runs))))
    there = {run.name for one in scored for run in one.runs}
    for run in collected.evaluated:
        if run.name not in there:
            missing = [NOTHING] * (4 if compared else 2)
            table.add_row(*map(Text, (run.name, *missing, *budget_cells([run]))))
    if family is not None:
        table.add_row(*(Text(cell, style="dim") for cell in _trivial(collected, family)))
    return table


def show_comparison(console: Console, files: ReportFiles) -> None:
    """The main table, what is missing, and where the rest is."""
    collected = files.collected
    console.print(comparison_table(collected))
    console.print(Text(_legend(collected), style="dim"))
    for problem in collected.problems:
        console.print(Text(f"{problem.kind}: {problem.run}: {problem.words}", style="yellow"))
    if files.checks_failed:
        console.print(Text(failed_checks_line(files), style="bold red"))
    console.print(Text(f"Report: {files.page}"), soft_wrap=True)


def failed_checks_line(files: ReportFiles) -> str:
    """What ``samsim run`` and ``samsim report`` say when the measures cannot be trusted."""
    return f"{how_many(files.checks_failed, 'check')} of the measures FAILED: do not use these numbers."


def _title(collected: Collected, family: Family | None) -> Text:
    samples = max((run.metrics.samples for run in collected.evaluated), default=0)
    measure = _unscored(collected) if family is None else f"F1 in percent, {named(FAMILY, family)[0]}"
    return Text(f"{how_many(samples, 'sample')}; {measure}")


def _unscored(collected: Collected) -> str:
    """Why nothing is scored; the reasons of runs may differ."""
    return "; ".join(dict.fromkeys(said(missing_row(run).cells[1], "en") for run in collected.evaluated))


def _name(one: Scored) -> str:
    return one.name if one.repeats == 1 else f"{one.name} ×{one.repeats}"


def _legend(collected: Collected) -> str:
    parts = ["F1: Stage 1 → final."]
    if len(collected.comparisons) == 1:
        parts.append(f"Δ: final, difference to {collected.comparisons[0].baseline}; p after Holm.")
    elif collected.comparisons:
        parts.append("Δ: final, difference to the first run over the same data; p after Holm.")
    parts.append("Calls, tokens, cost: per sample.")
    parts.append("Trivial: knows the gold's frequencies and reads no text.")
    failed = [f"{run.name} {run.metrics.errors}" for run in collected.evaluated if run.metrics.errors]
    if failed:
        parts.append(f"Failed samples: {', '.join(failed)}.")
    if any(found.left_out for found in collected.comparisons):
        parts.append("Scores are over the samples that no run failed on.")
    return " ".join(parts)


def _score(one: Scored) -> list[str]:
    has_review = any(run.has_review for run in one.runs)
    final = percent(one.final.f1)
    return [f"{percent(one.stage1.f1)} → {final}" if has_review else final, percent_interval(one.interval)]


def _difference(contrast: Contrast | None) -> list[str]:
    return [NOTHING, NOTHING] if contrast is None else [points(contrast.delta_f1), p_value(contrast.p_holm)]


def _trivial(collected: Collected, family: Family) -> list[str]:
    """The best of the trivial baselines; the page has them all."""
    found = [(one.micro.f1, name) for _, answers in trivial_scores(collected, family) for name, one in answers.items()]
    if not found:
        return ["trivial baseline", NOTHING]
    f1, best = max(found)
    return [named(BASELINE, best)[0], percent(f1)]
