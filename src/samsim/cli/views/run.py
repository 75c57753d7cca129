"""What ``samsim run`` prints: the plan before, the outcome after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from samsim.experiments.planning import Estimate, ExperimentPlan
from samsim.plurals import how_many

if TYPE_CHECKING:
    from rich.console import Console

    from samsim.experiments.run_set import Experiment
    from samsim.reports.build import ReportFiles

_UNKNOWN = "unknown"


def plan_table(plan: ExperimentPlan) -> Table:
    """Samples, calls, tokens and cost of every cell, as ranges; a star marks those nobody was asked for."""
    probed = max((cell.probed for cell in plan.cells), default=0)
    table = Table(
        title=f"Plan (from {how_many(probed, 'probed sample')} per protocol and engine)", title_justify="left"
    )
    table.add_column("cell", no_wrap=True)
    for heading in ("samples", "calls", "tokens", "cost, $", "engine seconds"):
        table.add_column(heading, justify="right")
    for cell in plan.cells:
        name = cell.cell.cell_id + (f" ({how_many(cell.failed, 'probe')} failed)" if cell.failed else "")
        name += " *" if cell.missing_keys else ""
        table.add_row(
            name,
            f"{cell.samples:,}",
            _range(cell.calls, ",.0f"),
            _range(cell.tokens, ",.0f"),
            _range(cell.cost, ",.4f"),
            _range(cell.seconds, ",.1f"),
        )
    if len(plan.cells) > 1:
        table.add_section()
        table.add_row(
            "all",
            f"{sum(cell.samples for cell in plan.cells):,}",
            _range(_total([cell.calls for cell in plan.cells]), ",.0f"),
            _range(_total([cell.tokens for cell in plan.cells]), ",.0f"),
            _range(_total([cell.cost for cell in plan.cells]), ",.4f"),
            _range(_total([cell.seconds for cell in plan.cells]), ",.1f"),
        )
    return table


def _total(parts: list[Estimate | None]) -> Estimate | None:
    low = high = 0.0
    for part in parts:
        if part is None:
            return None
        low, high = low + part.low, high + part.high
    return Estimate(low, high)


def _range(estimate: Estimate | None, form: str) -> str:
    if estimate is None:
        return _UNKNOWN
    low, high = format(estimate.low, form), format(estimate.high, form)
    return low if low == high else f"{low} – {high}"


def show_outcome(console: Console, outcome: Experiment, files: ReportFiles | None) -> None:
    """The comparison of the cells where a report was built, and where everything is."""
    if files is not None:
        from samsim.reports.terminal import show_comparison

        show_comparison(console, files)
    console.print(f"Outputs, traces, scores: [bold]{outcome.folder}[/]", soft_wrap=True, highlight=False)
