"""``samsim cache``: inspect, clear, export and import the cached responses of language models."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ExitCode
from samsim.cli.safe_text import shown
from samsim.errors import ConfigError, InputError
from samsim.plurals import how_many

if TYPE_CHECKING:
    from samsim.engines.cache import ResponseCache


def _cache_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--cache",
        "path",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The cache file.  [default: $SAMSIM_CACHE, or the user's cache folder]",
    )(command)


@click.group(epilog=SEE_EXIT_CODES)
def cache() -> None:
    """Inspect and manage the cached responses of models.

    A request that is in the cache is not sent, and not paid for, again.

    \b
    samsim cache stats
    samsim cache export -o responses.jsonl
    samsim cache import responses.jsonl --cache other.sqlite
    """


@cache.command()
@_cache_option
def stats(path: Path | None) -> None:
    """Show where the cache is and how much it holds."""
    kept = _cache_at(path)
    if not kept.path.exists():
        click.echo(f"{_shown(kept.path)}: no cache yet")
        return
    with closing(kept):
        found = kept.stats()
    click.echo(f"file:      {_shown(kept.path)}")
    click.echo(f"size:      {found.file_bytes / 1_000_000:.1f} MB")
    click.echo(f"responses: {found.entries}")
    if found.oldest is not None and found.newest is not None:
        click.echo(f"from:      {_day(found.oldest)}")
        click.echo(f"to:        {_day(found.newest)}")


@cache.command()
@_cache_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def clear(path: Path | None, yes: bool) -> None:
    """Delete all cached responses."""
    kept = _cache_at(path)
    if not kept.path.exists():
        click.echo(f"{_shown(kept.path)}: no cache yet")
        return
    with closing(kept):
        if not yes:
            click.confirm(f"Delete {_responses(kept.stats().entries)} in {_shown(kept.path)}?", abort=True, err=True)
        click.echo(f"{_responses(kept.clear())} deleted")


@cache.command()
@_cache_option
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.  [default: stdout]"
)
@click.option("--force", is_flag=True, help="Overwrite the output file.")
def export(path: Path | None, output: Path | None, force: bool) -> None:
    """Write all cached responses as JSON lines, sorted by key."""
    from samsim.cli.writing import JsonLines

    kept = _cache_at(path)
    if not kept.path.exists():
        raise ConfigError(f"There is no cache at {kept.path}. Pass the cache file with --cache.")
    with closing(kept):
        kept.open()
        target = JsonLines(output, force=force, source=kept.path)
        try:
            for entry in kept.entries():
                target.write(entry.model_dump_json())
        except BaseException:
            target.abandon()
            raise
        target.finish()
    if output is not None:
        click.echo(f"{_responses(target.count)} -> {_shown(output)}", err=True)


@cache.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@_cache_option
@click.pass_context
def import_(ctx: click.Context, file: Path, path: Path | None) -> None:
    """Add the responses from an export. Existing ones are kept; bad lines are reported and skipped."""
    kept = _cache_at(path)
    with closing(kept), click.open_file(str(file), "rb") as lines:
        report = kept.import_lines(lines, _report_line)
    usable = report.added + report.known + report.different
    if report.bad and not usable:
        raise InputError(
            "Nothing was imported: no line is a cached response. Give a file written by samsim cache export."
        )
    click.echo(f"{report.added} added, {report.known} known, {report.bad} bad -> {_shown(kept.path)}", err=True)
    if report.different:
        click.echo(
            f"{report.different} differ from the cached response with the same key; the cached ones were kept", err=True
        )
    ctx.exit(ExitCode.SOME_BAD if report.bad else ExitCode.OK)


def _cache_at(path: Path | None) -> ResponseCache:
    from samsim.engines.cache import ResponseCache

    return ResponseCache(path)


def _report_line(number: int, reason: str) -> None:
    click.echo(f"line {number}: {shown(reason)}", err=True)


def _responses(number: int) -> str:
    return how_many(number, "cached response")


def _shown(path: Path) -> str:
    return shown(str(path))


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
