"""The main table of a report for a terminal, narrow enough for one of 80 columns."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samsim.metrics.comparison import Contrast
from samsim.metrics.family_scores import FamilyScores
from samsim.reports.build import ReportFiles
from samsim.reports.codes import FAMILY, named
from samsim.reports.collecting import Collected, MeasuredRun
from samsim.reports.numbers import NOTHING, decimal, dollars, p_value, percent, percent_interval, points, whole
from samsim.reports.result_tables import contrasts_of
from samsim.reports.run_rows import primary_of
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
    contrasts = {} if family is None else contrasts_of(collected, family)
    for run in collected.evaluated:
        scores = None if family is None else run.metrics.tuples.get(family)
        difference = _difference(contrasts.get(run.name)) if compared else []
        table.add_row(*map(Text, (run.name, *_score(scores), *difference, *_budget(run))))
    if family is not None:
        table.add_row(*(Text(cell, style="dim") for cell in _trivial(collected, family)))
    return table


def show_comparison(console: Console, files: ReportFiles) -> None:
    """The main table, what is missing, and where the rest is."""
    collected = files.collected
    console.print(comparison_table(collected))
    console.print(Text(_legend(collected), style="dim"))
    for problem in collected.problems:
        console.print(Text(f"missing: {problem.run}: {problem.words}", style="yellow"))
    if files.checks_failed:
        words = f"{files.checks_failed} checks of the measures FAILED: do not use these numbers."
        console.print(Text(words, style="bold red"))
    console.print(Text(f"Report: {files.page}"), soft_wrap=True)


def _title(collected: Collected, family: Family | None) -> Text:
    samples = max((run.metrics.samples for run in collected.evaluated), default=0)
    measure = "no gold, so nothing is scored" if family is None else f"F1 in percent, {named(FAMILY, family)[0]}"
    return Text(f"{whole(samples)} samples; {measure}")


def _legend(collected: Collected) -> str:
    parts = ["F1: Stage 1 → final."]
    if len(collected.comparisons) == 1:
        parts.append(f"Δ: final, difference to {collected.comparisons[0].baseline}; p after Holm.")
    elif collected.comparisons:
        parts.append("Δ: final, difference to the first run over the same data; p after Holm.")
    parts.append("Calls, tokens, cost: per sample.")
    failed = [f"{run.name} {run.metrics.errors}" for run in collected.evaluated if run.metrics.errors]
    return " ".join(parts + ([f"Failed samples: {', '.join(failed)}."] if failed else []))


def _score(scores: FamilyScores | None) -> list[str]:
    if scores is None:
        return [NOTHING, NOTHING]
    micro = f"{percent(scores.stage1.micro.f1)} → {percent(scores.final.micro.f1)}"
    return [micro, percent_interval(scores.final.interval)]


def _difference(contrast: Contrast | None) -> list[str]:
    return [NOTHING, NOTHING] if contrast is None else [points(contrast.delta_f1), p_value(contrast.p_holm)]


def _budget(run: MeasuredRun) -> list[str]:
    cost = run.metrics.cost
    if not run.has_cards:
        return [NOTHING] * 3
    return [decimal(cost.calls_per_sample), decimal(cost.tokens_per_sample, 0), dollars(cost.cost_per_sample)]


def _trivial(collected: Collected, family: Family) -> list[str]:
    """The best of the trivial baselines; the page has them all."""
    scored = [run.metrics.tuples[family] for run in collected.evaluated if family in run.metrics.tuples]
    best = max((found.micro.f1 for scores in scored for found in scores.baselines.values()), default=None)
    return ["trivial baseline", percent(best)]
