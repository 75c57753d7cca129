"""``samsim demo``: the shipped reviews, analysed and scored by both protocols."""

from __future__ import annotations

import click


@click.command()
def demo() -> None:
    """Analyse the shipped Korean and English reviews and score Stage 1 and the final result."""
    from rich.console import Console

    from samsim.cli.demo_report import run_demo

    run_demo(Console())
