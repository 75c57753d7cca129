"""Analyze a file of reviews: read, analyze, write and report row by row."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from samsim.cli.batch.reading import Review, ReviewFile
from samsim.cli.batch.result_files import ResultFile
from samsim.cli.exit_codes import ExitCode, ending
from samsim.cli.progress.heartbeat import PauseTeller, heartbeat
from samsim.cli.safe_text import shown
from samsim.data.bad_rows import BadRow
from samsim.errors import EngineError, InputError

if TYPE_CHECKING:
    from samsim.engines.pacing.activity import Activity
    from samsim.pipeline.api import Pipeline
    from samsim.pipeline.epochs import Outcome
    from samsim.rules.taxonomy_fit import TaxonomyFit

Advance = Callable[[], None]


@dataclass(slots=True)
class _Counts:
    """How many rows have no result, and how many results lack some of their calls."""

    bad: int = 0
    partial: int = 0


def run_batch(
    pipeline: Pipeline,
    reviews: ReviewFile,
    output: ResultFile,
    concurrency: int = 1,
    activity: Activity | None = None,
) -> ExitCode:
    """Analyze every usable row in order; report bad ones on stderr and skip them.

    If ``activity`` says that a server was given up, no further row is tried.
    """
    from samsim.rules.taxonomy_fit import TaxonomyFit

    fit = TaxonomyFit()
    try:
        with _progress(reviews, output) as advance, _telling_pauses(activity):
            counts = _analyse_rows(pipeline, reviews, output, advance, concurrency, activity, fit)
        if output.count == 0:
            raise InputError(
                "Nothing was analyzed: the file has no usable review. See the lines reported above, if any."
            )
    except KeyboardInterrupt:
        click.echo(f"\ninterrupted. {output.abandon()}", err=True)
        return ExitCode.INTERRUPTED
    except BaseException:
        kept = output.abandon()
        if output.path is not None and output.count:
            click.echo(f"stopped early. {kept}", err=True)
        raise
    output.finish()
    for hint in fit.hints():
        click.echo(f"hint: {shown(str(hint))}", err=True)
    return _summary(output, counts)


def _analyse_rows(
    pipeline: Pipeline,
    reviews: ReviewFile,
    output: ResultFile,
    advance: Advance,
    concurrency: int,
    activity: Activity | None,
    fit: TaxonomyFit,
) -> _Counts:
    from samsim.pipeline.epochs import SampleError
    from samsim.schemas.results import missing_words

    counts = _Counts()
    # The stream answers in order, so the oldest waiting review belongs to the next answer.
    waiting: deque[Review] = deque()

    def usable() -> Iterator[tuple[str, str]]:
        for row in reviews:
            if isinstance(row, BadRow):
                counts.bad += 1
                _report(row.number, row.reason)
                advance()
            else:
                waiting.append(row)
                yield row.uid, row.text

    for answer in pipeline.stream(usable(), concurrency=concurrency):
        review = waiting.popleft()
        if activity is not None and activity.lost is not None and _lacks_an_answer(answer):
            raise EngineError(f"{activity.lost}. Run it again when the server is back.")
        if isinstance(answer, SampleError):
            counts.bad += 1
            _report(review.number, answer.message)
        else:
            if answer.missing_calls:
                counts.partial += 1
                _report(review.number, f"partial: {missing_words(answer.missing_calls)}")
            fit.add(answer)
            output.add(review, answer)
        advance()
    return counts


def _lacks_an_answer(answer: Outcome) -> bool:
    """Return whether a review lacks its result, or a part of it, because a server could not be reached."""
    from samsim.pipeline.epochs import SampleError

    return isinstance(answer, SampleError) or any(call.problem == "unreachable" for call in answer.calls)


@contextmanager
def _telling_pauses(activity: Activity | None) -> Iterator[None]:
    """Report on stderr when a server goes away and when it is back."""
    if activity is None:
        yield
        return
    teller = PauseTeller()

    def beat() -> None:
        news = teller.news(activity)
        if news is not None:
            click.echo(news, err=True)

    with heartbeat(beat):
        yield


def _report(line: int, reason: str) -> None:
    click.echo(f"line {line}: {shown(reason)}", err=True)


def _summary(output: ResultFile, counts: _Counts) -> ExitCode:
    place = "" if output.path is None else f" -> {shown(str(output.path))}"
    some_bad = bool(counts.bad or counts.partial)
    if some_bad or output.path is not None:
        partial = f", {counts.partial} partial" if counts.partial else ""
        click.echo(f"{output.count} analyzed{partial}, {counts.bad} bad{place}", err=True)
    return ending(some_bad=some_bad)


@contextmanager
def _progress(reviews: ReviewFile, output: ResultFile) -> Iterator[Advance]:
    """Show a bar on stderr, if that is a terminal and the results are not printed there as well."""
    if not sys.stderr.isatty() or (output.path is None and sys.stdout.isatty()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rows]}"), TimeRemainingColumn())
    # Only stderr is redirected, so messages appear above the bar.
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as progress:
        task = progress.add_task("", total=max(reviews.size, 1), rows=0)
        rows = 0

        def advance() -> None:
            nonlocal rows
            rows += 1
            progress.update(task, completed=reviews.position, rows=rows)

        yield advance
