"""The experiments that ship with samsim, by name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

QUICKSTART = "quickstart"
SHIPPED_EXPERIMENTS = (QUICKSTART,)


def shipped_experiment(name: str) -> Path:
    """Return the configuration file of one of ``SHIPPED_EXPERIMENTS``."""
    return Path(str(files("samsim.experiments").joinpath("configs", f"{name}.yaml")))
