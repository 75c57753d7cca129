"""The options that give a command an episodic memory, and the memory they open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from samsim.memory.episodic_orchestrator import EpisodicOrchestrator


def memory_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--memory`` and ``--condition``."""
    for option in (
        click.option("--condition", metavar="NAME", help="C1, C2, C2_silent, C2_eval_only, C2_frozen …  [default: C2]"),
        click.option(
            "--memory",
            metavar="STORE",
            help="Episodic memory: a file of JSON lines or a postgresql:// address "
            "(memory/episodic_store.jsonl if only a condition is given).",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def open_memory(store: str | None, condition: str | None) -> Iterator[EpisodicOrchestrator | None]:
    """Open the memory that the options name and close it at the end; yield None without either option."""
    if store is None and condition is None:
        yield None
        return
    from samsim.memory.opening import DEFAULT_CONDITION
    from samsim.memory.opening import open_memory as open_at

    with open_at(store, condition=condition or DEFAULT_CONDITION) as memory:
        yield memory
