"""The console commands print to."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from rich.console import Console


class PipeConsole(Console):
    """A console that leaves it to the command line what happens when nobody reads on."""

    def on_broken_pipe(self) -> NoReturn:
        """Say so as any other write would; rich itself would end the process with the code of an error."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
