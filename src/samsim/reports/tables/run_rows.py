"""Helpers shared by the tables: a row per run, and what to say if nothing was recorded."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from samsim.reports.collecting import MeasuredRun, as_one
from samsim.reports.tables.model import Row, Text, filled
from samsim.reports.words import PAGE
from samsim.schemas.code_names import Pair
from samsim.schemas.scorecards import Family

Cells = Sequence[Text]
_WHY_UNSCORED = {"all_failed": "all_failed", "no_gold": "no_gold_row", "no_samples": "no_samples"}


def missing_row(run: MeasuredRun) -> Row:
    """Return the row of a run without recorded facts, with the reason."""
    why = run.metrics.unscored_reason
    if run.has_cards and why in _WHY_UNSCORED:
        return Row((run.name, PAGE[_WHY_UNSCORED[why]]), "missing")
    return Row((run.name, filled(PAGE["needs_inference"], run=run.run.manifest.run_id)), "missing")


def rows_per_run(
    runs: Iterable[MeasuredRun], known: Callable[[MeasuredRun], bool], cells: Callable[[MeasuredRun], Cells]
) -> tuple[Row, ...]:
    """Return a row per run; if the facts were not recorded, the row says so."""
    listed = list(runs)
    missing = {run.name: missing_row(run) for run in listed if not known(run)}
    found = merged([run for run in listed if run.name not in missing], lambda run: [cells(run)])
    rows = {run.members[0].name: Row((run.name, *block[0])) for run, block in found}
    return tuple(row for run in listed if (row := {**missing, **rows}.get(run.members[0].name)) is not None)


def merged(
    runs: Iterable[MeasuredRun], block: Callable[[MeasuredRun], Sequence[Cells]]
) -> list[tuple[MeasuredRun, Sequence[Cells]]]:
    """Return the rows of every run; runs with the same outcome and the same rows are listed once."""
    together: dict[Hashable, tuple[list[MeasuredRun], Sequence[Cells]]] = {}
    for run in runs:
        rows = block(run)
        key = run.outcome_key, tuple(map(tuple, rows))
        together.setdefault(key, ([], rows))[0].extend(run.members)
    return [(as_one(same), rows) for same, rows in together.values()]


def without_review(runs: Iterable[MeasuredRun]) -> tuple[Pair, ...]:
    """Return a note naming the runs whose protocol has no review."""
    names = ", ".join(run.name for run in runs if not run.has_review)
    return (filled(PAGE["without_review"], names=names),) if names else ()


def primary_of(runs: Iterable[MeasuredRun]) -> Family | None:
    """Return the primary measure of the report."""
    return next((run.metrics.primary for run in runs if run.metrics.primary is not None), None)
