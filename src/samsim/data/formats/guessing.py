"""Guessing the format of a file from its first rows; if several fit, the user has to choose."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path

from samsim.data.bad_rows import RowError
from samsim.data.formats.lines import numbered_lines, sound_object
from samsim.data.formats.own import OWN_KEYS
from samsim.data.formats.xml_tree import parse_xml
from samsim.errors import ConfigError

_LOOKED_AT = 20
_INDEX_LIST = r"\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]"
_TRIPLES = rf"\[\s*\(\s*{_INDEX_LIST}\s*,\s*{_INDEX_LIST}\s*,.*\]"
_STRING = r"""(?:'[^']*'|"[^"]*")"""
_LINE_FORMATS = {
    "dmaste": re.compile(rf".*####{_TRIPLES}####[^#]*"),
    "aste": re.compile(rf".*####{_TRIPLES}\s*"),
    "asqp": re.compile(rf".*####\[\[{_STRING}, {_STRING}, {_STRING}, {_STRING}\].*\]\s*"),
    "m_absa": re.compile(rf".*####\[\[{_STRING}, {_STRING}, '\w+'\].*\]\s*"),
    "acos": re.compile(r"[^\t]+(?:\t-?\d+,-?\d+ \S+ [012] -?\d+,-?\d+)+\s*"),
}


def guess_format(path: Path, encoding: str | None) -> str:
    """Return the only format the file can be in; raise if there is none or more than one."""
    suffix = path.suffix.lower()
    if suffix == ".xml":
        candidates = _xml_formats(path)
    elif suffix == ".csv":
        candidates = ["csv"]
    else:
        lines = [line for _, line in islice(numbered_lines(path, encoding), _LOOKED_AT)]
        candidates = _json_formats(lines) if suffix in (".jsonl", ".json") else _line_formats(lines)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise ConfigError(f"{path.name} can be read as {' or '.join(candidates)}. Choose one with format.")
    raise ConfigError(
        f"Cannot tell the format of {path.name}. Set it with format (samsim data list shows the formats), "
        "or convert the file to csv or jsonl."
    )


def _xml_formats(path: Path) -> list[str]:
    root = parse_xml(path)
    if root.tag == "sentences":
        kinds = {"semeval2014_terms": "aspectTerm", "semeval2014_categories": "aspectCategory"}
        return [name for name, tag in kinds.items() if next(root.iter(tag), None) is not None]
    if root.tag == "Reviews":
        return ["semeval2016_texts" if root.find("Review/Opinions") is not None else "semeval2016"]
    return []


def _json_formats(lines: list[str]) -> list[str]:
    """Return the format of most objects; anything but samsim's own or NIKL's needs a mapping."""
    found: Counter[str] = Counter()
    for line in lines:
        try:
            keys = sound_object(line).keys()
        except RowError:
            continue
        if {"uid", "text"} <= keys <= OWN_KEYS:
            found["samsim"] += 1
        elif "sentence_form" in keys and keys & {"annotation", "id"}:
            found["nikl2022"] += 1
        else:
            found["jsonl"] += 1
    return [name for name, count in found.items() if count == max(found.values())]


def _line_formats(lines: list[str]) -> list[str]:
    """Return the format of most rows: a few broken ones do not matter, and empty lists are no evidence."""
    counts = {
        name: sum(pattern.fullmatch(line) is not None for line in lines) for name, pattern in _LINE_FORMATS.items()
    }
    if not any(counts.values()):
        marked = sum("$T$" in line for line in lines[::3])
        return ["three_lines"] if marked and marked == len(lines[::3]) else []
    best = max(counts.values())
    return [name for name, count in counts.items() if count == best]
