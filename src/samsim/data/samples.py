"""What is analysed: texts with an id. Nothing here knows what annotators said."""

from __future__ import annotations

from dataclasses import dataclass

from samsim.schemas.analysis import Language


@dataclass(frozen=True, slots=True)
class Sample:
    """One text to analyse."""

    uid: str
    language: Language
    text: str


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What is to be said about one row of a file: why it was not used, or what was done to use it.

    ``row`` counts from 1: the line in files of lines (the first line of a record that spans several),
    the sentence or review in XML.
    """

    row: int
    reason: str
    file: str
