"""Readers for the public data sets the benchmarks measure on; the files are not part of this project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from samsim.metrics.systems import PlainTuple

# Not always valid Python: a term may hold the quote that delimits it.
_M_ABSA_ITEM = re.compile(r"""\[['"](.*?)['"], ['"]([^'"]*)['"], ['"](\w+)['"]\]""")
_ASTE_POLARITY = {"POS": "positive", "NEG": "negative", "NEU": "neutral"}


@dataclass(frozen=True)
class Labelled:
    """A text with what annotators found in it."""

    uid: str
    text: str
    gold: list[PlainTuple]


def read_aste(path: Path) -> Iterator[Labelled]:
    """ASTE-Data-V2: ``tokens####[([aspect], [opinion], 'POS'), …]``; the text is the joined tokens."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text, _, annotation = line.partition("####")
        words = text.split()
        gold = [
            PlainTuple(_pick(words, aspect), "", _pick(words, opinion), _ASTE_POLARITY[polarity])
            for aspect, opinion, polarity in ast.literal_eval(annotation)
        ]
        yield Labelled(f"{path.parent.name}-{number}", text.strip(), gold)


def _pick(words: list[str], indices: list[int]) -> str:
    return " ".join(words[index] for index in indices)


def read_m_absa(path: Path) -> Iterator[Labelled]:
    """M-ABSA: ``sentence####[[aspect term, category, polarity], …]``; NULL is an implicit aspect."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text, _, annotation = line.partition("####")
        gold = [
            PlainTuple("" if term == "NULL" else term, category, "", polarity)
            for term, category, polarity in _M_ABSA_ITEM.findall(annotation)
        ]
        yield Labelled(f"{path.parent.parent.name}-{number}", text.strip(), gold)
