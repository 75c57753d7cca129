"""The console commands print to."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from rich.console import Console, RenderableType


class PipeConsole(Console):
    """A console that leaves a broken pipe to the command line instead of ending the process."""

    @property
    def plain(self) -> bool:
        """Whether there are no colors, so that signs have to carry their meaning."""
        return self.no_color or self.color_system is None

    def on_broken_pipe(self) -> NoReturn:
        """Raise ``BrokenPipeError`` like any other write; rich would exit with an error code."""
        self.quiet = True
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def literal_console() -> PipeConsole:
    """Return a console that prints text as it is: no markup, no emoji codes, no highlighting."""
    return PipeConsole(highlight=False, emoji=False, markup=False)


def print_view(view: RenderableType) -> None:
    """Print to stdout, in color if the terminal supports it."""
    literal_console().print(view)
