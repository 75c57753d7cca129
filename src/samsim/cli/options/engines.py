"""The options that select the engines of a command, and the engines they open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samsim.engines.default import DEFAULT_ENGINE

if TYPE_CHECKING:
    from samsim.engines.opening import OpenEngine


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine options as the user gave them."""

    engine: str
    base_url: str | None
    max_cost: float | None
    no_cache: bool
    concurrency: int | None
    trace: Path | None
    replay: Path | None


def _check_url(_context: click.Context, _parameter: click.Parameter, url: str | None) -> str | None:
    """Refuse what is no address, by the name of the option."""
    if url is None:
        return None
    from samsim.engines.settings import URL_STARTS

    if not url.startswith(URL_STARTS):
        raise click.BadParameter(f"{url!r} does not start with {' or '.join(URL_STARTS)}.")
    return url


_SOURCE_OPTIONS = (
    click.option(
        "--engine",
        default=DEFAULT_ENGINE,
        show_default=True,
        metavar="NAME|FILE",
        help="embedded, openai:MODEL, anthropic:MODEL, google:MODEL, or a YAML file with an engine per agent.",
    ),
    click.option(
        "--base-url",
        callback=_check_url,
        metavar="URL",
        help="Server for openai:MODEL: vLLM, Ollama, llama.cpp, LM Studio …",
    ),
)
_RUN_OPTIONS = (
    click.option(
        "--max-cost", type=click.FloatRange(min=0, min_open=True), help="Stop at this total cost in US dollars."
    ),
    click.option("--no-cache", is_flag=True, help="Do not use the response cache."),
    click.option("--concurrency", type=click.IntRange(1, 1024), help="How many reviews to process at once."),
    click.option(
        "--trace", type=click.Path(dir_okay=False, path_type=Path), help="Record every engine call in this file."
    ),
    click.option(
        "--replay",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Answer from a recorded trace instead of an engine.",
    ),
)


def engine_source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that select the engines."""
    for option in reversed(_SOURCE_OPTIONS):
        command = option(command)
    return command


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that select the engines and say how to call them; ``choice_from`` collects their values."""
    for option in reversed(_RUN_OPTIONS):
        command = option(command)
    return engine_source_options(command)


def choice_from(options: dict[str, Any]) -> EngineChoice:
    """Return the engine options from the keyword arguments of a command."""
    return EngineChoice(**{name: options[name] for name in EngineChoice.__dataclass_fields__})


@contextmanager
def open_engines(choice: EngineChoice, protocol: str | None = None, *, outlasting: bool = True) -> Iterator[OpenEngine]:
    """Open the engines that the user chose and the protocol needs; they and their trace close with the block.

    With ``outlasting``, a call waits for a server that goes away.
    """
    from samsim.engines.opening import open_engine

    opened = open_engine(
        choice.engine,
        protocol=protocol,
        base_url=choice.base_url,
        max_cost=choice.max_cost,
        cache=False if choice.no_cache else None,
        max_outage=None if outlasting else 0.0,
        trace=choice.trace,
        replay=choice.replay,
    )
    with opened:
        for warning in opened.warnings:
            click.echo(f"warning: {warning}", err=True)
        yield opened if choice.concurrency is None else replace(opened, concurrency=choice.concurrency)
