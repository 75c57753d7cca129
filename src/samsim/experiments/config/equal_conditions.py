"""Conditions whose results must equal C1, whatever the engines answer; worth knowing before paying for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from samsim.experiments.config.matrix import Cell, uses_memory
from samsim.memory.conditions import MemoryCondition


def notes_on_equality(cells: Sequence[Cell], *, store_is_empty: bool, samples: int | None = None) -> list[str]:
    """Return one note per reason why conditions of the cells equal C1.

    ``store_is_empty`` is about the store of cells for which none is built; ``samples`` is the number of samples to
    evaluate, if known.
    """
    blank = _distinct(cell for cell in cells if _is_blank(cell, store_is_empty))
    hidden = _distinct(cell for cell in cells if not _is_blank(cell, store_is_empty) and not _shows(cell))
    late = _distinct(cell for cell in cells if _is_too_late(cell, store_is_empty, samples))
    notes = []
    if blank:
        notes.append(
            f"{_equal(blank)}: the memory is empty and nothing is written to it."
            " Name a store (episodic_memory.store) or texts to fill one (data.memory)"
        )
    if hidden:
        notes.append(f"{_equal(hidden)} in every decision: the memory is recorded, but never shown to a reviewer")
    if late:
        notes.append(
            f"{_equal(late)} in every decision: the memory is empty, and with visibility"
            f" {cells[0].memory.visibility} none of the {samples} samples sees what another one wrote"
        )
    return notes


def _is_blank(cell: Cell, store_is_empty: bool) -> bool:
    """Return whether the memory can never hold an episode."""
    is_empty = store_is_empty and cell.builds_on is None
    return _remembers(cell) and is_empty and not cell.condition.store_write


def _shows(cell: Cell) -> bool:
    return not _remembers(cell) or cell.condition.exposed_to_debate


def _is_too_late(cell: Cell, store_is_empty: bool, samples: int | None) -> bool:
    epoch = cell.memory.epoch_size
    begins_empty = store_is_empty and cell.builds_on is None and cell.condition.store_write
    is_one_epoch = epoch is not None and samples is not None and samples <= epoch
    return _remembers(cell) and cell.condition.exposed_to_debate and begins_empty and is_one_epoch


def _remembers(cell: Cell) -> bool:
    return cell.kind == "evaluation" and uses_memory(cell.condition)


def _distinct(cells: Iterable[Cell]) -> list[MemoryCondition]:
    return list({cell.condition.name: cell.condition for cell in cells}.values())


def _equal(conditions: Sequence[MemoryCondition]) -> str:
    names = " and ".join(condition.name for condition in conditions)
    return f"{names} {'equals' if len(conditions) == 1 else 'equal'} C1 by construction"
