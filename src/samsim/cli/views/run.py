"""What ``samsim run`` prints: the plan before, the outcome after."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click
from rich.table import Table

from samsim.cli.console import PipeConsole
from samsim.cli.safe_text import shown
from samsim.experiments.artefacts import OUTPUTS, load_run
from samsim.experiments.planning import Estimate, ExperimentPlan
from samsim.schemas.results import missing_words

if TYPE_CHECKING:
    from pathlib import Path

    from samsim.experiments.runner import ExperimentOutcome
    from samsim.reports.build import ReportFiles
    from samsim.schemas.runs import Manifest

_UNKNOWN = "unknown"
_NAMED_PARTIAL = 20


def plan_table(plan: ExperimentPlan) -> Table:
    """Samples, calls, tokens and cost of every cell, as ranges; a star marks those nobody was asked for."""
    probed = max((cell.probed for cell in plan.cells), default=0)
    table = Table(title=f"Plan (from {probed} probed samples per protocol and engine)", title_justify="left")
    table.add_column("cell", no_wrap=True)
    for heading in ("samples", "calls", "tokens", "cost, $", "engine seconds"):
        table.add_column(heading, justify="right")
    for cell in plan.cells:
        name = cell.cell.cell_id + (f" ({cell.failed} probes failed)" if cell.failed else "")
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


def show_outcome(outcome: ExperimentOutcome, files: ReportFiles | None) -> None:
    """The comparison of the cells where a report was built, where everything is, and what is left to be done."""
    console = PipeConsole()
    if files is not None:
        from samsim.reports.terminal import show_comparison

        show_comparison(console, files)
    console.print(f"Outputs, traces, scores: [bold]{outcome.folder}[/]", soft_wrap=True, highlight=False)
    if outcome.stopped is not None:
        click.echo(f"stopped: {outcome.stopped.rstrip('.')}. Run the same command again to resume.", err=True)
    elif outcome.errors:
        click.echo(f"{outcome.errors} samples failed; --retry-errors does them again.", err=True)
    for manifest, folder in zip(outcome.cells, outcome.cell_folders, strict=True):
        if manifest.partial:
            click.echo(shown(_partial_line(manifest, folder, several=len(outcome.cells) > 1)), err=True)


def _partial_line(manifest: Manifest, folder: Path, *, several: bool) -> str:
    """How many samples of a cell were decided without some of their calls, which, and what to do."""
    partial = (sample.result for sample in load_run(folder).samples() if sample.completeness == "partial")
    named = [
        f"{result.uid} ({missing_words(result.missing_calls)})"
        for result in islice(partial, _NAMED_PARTIAL)
        if result is not None
    ]
    left = manifest.partial - len(named)
    more = f" and {left:,} more ({OUTPUTS} names them all)" if left > 0 else ""
    cell = f"{manifest.cell.cell_id}: " if several else ""
    verb = "is" if manifest.partial == 1 else "are"
    return (
        f"{cell}{manifest.partial:,} of {manifest.done:,} samples {verb} partial: {', '.join(named)}{more};"
        " --retry-errors does them again."
    )
