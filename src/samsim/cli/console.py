"""The console commands print to."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from rich.console import Console, RenderableType


class PipeConsole(Console):
    """A console that leaves it to the command line what happens when nobody reads on."""

    @property
    def plain(self) -> bool:
        """Whether colours would be lost, so that signs have to say what they say."""
        return self.no_color or self.color_system is None

    def on_broken_pipe(self) -> NoReturn:
        """Say so as any other write would; rich itself would end the process with the code of an error."""
        self.quiet = True
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def literal_console() -> PipeConsole:
    """Return a console that neither obeys nor decorates what stands in a text."""
    return PipeConsole(highlight=False, emoji=False, markup=False)


def print_view(view: RenderableType) -> None:
    """Print to stdout, in colour where the terminal has it."""
    literal_console().print(view)
