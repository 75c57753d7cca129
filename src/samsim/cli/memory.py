"""``samsim memory``: inspect, check, copy and search the episodes of a memory store."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ExitCode
from samsim.cli.options.encoding import check_encoding_name
from samsim.cli.safe_text import shown
from samsim.errors import ConfigError, InputError
from samsim.plurals import how_many
from samsim.safe_json import safe_json

if TYPE_CHECKING:
    from samsim.memory.store import MemoryStore
    from samsim.schemas.memory_v1_1 import EpisodicMemoryEntryV1_1

_STORE = click.argument("store", metavar="STORE")
_SHOWN_BY_DEFAULT = 20
_URL_MARK = "://"


@click.group(epilog=SEE_EXIT_CODES)
def memory() -> None:
    """Inspect and manage the episodes remembered from earlier samples.

    STORE is a file or a postgresql:// URL.

    \b
    samsim memory stats memory/episodic_store.jsonl
    samsim memory show memory/episodic_store.jsonl epi_000007
    samsim memory export memory/episodic_store.jsonl -o episodes.jsonl
    samsim memory import postgresql://user@host/database episodes.jsonl
    samsim memory grep-leaks memory/episodic_store.jsonl --texts reviews.csv
    """


@memory.command()
@_STORE
def stats(store: str) -> None:
    """Show statistics of a store."""
    from samsim.cli.console import print_view
    from samsim.cli.views.memory import stats_view, summary_of

    with _existing(store) as opened:
        print_view(stats_view(_place(store), summary_of(opened.iterate()), opened.content_hash()))


@memory.command()
@_STORE
@click.argument("episode_ids", nargs=-1, metavar="[EPISODE_ID]...")
@click.option(
    "-n", "--last", type=click.IntRange(min=1), help=f"How many, newest first.  [default: {_SHOWN_BY_DEFAULT}]"
)
def show(store: str, episode_ids: tuple[str, ...], last: int | None) -> None:
    """List the newest episodes, or show the given ones in full."""
    from samsim.cli.console import print_view
    from samsim.cli.views.memory import episode_view, episodes_view, is_wide

    if episode_ids and last is not None:
        raise click.UsageError("Give either episode ids or --last, not both.")
    with _existing(store) as opened:
        if not episode_ids:
            end = opened.last_seq()
            first = max(0, end - (last or _SHOWN_BY_DEFAULT))
            print_view(episodes_view(_newest(opened, first, end), end, wide=is_wide()))
        for episode_id in episode_ids:
            entry = opened.get(episode_id)
            if entry is None:
                raise InputError(
                    f"There is no episode {episode_id} in {_place(store)}. List them with samsim memory show."
                )
            print_view(episode_view(entry))


@memory.command()
@_STORE
@click.pass_context
def verify(ctx: click.Context, store: str) -> None:
    """Read and check every episode.

    Checks order, checksums, schema, forbidden fields and principles. Nothing is changed.
    """
    from samsim.cli.console import print_view
    from samsim.cli.views.memory import report_view

    with _existing(store) as opened:
        report = opened.verify()
    print_view(report_view(_place(store), report))
    ctx.exit(ExitCode.OK if report.ok else ExitCode.SOME_BAD)


@memory.command()
@_STORE
def compact(store: str) -> None:
    """Reclaim disk space; no episode is removed."""
    with _existing(store) as opened:
        report = opened.compact()
    size = f"{report.bytes_before:,} -> {report.bytes_after:,} bytes"
    click.echo(f"{how_many(report.episodes, 'episode')}, {size}: {_place(store)}")


@memory.command()
@_STORE
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.  [default: stdout]"
)
@click.option("--force", is_flag=True, help="Overwrite the output file.")
def export(store: str, output: Path | None, force: bool) -> None:
    """Write all episodes as JSON lines.

    Every kind of store exports the same bytes.
    """
    from samsim.durable_files import new_file

    with _existing(store) as opened:
        if output is None:
            _export_to_stdout(opened)
            return
        if _URL_MARK not in store and output.exists() and output.samefile(store):
            raise ConfigError(f"{output} is the store itself. Give the export another name.")
        with new_file(output, overwrite=force) as file:
            count = opened.export(file)
    click.echo(f"{how_many(count, 'episode')} -> {shown(str(output))}", err=True)


@memory.command("import")
@_STORE
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--renumber", is_flag=True, help="Append all episodes under new ids.")
def import_(store: str, file: Path, renumber: bool) -> None:
    """Add the episodes from an export, all or none.

    Episodes that are already in the store are kept as they are. A different one with the same id is an error.
    """
    _check_regular(file)
    with _opened(store, create=True) as opened, click.open_file(str(file), "rb") as lines:
        added = opened.import_(lines, renumber=renumber)
        click.echo(f"{added} added, {opened.last_seq()} in all -> {_place(store)}", err=True)


@memory.command("grep-leaks")
@_STORE
@click.option(
    "--texts",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The texts to search for: .txt (one per line), .csv (with a header) or .jsonl.",
)
@click.option("--text-column", metavar="NAME", help="CSV column or JSON key of the text.  [default: a common name]")
@click.option(
    "--encoding", callback=check_encoding_name, metavar="NAME", help="Encoding of the file.  [default: UTF-8]"
)
@click.pass_context
def grep_leaks(ctx: click.Context, store: str, texts: Path, text_column: str | None, encoding: str | None) -> None:
    """Search a store for fragments of texts.

    A leak is a run of 12 or more characters from any of the texts, ignoring case and whitespace.
    Aspect terms of up to 30 characters, which are remembered by design, and samsim's own sentences do
    not count.
    """
    from samsim.cli.batch.reading import Columns, Review, ReviewFile
    from samsim.cli.console import print_view
    from samsim.cli.views.memory import leaks_view
    from samsim.memory.leaks import RUN_LENGTH, Leak, leak_finder

    _check_regular(texts)
    with _existing(store) as opened:
        finder = leak_finder(opened)
    searched, bad = 0, 0
    leaks: list[Leak] = []
    with ReviewFile(texts, Columns(text=text_column), encoding) as rows:
        for row in rows:
            if isinstance(row, Review):
                searched += 1
                leaks.extend(finder.leaks(row.uid, row.text))
            else:
                bad += 1
                click.echo(f"line {row.number}: {shown(row.reason)}", err=True)
    if not searched:
        raise InputError(
            f"{texts.name} has no usable text, so nothing was searched for. Check the file and --text-column."
        )
    print_view(leaks_view(leaks, finder.episodes, searched, RUN_LENGTH))
    ctx.exit(ExitCode.SOME_BAD if leaks or bad else ExitCode.OK)


def _check_regular(file: Path) -> None:
    """Refuse pipes and devices, which could block or never end; "-" is standard input."""
    from samsim.durable_files import is_no_file

    if str(file) != "-" and is_no_file(file):
        raise InputError(f"{file} is not a regular file. Give one, or pipe its content and write - for standard input.")


@contextmanager
def _existing(store: str) -> Iterator[MemoryStore]:
    """Open a store that must exist; it is not created."""
    with _opened(store, create=False) as opened:
        yield opened


@contextmanager
def _opened(store: str, *, create: bool) -> Iterator[MemoryStore]:
    from samsim.memory.store import open_store

    opened = open_store(store, create=create)
    with closing(opened):
        for notice in opened.notices:
            click.echo(f"note: {shown(notice)}", err=True)
        yield opened


def _place(store: str) -> str:
    """Return the store's path or address without a password, safe to print."""
    if _URL_MARK not in store:
        return shown(store)
    from samsim.memory.postgres import public_place

    return shown(public_place(store))


def _newest(opened: MemoryStore, first: int, end: int) -> list[EpisodicMemoryEntryV1_1]:
    from samsim.memory.store import episode_id_of

    found = (opened.get(episode_id_of(seq)) for seq in range(end, first, -1))
    return [entry for entry in found if entry is not None]


def _export_to_stdout(opened: MemoryStore) -> None:
    if not sys.stdout.isatty():
        opened.export(sys.stdout.buffer)
        return
    from samsim.memory.store import canonical_line

    # The same JSON, with control characters escaped: an episode must not control the terminal.
    for entry in opened.iterate():
        click.echo(safe_json(canonical_line(entry).decode("utf-8")))
