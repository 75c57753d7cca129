"""The progress of a run on stderr: a bar on a terminal, else a line every few seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import click

from samsim.experiments.projection import SampleLines
from samsim.schemas.results import missing_words
from samsim.schemas.runs import CellRecord, Manifest

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from samsim.experiments.cell_run import Watcher

_LINE_SECONDS = 10.0
_REPORTED_ERRORS = 5


@dataclass(slots=True)
class Tally:
    """What a cell has taken so far in this start."""

    total: int
    before: int
    done: int
    started: float
    errors: int = 0
    partial: int = 0
    tokens: int = 0
    cost: float = 0.0
    unknown: bool = False

    def add(self, lines: SampleLines) -> None:
        """Count one sample."""
        self.done += 1
        self.errors += lines.completeness == "failed"
        self.partial += lines.completeness == "partial"
        usage = lines.usage
        self.tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.cost += usage.cost or 0.0
        self.unknown |= usage.cost is None

    @property
    def rate(self) -> float:
        """Samples per second in this start."""
        return (self.done - self.before) / max(monotonic() - self.started, 1e-9)

    def describe(self) -> str:
        """Rate, errors, tokens and cost, as far as there are any."""
        parts = [f"{self.rate:,.1f}/s"]
        if self.errors:
            parts.append(f"{self.errors} failed")
        if self.partial:
            parts.append(f"{self.partial} partial")
        if self.tokens:
            parts.append(f"{self.tokens:,} tokens")
        if self.cost or self.unknown:
            parts.append(f"${self.cost:.4f}" + (" and unknown" if self.unknown else ""))
        return ", ".join(parts)


class LineWatcher:
    """One line per interval, for logs and pipes."""

    def __init__(self) -> None:
        self._name = ""
        self._tally = Tally(0, 0, 0, 0.0)
        self._last = 0.0
        self._told = 0

    def cell_started(self, cell: CellRecord, total: int, done: int) -> None:
        """Begin to count."""
        self._name = cell.cell_id
        self._last = monotonic()
        self._tally = Tally(total, done, done, self._last)

    def sample_done(self, lines: SampleLines) -> None:
        """Say how far it is, now and then."""
        self._tally.add(lines)
        if lines.completeness != "complete" and self._told < _REPORTED_ERRORS:
            self._told += 1
            said = (
                f"failed: {lines.error}" if lines.error is not None else f"is partial: {missing_words(lines.missing)}"
            )
            click.echo(f"{self._name}: sample {lines.uid} {said}", err=True)
        if monotonic() - self._last >= _LINE_SECONDS:
            self._last = monotonic()
            left = (self._tally.total - self._tally.done) / max(self._tally.rate, 1e-9)
            click.echo(
                f"{self._name}: {self._tally.done}/{self._tally.total}, {self._tally.describe()}, {left:.0f} s left",
                err=True,
            )

    def cell_ended(self, manifest: Manifest) -> None:
        """Say how it ended."""
        again = " (done before)" if self._tally.done == self._tally.before and manifest.status == "finished" else ""
        click.echo(
            f"{self._name}: {manifest.status}{again}, {manifest.done}/{self._tally.total}"
            + (f", {manifest.errors} failed" if manifest.errors else "")
            + (f", {manifest.partial} partial" if manifest.partial else ""),
            err=True,
        )

    def note(self, text: str) -> None:
        """Say it."""
        click.echo(f"note: {text}", err=True)


class BarWatcher:
    """A bar per cell on a terminal."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._tally = Tally(0, 0, 0, 0.0)

    def cell_started(self, cell: CellRecord, total: int, done: int) -> None:
        """Add the cell's bar."""
        self._tally = Tally(total, done, done, monotonic())
        self._task = self._progress.add_task(cell.cell_id, total=total, completed=done, what="")

    def sample_done(self, lines: SampleLines) -> None:
        """Move the bar."""
        self._tally.add(lines)
        if self._task is not None:
            self._progress.update(self._task, completed=self._tally.done, what=self._tally.describe())

    def cell_ended(self, manifest: Manifest) -> None:
        """Leave the last figures standing."""
        if self._task is not None and self._tally.done == self._tally.before and manifest.status == "finished":
            self._progress.update(self._task, what="done before")

    def note(self, text: str) -> None:
        """Say it above the bars."""
        self._progress.console.print(f"note: {text}", markup=False, highlight=False)


@contextmanager
def watching() -> Iterator[Watcher]:
    """Whatever suits where stderr goes."""
    if not sys.stderr.isatty():
        yield LineWatcher()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[what]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as progress:
        yield BarWatcher(progress)
