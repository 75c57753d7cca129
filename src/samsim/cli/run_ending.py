"""How ``samsim run`` and ``samsim demo`` end: the report is built, shown, and decides the exit code too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from samsim.cli.exit_codes import ExitCode, ending
from samsim.cli.safe_text import shown
from samsim.plurals import how_many

if TYPE_CHECKING:
    from pathlib import Path

    from samsim.experiments.run_set import Experiment
    from samsim.reports.build import ReportFiles
    from samsim.schemas.runs import Manifest

# Of each kind, on the terminal; the files name them all.
_NAMED = 20


def finish_run(outcome: Experiment, *, report: bool) -> ExitCode:
    """Write metrics and report if they are wanted, show what came out, and say how it ended."""
    from samsim.cli.console import PipeConsole
    from samsim.cli.views.run import show_outcome

    files = _built(outcome) if report else None
    show_outcome(PipeConsole(), outcome, files)
    if outcome.stopped is not None:
        click.echo(f"stopped: {outcome.stopped.rstrip('.')}. Run the same command again to resume.", err=True)
    for manifest, folder in zip(outcome.cells, outcome.cell_folders, strict=True):
        if manifest.errors or manifest.partial:
            for line in _incomplete_lines(manifest, folder, several=len(outcome.cells) > 1):
                click.echo(shown(line), err=True)
    return ending(
        checks_failed=files is not None and files.checks_failed > 0,
        stopped=outcome.stopped is not None,
        some_bad=bool(outcome.errors or outcome.partial or outcome.bad_rows or _unexpected_problems(outcome, files)),
    )


def _incomplete_lines(manifest: Manifest, folder: Path, *, several: bool) -> Iterator[str]:
    """How many samples of a cell failed or were decided without some of their calls, which, and what to do."""
    from samsim.experiments.artefacts import OUTPUTS, read_run
    from samsim.schemas.results import missing_words

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
            yield f"{cell}{counts} {what}: {named}{more}; --retry-errors does them again."


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
