"""Every format on a miniature file of our own: all rows accounted for, spans exact, round trip unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.data.formats.parsers import PARSERS
from samsim.data.gold import gold_fields, load_gold
from samsim.data.registry import FORMATS, load_samples
from samsim.data.sources import DataSource
from samsim.errors import ConfigError
from tests.data.reading import ALL, FIXTURES, Fixture, assert_round_trip, assert_sound

every_fixture = pytest.mark.parametrize("fixture", ALL, ids=lambda fixture: f"{fixture.format}-{fixture.file}")


@every_fixture
def test_all_rows_are_accounted_for(fixture: Fixture) -> None:
    loaded, gold = load_samples(fixture.source), load_gold(fixture.source)
    assert_sound(loaded, gold)
    assert loaded.total_rows == fixture.rows
    assert tuple(problem.row for problem in loaded.problems) == fixture.bad
    assert {problem.file for problem in loaded.problems} <= {Path(fixture.file).name}
    assert len(loaded.samples) == fixture.texts
    assert len(gold) == fixture.with_gold
    assert sum(len(sample.tuples) for sample in gold.values()) == fixture.tuples


@every_fixture
def test_the_format_is_told_from_the_content(fixture: Fixture) -> None:
    source = DataSource(path=FIXTURES / fixture.file, columns=dict(fixture.columns))
    if fixture.told:
        assert load_samples(source).format == fixture.format
    else:
        with pytest.raises(ConfigError, match="semeval2014_terms or semeval2014_categories"):
            load_samples(source)


@every_fixture
def test_the_own_format_keeps_everything(fixture: Fixture, tmp_path: Path) -> None:
    assert_round_trip(fixture.source, tmp_path / "own.jsonl")


@every_fixture
def test_gold_fields_are_what_the_format_annotates(fixture: Fixture) -> None:
    declared = FORMATS[fixture.format].annotates
    said = gold_fields(fixture.source)
    if fixture.with_gold == 0:
        assert said == frozenset()
    elif fixture.format in ("csv", "jsonl"):
        assert {"term", "polarity"} <= said < declared
    else:
        assert said == declared


def test_every_format_has_a_parser_and_a_fixture() -> None:
    assert list(PARSERS) == list(FORMATS)
    assert {fixture.format for fixture in ALL} == set(FORMATS)


def test_tokenised_formats_give_a_span_to_every_term_in_one_piece() -> None:
    for fixture in ALL:
        if FORMATS[fixture.format].tokenised:
            gold = load_gold(fixture.source).values()
            loose = [item for sample in gold for item in sample.tuples if item.aspect_term and item.span is None]
            assert [item.aspect_term for item in loose] == (["Sides salad"] if fixture.format == "aste" else [])


def test_a_folder_gives_the_file_of_the_split() -> None:
    folder = FIXTURES / "aste"
    assert load_samples(DataSource(path=folder, split="train")).samples[0].uid == "train_triplets-1"
    assert load_samples(DataSource(path=folder, split="validation")).file == folder / "dev_triplets.txt"
    with pytest.raises(ConfigError, match=r"dev_triplets\.txt, train_triplets\.txt"):
        load_samples(DataSource(path=folder))
    with pytest.raises(ConfigError, match="No file of the split 'test'"):
        load_samples(DataSource(path=folder, split="test"))
    with pytest.raises(ConfigError, match=r"laptop_train\.xml, restaurant_train\.xml"):
        load_samples(DataSource(path=FIXTURES / "semeval2014", split="train"))
    with pytest.raises(ConfigError, match="split is for folders"):
        load_samples(DataSource(path=folder / "dev_triplets.txt", split="dev"))


def test_a_missing_file_and_an_unknown_content_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no file"):
        load_samples(DataSource(path=tmp_path / "nothing.txt"))
    (tmp_path / "prose.txt").write_text("Just a line.\nAnd another.\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="Cannot tell the format"):
        load_samples(DataSource(path=tmp_path / "prose.txt"))
    (tmp_path / "SOURCE.txt").write_text("about", encoding="utf-8")
    (tmp_path / "prose.txt").unlink()
    with pytest.raises(ConfigError, match="There is no data file"):
        load_samples(DataSource(path=tmp_path))
