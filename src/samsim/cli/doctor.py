"""``samsim doctor``: check that the engines can be reached and answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from samsim.cli.exit_codes import SEE_EXIT_CODES, ExitCode
from samsim.cli.options.engines import engine_source_options


@click.command(epilog=SEE_EXIT_CODES)
@engine_source_options
@click.option(
    "--measure",
    is_flag=True,
    help="Send 1, 2, 4, … calls at once (at most about 30) and suggest concurrency and timeout_s.",
)
@click.option(
    "--write",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Measure, and set both in this engine file or experiment; the rest of the file is unchanged.",
)
@click.pass_context
def doctor(ctx: click.Context, /, measure: bool, write: Path | None, **source: Any) -> None:
    """Check every engine of a configuration: settings, key, server, output mode, one tiny call.

    \b
    samsim doctor --engine openai:gpt-4.1-mini
    samsim doctor --engine openai:qwen3 --base-url http://localhost:8080/v1 --measure
    samsim doctor --engine engines.yaml --write engines.yaml
    """
    from samsim.checking.engines import check_engine

    check = check_engine(
        source["engine"], base_url=source["base_url"], measure=measure, write=write, watcher=click.echo
    )
    ctx.exit(ExitCode.OK if check.ok else ExitCode.ENGINE)
