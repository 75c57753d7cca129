"""The reader function of each format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from samsim.data.bad_rows import BadRow
from samsim.data.formats.indexed import read_acos, read_aste, read_dmaste
from samsim.data.formats.mapped import read_csv, read_jsonl
from samsim.data.formats.nikl import read_nikl
from samsim.data.formats.own import read_own
from samsim.data.formats.quoted import read_asqp, read_m_absa
from samsim.data.formats.rows import Row
from samsim.data.formats.semeval import read_categories, read_opinions, read_terms, read_text_opinions
from samsim.data.formats.three_lines import read_three_lines
from samsim.data.sources import DataSource

Parser = Callable[[Path, DataSource], Iterator[Row | BadRow]]

PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        "samsim": read_own,
        "nikl2022": read_nikl,
        "semeval2014_terms": read_terms,
        "semeval2014_categories": read_categories,
        "semeval2016": read_opinions,
        "semeval2016_texts": read_text_opinions,
        "aste": read_aste,
        "dmaste": read_dmaste,
        "acos": read_acos,
        "asqp": read_asqp,
        "m_absa": read_m_absa,
        "three_lines": read_three_lines,
        "csv": read_csv,
        "jsonl": read_jsonl,
    }
)
