"""The ``samsim`` command: subcommands are imported when they are used, so that help is instant."""

from __future__ import annotations

import difflib
import errno
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import click

from samsim import __version__
from samsim.cli.exit_codes import ExitCode, exit_code_help, exit_code_of
from samsim.cli.safe_text import shown, shown_lines
from samsim.errors import SamsimError

DEBUG_VARIABLE = "SAMSIM_DEBUG"


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a subcommand lives and what the list of commands says about it."""

    home: str
    attribute: str
    short_help: str


COMMANDS: Mapping[str, LazyCommand] = {
    "analyze": LazyCommand("samsim.cli.analyze", "analyze", "Analyze a text or a file of reviews."),
    "run": LazyCommand("samsim.cli.run", "run", "Run an experiment, or resume it."),
    "compare": LazyCommand("samsim.cli.compare", "compare", "Compare runs sample by sample, with paired tests."),
    "show": LazyCommand("samsim.cli.show", "show", "Show one sample of a run: votes, rules, gold, prompts."),
    "report": LazyCommand("samsim.cli.report", "report", "Rebuild metrics and report of runs, without any call."),
    "data": LazyCommand("samsim.cli.data", "data", "List, show, check and convert data sets."),
    "cache": LazyCommand("samsim.cli.cache", "cache", "Look at and manage the cached responses of models."),
    "memory": LazyCommand("samsim.cli.memory", "memory", "Look at and manage an episodic memory."),
    "demo": LazyCommand("samsim.cli.demo", "demo", "Analyze and score the shipped reviews."),
    "doctor": LazyCommand("samsim.cli.doctor", "doctor", "Check engines: settings, keys, servers, one tiny call."),
}


class SamsimGroup(click.Group):
    """Imports subcommands on demand and turns every ending into a documented exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands, without importing any."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command that was asked for."""
        lazy = COMMANDS.get(cmd_name)
        if lazy is None:
            return None
        command = getattr(import_module(lazy.home), lazy.attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{lazy.home}:{lazy.attribute} is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was asked for; an unknown one is told with those that resemble it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            close = difflib.get_close_matches(args[0].casefold(), COMMANDS)
            if not close:
                raise
            raise click.UsageError(f"{error.message} Did you mean {' or '.join(close)}?", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.short_help) for name, lazy in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; a reader that went away ends it quietly."""
        try:
            outcome = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _give_up_on_stdout()
            ctx.exit(ExitCode.BROKEN_PIPE)
        return outcome

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; in standalone mode the process ends with one of ``ExitCode``."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        _never_fail_to_print()
        try:
            outcome = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except click.Abort:
            click.echo("interrupted", err=True)
            sys.exit(ExitCode.INTERRUPTED)
        except SamsimError as error:
            click.echo(f"error: {shown_lines(str(error))}", err=True)
            sys.exit(exit_code_of(error))
        except Exception as error:
            _end_unexpectedly(error)
        sys.exit(outcome if isinstance(outcome, int) else ExitCode.OK)


def _never_fail_to_print() -> None:
    """Show what the terminal's encoding lacks (emoji on EUC-KR) as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _give_up_on_stdout() -> None:
    """Point stdout at nothing, or the interpreter complains when it flushes at its end."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _end_unexpectedly(error: Exception) -> NoReturn:
    if os.environ.get(DEBUG_VARIABLE) == "1":
        click.echo(shown_lines(traceback.format_exc()), err=True)
    elif isinstance(error, OSError) and error.errno not in (None, errno.EPIPE):
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"error: {shown(f'{place}{error.strerror}')}. Check the place and the disk.", err=True)
    else:
        what = shown(f"{type(error).__name__}: {error}")
        click.echo(f"error: unexpected {what} (run again with {DEBUG_VARIABLE}=1 for the traceback)", err=True)
    sys.exit(ExitCode.INTERNAL)


@click.group(
    cls=SamsimGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=exit_code_help(),
)
@click.version_option(version=__version__, prog_name="samsim")
def cli() -> None:
    """Aspect sentiment by three hearings (삼심): three perspectives disagree, a code arbiter settles it in the open."""


def entry() -> NoReturn:
    """What the installed ``samsim`` script runs."""
    cli(prog_name="samsim")
    raise AssertionError("click ends the process in standalone mode")
