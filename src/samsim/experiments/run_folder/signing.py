"""Digests in the lines of a run: one of the cell that wrote the line, and one of the line itself.

The digest of the cell covers everything that decided its answers, but not the gold. It is computed from the manifest
alone, so a reader notices lines next to another run's manifest, and a manifest whose cell was changed. The digest of
the line reveals a number that was changed by hand.
"""

from __future__ import annotations

import hashlib
from typing import Any

from samsim.experiments.digests import digest_of
from samsim.experiments.provenance import deciding_versions
from samsim.schemas.runs import CELL_DIGEST, LINE_DIGEST, Manifest

_DIGITS = 32
_SEAL = f', "{LINE_DIGEST}": "'.encode()


def cell_digest(manifest: Manifest) -> str | None:
    """Return the digest that the run's lines carry; None for a run of a version that did not write digests."""
    if manifest.settings_hash is None:
        return None
    data = manifest.run_over
    facts = {
        "cell": manifest.cell.model_dump(exclude={"cell_id"}),
        "run_meta": manifest.run_meta.model_dump(),
        "settings": manifest.settings_hash,
        "prompts": manifest.prompt_hashes,
        "engines": [engine.model_dump() for engine in manifest.engines],
        "texts": None if data is None else [data.samples, data.sha256],
        "store_base_seq": manifest.store_base_seq,
        "versions": deciding_versions(manifest.versions, memory=manifest.store is not None),
    }
    if manifest.line_digests:
        facts["line_digests"] = True
    return digest_of(facts)[:_DIGITS]


def signed(lines: bytes, digest: str | None) -> bytes:
    """Return the JSON lines, each with the cell's digest and then its own digest as its last keys."""
    if digest is None:
        return lines
    ending = f', "{CELL_DIGEST}": "{digest}"'.encode()
    return b"".join(_sealed(line[:-2] + ending) for line in lines.splitlines(keepends=True))


def is_as_written(line: bytes) -> bool:
    """Return whether a signed line is byte for byte what the run wrote."""
    return _sealed(line.rpartition(_SEAL)[0]) == line


def take_signature(row: dict[str, Any]) -> object:
    """Remove both digests from a line and return that of the cell, or None if it has none."""
    row.pop(LINE_DIGEST, None)
    return row.pop(CELL_DIGEST, None)


def _sealed(body: bytes) -> bytes:
    return body + _SEAL + hashlib.sha256(body).hexdigest()[:_DIGITS].encode() + b'"}\n'
