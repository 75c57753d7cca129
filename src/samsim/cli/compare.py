"""``samsim compare``: runs over the same samples, side by side, with paired tests and the flips."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ending
from samsim.cli.options.lang import lang_option
from samsim.cli.safe_text import shown
from samsim.safe_json import safe_json

if TYPE_CHECKING:
    from samsim.experiments.artefacts import Run
    from samsim.schemas.scorecards import Family

# Spelled out, because help must not wait for pydantic; a test keeps them equal to ``Family``.
FAMILY_NAMES = ("triplet", "ref_pol", "ote_pol", "attr_pol")
_SHOWN_FLIPS = 10


@click.command(epilog=SEE_EXIT_CODES)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--family",
    "families",
    multiple=True,
    type=click.Choice(FAMILY_NAMES),
    help="What of a tuple must be right; may be given more than once (else: all that the gold can judge).",
)
@click.option(
    "--flips",
    type=click.IntRange(min=0),
    default=_SHOWN_FLIPS,
    show_default=True,
    help="How many flipped tuples to list per run (and --family; else: ref_pol, or triplet without refs).",
)
@click.option("--each", is_flag=True, help="List the single runs of a cell that was run with several seeds or repeats.")
@click.option(
    "--complete-only", is_flag=True, help="Leave out samples that are partial in a run, as if they had failed."
)
@lang_option("Language of the tables printed here.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON, all flips included.")
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
    """Compare runs over the same samples with the first one.

    RUN is a folder that samsim run wrote, or an experiment with several. Paired by sample: difference
    of F1 with a bootstrap interval, permutation test, McNemar, Holm correction, and every tuple that
    flipped. Runs of a cell that differ only in seed or repeat are pooled. Trivial answers stand beside.
    Runs over different data are refused.

    \b
    samsim compare runs/cr_v1 runs/cr_v2
    samsim compare runs/memory --family ref_pol --flips 50
    """
    from samsim.cli.console import print_view
    from samsim.cli.result_view.labels import choose_ui
    from samsim.cli.views.compare import comparison_view, listed_uids
    from samsim.metrics.comparison import compare as compare_runs
    from samsim.reports.comparing import runs_to_compare

    read = runs_to_compare(runs, complete_only=complete_only)
    for note in read.notes:
        click.echo(f"note: {shown(note)}", err=True)
    wanted = cast("tuple[Family, ...]", families)
    comparison = compare_runs(read.runs, families=wanted or None, names=read.names)
    if as_json:
        click.echo(safe_json(comparison.model_dump_json(indent=2)))
    else:
        ui = choose_ui(lang)
        texts = _texts(read.runs[0], listed_uids(comparison, flips=flips, families=wanted))
        print_view(comparison_view(comparison, flips=flips, families=wanted, each=each, texts=texts, ui=ui))
    ctx.exit(ending(some_bad=bool(comparison.partial) or read.damaged))


def _texts(run: Run, uids: Collection[str]) -> dict[str, str]:
    """Return the texts of some samples; all runs are over the same ones."""
    if not uids:
        return {}
    results = (sample.result for sample in run.samples() if sample.uid in uids)
    return {result.uid: result.text for result in results if result is not None}
