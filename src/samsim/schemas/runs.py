"""The manifest of a run: everything that determined it, and how it ended."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from samsim.schemas.memory_v1_1 import MemoryMode
from samsim.schemas.protocol_conflict_review import Written

FormatVersion = Literal[1]
FORMAT_VERSION: FormatVersion = 1
# The key in every line of a run for the cell that wrote it.
CELL_DIGEST = "cell_digest"
# The reason recorded for a run that stopped at its limit.
LIMITED = "--limit"
# The last key of every line: a digest of everything before it.
LINE_DIGEST = "line_digest"
RunStatus = Literal["running", "finished", "interrupted", "stopped"]
RunKind = Literal["evaluation", "memory_building"]


class RunMeta(Written):
    """The memory of a run (seed 003, work item 5)."""

    memory_mode: MemoryMode
    condition: str


class CellRecord(Written):
    """The position of a run in its experiment: one value of every factor."""

    cell_id: str
    kind: RunKind = "evaluation"
    protocol: str
    condition: str
    engine: str
    seed: int | None = None
    repeat: int = 0


class EngineRecord(Written):
    """An engine as it was used; the identity is a digest of everything that determines its answers."""

    name: str
    identity: str


class DataRecord(Written):
    """The samples of one role; the hash is over their ids and texts in order."""

    source: str
    samples: int
    rows: int
    bad_rows: int
    sha256: str
    gold_fields: list[str] = Field(default_factory=list)


class Manifest(Written):
    """``manifest.json``; repeating a run may change only start, end, status and the digests of stores.

    ``config_hash`` covers everything that determines outputs and scores, ``settings_hash`` what determines
    the outputs, without gold. ``store_digest`` is that of the run's own store when the run ended. Runs of older
    versions have neither of the last two. Of the ``done`` samples, ``errors`` failed and ``partial`` ones were
    decided without some of their calls. With ``line_digests``, every line of the run has a digest of itself.
    """

    format_version: FormatVersion = FORMAT_VERSION
    run_id: str
    experiment: str
    position: int = 0
    cell: CellRecord
    run_meta: RunMeta
    config: dict[str, Any]
    config_hash: str
    settings_hash: str | None = None
    prompt_hashes: dict[str, str]
    engines: list[EngineRecord]
    data: dict[str, DataRecord]
    line_digests: bool = False
    store: str | None = None
    store_base_seq: int = Field(default=0, ge=0)
    store_base_digest: str | None = None
    store_digest: str | None = None
    versions: dict[str, str]
    git_revision: str | None = None
    started: str
    ended: str | None = None
    status: RunStatus = "running"
    stop_reason: str | None = None
    done: int = Field(default=0, ge=0)
    errors: int = Field(default=0, ge=0)
    partial: int = Field(default=0, ge=0)

    @property
    def run_over(self) -> DataRecord | None:
        """The texts of the run: those to evaluate, or those that fill the memory."""
        return self.data.get("memory" if self.cell.kind == "memory_building" else "evaluation")
