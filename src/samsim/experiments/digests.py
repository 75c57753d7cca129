"""Digests of facts and of files."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def digest_of(facts: Any) -> str:
    """Return the digest of the canonical JSON of some facts."""
    canonical = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def file_digest(path: str | Path) -> str:
    """Return the digest of a file's bytes, or of a folder's files with their names; "missing" if it is not there."""
    place = Path(path)
    if place.is_dir():
        return digest_of({child.name: file_digest(child) for child in sorted(place.iterdir()) if child.is_file()})
    if not place.is_file():
        return "missing"
    state = place.stat()
    return _bytes_digest(place.absolute(), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _bytes_digest(path: Path, size: int, changed: int) -> str:  # noqa: ARG001 - they make the cache's key
    """Return every cell asks for the same files; each is read once while it stays as it is."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
