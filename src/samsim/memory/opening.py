"""Opening an episodic memory: its store, its condition, its settings and its clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from samsim import __version__
from samsim.arguments import check_number, check_place, check_type
from samsim.errors import ConfigError
from samsim.memory.conditions import LATEST_VERSION, resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySettings
from samsim.memory.store import DEFAULT_STORE, open_store
from samsim.validation_words import in_words

DEFAULT_CONDITION = "C2"


def open_memory(
    place: str | Path | None = None,
    *,
    condition: str | Mapping[str, object] = DEFAULT_CONDITION,
    conditions: str | Path = LATEST_VERSION,
    **settings: Any,
) -> EpisodicOrchestrator:
    """Open an episodic memory for ``Pipeline(memory=…)``.

    ``place`` is a .jsonl file or a postgresql:// URL, created if it does not exist; the default is
    memory/episodic_store.jsonl. ``condition`` says what the memory does for a sample: C1, C2, C2_silent … of the
    shipped ``conditions`` ("1.1" or "1.2"), or one from your own YAML file. ``settings`` are topk, gate,
    prohibit_dangerous, opfb_scope, require_same_language, require_structure_overlap, created_from_split and
    visibility. Close the memory when you are done, or use it in a ``with`` block.
    """
    if place is not None:
        check_place(place, "place", "a .jsonl file or a postgresql:// address")
    check_type(condition, (str, Mapping), "condition", "its name, such as C2")
    check_place(conditions, "conditions", "a version, such as 1.2, or the path of a YAML file")
    chosen, checked = resolve_condition(condition, conditions), _checked(settings)
    started = datetime.now(UTC).isoformat(timespec="seconds")  # one recorded time for the whole run
    store = open_store(DEFAULT_STORE if place is None else place)
    return EpisodicOrchestrator(store, chosen, now=lambda: started, version=__version__, settings=checked)


def _checked(settings: Mapping[str, Any]) -> MemorySettings:
    known = [setting.name for setting in fields(MemorySettings)]
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise ConfigError(f"Unknown memory setting {', '.join(unknown)}. Known settings: {', '.join(known)}.")
    try:
        checked = TypeAdapter(MemorySettings).validate_python(settings)
    except ValidationError as error:
        wrong = in_words(error, "settings")
        raise ConfigError(f"The memory settings are wrong: {wrong}. Correct them, or leave them out.") from error
    check_number(checked.topk, "topk", least=1, whole=True)
    _ = checked.epoch_size  # a wrong visibility is an error before a store is opened
    return checked
