"""``samsim compare``: compare runs over the same samples, with paired tests and the tuples that flipped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ending
from samsim.cli.options.lang import lang_option
from samsim.cli.safe_text import shown
from samsim.safe_json import safe_json

if TYPE_CHECKING:
    from samsim.schemas.scorecards import Family

# Repeated here so that --help does not import pydantic; a test keeps them equal to ``Family``.
FAMILY_NAMES = ("triplet", "ref_pol", "ote_pol", "attr_pol")
_SHOWN_FLIPS = 10


@click.command(epilog=SEE_EXIT_CODES)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--family",
    "families",
    multiple=True,
    type=click.Choice(FAMILY_NAMES),
    help="Which parts of a tuple must be right (repeatable).  [default: all that the gold covers]",
)
@click.option(
    "--flips",
    type=click.IntRange(min=0),
    default=_SHOWN_FLIPS,
    show_default=True,
    help="How many flipped tuples to list per run and --family (without it: ref_pol, or triplet if there are no refs).",
)
@click.option("--each", is_flag=True, help="Also list the individual runs of a cell with several seeds or repeats.")
@click.option(
    "--complete-only", is_flag=True, help="Leave out samples that are partial in any run, as if they had failed."
)
@lang_option("Language of the printed tables.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, including all flips.")
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    runs: tuple[Path, ...],
    families: tuple[str, ...],
    flips: int,
    each: bool,
    complete_only: bool,
    lang: str,
    as_json: bool,
) -> None:
    """Compare runs over the same samples against the first one.

    RUN is a run folder written by samsim run, or an experiment folder with several runs. Samples are
    paired: the tables show the difference in F1 with a bootstrap interval, a permutation test, McNemar's
    test, the Holm correction, and every tuple that flipped. Runs of a cell that differ only in seed or
    repeat are pooled. Trivial baselines are shown for reference. Runs over different data are refused.

    \b
    samsim compare runs/cr_v1 runs/cr_v2
    samsim compare runs/memory --family ref_pol --flips 50
    """
    from samsim.cli.console import print_view
    from samsim.cli.result_view.labels import choose_ui
    from samsim.cli.views.compare import comparison_view, listed_uids
    from samsim.metrics.comparison import compare as compare_runs
    from samsim.reports.comparing import runs_to_compare, texts_of

    read = runs_to_compare(runs, complete_only=complete_only)
    for note in read.notes:
        click.echo(f"note: {shown(note)}", err=True)
    wanted = cast("tuple[Family, ...]", families)
    comparison = compare_runs(read.runs, families=wanted or None, names=read.names)
    if as_json:
        click.echo(safe_json(comparison.model_dump_json(indent=2)))
    else:
        ui = choose_ui(lang)
        texts = texts_of(read.runs[0], listed_uids(comparison, flips=flips, families=wanted))
        print_view(comparison_view(comparison, flips=flips, families=wanted, each=each, texts=texts, ui=ui))
    ctx.exit(ending(some_bad=bool(comparison.partial) or read.damaged))
