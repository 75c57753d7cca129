"""The episodic store of a run: its own copy, made at the start and wound back when the run goes on.

A named store is copied and never written to, so a rerun cannot double its episodes. After a crash
the copy may hold episodes of samples that do not count as finished; those are cut off.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from samsim.errors import StoreError
from samsim.memory.memory_store import open_store
from samsim.memory.store_jsonl_io import TEMPORARY, beside, sync_folder

_KEPT_BESIDE = (".journal", ".index")


def copy_store(source: str | Path | None, target: Path) -> int:
    """Begin a run's store with the episodes of another (none without one); returns how many there are."""
    for leftover in (target, *(beside(target, suffix) for suffix in _KEPT_BESIDE)):
        leftover.unlink(missing_ok=True)
    copied = 0
    if source is not None:
        if not str(source).startswith(("postgresql://", "postgres://")) and not Path(source).exists():
            raise StoreError(f"There is no memory store {source}. Check episodic_memory.store.")
        original = open_store(source)
        temporary = beside(target, TEMPORARY)
        try:
            with temporary.open("wb") as file:
                copied = original.export(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            original.close()
            temporary.unlink(missing_ok=True)
    open_store(target).close()
    return copied


def wind_back(path: Path, episodes: int) -> None:
    """Cut the store back to its first episodes, whatever a killed writer left behind them."""
    temporary = beside(path, TEMPORARY)
    kept = 0
    with path.open("rb") as source, temporary.open("wb") as target:
        for line in islice(source, episodes):
            if not line.endswith(b"\n"):
                break
            target.write(line)
            kept += 1
        surplus = bool(source.read(1)) or path.stat().st_size != target.tell()
        target.flush()
        os.fsync(target.fileno())
    if kept < episodes:
        temporary.unlink()
        raise StoreError(
            f"{path} holds {kept} whole episodes, but the run's outputs speak of {episodes}."
            " The folder was changed from outside; use --restart."
        )
    if not surplus:
        temporary.unlink()
        return
    # Without a journal the log is taken as it is, so the journal goes first.
    for suffix in _KEPT_BESIDE:
        beside(path, suffix).unlink(missing_ok=True)
    temporary.replace(path)
    sync_folder(path.parent)
