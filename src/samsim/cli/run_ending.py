"""How ``samsim run`` and ``samsim demo`` end: the report is built, shown, and decides the exit code too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from samsim.cli.exit_codes import ExitCode, ending
from samsim.cli.safe_text import shown

if TYPE_CHECKING:
    from pathlib import Path

    from samsim.experiments.run_set import Experiment
    from samsim.reports.build import ReportFiles
    from samsim.schemas.runs import Manifest

_NAMED_PARTIAL = 20


def finish_run(outcome: Experiment, *, report: bool) -> ExitCode:
    """Write metrics and report if they are wanted, show what came out, and say how it ended."""
    from samsim.cli.console import PipeConsole
    from samsim.cli.views.run import show_outcome

    files = _built(outcome) if report else None
    show_outcome(PipeConsole(), outcome, files)
    if outcome.stopped is not None:
        click.echo(f"stopped: {outcome.stopped.rstrip('.')}. Run the same command again to resume.", err=True)
    elif outcome.errors:
        click.echo(f"{outcome.errors} samples failed; --retry-errors does them again.", err=True)
    for manifest, folder in zip(outcome.cells, outcome.cell_folders, strict=True):
        if manifest.partial:
            click.echo(shown(_partial_line(manifest, folder, several=len(outcome.cells) > 1)), err=True)
    return ending(
        checks_failed=files is not None and files.checks_failed > 0,
        stopped=outcome.stopped is not None,
        some_bad=bool(outcome.errors or outcome.partial or outcome.bad_rows or _unexpected_problems(outcome, files)),
    )


def _partial_line(manifest: Manifest, folder: Path, *, several: bool) -> str:
    """How many samples of a cell were decided without some of their calls, which, and what to do."""
    from itertools import islice

    from samsim.experiments.artefacts import OUTPUTS, read_run
    from samsim.schemas.results import missing_words

    partial = (sample.result for sample in read_run(folder).samples() if sample.completeness == "partial")
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


def _built(outcome: Experiment) -> ReportFiles | None:
    from samsim.reports.build import build_report

    if not any(manifest.done for manifest in outcome.cells):
        return None
    return build_report(outcome.cell_folders, outcome.folder)


def _unexpected_problems(outcome: Experiment, files: ReportFiles | None) -> int:
    """Problems of runs that were to be whole; one that was limited on purpose lacks samples on purpose."""
    unfinished = {manifest.cell.cell_id for manifest in outcome.cells if manifest.status != "finished"}
    problems = () if files is None else files.collected.problems
    return sum(unfinished.isdisjoint(problem.run.split(", ")) for problem in problems)
