"""Texts to analyze, each with an id. Nothing in this module knows the annotations."""

from __future__ import annotations

from dataclasses import dataclass

from samsim.schemas.analysis import Language


@dataclass(frozen=True, slots=True)
class Sample:
    """One text to analyze."""

    uid: str
    language: Language
    text: str


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A message about one row of a file: why it was not used, or what was done to use it.

    ``row`` counts from 1. It is the line in text files (the first line of a record that spans several)
    and the sentence or review in XML.
    """

    row: int
    reason: str
    file: str
