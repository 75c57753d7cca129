"""The generated tables next to a report: ``metrics.json`` lists them with their digests.

A table that the report no longer has is removed, but only if it is unchanged: files that a person edited or
added stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from samsim.json_text import JsonError, read_json

FILES = "files"


def digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the digests of a report's files for ``metrics.json``, by their names in its folder."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def remove_stale(metrics: Path, tables: str, written: Mapping[str, str]) -> None:
    """Remove the tables of the previous report in this folder that the new one does not write."""
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
