"""Pydantic's validation errors in words: the place and the reason of each.

The value itself is never repeated, since it may be long or secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

KEY_MARK = "[key]"
"""Pydantic's mark for an error in the key of a mapping, not in its value."""
_MOST_CHARACTERS = 200
_MOST_LISTED = 12


def mistakes_in(error: ValidationError) -> list[ErrorDetails]:
    """Return the errors, except for defaults that only failed because of another error."""
    found = error.errors(include_url=False)
    return [problem for problem in found if problem["type"] != "default_factory_not_called"]


def place_of(problem: ErrorDetails, whole: str) -> str:
    """Return where the error is, as in ``entities.0.name``, or ``whole`` if it concerns the whole value."""
    return ".".join(str(part) for part in problem["loc"] if part != KEY_MARK) or whole


def reason_of(problem: ErrorDetails) -> str:
    """Return the reason, without the prefix that pydantic adds to our own checks."""
    return problem["msg"].removeprefix("Value error, ")


def listed(error: ValidationError, whole: str, *, most: int = _MOST_LISTED) -> list[str]:
    """Return every error as a short ``place: reason``; those beyond ``most`` are only counted."""
    problems = mistakes_in(error)
    shown = [clipped(placed(place_of(problem, whole), reason_of(problem))) for problem in problems[:most]]
    left = len(problems) - len(shown)
    return [*shown, f"and {left} more"] if left else shown


def placed(place: str, reason: str) -> str:
    """Return ``place: reason``, or the reason alone where no place has a name."""
    return f"{place}: {reason}" if place else reason


def in_words(error: ValidationError, whole: str, *, most: int = _MOST_LISTED) -> str:
    """Return all errors on one line."""
    return "; ".join(listed(error, whole, most=most))


def clipped(text: str) -> str:
    """Return the text, cut off if it is too long for a message."""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
