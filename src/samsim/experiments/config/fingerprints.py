"""The facts that determine the results of a cell, for a digest: settings by value, files by content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from samsim.data.roles import Role
from samsim.data.shipped import SHIPPED, shipped_names
from samsim.data.sources import DataSource
from samsim.engines.factory import EnginePlan
from samsim.engines.transport.secrets import shown_address
from samsim.experiments.config.engine_plans import is_embedded
from samsim.experiments.config.matrix import Cell, uses_memory
from samsim.experiments.digests import file_digest

# Engine settings that affect the speed and cost of an answer, but not the answer.
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
    cell: Cell, cells: Mapping[str, Cell], data: Mapping[Role, Mapping[str, Any]], store: str | None
) -> dict[str, Any]:
    """Return everything that determines the results of a cell; ``data`` and ``store`` identify their contents."""
    memory = None
    if uses_memory(cell.condition):
        start = cells[cell.builds_on] if cell.builds_on is not None else None
        memory = {
            "settings": asdict(cell.memory),
            "store": store,
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
        "data": dict(data[cell.role]),
    }


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


def store_name(store: str | None) -> str | None:
    """Return the name of a store without its folder."""
    return None if store is None else Path(shown_address(store)).name


def source_facts(source: DataSource) -> dict[str, Any]:
    """Return the facts about a data source, including its gold."""
    facts = source.model_dump(mode="json")
    if source.path is not None:
        facts["path"] = file_digest(source.path)
    elif source.name is not None and source.name in SHIPPED:
        shipped = Path(str(files("samsim.data"))) / "samples"
        facts["shipped"] = [
            file_digest(shipped / f"{name}.{kind}")
            for name in shipped_names(source.name, source.split)
            for kind in ("jsonl", "gold.jsonl")
        ]
    return facts
