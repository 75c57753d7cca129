"""The sets that ship: whole, exact, and apart from each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import pytest

from samsim.data import gold as gold_module
from samsim.data.gold import load_gold, load_reviews_gold
from samsim.data.registry import load_samples
from samsim.data.roles import check_roles, duplicates_within
from samsim.data.samples import Sample
from samsim.data.shipped import SHIPPED, load_reviews
from samsim.data.sources import DataSource
from samsim.schemas.taxonomy import load_taxonomy
from tests.data.reading import assert_sound

_SHARED_RUN = 15
_IMPLIED_ENGLISH_REFS = {"price", "design", "quality", "convenience", "variety", "awareness", "general"}
every_set = pytest.mark.parametrize("name", SHIPPED)
# The Korean triplets have categories and tags of their own, see test_ko_triplets.py.
review_sets = pytest.mark.parametrize("name", ["reviews", "reviews_memory"])


def runs(samples: Iterable[Sample]) -> set[str]:
    return {
        sample.text[at : at + _SHARED_RUN].casefold()
        for sample in samples
        for at in range(len(sample.text) - _SHARED_RUN + 1)
    }


@every_set
def test_a_set_is_whole_and_its_spans_are_exact(name: str) -> None:
    loaded, gold = load_samples(DataSource(name=name)), load_gold(DataSource(name=name))
    assert_sound(loaded, gold)
    assert [sample.uid for sample in loaded.samples] == list(gold)
    assert duplicates_within(loaded.samples) == ()
    for sample in loaded.samples:
        assert unicodedata.is_normalized("NFC", sample.text)
        for item in gold[sample.uid].tuples:
            assert (item.span is None) == (not item.aspect_term)
            assert sample.language == "ko" or item.opinion_term in sample.text


@review_sets
def test_refs_follow_the_conventions(name: str) -> None:
    taxonomy = load_taxonomy("nikl2022")
    gold = load_gold(DataSource(name=name))
    for sample in load_samples(DataSource(name=name)).samples:
        for item in gold[sample.uid].tuples:
            if sample.language == "ko":
                assert taxonomy.is_valid(item.aspect_ref)
            else:
                assert item.aspect_term or item.aspect_ref in _IMPLIED_ENGLISH_REFS
                assert item.aspect_ref == item.aspect_ref.lower() != ""


@review_sets
def test_tags_follow_from_the_tuples(name: str) -> None:
    for sample in load_gold(DataSource(name=name)).values():
        tags = set(sample.tags)
        assert len(tags) == len(sample.tags)
        assert ("none" in tags) == (not sample.tuples)
        assert ("multi" in tags) == (len(sample.tuples) > 1)
        assert ("implicit" in tags) == any(not item.aspect_term for item in sample.tuples)
        assert ("plain" in tags) == (not tags & {"negation", "contrast", "implicit", "irony", "none"})


def test_sizes() -> None:
    assert len(load_samples(DataSource(name="reviews")).samples) == 84
    for language in ("ko", "en"):
        assert len(load_samples(DataSource(name="reviews_memory", language=language)).samples) == 30


def test_memory_and_evaluation_share_no_text_and_no_longer_phrase() -> None:
    reviews, memory = (load_samples(DataSource(name=name)).samples for name in ("reviews", "reviews_memory"))
    check_roles({"evaluation": reviews, "memory": memory})
    assert runs(reviews) & runs(memory) == set()
    assert runs(reviews) & runs(reviews[:1])


def test_the_older_names_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuple(load_reviews()) == load_samples(DataSource(name="reviews")).samples
    assert load_reviews_gold() == load_gold(DataSource(name="reviews"))

    def no_gold(_name: str) -> None:
        raise AssertionError("texts are read without their gold")

    monkeypatch.setattr(gold_module, "_shipped_gold", no_gold)
    assert load_samples(DataSource(name="reviews")).total_rows == 84
