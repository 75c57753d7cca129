"""What pydantic found wrong, in words: where, and why.

The value itself is never repeated: it may be long, or a secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

KEY_MARK = "[key]"
"""How pydantic marks that a key of a mapping is wrong, and not its value."""
_MOST_CHARACTERS = 200
_MOST_LISTED = 12


def mistakes_in(error: ValidationError) -> list[ErrorDetails]:
    """Return what is wrong; a default that could not be worked out because of another mistake is none."""
    found = error.errors(include_url=False)
    return [problem for problem in found if problem["type"] != "default_factory_not_called"]


def place_of(problem: ErrorDetails, whole: str) -> str:
    """Return where it is, as ``entities.0.name``; ``whole``, which may be "", where no part of it is to blame."""
    return ".".join(str(part) for part in problem["loc"] if part != KEY_MARK) or whole


def reason_of(problem: ErrorDetails) -> str:
    """Return why it is wrong, without the name pydantic gives to a check of ours."""
    return problem["msg"].removeprefix("Value error, ")


def listed(error: ValidationError, whole: str, *, most: int = _MOST_LISTED) -> list[str]:
    """Return every mistake as ``place: reason``, none of them long; those beyond ``most`` are only counted."""
    problems = mistakes_in(error)
    shown = [clipped(placed(place_of(problem, whole), reason_of(problem))) for problem in problems[:most]]
    left = len(problems) - len(shown)
    return [*shown, f"and {left} more"] if left else shown


def placed(place: str, reason: str) -> str:
    """Return ``place: reason``, or the reason alone where no place has a name."""
    return f"{place}: {reason}" if place else reason


def in_words(error: ValidationError, whole: str, *, most: int = _MOST_LISTED) -> str:
    """Return the same in one line."""
    return "; ".join(listed(error, whole, most=most))


def clipped(text: str) -> str:
    """Return the text, cut short where it is too long to be read in a message."""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
