"""Finding the file of a source: the one it names, or the one of its split in a folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from samsim.data.format_table import FORMATS
from samsim.data.sources import DataSource
from samsim.errors import ConfigError

_DATA_SUFFIXES = {suffix for info in FORMATS.values() for suffix in info.suffixes}
# Files that describe a data set without being part of it.
_ABOUT = {"source", "readme", "license", "licence", "notice", "citation", "requirements"}
_SAME_SPLITS = ({"train", "training"}, {"dev", "val", "valid", "validation", "development"}, {"test", "testing"})
_WORD = re.compile(r"[^\W\d_]+|\d+")


def file_of(source: DataSource) -> Path:
    """Return the file to read."""
    path = source.path
    if path is None:
        raise ConfigError("The source has no file. Give it a path.")
    # Not pathlib, which raises if a name is too long.
    if os.path.isdir(path):
        return _file_in(path, source)
    if not os.path.isfile(path):
        raise ConfigError(f"There is no file {path}. Check the path.")
    if source.split is not None:
        raise ConfigError(f"split is for folders, and {path.name} is a file. Leave split out.")
    return path


def _file_in(folder: Path, source: DataSource) -> Path:
    suffixes = _DATA_SUFFIXES if source.format is None else set(FORMATS[source.format].suffixes)
    files = sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() in suffixes and file.stem.casefold() not in _ABOUT and file.is_file()
    )
    found = files if source.split is None else [file for file in files if _is_of(file, source.split)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(file.name for file in found or files)
    if not files:
        raise ConfigError(
            f"There is no data file in {folder}. Give a folder with files of a format that samsim data list names."
        )
    if not found:
        raise ConfigError(f"No file of the split {source.split!r} in {folder}. Its data files: {names}.")
    what = "Several files" if source.split is None else f"Several files of the split {source.split!r}"
    raise ConfigError(f"{what} in {folder}: {names}. Give one of them as path, or choose a split.")


def _is_of(file: Path, split: str) -> bool:
    wanted = split.casefold()
    same = next((names for names in _SAME_SPLITS if wanted in names), {wanted})
    return bool(same & set(_WORD.findall(file.stem.casefold())))
