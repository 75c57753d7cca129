"""What decides the results of a cell, as a digest: settings by value, files by their content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from samsim.data.roles import Role
from samsim.data.sources import DataSource
from samsim.engines.factory import EnginePlan
from samsim.engines.secrets import shown_address
from samsim.experiments.engine_plans import is_embedded
from samsim.experiments.matrix import Cell, uses_memory

# Settings of an engine that decide how fast and how dear an answer is, and not what it is.
NOT_DECIDING = frozenset(
    {
        "api_key_env",
        "timeout_s",
        "max_timeout_s",
        "max_attempts",
        "concurrency",
        "requests_per_minute",
        "tokens_per_minute",
        "price_per_million",
    }
)


def cell_facts(
    cell: Cell, cells: Mapping[str, Cell], data: Mapping[Role, DataSource], store: str | None
) -> dict[str, Any]:
    """Everything that decides the results of a cell."""
    memory = None
    if uses_memory(cell.condition):
        start = cells[cell.builds_on] if cell.builds_on is not None else None
        memory = {
            "settings": asdict(cell.memory),
            "store": Path(shown_address(store)).name if store is not None else None,
            "builds_on": None if start is None else cell_facts(start, cells, data, store),
        }
    pipeline = cell.pipeline.model_dump(mode="json")
    if pipeline["taxonomy"].endswith((".yaml", ".yml")):
        pipeline["taxonomy"] = file_digest(pipeline["taxonomy"])
    return {
        "kind": cell.kind,
        "condition": cell.condition.model_dump(mode="json"),
        "engines": _deciding(cell.plan),
        "seed": cell.seed,
        "repeat": cell.repeat,
        "pipeline": pipeline,
        "memory": memory,
        "data": _source_facts(data[cell.role]),
    }


def digest_of(facts: Any) -> str:
    """The digest of the canonical JSON of some facts."""
    canonical = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _deciding(plan: EnginePlan) -> dict[str, Any]:
    if is_embedded(plan):
        return {}
    return {
        role: {
            # Another password or key in the address is still the same server.
            name: shown_address(value) if name == "base_url" and isinstance(value, str) else value
            for name, value in settings.items()
            if name not in NOT_DECIDING
        }
        for role, settings in plan.engines.items()
    }


def _source_facts(source: DataSource) -> dict[str, Any]:
    facts = source.model_dump(mode="json")
    if source.path is not None:
        facts["path"] = file_digest(source.path)
    return facts


def file_digest(path: str | Path) -> str:
    """The digest of a file's bytes, or of a folder's files with their names; "missing" if it is not there."""
    place = Path(path)
    if place.is_dir():
        return digest_of({child.name: file_digest(child) for child in sorted(place.iterdir()) if child.is_file()})
    if not place.is_file():
        return "missing"
    state = place.stat()
    return _bytes_digest(place.absolute(), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _bytes_digest(path: Path, size: int, changed: int) -> str:  # noqa: ARG001 - they make the cache's key
    """Every cell asks for the same files; each is read once while it stays as it is."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
