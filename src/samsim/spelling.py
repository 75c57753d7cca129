"""Suggestions for misspelled names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def closest(wrong: object, known: Iterable[str], *, alike: float = 0.6) -> str | None:
    """Return the known name that was most likely meant, or None if no name is similar enough; case is ignored."""
    names = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(str(wrong).casefold(), names, n=1, cutoff=alike)
    return names[found[0]] if found else None
