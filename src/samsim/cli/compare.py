"""``samsim compare``: runs over the same samples, side by side, with paired tests and the flips."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ending
from samsim.cli.safe_text import safe_json, shown

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
    from samsim.cli.views.compare import comparison_view, print_view
    from samsim.experiments.artefacts import CompleteRun, find_runs
    from samsim.metrics.comparison import compare as compare_runs

    read = find_runs(runs)
    if complete_only:
        read = [CompleteRun(run.path, run.manifest) for run in read]
    found, names = _evaluations(read)
    wanted = cast("tuple[Family, ...]", families)
    comparison = compare_runs(found, families=wanted or None, names=names)
    if as_json:
        click.echo(safe_json(comparison.model_dump_json(indent=2)))
    else:
        print_view(comparison_view(comparison, flips=flips, families=wanted, each=each))
    ctx.exit(ending(some_bad=bool(comparison.partial) or any(run.problems for run in read)))


def _evaluations(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """The runs that evaluate and their names; those that only filled a memory ran over other data on purpose."""
    kept, names = [], []
    for run, name in zip(runs, _names(runs), strict=True):
        for problem in run.problems:
            click.echo(f"note: {shown(name)}: {shown(problem)}", err=True)
        if run.manifest.cell.kind == "memory_building":
            click.echo(f"note: {shown(name)} only filled a memory; it is left out.", err=True)
        else:
            kept.append(run)
            names.append(name)
    return kept, names


def _names(runs: Sequence[Run]) -> list[str]:
    """Short names where they tell the runs apart, else their folders."""
    short = [run.name for run in runs]
    return short if len(set(short)) == len(short) else [str(run.path) for run in runs]
