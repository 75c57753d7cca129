"""``samsim show``: show how one sample of a run was decided, its gold and, with --prompts, every prompt and reply."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samsim.cli.exit_codes import ExitCode
from samsim.cli.options.lang import lang_option
from samsim.cli.safe_text import shown
from samsim.errors import UnknownKeyError

if TYPE_CHECKING:
    from samsim.experiments.artefacts import Run, RunSample
    from samsim.schemas.code_names import Ui

_LISTED = 20


@click.command()
@click.argument("run", metavar="RUN", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("uid", required=False)
@click.option("--prompts", is_flag=True, help="Also show every call: messages, attempts and replies.")
@click.option("--json", "as_json", is_flag=True, help="Print the sample as JSON lines, one per run.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=_LISTED,
    show_default=True,
    help="How many samples to list without a UID.",
)
@lang_option("Language of the labels.", was_ui=True)
@click.pass_context
def show(
    ctx: click.Context, /, run: Path, uid: str | None, prompts: bool, as_json: bool, limit: int, lang: str
) -> None:
    """Show one sample of a run: what was found, flagged, voted and decided, and its gold.

    RUN is a run folder written by samsim run, or an experiment folder; then the sample of every run is shown.
    Without a UID, the samples are listed.

    \b
    samsim show runs/quickstart/cr_v2-C1
    samsim show runs/quickstart/cr_v2-C1 ko-030
    samsim show runs/quickstart/cr_v2-C1 ko-030 --prompts
    """
    if uid is None and (prompts or as_json):
        raise click.UsageError("--prompts and --json show a single sample. Give its UID.")

    from samsim.cli.result_view.labels import Labels, choose_ui
    from samsim.cli.views import sample as views
    from samsim.experiments.artefacts import find_runs

    runs = find_runs([run])
    labels = Labels(choose_ui(lang))
    if uid is None:
        _tell_unfinished(runs[:1], labels.ui)
        with_text = list(islice(runs[0].samples(), limit))
        views.print_samples(runs[0], with_text, labels)
        return
    found = _find(runs, uid)
    _tell_unfinished(runs, labels.ui)
    for folder, sample in found:
        if as_json:
            views.print_json(folder, sample)
        else:
            views.print_sample(folder, sample, labels, prompts=prompts)
    ctx.exit(ExitCode.OK)


def _tell_unfinished(runs: Sequence[Run], ui: Ui) -> None:
    from samsim.experiments.artefacts import how_far
    from samsim.reports.tables.model import said

    for run in runs:
        unfinished = how_far(run)
        if unfinished is not None:
            click.echo(f"note: {shown(run.name)}: {said(unfinished.words, ui)}", err=True)


def _find(runs: Sequence[Run], uid: str) -> list[tuple[Run, RunSample]]:
    """Return the sample of every run that has it; if none has it, raise the error of the first run."""
    found: list[tuple[Run, RunSample]] = []
    missing: list[UnknownKeyError] = []
    for run in runs:
        try:
            found.append((run, run[uid]))
        except UnknownKeyError as error:
            missing.append(error)
    if not found:
        raise missing[0]
    return found
