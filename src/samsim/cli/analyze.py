"""``samsim analyze``: analyze one text in the terminal, or a file of reviews to JSON lines or CSV."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, get_args

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ExitCode, ending
from samsim.cli.options.encoding import check_encoding_name
from samsim.cli.options.engines import choice_from, engine_options, open_engines
from samsim.cli.options.lang import lang_option
from samsim.cli.options.memory import memory_options, open_memory
from samsim.cli.safe_text import shown
from samsim.data.file_encoding import decode_text
from samsim.schemas.analysis import Language

if TYPE_CHECKING:
    from samsim.engines.opening import OpenEngine
    from samsim.pipeline.api import Pipeline
    from samsim.pipeline.config import PipelineConfig
    from samsim.schemas.protocol_conflict_review import AnswerForm

# Repeats samsim.schemas.protocols: importing it would load pydantic just to show the help.
PROTOCOLS = "cr_v1|cr_v2|debate|single|stage1_only|self_consistency:N"
STDIN = "-"
_NOTHING_GIVEN = "Give a TEXT, pipe one in, or pass a file of reviews with --file."


def _known_protocol(_context: click.Context, _option: click.Parameter, name: str) -> str:
    from samsim.schemas.protocols import require_protocol

    try:
        return require_protocol(name)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


class ReviewSource(NamedTuple):
    """A file of reviews as the user describes it; ``-`` is standard input."""

    path: Path
    columns: tuple[str | None, str | None]
    encoding: str | None


@click.command(epilog=SEE_EXIT_CODES)
@click.argument("text", required=False, metavar="[TEXT|-]")
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="Analyze many reviews: .txt (one per line), .csv (with a header), .jsonl, or - for stdin. Writes JSON lines.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the results to this file: .jsonl (everything) or .csv (one row per opinion).",
)
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@click.option("--text-column", metavar="NAME", help="CSV column or JSON key of the text.  [default: a common name]")
@click.option("--id-column", metavar="NAME", help="CSV column or JSON key of the id.  [default: the line number]")
@click.option(
    "--encoding", callback=check_encoding_name, metavar="NAME", help="Encoding of the file or stdin.  [default: UTF-8]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
@click.option("--explain", is_flag=True, help="Show every step: perspectives, conflicts, votes, rules.")
@click.option("--protocol", callback=_known_protocol, metavar=PROTOCOLS, default="cr_v2", show_default=True)
@click.option(
    "--taxonomy",
    metavar="NAME|FILE",
    default="auto",
    help="Taxonomy: nikl2022, shop, food, hotel, electronics, cosmetics, app, none, or a YAML file.",
)
@click.option(
    "--answer",
    type=click.Choice(["full", "terse"]),
    default="full",
    show_default=True,
    help="How much a model writes: terse leaves out spans (code finds them), confidence and rationale.",
)
@engine_options
@memory_options
@click.option(
    "--language",
    type=click.Choice(["auto", *get_args(Language)]),
    default="auto",
    show_default=True,
    help="Language of the text.",
)
@lang_option("Language of the labels.", was_ui=True)
@click.pass_context
def analyze(
    ctx: click.Context,
    /,
    text: str | None,
    file: Path | None,
    output: Path | None,
    force: bool,
    text_column: str | None,
    id_column: str | None,
    encoding: str | None,
    as_json: bool,
    explain: bool,
    protocol: str,
    taxonomy: str,
    answer: AnswerForm,
    language: Language | Literal["auto"],
    lang: str,
    memory: str | None,
    condition: str | None,
    **engine_choice: Any,
) -> None:
    """Find what a review praises and what it complains about.

    \b
    samsim analyze "화면은 좋은데 배터리가 금방 닳아요"
    samsim analyze --explain "The screen is great, but the battery isn't."
    samsim analyze < review.txt
    samsim analyze --file reviews.csv -o results.jsonl
    samsim analyze --file reviews.csv -o opinions.csv
    """
    _check_usage(text, file, file_only={"-o": output, "--text-column": text_column, "--id-column": id_column})
    if explain and (as_json or file is not None):
        raise click.UsageError("--explain shows one text in the terminal. Leave out --json and --file.")
    if output is not None:
        _check_output(output, as_json=as_json)
    given = _given_text(text, encoding) if file is None else ""
    config = _config(protocol, taxonomy, answer, language)
    # With a single text the user is waiting, so an unreachable server is an error at once; a file can wait for it.
    opened = open_engines(choice_from(engine_choice), protocol, outlasting=file is not None)
    with opened as engines, open_memory(memory, condition) as remembered:
        from samsim.pipeline.api import Pipeline

        pipeline = Pipeline(config, engines, remembered)
        if file is not None:
            source = ReviewSource(file, (text_column, id_column), encoding)
            _analyze_file(ctx, pipeline, engines, source, output, force)
        else:
            code = _analyze_text(pipeline, given, as_json=as_json, explain=explain, lang=lang)
            ctx.exit(code)


def _check_usage(text: str | None, file: Path | None, file_only: dict[str, object]) -> None:
    if text is not None and file is not None:
        raise click.UsageError("Give either one TEXT or --file, not both.")
    if file is None and (misplaced := [option for option, value in file_only.items() if value is not None]):
        raise click.UsageError(
            f"{', '.join(misplaced)} can only be used with --file (--file - reads reviews from stdin)."
        )


def _check_output(output: Path, *, as_json: bool) -> None:
    from samsim.cli.batch.result_files import check_output_name

    check_output_name(output)
    if as_json and output.suffix.lower() == ".csv":
        raise click.UsageError(f"--json writes JSON, but {shown(output.name)} is a CSV file. Leave one of them out.")


def _given_text(text: str | None, encoding: str | None) -> str:
    """Return the text from the command line or stdin; refuse what looks like a file name."""
    if text is None or text == STDIN:
        content = _stdin(expected=text == STDIN).read()
        if text is None and not content:
            raise click.UsageError(_NOTHING_GIVEN)
        return decode_text(content, encoding, "The text on stdin").rstrip("\r\n")
    from samsim.cli.batch.reading import SUFFIXES

    pipe_it = "To analyze the name itself as a text, pipe it in."
    if os.path.isfile(text):
        raise click.UsageError(f"{shown(text)} is a file. Did you mean --file {shown(text)}? {pipe_it}")
    if text.lower().endswith(SUFFIXES) and not any(map(str.isspace, text)):
        raise click.UsageError(f"There is no file {shown(text)}. Pass the file with --file. {pipe_it}")
    return text


def _stdin(*, expected: bool) -> IO[bytes]:
    """Return standard input; unless it was asked for, it must be a pipe or a file, not a terminal."""
    if sys.stdin is None or (not expected and sys.stdin.isatty()):
        raise click.UsageError(_NOTHING_GIVEN)
    return sys.stdin.buffer


def _config(protocol: str, taxonomy: str, answer: AnswerForm, language: Language | Literal["auto"]) -> PipelineConfig:
    from samsim.pipeline.config import PipelineConfig

    config = PipelineConfig(protocol=protocol, language=language, taxonomy=taxonomy, answer=answer)
    # Fail on a wrong taxonomy before reading any row.
    config.taxonomy_for("ko")
    return config


def _analyze_text(pipeline: Pipeline, text: str, *, as_json: bool, explain: bool, lang: str) -> ExitCode:
    from samsim.cli.progress.spinner import reading
    from samsim.cli.result_view.labels import Labels, choose_ui
    from samsim.rules.taxonomy_fit import TaxonomyFit

    labels_language = choose_ui(lang)
    language = None if pipeline.config.language == "auto" else pipeline.config.language
    with reading(text, language, Labels(labels_language)):
        result = pipeline.analyze(text)
    fit = TaxonomyFit()
    fit.add(result)
    for hint in fit.hints():
        click.echo(f"hint: {shown(str(hint))}", err=True)
    if as_json:
        from samsim.cli.writing import write_json

        write_json(result)
    else:
        from samsim.cli.result_view.layout import show

        show(result, explain=explain, ui=labels_language)
    if result.missing_calls:
        from samsim.schemas.results import missing_words

        click.echo(f"partial: {shown(missing_words(result.missing_calls))}", err=True)
    return ending(some_bad=bool(result.missing_calls))


def _analyze_file(
    ctx: click.Context, pipeline: Pipeline, engines: OpenEngine, source: ReviewSource, output: Path | None, force: bool
) -> NoReturn:
    from samsim.cli.batch.analysis import run_batch
    from samsim.cli.batch.reading import Columns, ReviewFile
    from samsim.cli.batch.result_files import open_results

    columns = Columns(*source.columns)
    piped = str(source.path) == STDIN
    if piped:
        opened = ReviewFile(Path("standard input"), columns, source.encoding, pipe=_stdin(expected=True))
        click.echo(f"reading standard input as {opened.suffix}", err=True)
    else:
        opened = ReviewFile(source.path, columns, source.encoding)
    with opened as reviews:
        target = open_results(output, reviews, force=force, source=None if piped else source.path)
        code = run_batch(pipeline, reviews, target, engines.concurrency, engines.activity)
    ctx.exit(code)
