"""The Korean triplet set: what ships is what its annotations give, and no text is in two splits."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from tools import build_ko_triplets as build

from samsim.data.gold import load_annotated, load_gold
from samsim.data.registry import load_samples
from samsim.data.shipped import SPLITS, load_reviews
from samsim.data.sources import DataSource
from samsim.errors import ConfigError

CARD = Path(__file__).parents[2] / "docs" / "data-cards" / "ko-triplets.md"


def test_what_ships_is_what_the_annotations_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = build.SHIPPED
    monkeypatch.setattr(build, "SHIPPED", tmp_path)
    build.main()
    made = sorted(tmp_path.iterdir())
    assert len(made) == 2 * len(SPLITS["ko_triplets"])
    for path in made:
        assert path.read_bytes() == (shipped / path.name).read_bytes(), "run python tools/build_ko_triplets.py"
    printed = capsys.readouterr().out
    card = CARD.read_text(encoding="utf-8")
    values = re.findall(r"(?:F1 of|kappa of) .*?: (0\.\d{3})", printed)
    assert len(values) == 7
    assert all(value in card for value in values)


def test_splits_are_disjoint_and_complete() -> None:
    parts = {split: load_samples("ko_triplets", split=split).samples for split in SPLITS["ko_triplets"]}
    texts = [sample.text for samples in parts.values() for sample in samples]
    assert len(texts) >= 1000
    assert len(set(texts)) == len(texts)
    assert not set(texts) & {sample.text for sample in load_reviews()}
    assert [sample.text for sample in load_samples("ko_triplets").samples] == texts
    assert all(unicodedata.is_normalized("NFC", text) for text in texts)


@pytest.mark.parametrize("split", SPLITS["ko_triplets"])
def test_every_split_has_every_domain_in_the_same_share(split: str) -> None:
    rows = build.read("texts")
    domains = Counter(row["domain"] for row in rows)
    gold = load_gold("ko_triplets", split=split)
    found = Counter(sample.tags[0] for sample in gold.values())
    for domain, number in domains.items():
        assert found[domain] / len(gold) == pytest.approx(number / len(rows), abs=0.02)


def test_every_tuple_fits_its_text() -> None:
    annotated = load_annotated(DataSource(name="ko_triplets"))
    texts = {sample.uid: sample.text for sample in annotated.texts.samples}
    for uid, sample in annotated.gold.items():
        for item in sample.tuples:
            assert item.opinion_term
            assert item.aspect_ref
            assert (item.span is None) == (item.aspect_term == "")
            if item.span is not None:
                assert texts[uid][item.span.start : item.span.end] == item.aspect_term


def test_both_annotators_saw_every_text_and_what_they_differ_in_is_adjudicated() -> None:
    texts = {row["uid"] for row in build.read("texts")}
    first, second = ({row["uid"]: row["tuples"] for row in build.read(f"annotator_{name}")} for name in "ab")
    assert set(first) == set(second) == texts
    decided = {row["uid"] for row in build.read("adjudicated")}
    assert decided <= texts
    assert {uid for uid in texts if json.dumps(first[uid]) == json.dumps(second[uid])}.isdisjoint(decided)


@pytest.mark.parametrize(("name", "split"), [("ko_triplets", "train2"), ("reviews", "test")])
def test_a_split_that_is_not_there_is_refused(name: str, split: str) -> None:
    with pytest.raises(ConfigError, match="splits"):
        load_samples(name, split=split)
