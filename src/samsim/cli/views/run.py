"""The output of ``samsim run``: the plan before a run, the outcome after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from rich.table import Table

from samsim.cli.console import PipeConsole
from samsim.cli.safe_text import shown
from samsim.experiments.artefacts import OUTPUTS, read_run
from samsim.experiments.plan_rows import cell_row, plan_columns, plan_title, total_row
from samsim.experiments.planning import ExperimentPlan
from samsim.plurals import how_many
from samsim.reports.tables.model import said
from samsim.schemas.code_names import Ui
from samsim.schemas.results import missing_words

if TYPE_CHECKING:
    from pathlib import Path

    from samsim.experiments.run_set import Experiment
    from samsim.reports.build import ReportFiles
    from samsim.schemas.runs import Manifest

# How many failed and how many partial samples the terminal names; the files name all of them.
_NAMED = 20


def plan_table(plan: ExperimentPlan, ui: Ui = "en") -> Table:
    """Return a table of samples, calls, tokens and cost per cell; a star marks cells whose calls were only counted."""
    table = Table(title=plan_title(plan, ui), title_justify="left")
    first, *others = plan_columns(ui)
    table.add_column(first, no_wrap=True)
    for heading in others:
        table.add_column(heading, justify="right")
    for cell in plan.cells:
        table.add_row(*cell_row(cell, ui))
    if len(plan.cells) > 1:
        table.add_section()
        table.add_row(*total_row(plan.cells, ui))
    return table


def show_outcome(outcome: Experiment, files: ReportFiles | None, ui: Ui = "en") -> None:
    """Print the comparison of the cells if a report was built, where the files are, and what is left to do."""
    console = PipeConsole()
    if files is not None:
        from samsim.reports.terminal import show_comparison

        show_comparison(console, files, ui)
    files_are_in = said(("Outputs, traces, scores", "출력, 트레이스, 점수"), ui)
    console.print(f"{files_are_in}: [bold]{outcome.folder}[/]", soft_wrap=True, highlight=False)
    if outcome.stopped is not None:
        click.echo(f"stopped: {outcome.stopped.rstrip('.')}. Run the same command again to resume.", err=True)
    for manifest, folder in zip(outcome.cells, outcome.cell_folders, strict=True):
        if manifest.errors or manifest.partial:
            for line in _incomplete_lines(manifest, folder, several=len(outcome.cells) > 1):
                click.echo(shown(line), err=True)


def _incomplete_lines(manifest: Manifest, folder: Path, *, several: bool) -> Iterator[str]:
    """Yield a line each for the failed and the partial samples of a cell: how many, which, and what to do."""
    failed, partial = [], []
    for sample in read_run(folder).samples():
        if sample.result is None:
            failed.append(sample.uid)
        elif sample.completeness == "partial":
            partial.append(f"{sample.uid} ({missing_words(sample.result.missing_calls)})")
    cell = f"{manifest.cell.cell_id}: " if several else ""
    for names, what in ((failed, "failed"), (partial, "is partial" if len(partial) == 1 else "are partial")):
        if names:
            left = len(names) - _NAMED
            more = f" and {left:,} more ({folder / OUTPUTS} names them all)" if left > 0 else ""
            counts = f"{len(names):,} of {how_many(manifest.done, 'sample')}"
            named = ", ".join(names[:_NAMED])
            yield f"{cell}{counts} {what}: {named}{more}; use --retry-errors to run them again."
