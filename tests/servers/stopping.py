"""Ending the servers that tests start: asked first, killed in the end, and never a reason for a test to fail.

A machine that is busy stops a server late. That says nothing about what the test found out.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

# How long a server may take to end by itself before it is killed.
GRACE_SECONDS = 20.0


def stop(process: subprocess.Popen[Any], ask: Callable[[], object], grace: float = GRACE_SECONDS) -> None:
    """Ask a server to end; kill it and all it started if it does not.

    The process must have been started in a session of its own, so that its children can be found.
    """
    with suppress(OSError):  # it has ended already, or closed its side
        ask()
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
