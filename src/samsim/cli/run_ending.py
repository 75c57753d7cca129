"""The end of ``samsim run`` and ``samsim demo``: build the report, show it, and choose the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samsim.cli.exit_codes import ExitCode, ending

if TYPE_CHECKING:
    from samsim.experiments.run_set import Experiment
    from samsim.reports.build import ReportFiles
    from samsim.schemas.code_names import Ui


def finish_run(outcome: Experiment, *, report: bool, ui: Ui) -> ExitCode:
    """Build the report if requested, show the outcome, and return the exit code."""
    from samsim.cli.views.run import show_outcome
    from samsim.reports.build import build_report

    has_samples = any(manifest.done for manifest in outcome.cells)
    files = build_report(outcome.cell_folders, outcome.folder) if report and has_samples else None
    show_outcome(outcome, files, ui)
    return ending(
        checks_failed=files is not None and files.checks_failed > 0,
        stopped=outcome.stopped is not None,
        some_bad=bool(outcome.errors or outcome.partial or outcome.bad_rows or _unexpected_problems(outcome, files)),
    )


def _unexpected_problems(outcome: Experiment, files: ReportFiles | None) -> int:
    """Count the problems of runs that should be complete; a run limited by the user lacks samples on purpose."""
    unfinished = {manifest.cell.cell_id for manifest in outcome.cells if manifest.status != "finished"}
    problems = () if files is None else files.collected.problems
    return sum(unfinished.isdisjoint(problem.runs) for problem in problems)
