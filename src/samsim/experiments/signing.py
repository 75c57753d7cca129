"""Every line of a run says which cell made it, by a digest of all that decided the cell's answers, and bears a
digest of itself, so that a number changed by hand is noticed.

The digest of the cell is computed from the manifest alone. So lines that were put beside another manifest, and a
manifest whose cell was changed, are both noticed by whoever reads them together. Gold has no part in it.
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
    """Return what the lines of this manifest's run carry; None for a run of a version that did not mark its lines."""
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
    """JSON objects, one a line, each with the cell's digest and then its own as its last keys."""
    if digest is None:
        return lines
    ending = f', "{CELL_DIGEST}": "{digest}"'.encode()
    return b"".join(_sealed(line[:-2] + ending) for line in lines.splitlines(keepends=True))


def is_as_written(line: bytes) -> bool:
    """Return whether a signed line is byte for byte what the run wrote."""
    return _sealed(line.rpartition(_SEAL)[0]) == line


def take_signature(row: dict[str, Any]) -> object:
    """Return the cell's digest that a line carries, taken out of it with the line's own; None without one."""
    row.pop(LINE_DIGEST, None)
    return row.pop(CELL_DIGEST, None)


def _sealed(body: bytes) -> bytes:
    return body + _SEAL + hashlib.sha256(body).hexdigest()[:_DIGITS].encode() + b'"}\n'
