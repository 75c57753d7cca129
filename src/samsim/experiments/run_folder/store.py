"""The episodic store of a run: its own copy, made at the start and rewound when the run resumes.

A named store is only read, so a rerun cannot duplicate its episodes. After a crash the copy may hold episodes of
samples that do not count as finished; those are cut off.
"""

from __future__ import annotations

import shutil
from itertools import islice
from pathlib import Path

from samsim.durable_files import TEMPORARY, beside, is_no_file, sync, sync_folder
from samsim.errors import StoreError
from samsim.experiments.digests import file_digest
from samsim.experiments.run_folder.plain_files import open_plain
from samsim.memory.jsonl import journal
from samsim.memory.store import POSTGRES_SCHEMES, open_store
from samsim.schemas.run_problems import USE_RESTART

_JOURNAL, _INDEX = ".journal", ".index"


def store_digest(source: str | Path | None) -> str | None:
    """Return a digest of the store that a run starts from; None without one."""
    if source is None:
        return None
    if _is_address(source):
        original = open_store(source)
        try:
            return original.content_hash()
        finally:
            original.close()
    if not Path(source).is_file():
        raise StoreError(f"There is no memory store {source}, or it is not a file. Check episodic_memory.store.")
    return file_digest(source)


def starts_empty(source: str | None) -> bool:
    """Return whether a run would start without any episode; a database counts as not empty, as it is not opened."""
    if source is None:
        return True
    return not _is_address(source) and Path(source).is_file() and Path(source).stat().st_size == 0


def copy_store(source: str | Path | None, target: Path) -> int:
    """Create a run's store from the episodes of another one, or empty, and return its number of episodes."""
    for leftover in target.parent.glob(f"{target.name}*"):
        leftover.unlink()
    if source is not None and _is_address(source):
        _export(source, target)
    elif source is not None:
        # The journal first: what a writer appends meanwhile is beyond its end, and is ignored.
        for suffix in (_JOURNAL, ""):
            if is_no_file(beside(Path(source), suffix)):
                raise StoreError(f"{beside(Path(source), suffix)} is not a regular file. Check episodic_memory.store.")
            if beside(Path(source), suffix).exists():
                shutil.copyfile(beside(Path(source), suffix), beside(target, suffix))
    store = open_store(target)
    try:
        return store.last_seq()
    finally:
        store.close()


def _is_address(source: str | Path) -> bool:
    return str(source).startswith(POSTGRES_SCHEMES)


def _export(source: str | Path, target: Path) -> None:
    original = open_store(source)
    try:
        with target.open("wb") as file:
            original.export(file)
            file.flush()
            sync(file.fileno())
    finally:
        original.close()


def wind_back(path: Path, episodes: int) -> None:
    """Cut the store back to its first ``episodes``, whatever a killed writer left after them."""
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
        sync(target.fileno())
    if kept < episodes:
        temporary.unlink()
        raise StoreError(
            f"{path} holds {kept} whole episodes, but the run's outputs mention {episodes}."
            f" The folder was changed by something else; {USE_RESTART}."
        )
    if not surplus:
        temporary.unlink()
        drop_wrong_journal(path)
        return
    _drop_journal(path)
    temporary.replace(path)
    sync_folder(path.parent)


def drop_wrong_journal(path: Path) -> None:
    """Delete a journal that does not cover the whole log; call it only if the log is known to be right.

    With such a journal, opening the store would treat the rest of the log as the leftovers of a crashed writer.
    """
    try:
        with open_plain(beside(path, _JOURNAL)) as file:
            whole = journal.has_header(file.fileno()) and journal.last_record(file.fileno()).end == path.stat().st_size
    except FileNotFoundError:
        return
    if not whole:
        _drop_journal(path)


def _drop_journal(path: Path) -> None:
    """Delete the journal and the index before the log is changed: without a journal, the log counts as it is."""
    for suffix in (_JOURNAL, _INDEX):
        beside(path, suffix).unlink(missing_ok=True)
