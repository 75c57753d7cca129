"""Digests of JSON values and of files."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def digest_of(facts: Any) -> str:
    """Return the digest of a value's canonical JSON."""
    canonical = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def file_digest(path: str | Path) -> str:
    """Return the digest of a file's bytes, or of a folder's file names and contents; "missing" if there is nothing."""
    place = Path(path)
    if place.is_dir():
        return digest_of({child.name: file_digest(child) for child in sorted(place.iterdir()) if child.is_file()})
    if not place.is_file():
        return "missing"
    state = place.stat()
    return _bytes_digest(place.absolute(), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _bytes_digest(path: Path, size: int, changed: int) -> str:  # noqa: ARG001 - part of the cache key
    """Return the digest of a file; it is cached, since every cell asks for the same files."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
