"""``samsim demo``: run the quickstart experiment on the shipped reviews and build its report."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES
from samsim.cli.options.lang import lang_option

_TRY = 'analyze --explain "사용감은 좋지만 가격은 비싸요."'


@click.command(epilog=SEE_EXIT_CODES)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the run folders.  [default: runs]"
)
@lang_option("Language of the printed table.")
@click.pass_context
def demo(ctx: click.Context, /, out: Path | None, lang: str) -> None:
    """Run the quickstart experiment on the shipped Korean and English reviews and build its report."""
    from samsim.cli.console import PipeConsole
    from samsim.cli.progress.bar import watching
    from samsim.cli.result_view.labels import Labels, choose_ui
    from samsim.cli.run_ending import finish_run
    from samsim.experiments.config import OptionValue, read_config
    from samsim.experiments.runner import is_outdated, rename_old_folder, run_experiment
    from samsim.experiments.shipped import QUICKSTART

    values = [] if out is None else [OptionValue("--out", ("run", "out"), str(out))]
    config = read_config(QUICKSTART, values=values)
    if is_outdated(config):
        rename_old_folder(config)
    with watching() as watcher:
        outcome = run_experiment(config, watcher=watcher)
    labels = Labels(choose_ui(lang))
    code = finish_run(outcome, report=True, ui=labels.ui)
    console = PipeConsole()
    console.print(f"\n{labels('demo_try')} [bold]{command_name()} {_TRY}[/]", soft_wrap=True, highlight=False)
    console.print(f"{labels('demo_measures')} [bold]docs/metrics.md[/]", highlight=False)
    ctx.exit(code)


def command_name() -> str:
    """Return how to call samsim from here: by name if it is on the PATH, else by its path or as a module."""
    if shutil.which("samsim"):
        return "samsim"
    called = Path(sys.argv[0])
    return os.path.relpath(called) if called.name == "samsim" else "python -m samsim"
