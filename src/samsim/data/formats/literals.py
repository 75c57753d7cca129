"""Lists written as Python literals, as found in several data sets."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from samsim.data.bad_rows import RowError


def literal_list(source: str) -> list[Any]:
    """Return the list that a string spells; only literals are read, nothing is executed."""
    try:
        with warnings.catch_warnings():
            # A backslash in a term ("w\\ fries") is text, not an invalid escape to warn about.
            warnings.simplefilter("ignore")
            value = ast.literal_eval(source.strip())
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise RowError("the annotation is not a readable list") from None
    if not isinstance(value, list):
        raise RowError("the annotation is not a list")
    return value
