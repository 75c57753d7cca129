"""The ``--lang`` option: the language of what a command prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

_OLD_NAME = "--ui"


class _Renamed(click.Option):
    """An option whose old name still works and is not shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the line of the help, without the old name."""
        record = super().get_help_record(ctx)
        return None if record is None else (record[0].replace(f", {_OLD_NAME}", ""), record[1])


def lang_option(words: str, *, was_ui: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--lang``; the command resolves "auto" with ``choose_ui``. ``was_ui`` also accepts its old name."""
    names = ("--lang", _OLD_NAME, "lang") if was_ui else ("--lang",)
    return click.option(
        *names,
        cls=_Renamed if was_ui else None,
        type=click.Choice(["auto", "en", "ko"]),
        default="auto",
        show_default=True,
        help=f"{words} auto follows the locale.",
    )
