"""Paths in a configuration: looked up next to its file first, then in the current directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = "folder"


def is_there(path: Path) -> bool:
    """Return whether the file or folder exists; False for names that are not valid."""
    # Path.exists raises for a name that is too long.
    return os.path.exists(path)


def found_path(written: str | Path, context: Mapping[str, Any] | None, what: str) -> Path:
    """Return where a file of the configuration is; without a context, return the path unchecked."""
    path = Path(written)
    if context is None:
        return path
    folder: Path = context[FOLDER]
    tried = list(dict.fromkeys([folder / path, path]))
    for place in tried:
        if is_there(place):
            return place
    raise ValueError(f"no such {what}: tried {' and '.join(map(str, tried))}; correct the path")
