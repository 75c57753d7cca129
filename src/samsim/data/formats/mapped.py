"""CSV and JSON lines of any layout: a mapping names the columns.

A row is one tuple, and rows with the same id (without ids: the same text) are one sample. In JSON
lines, a row may also be one text with its tuples in a list. Columns that the mapping does not name
are found by their usual names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from samsim.data.bad_rows import BadRow, RowError
from samsim.data.csv_records import column_place, read_table
from samsim.data.formats.lines import is_whole_number, numbered_lines, read_text, sound_object, written_number
from samsim.data.formats.rows import Annotation, Row, language_of, parse_rows, part_of, polarity_of
from samsim.data.formats.spans import sole_occurrence, verified_span
from samsim.data.sources import USUAL_COLUMNS, DataSource
from samsim.errors import ConfigError
from samsim.schemas.analysis import Language, Offsets

_TUPLE_ROLES = ("aspect_term", "aspect_ref", "opinion_term", "polarity", "start", "end")
_TEXT_ROLES = ("text", "id", "language", "tuples")
_LINE_LIMIT = 8_000_000
Fields = Mapping[str, object]
"""The values of one row by the role of their column."""
Rename = Callable[[dict[str, object]], Fields]


def read_csv(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Yield each record below the header as a row."""
    _need_polarity_for_terms(source)
    lines = ((number, line) for number, line in enumerate(_kept_ends(read_text(path, source.encoding)), 1))
    header, records = read_table(lines, _LINE_LIMIT, path)
    places = _places(header, source, path)
    for record in records:
        if isinstance(record, BadRow):
            yield record
        else:
            number, cells = record
            yield from parse_rows([(number, {role: cells[place] for role, place in places.items()})], _row)


def read_jsonl(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Yield each line as a row."""
    _need_polarity_for_terms(source)
    of_tuple = _renaming(source.columns, _TUPLE_ROLES)
    of_text = _renaming(source.columns, _TEXT_ROLES)

    def parse(number: int, line: str) -> Row:
        record = sound_object(line)
        fields = of_text(record)
        if "tuples" in fields:
            return _row_with_list(number, fields, of_tuple)
        return _row(number, {**fields, **of_tuple(record)})

    return parse_rows(numbered_lines(path, source.encoding), parse)


def _need_polarity_for_terms(source: DataSource) -> None:
    if source.columns.keys() & {"aspect_term", "aspect_ref", "opinion_term"} and not (
        source.columns.keys() & {"polarity", "tuples"}
    ):
        raise ConfigError("The columns name an aspect or opinion but no polarity. Name the polarity column too.")


def _kept_ends(content: str) -> Iterator[str]:
    lines = content.split("\n")
    yield from (f"{line}\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]


def _places(header: Sequence[str], source: DataSource, path: Path) -> dict[str, int]:
    """Return the index of each role's column in a record."""
    places = {}
    for role, usual in USUAL_COLUMNS.items():
        wanted = source.columns.get(role)
        place = column_place(header, usual if wanted is None else (wanted,))
        if place is not None:
            places[role] = place
        elif wanted is not None or role == "text":
            missing = repr(wanted) if wanted is not None else "with a usual name for the texts"
            raise ConfigError(
                f"No column {missing} in {path.name}: its columns are {', '.join(map(repr, header))}. "
                f'Say which one it is: --columns {role}=NAME (in Python: columns={{"{role}": NAME}}).'
            )
    return places


def _renaming(columns: Mapping[str, str], roles: Iterable[str]) -> Rename:
    """Return a function that turns the keys of a JSON object into roles; keys in the mapping are required."""
    names = {role: (columns[role].strip().casefold(),) if role in columns else USUAL_COLUMNS[role] for role in roles}

    def rename(record: dict[str, object]) -> Fields:
        folded = {key.strip().casefold(): value for key, value in record.items()}
        found = {}
        for role, candidates in names.items():
            name = next((name for name in candidates if name in folded), None)
            if name is not None:
                found[role] = folded[name]
            elif role in columns:
                raise RowError(f"no key {columns[role]!r}")
        return found

    return rename


def _row(number: int, fields: Fields) -> Row:
    """Build a row that is one tuple, or a text without any."""
    text, uid, language = _about_text(fields)
    if "polarity" not in fields:
        return Row(number, text, None, uid=uid, language=language, group=uid)
    group = uid or text
    with part_of(group):
        annotations, notes = _tuple_of(text, fields)
    return Row(number, text, annotations, uid=uid, language=language, group=group, notes=notes)


def _row_with_list(number: int, fields: Fields, rename: Rename) -> Row:
    """Build a row that is one text with its tuples in a list; null means that there is no gold."""
    text, uid, language = _about_text(fields)
    items = fields["tuples"]
    if items is None:
        return Row(number, text, None, uid=uid, language=language)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RowError("the tuples are not a list of JSON objects")
    found = [_tuple_of(text, rename(item)) for item in items]
    annotations = tuple(annotation for given, _ in found for annotation in given)
    notes = tuple(note for _, said in found for note in said)
    return Row(number, text, annotations, uid=uid, language=language, notes=notes)


def _about_text(fields: Fields) -> tuple[str, str | None, Language | None]:
    text = fields.get("text")
    if not isinstance(text, str):
        raise RowError("the text is missing, or not a string")
    return text, _uid(fields), language_of(_word(fields, "language"))


def _tuple_of(text: str, fields: Fields) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
    """Return the tuple of one row; if all tuple fields are empty, there is none."""
    if all(fields.get(role) in (None, "") for role in _TUPLE_ROLES):
        return (), ()
    term = _word(fields, "aspect_term")
    span, note = _span(text, term, fields)
    annotation = Annotation(
        aspect_term=term,
        aspect_ref=_word(fields, "aspect_ref"),
        opinion_term=_word(fields, "opinion_term"),
        polarity=polarity_of(fields.get("polarity")),
        span=span,
    )
    return (annotation,), () if note is None else (note,)


def _span(text: str, term: str, fields: Fields) -> tuple[Offsets | None, str | None]:
    if not term:
        return None, None
    if fields.get("start") in (None, "") and fields.get("end") in (None, ""):
        return sole_occurrence(text, term), None
    return verified_span(text, term, _offset(fields.get("start")), _offset(fields.get("end")))


def _offset(value: object) -> int:
    if is_whole_number(value):
        return value
    number = written_number(value) if isinstance(value, str) else None
    if number is not None:
        return number
    raise RowError(f"{value!r} is not an offset")


def _uid(fields: Fields) -> str | None:
    if "id" not in fields:
        return None
    uid = fields["id"]
    if isinstance(uid, bool) or not isinstance(uid, str | int) or not str(uid).strip():
        raise RowError("the id is empty, or neither a word nor a number")
    return str(uid).strip()


def _word(fields: Fields, role: str) -> str:
    value = fields.get(role)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RowError(f"{role} is not a string")
    return value.strip()
