"""The progress of a run on stderr: a bar on a terminal, otherwise a line every few seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

import click

from samsim.cli.progress.heartbeat import LINE_SECONDS, PauseTeller, describe_pause, heartbeat
from samsim.cli.progress.pace import Pace
from samsim.engines.pacing.activity import Activity
from samsim.experiments.artefacts import OUTPUTS
from samsim.experiments.projection import SampleLines
from samsim.plurals import how_many
from samsim.schemas.results import missing_words
from samsim.schemas.runs import LIMITED, CellRecord, Manifest

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from samsim.experiments.cell_run import Watcher

Clock = Callable[[], float]
_REPORTED_ERRORS = 5


@dataclass(slots=True)
class Tally:
    """What a cell has used so far since this start. Time during which a server was away does not count.

    ``again`` is the number of failed or partial samples that are run again.
    """

    total: int
    before: int
    activity: Activity
    clock: Clock = monotonic
    again: int = 0
    done: int = field(init=False)
    errors: int = 0
    partial: int = 0
    tokens: int = 0
    cost: float = 0.0
    is_partly_unknown: bool = False
    _pace: Pace = field(init=False)

    def __post_init__(self) -> None:
        """Start counting."""
        self.done = self.before
        self._pace = Pace(self._now())

    def _now(self) -> float:
        return self.clock() - self.activity.paused_seconds

    def add(self, lines: SampleLines) -> None:
        """Count one sample."""
        self.done += 1
        self._pace.add(self._now())
        self.errors += lines.completeness == "failed"
        self.partial += lines.completeness == "partial"
        usage = lines.usage
        self.tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.cost += usage.cost or 0.0
        self.is_partly_unknown |= usage.cost is None

    def describe(self) -> str:
        """Return speed, errors, calls, tokens, cost and remaining time, as far as they are known."""
        now = self._now()
        parts = [
            self._pace.describe(now),
            f"{self.errors} failed" if self.errors else None,
            f"{self.partial} partial" if self.partial else None,
            self._calls(),
            how_many(self.tokens, "token") if self.tokens else None,
            # An unknown price was already reported before the run.
            f"{'at least ' if self.is_partly_unknown else ''}${self.cost:.4f}" if self.cost else None,
            self._pace.describe_left(self.total - self.done, now),
        ]
        return ", ".join(part for part in parts if part is not None)

    def _calls(self) -> str | None:
        activity = self.activity
        if not activity.under_way and not activity.waiting:
            return None
        seconds = activity.seconds_per_call
        speed = "" if seconds is None else f", {seconds:,.1f} s/call"
        return f"{how_many(activity.under_way, 'call')} under way, {activity.waiting} waiting{speed}"


def describe_start(total: int, done: int, again: int) -> str | None:
    """Return where a cell resumes, or None if it starts from the beginning."""
    if again:
        return f"{how_many(again, 'failed or partial sample')} of {done + again:,} will be run again"
    return f"resumed at {done + 1} of {total}" if 0 < done < total else None


def describe_end(manifest: Manifest, tally: Tally) -> str:
    """Return how a cell ended."""
    lacking = (f", {manifest.errors} failed" if manifest.errors else "") + (
        f", {manifest.partial} partial" if manifest.partial else ""
    )
    if manifest.status == "stopped" and manifest.stop_reason == LIMITED:
        data = manifest.run_over
        whole = tally.total if data is None else data.samples
        return f"done as requested: {manifest.done} of {whole} (--limit {tally.total}){lacking}"
    before = " (done before)" if tally.done == tally.before and manifest.status == "finished" else ""
    redone = min(tally.done - tally.before, tally.again)
    again = f", {redone:,} of {tally.again:,} run again" if tally.again else ""
    return f"{manifest.status}{before}{again}, {manifest.done}/{tally.total}{lacking}"


class LineWatcher:
    """Prints a line when something happens and at least every ten seconds; for logs and pipes."""

    def __init__(self, clock: Clock = monotonic) -> None:
        self._clock = clock
        self._name = ""
        self._activity = Activity()
        self._tally: Tally | None = None
        self._last = 0.0
        self._told = 0
        self._pauses = PauseTeller(clock)
        # The heartbeat runs in its own thread.
        self._lock = threading.RLock()

    def watch_engines(self, activity: Activity) -> None:
        """Report the activity of these engines from now on."""
        self._activity = activity

    def cell_started(self, cell: CellRecord, total: int, done: int, again: int = 0) -> None:
        """Start counting, and say where the cell resumes."""
        with self._lock:
            self._name = cell.cell_id
            self._last = self._clock()
            self._tally = Tally(total, done, self._activity, self._clock, again)
            start = describe_start(total, done, again)
            if start is not None:
                self._say(start)

    def sample_done(self, lines: SampleLines) -> None:
        """Report a failed or partial sample, and the progress from time to time."""
        with self._lock:
            if self._tally is not None:
                self._tally.add(lines)
            if lines.completeness != "complete":
                self._name_incomplete(lines)
            self.beat()

    def beat(self) -> None:
        """Report the progress if nothing was printed for a while, or a server went away or came back."""
        with self._lock:
            tally = self._tally
            if tally is None:
                return
            news = self._pauses.news(self._activity)
            if news is None and (self._pauses.is_paused or self._clock() - self._last < LINE_SECONDS):
                return
            self._last = self._clock()
            described = tally.describe() if news is None else news
            self._say(f"{tally.done}/{tally.total}" + (f", {described}" if described else ""))

    def _name_incomplete(self, lines: SampleLines) -> None:
        """Name the first few incomplete samples; then say once where to find the others."""
        self._told += 1
        if self._told <= _REPORTED_ERRORS:
            partial = f"is partial: {missing_words(lines.missing)}"
            self._say(f"sample {lines.uid} {partial if lines.error is None else f'failed: {lines.error}'}")
        elif self._told == _REPORTED_ERRORS + 1:
            self._say(f"further failed or partial samples are not listed here; {OUTPUTS} names all of them")

    def cell_ended(self, manifest: Manifest) -> None:
        """Print how the cell ended."""
        with self._lock:
            if self._tally is not None:
                self._say(describe_end(manifest, self._tally))
            self._tally = None

    def note(self, text: str) -> None:
        """Print a note."""
        click.echo(f"note: {text}", err=True)

    def _say(self, text: str) -> None:
        click.echo(f"{self._name}: {text}", err=True)


class BarWatcher:
    """Shows a progress bar per cell on a terminal."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._activity = Activity()
        self._task: TaskID | None = None
        self._tally: Tally | None = None
        self._lock = threading.Lock()

    def watch_engines(self, activity: Activity) -> None:
        """Report the activity of these engines from now on."""
        self._activity = activity

    def cell_started(self, cell: CellRecord, total: int, done: int, again: int = 0) -> None:
        """Add a bar for the cell."""
        start = describe_start(total, done, again)
        if start is not None:
            self._print(f"{cell.cell_id}: {start}")
        with self._lock:
            self._tally = Tally(total, done, self._activity, again=again)
            self._task = self._progress.add_task(cell.cell_id, total=total, completed=done, what="")

    def sample_done(self, lines: SampleLines) -> None:
        """Advance the bar."""
        with self._lock:
            if self._tally is not None:
                self._tally.add(lines)
        self.beat()

    def beat(self) -> None:
        """Update the bar."""
        with self._lock:
            if self._task is None or self._tally is None:
                return
            pause = self._activity.pause()
            what = self._tally.describe() if pause is None else describe_pause(pause)
            self._progress.update(self._task, completed=self._tally.done, what=what)

    def cell_ended(self, manifest: Manifest) -> None:
        """Keep the last figures, and add what the bar does not show."""
        with self._lock:
            if self._task is not None and self._tally is not None:
                if self._tally.done == self._tally.before and manifest.status == "finished":
                    self._progress.update(self._task, what="done before")
                elif manifest.stop_reason == LIMITED or (self._tally.again and manifest.status != "finished"):
                    self._progress.update(self._task, what=describe_end(manifest, self._tally))
            self._task = self._tally = None

    def note(self, text: str) -> None:
        """Print a note above the bars."""
        self._print(f"note: {text}")

    def _print(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False)


@contextmanager
def watching() -> Iterator[Watcher]:
    """Yield the watcher that suits stderr, and call its ``beat`` every second."""
    if not sys.stderr.isatty():
        lines = LineWatcher()
        with heartbeat(lines.beat):
            yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[what]}"),
    )
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as progress:
        bars = BarWatcher(progress)
        with heartbeat(bars.beat):
            yield bars
