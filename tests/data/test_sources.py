"""What a config may say about its data, and which texts it then gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from samsim.data.gold import load_gold
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.errors import ConfigError


def uids(**settings: object) -> list[str]:
    source = DataSource.model_validate({"name": "reviews", **settings})
    samples = load_samples(source).samples
    assert list(load_gold(source)) == [sample.uid for sample in samples]
    return [sample.uid for sample in samples]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "either name"),
        ({"name": "reviews", "path": "x.csv"}, "either name"),
        ({"name": "review"}, "did you mean reviews?"),
        ({"path": "x.csv", "format": "cvs"}, "did you mean csv?"),
        ({"path": "x.csv", "format": "word"}, "use one of samsim"),
        ({"path": "x.csv", "columns": {"txt": "a"}}, "did you mean text?"),
        ({"path": "x.xml", "format": "semeval2016", "columns": {"text": "a"}}, "not to semeval2016"),
        ({"name": "reviews", "split": "dev"}, "reviews has no splits"),
        ({"name": "reviews", "limit": 2, "sample": 2}, "either limit"),
        ({"name": "reviews", "limit": 0}, "greater than or equal to 1"),
        ({"path": "x.csv", "encoding": "klingon"}, "not an encoding"),
        ({"path": "x.csv", "encoding": "hex"}, "not an encoding"),
        ({"name": "reviews", "lang": "ko"}, "Extra inputs"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_to_do(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason.replace("?", r"\?")):
        DataSource.model_validate(settings)


def test_a_limit_takes_the_first() -> None:
    assert uids(limit=3) == uids()[:3]
    assert uids(limit=1000) == uids()


def test_a_language_takes_the_texts_that_say_so() -> None:
    assert uids(language="ko") + uids(language="en") == uids()
    assert len(uids(language="en")) == 40


def test_a_draw_is_fixed_by_its_seed_and_keeps_the_order() -> None:
    drawn = uids(sample=10)
    assert drawn == uids(sample=10, sample_seed=0)
    assert len(drawn) == 10
    assert drawn == [uid for uid in uids() if uid in drawn]
    assert drawn != uids(sample=10, sample_seed=1)
    assert set(drawn) < set(uids(sample=20))
    # Written down, so that a change of the rule cannot go unnoticed.
    assert uids(sample=3) == PINNED


PINNED = ["ko-022", "en-028", "en-030"]


def test_the_hash_is_of_what_is_used() -> None:
    whole = load_samples(DataSource(name="reviews")).sha256
    assert whole == load_samples(DataSource(name="reviews", limit=84)).sha256
    assert whole != load_samples(DataSource(name="reviews", limit=83)).sha256
    assert whole != load_samples(DataSource(name="reviews", sample=84, language="ko")).sha256


def test_a_language_is_given_to_texts_that_do_not_say_theirs(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"text": "OK 굿"}\n{"text": "LG TV", "language": "en"}\n', encoding="utf-8")
    assert [sample.language for sample in load_samples(DataSource(path=file)).samples] == ["ko", "en"]
    (korean,) = load_samples(DataSource(path=file, language="ko")).samples
    assert korean.text == "OK 굿"
    assert [s.language for s in load_samples(DataSource(path=file, language="en")).samples] == ["en", "en"]


def test_a_source_says_what_it_is() -> None:
    assert DataSource(name="reviews", language="ko", sample=5, sample_seed=7).describe() == (
        "reviews, ko, 5 drawn by seed 7"
    )
    assert DataSource(path=Path("sets/14res"), split="dev", limit=1200).describe() == "sets/14res, dev, first 1,200"


def test_options_beside_a_source_are_its_settings() -> None:
    source = DataSource(name="reviews", language="ko")
    assert len(load_samples(source, limit=2).samples) == 2
    assert {sample.language for sample in load_samples(source, limit=2).samples} == {"ko"}
    with pytest.raises(ConfigError, match="limit"):
        load_samples(source, limit=0)
