"""What the tables have in common: a row per run, and what to say where nothing was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from samsim.reports.collecting import MeasuredRun
from samsim.reports.table_model import Row, Text, filled
from samsim.reports.words import PAGE
from samsim.schemas.scorecards import Family


def missing_row(run: MeasuredRun) -> Row:
    """A run of which nothing of the kind was recorded."""
    return Row((run.name, filled(PAGE["needs_inference"], run=run.run.manifest.run_id)), "missing")


def rows_per_run(
    runs: Iterable[MeasuredRun], known: Callable[[MeasuredRun], bool], cells: Callable[[MeasuredRun], Sequence[Text]]
) -> tuple[Row, ...]:
    """A row per run; where the facts were not recorded, it says so."""
    return tuple(Row((run.name, *cells(run))) if known(run) else missing_row(run) for run in runs)


def primary_of(runs: Iterable[MeasuredRun]) -> Family | None:
    """The measure the report looks at first."""
    return next((run.metrics.primary for run in runs if run.metrics.primary is not None), None)
