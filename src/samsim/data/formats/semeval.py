"""SemEval XML: 2014 (terms and categories, which are not linked), 2015 and 2016 (opinions); MAMS is like 2014.

A file in which no element of the wanted kind has a polarity (an unlabeled test file) gives texts without
gold. In any other file a missing polarity makes the row bad.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from samsim.data.bad_rows import BadRow, RowError
from samsim.data.formats.lines import written_number
from samsim.data.formats.rows import Annotation, Row, parse_rows, polarity_of
from samsim.data.formats.spans import verified_span
from samsim.data.formats.xml_tree import parse_xml
from samsim.data.sources import DataSource
from samsim.errors import InputError
from samsim.schemas.analysis import Offsets

_IMPLICIT = ("", "NULL")
_NO_LABELS = "the file has no labels of this kind: a text without gold"
_OUT_OF_SCOPE = "OutOfScope: a text without gold"
Found = tuple[Annotation, str | None]


def read_terms(path: Path, _source: DataSource) -> Iterator[Row | BadRow]:
    """Read SemEval-2014 and MAMS-ATSA: aspect terms with offsets."""
    return _sentences_of(path, "aspectTerms", "aspectTerm", _term)


def read_categories(path: Path, _source: DataSource) -> Iterator[Row | BadRow]:
    """Read SemEval-2014 and MAMS-ACSA: aspect categories, without terms."""
    return _sentences_of(path, "aspectCategories", "aspectCategory", _category)


def read_opinions(path: Path, _source: DataSource) -> Iterator[Row | BadRow]:
    """Read SemEval-2015 and 2016: opinions of sentences."""
    root = _root(path, "Reviews")
    labelled = _is_labelled(root, "Opinion")

    def parse(number: int, sentence: Element) -> Row:
        text, uid = _text(sentence), sentence.get("id")
        if sentence.get("OutOfScope", "").upper() == "TRUE":
            return Row(number, text, None, uid=uid, notes=(_OUT_OF_SCOPE,))
        return _row(number, text, uid, sentence.findall("Opinions/Opinion") if labelled else None, _opinion)

    return parse_rows(enumerate(root.iter("sentence"), 1), parse)


def read_text_opinions(path: Path, _source: DataSource) -> Iterator[Row | BadRow]:
    """Read SemEval-2016: opinions of whole reviews; the text is the sentences, joined by a space."""
    root = _root(path, "Reviews")
    labelled = root.find("Review/Opinions/Opinion[@polarity]") is not None

    def parse(number: int, review: Element) -> Row:
        text = " ".join(_text(sentence) for sentence in review.iter("sentence"))
        return _row(number, text, review.get("rid"), review.findall("Opinions/Opinion") if labelled else None, _overall)

    return parse_rows(enumerate(root.iter("Review"), 1), parse)


def _sentences_of(path: Path, group: str, tag: str, convert: Callable[[str, Element], Found]) -> Iterator[Row | BadRow]:
    root = _root(path, "sentences")
    labelled = _is_labelled(root, tag)

    def parse(number: int, sentence: Element) -> Row:
        elements = sentence.findall(f"{group}/{tag}") if labelled else None
        return _row(number, _text(sentence), sentence.get("id"), elements, convert)

    return parse_rows(enumerate(root.iter("sentence"), 1), parse)


def _root(path: Path, tag: str) -> Element:
    root = parse_xml(path)
    if root.tag != tag:
        raise InputError(f"{path.name} starts with <{root.tag}>, but this format needs <{tag}>. Choose another format.")
    return root


def _is_labelled(root: Element, tag: str) -> bool:
    return any(element.get("polarity") is not None for element in root.iter(tag))


def _text(sentence: Element) -> str:
    element = sentence.find("text")
    if element is None:
        raise RowError("no <text>")
    if len(element):
        raise RowError(f"<{element[0].tag}> inside <text>")
    return element.text or ""


def _row(
    number: int, text: str, uid: str | None, elements: list[Element] | None, convert: Callable[[str, Element], Found]
) -> Row:
    if elements is None:
        return Row(number, text, None, uid=uid, notes=(_NO_LABELS,))
    found = [convert(text, element) for element in elements]
    notes = tuple(note for _, note in found if note is not None)
    return Row(number, text, tuple(annotation for annotation, _ in found), uid=uid, notes=notes)


def _term(text: str, element: Element) -> Found:
    term = _attribute(element, "term")
    span, note = _span(text, term, element)
    return Annotation(term, "", "", polarity_of(_attribute(element, "polarity")), span), note


def _category(_text: str, element: Element) -> Found:
    return _ref_only(element), None


def _overall(_text: str, element: Element) -> Found:
    return _ref_only(element), None


def _ref_only(element: Element) -> Annotation:
    return Annotation("", _attribute(element, "category"), "", polarity_of(_attribute(element, "polarity")), None)


def _opinion(text: str, element: Element) -> Found:
    target = element.get("target", "")
    polarity, ref = polarity_of(_attribute(element, "polarity")), _attribute(element, "category")
    if target in _IMPLICIT:
        return Annotation("", ref, "", polarity, None), None
    span, note = _span(text, target, element)
    return Annotation(target, ref, "", polarity, span), note


def _span(text: str, term: str, element: Element) -> tuple[Offsets, str | None]:
    written = _attribute(element, "from"), _attribute(element, "to")
    start, end = map(written_number, written)
    if start is None or end is None:
        raise RowError(f"the offsets {written[0]!r} and {written[1]!r} of {term!r} are not numbers")
    return verified_span(text, term, start, end)


def _attribute(element: Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise RowError(f"<{element.tag}> without {name}")
    return value
