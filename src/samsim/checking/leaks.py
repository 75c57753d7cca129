"""Check whether an episodic store repeats parts of a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from samsim.arguments import check_place
from samsim.errors import InputError
from samsim.memory.leaks import Leak, LeakFinder, leak_finder
from samsim.memory.store import MemoryStore, open_store
from samsim.pipeline.inputs import as_samples


def find_leaks(store: str | Path | MemoryStore, texts: Iterable[Any] | Mapping[Any, Any]) -> list[Leak]:
    """Search a memory store for fragments of texts and return every place that repeats one.

    A leak is a run of 12 or more characters from a text, ignoring case and whitespace. Aspect terms of up to 30
    characters, which are remembered by design, and samsim's own sentences do not count.

    ``store`` is a file, a postgresql:// URL or an open store. ``texts`` is anything that ``Pipeline.stream`` takes. A
    missing text, or no text at all, raises an ``InputError``.
    """
    pairs = as_samples(texts)
    finder = _finder(store)
    leaks: list[Leak] = []
    searched = 0
    for uid, text in pairs:
        if not isinstance(text, str):
            raise InputError(f"The text of {uid} is missing ({text!r}). Leave it out, or give its text.")
        searched += 1
        leaks.extend(finder.leaks(uid, text))
    if not searched:
        raise InputError("There is no text to search for. Give at least one.")
    return leaks


def _finder(store: str | Path | MemoryStore) -> LeakFinder:
    if not isinstance(store, str | Path):
        if isinstance(store, type) or not callable(getattr(store, "iterate", None)):
            check_place(store, "store", "a file, a postgresql:// address or what open_store returned")
        return leak_finder(store)
    with closing(open_store(store, create=False)) as opened:
        return leak_finder(opened)
