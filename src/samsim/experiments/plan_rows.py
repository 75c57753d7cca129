"""A plan as a table of words: for a prompt, a notebook and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from samsim.notebook import html_block, html_table
from samsim.plurals import how_many
from samsim.schemas.code_names import Ui

if TYPE_CHECKING:
    from samsim.experiments.planning import CellPlan, Estimate, ExperimentPlan

_COLUMNS: Mapping[Ui, tuple[str, ...]] = {
    "en": ("cell", "samples", "calls", "tokens", "cost, $", "engine seconds"),
    "ko": ("셀", "샘플", "호출", "토큰", "비용($)", "엔진 시간(초)"),
}
_UNKNOWN: Mapping[Ui, str] = {"en": "unknown", "ko": "알 수 없음"}
_ALL: Mapping[Ui, str] = {"en": "all", "ko": "합계"}


def plan_title(plan: ExperimentPlan, ui: Ui = "en") -> str:
    """Return what the estimates are based on."""
    probed = max((cell.probed for cell in plan.cells), default=0)
    if ui == "ko":
        return f"계획(프로토콜·엔진별로 시험한 샘플 {probed:,}개 기준)"
    return f"Plan (from {how_many(probed, 'probed sample')} per protocol and engine)"


def plan_columns(ui: Ui = "en") -> tuple[str, ...]:
    """Return the headings of the table."""
    return _COLUMNS[ui]


def cell_row(cell: CellPlan, ui: Ui = "en") -> tuple[str, ...]:
    """Return samples, calls, tokens and cost of a cell, as ranges; a star marks one that nobody was asked for."""
    failed = f" (시험 {cell.failed:,}건 실패)" if ui == "ko" else f" ({how_many(cell.failed, 'probe')} failed)"
    name = cell.cell.cell_id + (failed if cell.failed else "")
    name += " *" if cell.missing_keys else ""
    return name, f"{cell.samples:,}", *_ranges([cell], ui)


def total_row(cells: Sequence[CellPlan], ui: Ui = "en") -> tuple[str, ...]:
    """Return the same for all cells together."""
    return _ALL[ui], f"{sum(cell.samples for cell in cells):,}", *_ranges(cells, ui)


def plan_text(plan: ExperimentPlan) -> str:
    """Return the plan in lines, for a prompt."""
    rows = [plan_columns(), *_rows(plan)]
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
    return html_block(plan_title(plan), html_table(plan_columns(), _rows(plan)), *plan.notes)


def _rows(plan: ExperimentPlan) -> list[tuple[str, ...]]:
    rows = [cell_row(cell) for cell in plan.cells]
    return [*rows, total_row(plan.cells)] if len(rows) > 1 else rows


def _ranges(cells: Sequence[CellPlan], ui: Ui) -> tuple[str, ...]:
    return (
        _range((cell.calls for cell in cells), ",.0f", ui),
        _range((cell.tokens for cell in cells), ",.0f", ui),
        _range((cell.cost for cell in cells), ",.4f", ui),
        _range((cell.seconds for cell in cells), ",.1f", ui),
    )


def _range(parts: Iterable[Estimate | None], form: str, ui: Ui) -> str:
    """Return the sum from the least to the most; one unknown part makes it unknown."""
    low = high = 0.0
    for part in parts:
        if part is None:
            return _UNKNOWN[ui]
        low, high = low + part.low, high + part.high
    least, most = format(low, form), format(high, form)
    return least if least == most else f"{least} – {most}"
