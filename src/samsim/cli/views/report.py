"""The output of ``samsim report``."""

from __future__ import annotations

import click
from rich.text import Text

from samsim.cli.console import PipeConsole
from samsim.cli.safe_text import shown
from samsim.plurals import how_many
from samsim.reports.build import ReportFiles
from samsim.reports.tables.model import said
from samsim.reports.terminal import failed_checks_line, missing_line, partial_lines, show_comparison
from samsim.schemas.code_names import Ui


def show_report(files: ReportFiles, *, quiet: bool, ui: Ui = "en") -> None:
    """Print the main table and the files; with ``quiet``, only the path of the page, and problems on stderr."""
    if quiet:
        for problem in files.collected.problems:
            click.echo(shown(missing_line(problem, ui)), err=True)
        for line in partial_lines(files.collected, ui):
            click.echo(shown(line), err=True)
        if files.checks_failed:
            click.echo(failed_checks_line(files, ui), err=True)
        click.echo(str(files.page))
        return
    console = PipeConsole()
    show_comparison(console, files, ui)
    names = f"{files.metrics_json.name}, {files.metrics_csv.name}"
    paper, tables = files.folder / "paper", len(files.paper)
    also = said(
        (f"Also: {names}, {how_many(tables, 'table')} in {paper}", f"함께 쓴 파일: {names}, {paper}의 표 {tables}개"),
        ui,
    )
    console.print(Text(also), soft_wrap=True)
