"""How ``samsim run`` and ``samsim demo`` end: the report is built, shown, and decides the exit code too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from samsim.cli.exit_codes import ExitCode, ending

if TYPE_CHECKING:
    from samsim.experiments.runner import ExperimentOutcome
    from samsim.reports.build import ReportFiles


def finish_run(outcome: ExperimentOutcome, *, report: bool) -> ExitCode:
    """Write metrics and report if they are wanted, show what came out, and say how it ended."""
    from samsim.cli.console import PipeConsole
    from samsim.cli.run_view import show_outcome

    files = _built(outcome) if report else None
    show_outcome(PipeConsole(), outcome, files)
    if outcome.stopped is not None:
        click.echo(f"stopped: {outcome.stopped.rstrip('.')}. Run the same command again to resume.", err=True)
    elif outcome.errors:
        click.echo(f"{outcome.errors} samples failed; --retry-errors does them again.", err=True)
    return ending(
        checks_failed=files is not None and files.checks_failed > 0,
        stopped=outcome.stopped is not None,
        some_bad=bool(outcome.errors or outcome.bad_rows or _unexpected_problems(outcome, files)),
    )


def _built(outcome: ExperimentOutcome) -> ReportFiles | None:
    from samsim.reports.build import build_report

    if not any(manifest.done for manifest in outcome.cells):
        return None
    return build_report(outcome.cell_folders, outcome.folder)


def _unexpected_problems(outcome: ExperimentOutcome, files: ReportFiles | None) -> int:
    """Problems of runs that were to be whole; one that was limited on purpose lacks samples on purpose."""
    unfinished = {manifest.cell.cell_id for manifest in outcome.cells if manifest.status != "finished"}
    problems = () if files is None else files.collected.problems
    return sum(unfinished.isdisjoint(problem.run.split(", ")) for problem in problems)
