"""What ``samsim report`` prints."""

from __future__ import annotations

import click
from rich.text import Text

from samsim.cli.console import PipeConsole
from samsim.cli.safe_text import shown
from samsim.reports.build import ReportFiles
from samsim.reports.terminal import failed_checks_line, partial_lines, show_comparison


def show_report(files: ReportFiles, *, quiet: bool) -> None:
    """The main table and the files; quietly, only the page's place, with what is missing on stderr."""
    if quiet:
        for problem in files.collected.problems:
            click.echo(f"missing: {shown(problem.run)}: {shown(problem.words)}", err=True)
        for line in partial_lines(files.collected):
            click.echo(shown(line), err=True)
        if files.checks_failed:
            click.echo(failed_checks_line(files), err=True)
        click.echo(str(files.page))
        return
    console = PipeConsole()
    show_comparison(console, files)
    names = f"{files.metrics_json.name}, {files.metrics_csv.name}"
    console.print(Text(f"Also: {names}, {len(files.paper)} tables in {files.folder / 'paper'}"), soft_wrap=True)
