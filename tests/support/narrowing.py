"""What a test knows and a type does not say."""

from __future__ import annotations

from typing import TypeVar

ValueT = TypeVar("ValueT")


def some(value: ValueT | None) -> ValueT:
    """Return a value that has to be there."""
    assert value is not None
    return value
