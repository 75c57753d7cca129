"""A file of reviews from its first row to its last: read, analyse, write, report."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from samsim.cli.exit_codes import ExitCode
from samsim.cli.reading import BadRow, Review, ReviewFile
from samsim.cli.result_files import ResultFile
from samsim.cli.safe_text import shown
from samsim.errors import InputError

if TYPE_CHECKING:
    from samsim.pipeline.api import Pipeline
    from samsim.rules.taxonomy_fit import TaxonomyFit

Advance = Callable[[], None]


def run_batch(pipeline: Pipeline, reviews: ReviewFile, output: ResultFile, concurrency: int = 1) -> ExitCode:
    """Analyse every usable row in order; bad ones are reported on stderr and skipped."""
    from samsim.rules.taxonomy_fit import TaxonomyFit

    try:
        fit = TaxonomyFit()
        with _progress(reviews, output) as advance:
            bad = _analyse_rows(pipeline, reviews, output, advance, concurrency, fit)
        if output.count == 0:
            raise InputError("Nothing was analysed: the file has no usable review. See the lines named above, if any.")
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
        click.echo(f"hint: {shown(hint)}", err=True)
    return _summary(output, bad)


def _analyse_rows(
    pipeline: Pipeline, reviews: ReviewFile, output: ResultFile, advance: Advance, concurrency: int, fit: TaxonomyFit
) -> int:
    from samsim.pipeline.epochs import SampleError

    bad = 0
    # The stream answers in order, so the oldest waiting review belongs to the next answer.
    waiting: deque[Review] = deque()

    def usable() -> Iterator[tuple[str, str]]:
        nonlocal bad
        for row in reviews:
            if isinstance(row, BadRow):
                bad += 1
                _report(row.line, row.reason)
                advance()
            else:
                waiting.append(row)
                yield row.uid, row.text

    for answer in pipeline.stream(usable(), concurrency=concurrency):
        review = waiting.popleft()
        if isinstance(answer, SampleError):
            bad += 1
            _report(review.line, answer.message)
        else:
            fit.add(answer)
            output.add(review, answer)
        advance()
    return bad


def _report(line: int, reason: str) -> None:
    click.echo(f"line {line}: {shown(reason)}", err=True)


def _summary(output: ResultFile, bad: int) -> ExitCode:
    place = "" if output.path is None else f" -> {shown(str(output.path))}"
    if bad or output.path is not None:
        click.echo(f"{output.count} analysed, {bad} bad{place}", err=True)
    return ExitCode.SOME_BAD if bad else ExitCode.OK


@contextmanager
def _progress(reviews: ReviewFile, output: ResultFile) -> Iterator[Advance]:
    """A bar on stderr, where that is a terminal and the results do not go to it as well."""
    if not sys.stderr.isatty() or (output.path is None and sys.stdout.isatty()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rows]}"), TimeRemainingColumn())
    # Only stderr is redirected: what is reported while the bar is shown appears above it.
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as progress:
        task = progress.add_task("", total=max(reviews.size, 1), rows=0)
        rows = 0

        def advance() -> None:
            nonlocal rows
            rows += 1
            progress.update(task, completed=reviews.position, rows=rows)

        yield advance
