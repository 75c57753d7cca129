"""``samsim demo``: the quickstart experiment on the shipped reviews, with its report."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

QUICKSTART = "quickstart.yaml"
_TRY = 'analyze --explain "사용감은 좋지만 가격은 비싸요."'


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Where run folders go.  [default: runs]")
def demo(out: Path | None) -> None:
    """Run the quickstart experiment on the shipped Korean and English reviews and build its report."""
    from importlib.resources import as_file, files

    from samsim.cli.console import PipeConsole
    from samsim.cli.run_progress import watching
    from samsim.cli.run_view import show_outcome
    from samsim.experiments.config import load_config
    from samsim.experiments.runner import is_outdated, run_experiment, set_aside

    with as_file(files("samsim.experiments").joinpath("configs", QUICKSTART)) as path:
        config = load_config(path, [] if out is None else [f"run.out={str(out)!r}"])
    if is_outdated(config):
        set_aside(config)
    with watching() as watcher:
        outcome = run_experiment(config, watcher=watcher)
    console = PipeConsole()
    show_outcome(console, outcome, report=True)
    console.print(f"\nOne review in full:     [bold]{command_name()} {_TRY}[/]", soft_wrap=True, highlight=False)
    console.print("What the measures mean: [bold]docs/metrics.md[/]", highlight=False)


def command_name() -> str:
    """How the reader can call samsim from here: by name if it is on the path, else by where it stands."""
    if shutil.which("samsim"):
        return "samsim"
    called = Path(sys.argv[0])
    return os.path.relpath(called) if called.name == "samsim" else "python -m samsim"
