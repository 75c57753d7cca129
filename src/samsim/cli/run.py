"""``samsim run``: an experiment from its configuration, begun or gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from samsim.experiments.config import ExperimentConfig
    from samsim.experiments.runner import ExperimentOutcome


@click.command()
@click.argument("config", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting, as in run.concurrency=4.")
@click.option("--plan", "plan_only", is_flag=True, help="Say what it would take, by a few probed samples.")
@click.option("--probe", type=click.IntRange(0), metavar="N", help="Samples that --plan probes.  [default: 3]")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N samples for now.")
@click.option("--retry-errors", is_flag=True, help="Do failed samples again.")
@click.option("--fail-fast", is_flag=True, help="Stop at the first sample that fails.")
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), help="Stop at this many US dollars in all.")
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Samples under way at the same time.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes for the embedded engine.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Where run folders go.  [default: runs]")
@click.option("--restart", is_flag=True, help="Begin anew; the old folder is kept beside.")
@click.option("--no-report", is_flag=True, help="Write no metrics and no report at the end.")
@click.pass_context
def run(
    ctx: click.Context,
    /,
    config: Path,
    sets: tuple[str, ...],
    plan_only: bool,
    probe: int | None,
    limit: int | None,
    retry_errors: bool,
    fail_fast: bool,
    max_cost: float | None,
    concurrency: int | None,
    workers: int | None,
    out: Path | None,
    restart: bool,
    no_report: bool,
) -> None:
    """Run an experiment: samples x conditions x protocols x engines x seeds.

    A run that was interrupted goes on where it stopped; a finished one is not run again.

    \b
    samsim run experiments/configs/quickstart.yaml
    samsim run my.yaml --plan
    samsim run my.yaml --set matrix.condition=[C1,C2] --max-cost 2
    """
    from samsim.experiments.config import load_config

    if probe is not None and not plan_only:
        raise click.UsageError("--probe goes with --plan.")
    given = [*sets]
    if max_cost is not None:
        given.append(f"run.max_cost={max_cost!r}")
    if out is not None:
        given.append(f"run.out={str(out)!r}")
    loaded = load_config(config, given)
    if plan_only:
        _show_plan(loaded, probe)
        return

    from samsim.cli.run_progress import watching
    from samsim.experiments.cell_run import RunOptions
    from samsim.experiments.runner import run_experiment, set_aside

    if restart and (old := set_aside(loaded)) is not None:
        click.echo(f"The old run is now in {old}", err=True)
    options = RunOptions(
        limit=limit, retry_errors=retry_errors, fail_fast=fail_fast, concurrency=concurrency, workers=workers
    )
    for note in loaded.notes():
        click.echo(f"note: {note}", err=True)
    with watching() as watcher:
        outcome = run_experiment(loaded, options, watcher, origin=config.resolve().parent)
    ctx.exit(_finish(outcome, report=not no_report))


def _show_plan(config: ExperimentConfig, probe: int | None) -> None:
    from rich.console import Console

    from samsim.cli.run_view import plan_table
    from samsim.experiments.planning import DEFAULT_PROBES, plan_experiment

    plan = plan_experiment(config, DEFAULT_PROBES if probe is None else probe)
    console = Console()
    console.print(plan_table(plan))
    for note in plan.notes:
        console.print(f"note: {note}", highlight=False)


def _finish(outcome: ExperimentOutcome, *, report: bool) -> int:
    """Write and show what came out; returns the exit code."""
    from rich.console import Console

    from samsim.cli.exit_codes import ExitCode
    from samsim.cli.run_view import show_outcome

    show_outcome(Console(), outcome, report=report)
    if outcome.stopped is not None:
        click.echo(f"stopped: {outcome.stopped}. Run the same command again to go on.", err=True)
        return ExitCode.STOPPED
    if outcome.errors:
        click.echo(f"{outcome.errors} samples failed; --retry-errors does them again.", err=True)
        return ExitCode.SOME_BAD
    return ExitCode.OK
