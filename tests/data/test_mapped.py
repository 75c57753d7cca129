"""CSV and JSON lines with a mapping of columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samsim.data.gold import gold_fields
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.errors import ConfigError, InputError
from tests.data.reading import ALL, gold_of


def written(tmp_path: Path, name: str, content: str) -> Path:
    file = tmp_path / name
    file.write_bytes(content.encode("utf-8"))
    return file


def test_rows_of_one_text_are_one_sample() -> None:
    source = next(fixture.source for fixture in ALL if fixture.format == "csv")
    assert gold_of(source) == {
        "1": [("화면", "본품#품질", "", "positive", (0, 2)), ("배터리", "본품#품질", "", "negative", (9, 12))],
        "2": [],
        "7": [("향", "본품#품질", "", "positive", (3, 4))],
    }
    reasons = {problem.row: problem.reason for problem in load_samples(source).problems}
    # A text whose gold would lack a tuple is no gold.
    assert reasons[7] == "another row of the same text is bad (row 6)"
    assert reasons[8] == "the id 2 was given to another text in row 4"


def test_usual_names_need_no_mapping(tmp_path: Path) -> None:
    content = "text,aspect_term,opinion_term,polarity\r\nGood soup.,soup,Good,positive\r\nGood soup.,,,neutral\r\n"
    source = DataSource(path=written(tmp_path, "plain.csv", content))
    assert gold_of(source) == {
        "plain-2": [("soup", "", "Good", "positive", (5, 9)), ("", "", "", "neutral", None)],
    }
    assert gold_fields(source) == {"term", "opinion", "polarity"}


def test_texts_alone_have_no_gold_and_stay_apart(tmp_path: Path) -> None:
    source = DataSource(path=written(tmp_path, "plain.csv", "리뷰\n좋아요\n좋아요\n"))
    assert [sample.uid for sample in load_samples(source).samples] == ["plain-2", "plain-3"]
    assert gold_of(source) == {}
    assert gold_fields(source) == frozenset()


def test_a_mapping_that_does_not_fit_is_a_config_error(tmp_path: Path) -> None:
    file = written(tmp_path, "plain.csv", "a,b\n1,2\n")
    with pytest.raises(ConfigError, match="No column with a usual name for the texts"):
        load_samples(DataSource(path=file))
    with pytest.raises(ConfigError, match="No column 'c'"):
        load_samples(DataSource(path=file, columns={"text": "c"}))
    with pytest.raises(ConfigError, match="no polarity"):
        load_samples(DataSource(path=file, columns={"text": "a", "aspect_term": "b"}))
    with pytest.raises(InputError, match="is empty"):
        load_samples(DataSource(path=written(tmp_path, "empty.csv", "")))


def test_json_lines_a_tuple_a_line(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "text": "Hot soup, cold bread.", "aspect_term": "soup", "polarity": "positive", "start": 4, "end": 8},
        {"id": 1, "text": "Hot soup, cold bread.", "aspect_term": "bread", "polarity": "NEG"},
        {"id": 2, "text": "No label."},
        {"id": 3, "text": "Null label.", "aspect_term": None, "polarity": None},
        {"id": 4, "text": "Bad offset.", "aspect_term": "offset", "polarity": "neutral", "start": "x", "end": 3},
        {"id": 5, "text": 5},
        ["no object"],
    ]
    file = written(tmp_path, "rows.jsonl", "\n".join(json.dumps(row) for row in rows))
    source = DataSource(path=file)
    assert gold_of(source) == {
        "1": [("soup", "", "", "positive", (4, 8)), ("bread", "", "", "negative", (15, 20))],
        "3": [],
    }
    loaded = load_samples(source)
    assert [sample.uid for sample in loaded.samples] == ["1", "2", "3"]
    assert [problem.row for problem in loaded.problems] == [5, 6, 7]
    assert loaded.usable_rows == 4
