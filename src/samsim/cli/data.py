"""``samsim data``: list, show, check and convert data sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ExitCode
from samsim.cli.options.encoding import check_encoding_name
from samsim.cli.safe_text import shown
from samsim.plurals import how_many

if TYPE_CHECKING:
    from samsim.data.registry import LoadedSamples
    from samsim.data.sources import DataSource

_SHOWN_BY_DEFAULT = 5


def _source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument and options that describe the data to read; ``_source`` makes one source of them."""
    for option in reversed(
        (
            click.argument("place", metavar="SOURCE"),
            click.option("--format", "format_name", metavar="NAME", help="Format of the file.  [default: detected]"),
            click.option("--split", metavar="NAME", help="Which file of a folder to read: train, dev or test."),
            click.option(
                "--language",
                type=click.Choice(["auto", "ko", "en"]),
                default="auto",
                show_default=True,
                help="Language of texts that do not declare one; of those that do, only texts in it are used.",
            ),
            click.option(
                "--columns",
                multiple=True,
                metavar="ROLE=NAME",
                help="csv, jsonl: which column holds what, as in text=review (repeatable).",
            ),
            click.option(
                "--encoding",
                callback=check_encoding_name,
                metavar="NAME",
                help="Encoding of the file.  [default: UTF-8]",
            ),
        )
    ):
        command = option(command)
    return command


@click.group(epilog=SEE_EXIT_CODES)
def data() -> None:
    """List, show, check and convert annotated texts.

    SOURCE is the name of a data set that ships with samsim, a file, or a folder of splits.

    \b
    samsim data list
    samsim data show reviews -n 3
    samsim data validate restaurants.xml --format semeval2014_terms
    samsim data validate reviews.csv --columns text=review --columns polarity=label
    samsim data convert 14res 14res-dev.jsonl --split dev
    """


@data.command("list")
def list_() -> None:
    """List the data sets that ship with samsim and the formats it reads."""
    from samsim.cli.console import print_view
    from samsim.cli.views.data import list_view

    print_view(list_view())


@data.command()
@_source_options
@click.option(
    "-n", "--number", type=click.IntRange(min=1), default=_SHOWN_BY_DEFAULT, show_default=True, help="How many texts."
)
def show(number: int, **options: Any) -> None:
    """Show texts with their gold, the aspects marked in the text."""
    from samsim.cli.console import print_view
    from samsim.cli.views.data import samples_view
    from samsim.data.gold import load_gold
    from samsim.data.registry import load_samples, require_some

    source = _source(**options)
    loaded = load_samples(source)
    require_some(loaded)
    print_view(samples_view(loaded, load_gold(source), number))
    if loaded.problems:
        click.echo(f"{how_many(len(loaded.problems), 'bad row')}; run samsim data validate to see which", err=True)


@data.command()
@_source_options
@click.pass_context
def validate(ctx: click.Context, /, **options: Any) -> None:
    """Read everything, count it, and report every row that cannot be used."""
    from samsim.cli.console import print_view
    from samsim.cli.views.data import validation_view
    from samsim.data.gold import gold_fields, load_gold
    from samsim.data.registry import load_samples, require_some

    source = _source(**options)
    loaded = load_samples(source)
    _report_bad(loaded)
    require_some(loaded)
    print_view(validation_view(loaded, load_gold(source), gold_fields(source)))
    ctx.exit(ExitCode.SOME_BAD if loaded.problems else ExitCode.OK)


@data.command()
@_source_options
@click.argument("output", metavar="OUT", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N texts.")
@click.option("--sample", type=click.IntRange(min=1), help="Only N texts, drawn at random.")
@click.option("--sample-seed", type=int, default=0, show_default=True, help="Seed of the random draw.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@click.pass_context
def convert(ctx: click.Context, /, output: Path, force: bool, **options: Any) -> None:
    """Write texts and gold to OUT in samsim's own format, one JSON line per text."""
    from samsim.data.converting import write_converted
    from samsim.data.registry import load_samples, require_some

    loaded = load_samples(_source(**options))
    _report_bad(loaded)
    require_some(loaded)
    done = write_converted(loaded, output, overwrite=force)
    click.echo(f"{how_many(done.texts, 'text')}, {done.with_gold:,} with gold -> {shown(str(output))}", err=True)
    ctx.exit(ExitCode.SOME_BAD if loaded.problems else ExitCode.OK)


def _source(place: str, format_name: str | None, columns: tuple[str, ...], **options: Any) -> DataSource:
    """Return the data source that the options describe."""
    from samsim.data.sources import as_source

    return as_source(place, format=format_name, columns=dict(map(_column, columns)), **options)


def _column(given: str) -> tuple[str, str]:
    role, separator, name = given.partition("=")
    if not separator or not role.strip() or not name.strip():
        raise click.UsageError(f"--columns {given}: write ROLE=NAME, as in text=review.")
    return role.strip(), name.strip()


def _report_bad(loaded: LoadedSamples) -> None:
    for problem in loaded.problems:
        click.echo(f"row {problem.row}: {shown(problem.reason)}", err=True)
