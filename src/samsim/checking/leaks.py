"""Does an episodic store repeat a text?"""

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
    """Search a memory store for pieces of texts and return where it repeats them; an empty list if nowhere.

    A leak is a run of 12 or more characters of a text, whatever its capitals and spaces. Aspect terms of up to 30
    characters are remembered by design, and the program's own sentences are no leak; both are passed over.

    ``store`` is a file, a postgresql:// URL or an open store. ``texts`` are those that ``Pipeline.stream`` takes; what
    is not a text, or no text at all, is an ``InputError``, since nothing would be searched for.
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
