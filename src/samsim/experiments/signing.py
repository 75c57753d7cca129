"""Every line of a run says which cell made it: by a digest of all that decided the cell's answers.

The digest is computed from the manifest alone. So lines that were put beside another manifest, and a
manifest whose cell was changed, are both noticed by whoever reads them together. Gold has no part in it.
"""

from __future__ import annotations

from typing import Any

from samsim.experiments.digests import digest_of
from samsim.experiments.provenance import deciding_versions
from samsim.schemas.runs import CELL_DIGEST, Manifest

_DIGITS = 32


def cell_digest(manifest: Manifest) -> str | None:
    """What the lines of this manifest's run carry; None for a run of a version that did not mark its lines."""
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
    return digest_of(facts)[:_DIGITS]


def signed(lines: bytes, digest: str | None) -> bytes:
    """JSON objects, one a line, each with the digest as its last key."""
    if digest is None:
        return lines
    ending = f', "{CELL_DIGEST}": "{digest}"}}\n'.encode()
    return b"".join(line[:-2] + ending for line in lines.splitlines(keepends=True))


def take_signature(row: dict[str, Any]) -> object:
    """The digest a line carries, taken out of it; None without one."""
    return row.pop(CELL_DIGEST, None)
