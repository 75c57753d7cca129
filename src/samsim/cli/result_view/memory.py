"""What the episodic memory did for a sample, in a few lines."""

from __future__ import annotations

from rich.console import RenderableType

from samsim.cli.result_view.style import Look, cell, section
from samsim.schemas.results import MemoryRecord


def memory_view(record: MemoryRecord | None, look: Look) -> list[RenderableType]:
    """Return the condition, what was retrieved, whether the reviewers were advised, and what was written."""
    if record is None:
        return []
    labels = look.labels
    lines = [f"{labels('memory_condition', condition=record.condition)} · {_retrieved(record, look)}"]
    if record.advisories_present:
        ids = ", ".join(record.advisories_ids)
        chars = labels.count(record.prompt_injection_chars, "character", "자")
        lines.append(labels("memory_advised", ids=ids, chars=chars))
    else:
        lines.append(labels("memory_not_advised", why=labels(_why_not(record))))
    if record.episode_id is not None:
        lines.append(labels("memory_written", episode=record.episode_id))
    return section(labels("memory"), *(cell(line) for line in lines))


def _retrieved(record: MemoryRecord, look: Look) -> str:
    if not record.retrieved_ids:
        return look.labels("memory_nothing_retrieved")
    return look.labels("memory_retrieved", ids=", ".join(record.retrieved_ids))


def _why_not(record: MemoryRecord) -> str:
    if not record.exposed_to_debate:
        return "memory_masked"
    if record.advisory_injection_gated:
        return "memory_gated"
    return "memory_no_advice"
