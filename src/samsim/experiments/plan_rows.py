"""A plan as a table of words: for a prompt, a notebook and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from samsim.notebook import html_block, html_table
from samsim.plurals import how_many

if TYPE_CHECKING:
    from samsim.experiments.planning import CellPlan, Estimate, ExperimentPlan

PLAN_COLUMNS = ("cell", "samples", "calls", "tokens", "cost, $", "engine seconds")
_UNKNOWN = "unknown"


def plan_title(plan: ExperimentPlan) -> str:
    """Return what the estimates are from."""
    probed = max((cell.probed for cell in plan.cells), default=0)
    return f"Plan (from {how_many(probed, 'probed sample')} per protocol and engine)"


def cell_row(cell: CellPlan) -> tuple[str, ...]:
    """Return samples, calls, tokens and cost of a cell, as ranges; a star marks one that nobody was asked for."""
    name = cell.cell.cell_id + (f" ({how_many(cell.failed, 'probe')} failed)" if cell.failed else "")
    name += " *" if cell.missing_keys else ""
    return name, f"{cell.samples:,}", *_ranges([cell])


def total_row(cells: Sequence[CellPlan]) -> tuple[str, ...]:
    """Return the same of all cells together."""
    return "all", f"{sum(cell.samples for cell in cells):,}", *_ranges(cells)


def plan_text(plan: ExperimentPlan) -> str:
    """Return the plan in lines, for a prompt."""
    rows = [PLAN_COLUMNS, *_rows(plan)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )
    return "\n".join([plan_title(plan), *lines, *(f"note: {note}" for note in plan.notes)])


def plan_html(plan: ExperimentPlan) -> str:
    """Return the plan as a table, for a notebook."""
    return html_block(plan_title(plan), html_table(PLAN_COLUMNS, _rows(plan)), *plan.notes)


def _rows(plan: ExperimentPlan) -> list[tuple[str, ...]]:
    rows = [cell_row(cell) for cell in plan.cells]
    return [*rows, total_row(plan.cells)] if len(rows) > 1 else rows


def _ranges(cells: Sequence[CellPlan]) -> tuple[str, ...]:
    return (
        _range((cell.calls for cell in cells), ",.0f"),
        _range((cell.tokens for cell in cells), ",.0f"),
        _range((cell.cost for cell in cells), ",.4f"),
        _range((cell.seconds for cell in cells), ",.1f"),
    )


def _range(parts: Iterable[Estimate | None], form: str) -> str:
    """Return the sum from the least to the most; one unknown part makes it unknown."""
    low = high = 0.0
    for part in parts:
        if part is None:
            return _UNKNOWN
        low, high = low + part.low, high + part.high
    least, most = format(low, form), format(high, form)
    return least if least == most else f"{least} – {most}"
