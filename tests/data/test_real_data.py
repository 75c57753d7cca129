"""The loaders on the public data sets, where a folder with them is at hand: every row of every file.

Only the form is checked (rows, spans, round trip); nothing is printed or measured, so test splits stay unseen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.data.gold import load_gold
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from tests.data.reading import assert_round_trip, assert_sound
from tests.support.public_data import DATA, require_public_data

SETS = {
    "nikl2022": "nikl-sample/**/*.jsonl",
    "semeval2014_terms": "semeval2014-xml/*.xml",
    "semeval2014_categories": "semeval2014-xml/Restaurants*.xml",
    "aste": "aste-data-v2/*/*.txt",
    "dmaste": "dmaste/dataset/*/*.txt",
    "acos": "acos/*/*.tsv",
    "asqp": "asqp-rest15/test.txt",
    "m_absa": "m-absa/*/*/*.txt",
    "three_lines": "korean-food-absa/*.seg",
}
FILES = [
    *((name, file) for name, pattern in SETS.items() for file in sorted(DATA.glob(pattern))),
    *(("semeval2014_terms", file) for file in sorted(DATA.glob("mams/data/MAMS-ATSA/raw/*.xml"))),
    *(("semeval2014_categories", file) for file in sorted(DATA.glob("mams/data/MAMS-ACSA/raw/*.xml"))),
]


def test_the_data_sets_are_there() -> None:
    require_public_data()
    assert {name for name, _ in FILES} == set(SETS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), FILES, ids=lambda value: getattr(value, "name", value))
def test_every_row_is_read_and_every_span_is_exact(name: str, file: Path, tmp_path: Path) -> None:
    source = DataSource(path=file, format=name)
    loaded, gold = load_samples(source), load_gold(source)
    assert_sound(loaded, gold)
    assert loaded.total_rows == records_in(name, file)
    assert loaded.problems == ()
    unlabelled = "phaseB" in file.name
    assert len(gold) == (0 if unlabelled else len(loaded.samples))
    assert_round_trip(source, tmp_path / "own.jsonl")
    if not file.name.startswith("Restaurants"):
        assert load_samples(DataSource(path=file)).format == name


def records_in(name: str, file: Path) -> int:
    """How many rows the file has, counted without the parsers."""
    content = file.read_bytes()
    if file.suffix == ".xml":
        return content.count(b"<text>")
    return content.rstrip(b"\n").count(b"\n") // (3 if name == "three_lines" else 1) + 1
