"""``samsim doctor``: can the engines be asked, and what do they answer?"""

from __future__ import annotations

from typing import Any

import click

from samsim.cli.engine_options import engine_source_options
from samsim.cli.exit_codes import ExitCode, exit_code_help


@click.command(epilog=exit_code_help())
@engine_source_options
@click.pass_context
def doctor(ctx: click.Context, /, **source: Any) -> None:
    """Check every engine of a configuration: settings, key, server, output mode, one tiny call.

    \b
    samsim doctor --engine openai:gpt-4.1-mini
    samsim doctor --engine openai:qwen3 --base-url http://localhost:8080/v1
    samsim doctor --engine engines.yaml
    """
    from samsim.cli.doctor_report import examine

    healthy = examine(source["engine"], source["base_url"], say=click.echo)
    ctx.exit(ExitCode.OK if healthy else ExitCode.ENGINE)
