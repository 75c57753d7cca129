"""The supported file formats and what their gold annotates; the parsers are in ``samsim.data.formats``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

GoldField = Literal["term", "ref", "opinion", "polarity"]


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """One format: its name, what its gold may annotate, and the layout of its files."""

    name: str
    title: str
    annotates: frozenset[GoldField]
    tokenised: bool
    suffixes: tuple[str, ...]
    files: str


def _info(name: str, title: str, annotates: str, suffixes: str, files: str, *, tokenised: bool = False) -> FormatInfo:
    fields: dict[str, GoldField] = {"term": "term", "ref": "ref", "opinion": "opinion", "polarity": "polarity"}
    said = frozenset(fields[field] for field in annotates.split())
    return FormatInfo(name, title, said, tokenised, tuple(suffixes.split()), files)


_ALL = "term ref opinion polarity"

FORMATS: Mapping[str, FormatInfo] = MappingProxyType(
    {
        info.name: info
        for info in (
            _info("samsim", "samsim's own", _ALL, ".jsonl", "one text per line: uid, language, text, tuples, tags"),
            _info("nikl2022", "NIKL 2022", "term ref polarity", ".jsonl", "id, sentence_form, annotation"),
            _info(
                "semeval2014_terms",
                "SemEval-2014 aspect terms, MAMS-ATSA",
                "term polarity",
                ".xml",
                "<sentences>, <aspectTerm term polarity from to>",
            ),
            _info(
                "semeval2014_categories",
                "SemEval-2014 aspect categories, MAMS-ACSA",
                "ref polarity",
                ".xml",
                "<sentences>, <aspectCategory category polarity>",
            ),
            _info(
                "semeval2016",
                "SemEval-2015 and 2016, sentences",
                "term ref polarity",
                ".xml",
                "<Reviews>, <Opinion target category polarity from to>",
            ),
            _info(
                "semeval2016_texts",
                "SemEval-2016, whole reviews",
                "ref polarity",
                ".xml",
                "<Reviews>, <Opinion> of the review",
            ),
            _info(
                "aste",
                "ASTE-Data-V2",
                "term opinion polarity",
                ".txt",
                "tokens####[([aspect], [opinion], 'POS'), ...]",
                tokenised=True,
            ),
            _info(
                "dmaste",
                "DMASTE",
                "term opinion polarity",
                ".txt",
                "tokens####[([first, last], [first, last], 'POS'), ...]####domain",
                tokenised=True,
            ),
            _info(
                "acos",
                "ACOS",
                _ALL,
                ".tsv .txt",
                "tokens TAB first,end CATEGORY 0|1|2 first,end TAB ...",
                tokenised=True,
            ),
            _info("asqp", "ASQP", _ALL, ".txt", "sentence####[[aspect, category, polarity, opinion], ...]"),
            _info("m_absa", "M-ABSA", "term ref polarity", ".txt", "sentence####[[aspect, category, polarity], ...]"),
            _info("three_lines", "$T$ in three lines", "term polarity", ".seg .raw", "text with $T$, aspect, 1|0|-1"),
            _info("csv", "CSV with a header", _ALL, ".csv", "one tuple per row; columns by name or mapping"),
            _info("jsonl", "JSON lines", _ALL, ".jsonl", "one text or tuple per line; keys by name or mapping"),
        )
    }
)
MAPPED_FORMATS = ("csv", "jsonl")
