"""Which tables beside a report are its own: ``metrics.json`` names them with their digests.

A table that this report does not have any more is removed, but only where it is still as it was written: what a
person changed or put there stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from samsim.json_text import JsonError, read_json

FILES = "files"


def digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return what ``metrics.json`` says of the files a report writes, by their names in its folder."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def remove_stale(metrics: Path, tables: str, written: Mapping[str, str]) -> None:
    """Remove the tables of the last report in this folder that the next one does not write."""
    for name, digest in _written_before(metrics):
        place = metrics.parent / tables / PurePosixPath(name).name
        if name not in written and name == f"{tables}/{place.name}" and _is_unchanged(place, digest):
            place.unlink()


def _written_before(metrics: Path) -> Iterator[tuple[str, str]]:
    try:
        found = read_json(metrics.read_bytes())
    except (OSError, JsonError):
        return
    listed = found.get(FILES) if isinstance(found, dict) else None
    if isinstance(listed, dict):
        yield from ((name, digest) for name, digest in listed.items() if isinstance(digest, str))


def _is_unchanged(place: Path, digest: str) -> bool:
    try:
        is_file = place.is_file() and not place.is_symlink()
        return is_file and hashlib.sha256(place.read_bytes()).hexdigest() == digest
    except (OSError, ValueError):
        return False
