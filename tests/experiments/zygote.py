"""A process that has everything loaded and forks a child per command: so a run starts in milliseconds.

Reads one JSON command per line: ``{"config": path, "kill_at": n or null, "seed": s}``. The child runs the
experiment and, at its n-th system call that changes a file, kills itself with SIGKILL: before the call,
after it, or, for a write, in the middle of it. Answers with the child's exit status and its number of calls.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from samsim.experiments.config import load_config
from samsim.experiments.runner import run_experiment
from samsim.language.analyze import analyze_text
from samsim.pipeline.api import Pipeline

_CHANGING = ("write", "pwrite", "fsync", "fdatasync", "ftruncate", "replace", "rename", "unlink", "mkdir", "rmdir")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def count_calls(kill_at: int | None, seed: int) -> Callable[[], int]:
    """Wrap every changing call; returns how many there were so far."""
    chance = random.Random(seed)
    counted = 0

    def wrap(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **kwargs: Any) -> Any:
            nonlocal counted
            counted += 1
            if counted != kill_at:
                return call(*args, **kwargs)
            moment = chance.choice(["before", "after", "middle"])
            if moment == "middle" and name in ("write", "pwrite"):
                data = bytes(args[1])
                call(args[0], data[: chance.randrange(len(data) + 1)], *args[2:])
            elif moment != "before":
                call(*args, **kwargs)
            die()
            raise AssertionError("SIGKILL cannot be survived")

        return counting

    for name in _CHANGING:
        setattr(os, name, wrap(name, getattr(os, name)))
    return lambda: counted


def child(command: dict[str, Any], answer: int) -> None:
    write = os.write
    calls = count_calls(command["kill_at"], command["seed"])
    run_experiment(load_config(Path(command["config"])))
    write(answer, str(calls()).encode())


def serve() -> None:
    analyze_text("The screen isn't great, but it works.", "en")
    Pipeline().analyze("The screen isn't great, but it works.")
    for line in sys.stdin:
        command = json.loads(line)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                child(command, writing)
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        _, status = os.waitpid(pid, 0)
        counted = os.read(reading, 64)
        os.close(reading)
        print(json.dumps({"status": status, "calls": int(counted) if counted else None}), flush=True)


if __name__ == "__main__":
    serve()
