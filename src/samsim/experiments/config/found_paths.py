"""Paths in a configuration: looked for beside the file first, then in the current directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = "folder"


def is_there(path: Path) -> bool:
    """Return whether there is such a file or folder; a name that no file can have is nowhere."""
    # Not by pathlib, which raises for a name that is too long.
    return os.path.exists(path)


def found_path(written: str | Path, context: Mapping[str, Any] | None, what: str) -> Path:
    """Return where a file of the configuration is. Without a configuration file the path stays as it is, unchecked."""
    path = Path(written)
    if context is None:
        return path
    folder: Path = context[FOLDER]
    tried = list(dict.fromkeys([folder / path, path]))
    for place in tried:
        if is_there(place):
            return place
    raise ValueError(f"no such {what}: tried {' and '.join(map(str, tried))}; correct the path")
