"""``samsim run``: start or resume an experiment from its configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES
from samsim.cli.options.lang import lang_option
from samsim.cli.safe_text import shown
from samsim.experiments.shipped import SHIPPED_EXPERIMENTS, shipped_experiment
from samsim.plurals import how_many
from samsim.spelling import closest

if TYPE_CHECKING:
    from samsim.experiments.config import ExperimentConfig
    from samsim.schemas.code_names import Ui


class _Experiment(click.Path):
    """A configuration: the name of a shipped one, or a file (write ./name for a file with a shipped name)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of the configuration file."""
        if value in SHIPPED_EXPERIMENTS:
            return shipped_experiment(value)
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            meant = closest(value, SHIPPED_EXPERIMENTS)
            if meant is None:
                raise
            self.fail(f"{error.message} Did you mean {meant}?", param, ctx)


class _RunCommand(click.Command):
    """A command that suggests ``--set`` when a setting is given as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options; if an unknown one is a configuration key, suggest ``--set``."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            setting = _as_setting(error.option_name, given)
            if setting is None:
                raise
            raise click.UsageError(f"No such option: {error.option_name}. Use --set {setting}.", ctx) from error


def _as_setting(option: str, arguments: Sequence[str]) -> str | None:
    """Return the ``KEY=VALUE`` that an unknown option was meant to be, or None if no key has its name."""
    from samsim.experiments.config.homes import known_homes
    from samsim.experiments.config.mistakes import dotted

    key = option.lstrip("-").replace("-", "_")
    sections = known_homes().get(key)
    if sections is None:
        return None
    written = next(index for index, argument in enumerate(arguments) if argument.split("=")[0] == option)
    _, joined, value = arguments[written].partition("=")
    if not joined:
        value = next((following for following in arguments[written + 1 : written + 2] if following[:1] != "-"), "VALUE")
    return f"{dotted((*sections[0], key))}={shown(value)}"


@click.command(cls=_RunCommand, epilog=SEE_EXIT_CODES)
@click.argument("config", type=_Experiment(exists=True, dir_okay=False, path_type=Path))
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Override a setting, as in run.concurrency=4.")
@click.option("--plan", "plan_only", is_flag=True, help="Only estimate calls, tokens and cost, from a few samples.")
@click.option("--probe", type=click.IntRange(0), metavar="N", help="How many samples --plan tries.  [default: 3]")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Run only the first N samples for now.")
@click.option("--retry-errors", is_flag=True, help="Run failed and partial samples again.")
@click.option("--fail-fast", is_flag=True, help="Stop at the first sample that fails.")
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), help="Stop at this total cost in US dollars.")
@click.option("--concurrency", type=click.IntRange(1, 1024), help="How many samples to process at the same time.")
@click.option("--workers", type=click.IntRange(1, 256), help="How many processes for the embedded engine.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the run folders.  [default: runs]"
)
@click.option("--restart", is_flag=True, help="Start over; the old folder is renamed and kept.")
@click.option("--no-report", is_flag=True, help="Skip the metrics and the report at the end.")
@lang_option("Language of the printed table.")
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
    lang: str,
) -> None:
    """Run an experiment: samples x conditions x protocols x engines x seeds.

    CONFIG is a YAML file, or quickstart, which ships with samsim.

    An interrupted run resumes where it stopped; a finished one is not run again.

    \b
    samsim run quickstart
    samsim run my.yaml --plan
    samsim run my.yaml --set matrix.condition=[C1,C2] --max-cost 2
    """
    from samsim.cli.result_view.labels import choose_ui
    from samsim.experiments.config import OptionValue, read_config

    if probe is not None and not plan_only:
        raise click.UsageError("--probe can only be used with --plan.")
    options_of_the_run = (
        OptionValue("--max-cost", ("run", "max_cost"), max_cost),
        OptionValue("--out", ("run", "out"), None if out is None else str(out)),
    )
    loaded = read_config(config, sets, [given for given in options_of_the_run if given.value is not None])
    if plan_only:
        _show_plan(loaded, probe, choose_ui(lang))
        return

    from samsim.cli.progress.bar import watching
    from samsim.cli.run_ending import finish_run
    from samsim.experiments.runner import run_experiment

    for note in loaded.notes():
        click.echo(f"note: {note}", err=True)
    _announce(loaded)
    try:
        with watching() as watcher:
            outcome = run_experiment(
                loaded,
                limit=limit,
                retry_errors=retry_errors,
                fail_fast=fail_fast,
                concurrency=concurrency,
                workers=workers,
                restart=restart,
                watcher=watcher,
                origin=config.resolve().parent,
            )
    except KeyboardInterrupt:
        click.echo("Finished samples are kept. Run the same command again to resume.", err=True)
        raise
    ctx.exit(finish_run(outcome, report=not no_report, ui=choose_ui(lang)))


def _announce(config: ExperimentConfig) -> None:
    """Print how many cells and calls are about to be run; no engine is called for this."""
    from samsim.experiments.planning import fewest_calls, most_calls

    cells = config.cells()
    low = min(fewest_calls(cell.pipeline) for cell in cells)
    high = max(most_calls(cell.pipeline) for cell in cells)
    calls = how_many(low, "call") if low == high else f"{low} to {high} calls"
    click.echo(
        f"{config.name}: {how_many(len(cells), 'cell')}, {calls} per sample (--plan estimates tokens and cost)",
        err=True,
    )


def _show_plan(config: ExperimentConfig, probe: int | None, ui: Ui) -> None:
    from samsim.cli.console import PipeConsole
    from samsim.cli.views.run import plan_table
    from samsim.experiments.planning import DEFAULT_PROBES, plan_experiment

    plan = plan_experiment(config, DEFAULT_PROBES if probe is None else probe)
    console = PipeConsole()
    console.print(plan_table(plan, ui))
    for note in plan.notes:
        console.print(f"note: {note}", highlight=False)
