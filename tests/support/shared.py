"""What is expensive to make and only read afterwards is made once, also where several processes run the tests."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

# Set by pytest-xdist in each of its processes.
_WORKER_VARIABLE = "PYTEST_XDIST_WORKER"


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process to ask fills and the others wait for. Nobody may change it later."""
    base = factory.getbasetemp()
    root = base.parent if _WORKER_VARIABLE in os.environ else base
    folder, finished = root / f"shared-{name}", root / f"shared-{name}.made"
    with (root / f"shared-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            # What an attempt that failed has left.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            finished.touch()
    return folder
