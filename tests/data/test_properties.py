"""Spans are exact and rows are accounted for, whatever the rows are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.data.gold import load_gold
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from tests.data.reading import assert_round_trip, assert_sound

WORD = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r\0\ufeff", exclude_categories=["Cs"]),
    min_size=1,
    max_size=6,
).filter(str.strip)
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
POLARITIES = st.sampled_from(["POS", "NEG", "NEU"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def spaced(words: list[str], gaps: list[int]) -> str:
    return "".join(word + " " * gap for word, gap in zip(words, gaps, strict=False)) + " ".join(words[len(gaps) :])


@st.composite
def ranges(draw: st.DrawFn) -> tuple[list[str], str, list[tuple[int, int]]]:
    words = draw(st.lists(WORD, min_size=1, max_size=8).filter(lambda words: "#" not in "".join(words)))
    gaps = draw(st.lists(st.integers(1, 3), max_size=8))
    found = []
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(words) - 1))
        found.append((first, draw(st.integers(first, len(words) - 1))))
    return words, spaced(words, gaps), found


@settings(max_examples=60, deadline=None)
@given(ranges(), POLARITIES, st.sampled_from(["aste", "dmaste", "acos"]))
def test_token_numbers_become_exact_spans(
    folder: Path, case: tuple[list[str], str, list[tuple[int, int]]], polarity: str, name: str
) -> None:
    words, line, found = case
    if name == "acos":
        quads = [f"{first},{last + 1} A#B 1 {first},{last + 1}" for first, last in found]
        row = "\t".join([line.strip(" "), *quads])
    else:
        numbers = [list(range(a, b + 1)) if name == "aste" else ([a] if a == b else [a, b]) for a, b in found]
        row = f"{line}####{[(ns, ns, polarity) for ns in numbers]}" + ("####x" if name == "dmaste" else "")
    file = folder / "rows.txt"
    file.write_bytes(row.encode("utf-8"))
    source = DataSource(path=file, format=name)
    loaded, gold = load_samples(source), load_gold(source)
    assert_sound(loaded, gold)
    assert [sample.text for sample in loaded.samples] == [" ".join(words)]
    expected = [" ".join(words[first : last + 1]) for first, last in found]
    assert [item.aspect_term for item in gold["rows-1"].tuples] == expected
    assert [item.opinion_term for item in gold["rows-1"].tuples] == expected
    assert all(item.span is not None for item in gold["rows-1"].tuples)
    assert_round_trip(source, folder / "own.jsonl")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT, st.integers(-2, 12), st.integers(-2, 12)), min_size=1, max_size=4))
def test_given_offsets_are_exact_repaired_or_reported(folder: Path, rows: list[tuple[str, str, int, int]]) -> None:
    lines = [
        json.dumps({"id": str(n), "sentence_form": text, "annotation": [["a#b", [term, start, end], "neutral"]]})
        for n, (text, term, start, end) in enumerate(rows)
    ]
    file = folder / "nikl.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    source = DataSource(path=file, format="nikl2022")
    loaded, gold = load_samples(source), load_gold(source)
    assert_sound(loaded, gold)
    assert loaded.total_rows == len(rows)
    for sample in gold.values():
        assert all((item.span is None) == (item.aspect_term == "") for item in sample.tuples)
    assert_round_trip(source, folder / "own.jsonl")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["samsim", "nikl2022", "aste", "dmaste", "acos", "asqp", "m_absa"]))
def test_no_content_brings_a_reader_down(folder: Path, content: bytes, name: str) -> None:
    file = folder / "anything.txt"
    # Mostly ASCII with some damage: a file in another encoding is refused as a whole, which is another test.
    file.write_bytes("가".encode() * 200 + b"\n" + content)
    source = DataSource(path=file, format=name)
    loaded = load_samples(source)
    assert_sound(loaded, load_gold(source))
    assert loaded.problems[0].row == 1
