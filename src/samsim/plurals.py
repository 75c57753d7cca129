"""Counts with their English nouns."""

from __future__ import annotations


def how_many(number: int, noun: str, several: str | None = None) -> str:
    """Return a count with its noun, such as ``2 calls``; ``several`` is the plural of an irregular noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {several or f'{noun}s'}"
