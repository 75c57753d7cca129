"""``samsim report``: rebuild the metrics, report and paper tables of runs from their files."""

from __future__ import annotations

from pathlib import Path

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ending
from samsim.cli.options.lang import lang_option


@click.command(epilog=SEE_EXIT_CODES)
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Output folder.  [default: the experiment's folder]"
)
@lang_option("Language of the report, the paper tables and the printed table.")
@click.option("--complete-only", is_flag=True, help="Leave out partial samples, as if they had failed.")
@click.option("--quiet", is_flag=True, help="Print only the path of the report.")
@click.pass_context
def report(
    ctx: click.Context, /, runs: tuple[Path, ...], out: Path | None, lang: str, complete_only: bool, quiet: bool
) -> None:
    """Rebuild the metrics and report of RUNS, which are run folders or experiment folders.

    Writes metrics.json, metrics.csv, report.html and paper/. No engine is called: anything that was not
    recorded is reported as missing, with the run to repeat.

    \b
    samsim report runs/quickstart
    samsim report runs/one runs/two --out comparison --lang ko
    """
    from samsim.cli.result_view.labels import choose_ui
    from samsim.cli.views.report import show_report
    from samsim.reports.build import build_report

    ui = choose_ui(lang)
    # The page has both languages: unless one was asked for, its reader's browser decides.
    files = build_report(runs, out, ui=None if lang == "auto" else ui, complete_only=complete_only)
    show_report(files, quiet=quiet, ui=ui)
    some_bad = bool(files.collected.problems or files.collected.partial)
    ctx.exit(ending(checks_failed=files.checks_failed > 0, some_bad=some_bad))
