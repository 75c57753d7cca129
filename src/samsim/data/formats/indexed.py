"""Formats whose annotations are token numbers: ASTE-Data-V2, DMASTE and ACOS.

Tokens are separated by spaces; the text is the tokens joined by single spaces, so every span is
exact by construction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType

from samsim.data.bad_rows import BadRow, RowError
from samsim.data.formats.lines import numbered_lines
from samsim.data.formats.literals import literal_list
from samsim.data.formats.rows import Annotation, Row, parse_rows, polarity_of
from samsim.data.sources import DataSource
from samsim.schemas.analysis import Offsets
from samsim.schemas.polarity import PolarityName

_SEPARATOR = "####"
_ACOS_TUPLE = re.compile(r"(-?\d{1,18}),(-?\d{1,18}) (\S.*) (\S+) (-?\d{1,18}),(-?\d{1,18})")
_ACOS_POLARITY: Mapping[str, PolarityName] = MappingProxyType({"0": "negative", "1": "neutral", "2": "positive"})
_IMPLICIT = -1
Phrase = tuple[str, Offsets | None]


@dataclass(frozen=True, slots=True)
class _Tokens:
    words: tuple[str, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, line: str) -> _Tokens:
        words = tuple(word for word in line.split(" ") if word)
        return cls(words, tuple(accumulate((len(word) + 1 for word in words), initial=0)))

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def phrase(self, first: int, end: int) -> Phrase:
        """Return the tokens from the first up to, but not including, the end."""
        if not 0 <= first < end <= len(self.words):
            raise RowError(f"tokens {first} to {end}, but the text has {len(self.words)}")
        return " ".join(self.words[first:end]), (self.starts[first], self.starts[end] - 1)


def read_aste(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Read ASTE-Data-V2: lists of all token numbers of a term."""

    def parse(number: int, line: str) -> Row:
        text, separator, triples = line.rpartition(_SEPARATOR)
        return _triples_row(number, _needed(text, separator), triples, _listed)

    return parse_rows(numbered_lines(path, source.encoding), parse)


def read_dmaste(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Read DMASTE: the first and the last token of a term (or the only one); -1 is an implicit aspect."""

    def parse(number: int, line: str) -> Row:
        rest, separator, _domain = line.rpartition(_SEPARATOR)
        text, second, triples = _needed(rest, separator).rpartition(_SEPARATOR)
        return _triples_row(number, _needed(text, second), triples, _first_and_last)

    return parse_rows(numbered_lines(path, source.encoding), parse)


def read_acos(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Read ACOS: tab-separated quads of token ranges (end exclusive); -1,-1 is implicit."""
    return parse_rows(numbered_lines(path, source.encoding), _acos_row)


def _needed(text: str, separator: str) -> str:
    if not separator:
        raise RowError(f"no {_SEPARATOR} between text and annotation")
    return text


def _triples_row(number: int, line: str, triples: str, phrase_of: Callable[[_Tokens, Sequence[int]], Phrase]) -> Row:
    tokens = _Tokens.of(line)
    annotations = []
    for item in literal_list(triples):
        if not isinstance(item, tuple | list) or len(item) != 3:
            raise RowError("a triple is not (aspect, opinion, polarity)")
        term, span = phrase_of(tokens, _numbers(item[0]))
        opinion, _ = phrase_of(tokens, _numbers(item[1]))
        annotations.append(Annotation(term, "", opinion, polarity_of(item[2]), span))
    return Row(number, tokens.text, tuple(annotations))


def _numbers(value: object) -> list[int]:
    if not isinstance(value, list) or not value or not all(type(number) is int for number in value):
        raise RowError(f"{value!r} is not a list of token numbers")
    return value


def _listed(tokens: _Tokens, numbers: Sequence[int]) -> Phrase:
    if list(numbers) == [_IMPLICIT]:
        return "", None
    if list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
        return tokens.phrase(numbers[0], numbers[-1] + 1)
    # Not contiguous: the words are known, but there is no single span.
    return " ".join(tokens.phrase(number, number + 1)[0] for number in numbers), None


def _first_and_last(tokens: _Tokens, numbers: Sequence[int]) -> Phrase:
    if list(numbers) == [_IMPLICIT]:
        return "", None
    if len(numbers) > 2:
        raise RowError(f"{list(numbers)} is not the first and the last token")
    return tokens.phrase(numbers[0], numbers[-1] + 1)


def _acos_row(number: int, line: str) -> Row:
    text, *rest = line.split("\t")
    quads = [quad.strip() for quad in rest if quad.strip()]
    if not quads:
        raise RowError("no quad after the text")
    tokens = _Tokens.of(text)
    return Row(number, tokens.text, tuple(_quad(tokens, quad) for quad in quads))


def _quad(tokens: _Tokens, quad: str) -> Annotation:
    match = _ACOS_TUPLE.fullmatch(quad)
    if match is None:
        raise RowError(f"{quad!r} is not 'first,end CATEGORY polarity first,end'")
    polarity = _ACOS_POLARITY.get(match[4])
    if polarity is None:
        raise RowError(f"unknown polarity {match[4]!r} (known: 0 negative, 1 neutral, 2 positive)")
    term, span = _range(tokens, int(match[1]), int(match[2]))
    opinion, _ = _range(tokens, int(match[5]), int(match[6]))
    return Annotation(term, match[3], opinion, polarity, span)


def _range(tokens: _Tokens, first: int, end: int) -> Phrase:
    return ("", None) if first == end == _IMPLICIT else tokens.phrase(first, end)
