"""From a target or an opinion to a ref, in each kind of taxonomy."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.engines.embedded.extraction import Attribute, Extraction
from samsim.engines.embedded.refs import assign_ref
from samsim.language.analyze import analyze_text
from samsim.schemas.taxonomy import load_taxonomy


def ref(text: str, term: str, attribute: Attribute | None = None, taxonomy: str = "nikl2022") -> str:
    start = text.index(term) if term else 0
    extraction = Extraction(
        target=(start, start + len(term)) if term else None,
        opinion=(0, 1),
        opinion_term="",
        polarity="positive",
        confidence=0.5,
        rationale="",
        attribute=attribute,
    )
    return assign_ref(extraction, analyze_text(text), load_taxonomy(taxonomy))


@pytest.mark.parametrize(
    ("term", "attribute", "expected"),
    [
        ("가격", None, "제품 전체#가격"),
        ("디자인", None, "본품#디자인"),
        ("사용감", None, "본품#품질"),
        ("착용감", None, "본품#편의성"),
        ("포장", None, "패키지·구성품#품질"),
        ("브랜드", None, "브랜드#일반"),
        ("배송", None, "제품 전체#일반"),
        ("제품", "design", "제품 전체#디자인"),
        ("제품", None, "제품 전체#일반"),
        ("통화품질", None, "본품#품질"),  # a compound written together
        ("박스 디자인", None, "패키지·구성품#디자인"),
        ("날개", None, "본품#품질"),  # unknown: the thing itself
        ("날개", "design", "본품#디자인"),
        ("날개", "price", "제품 전체#가격"),
        ("", "price", "제품 전체#가격"),
        ("", "general", "제품 전체#일반"),
        ("", "quality", "본품#품질"),
    ],
)
def test_korean_terms_and_implicit_aspects_in_nikl(term: str, attribute: Attribute | None, expected: str) -> None:
    assert ref(f"{term}이 좋아요", term, attribute) == expected


@pytest.mark.parametrize(
    ("term", "attribute", "expected"),
    [
        ("Prices", None, "price"),
        ("battery life", None, "battery life"),
        ("Wine lists", None, "wine list"),
        ("", "price", "price"),
    ],
)
def test_free_refs_are_the_normalised_term_or_the_attribute(
    term: str, attribute: Attribute | None, expected: str
) -> None:
    assert ref(f"{term} are good", term, attribute, "none") == expected


@pytest.mark.parametrize(
    ("text", "term", "expected"),
    [
        ("전체적인 품질이 훌륭해요", "품질", "제품 전체#품질"),
        ("전반적으로 디자인이 좋아요", "디자인", "제품 전체#디자인"),
        ("세트 전체 디자인이 촌스러워요", "세트 전체 디자인", "제품 전체#디자인"),
        ("전체가 아니라 원단 품질이 훌륭해요", "품질", "본품#품질"),
        ("The overall quality is good", "quality", "제품 전체#품질"),
    ],
)
def test_what_is_said_of_the_whole_is_the_upper_entitys(text: str, term: str, expected: str) -> None:
    assert ref(text, term) == expected


def test_english_terms_can_be_placed_in_nikl() -> None:
    assert ref("The prices are high", "prices") == "제품 전체#가격"


def test_a_users_taxonomy_is_matched_by_its_names_or_left_empty(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("name: cafe\nentities: {Food: [taste], Place: [price]}", encoding="utf-8")
    assert ref("The food is good", "food", None, str(own)) == "Food#taste"
    assert ref("It is expensive", "", "price", str(own)) == "Place#price"
    assert ref("The staff is kind", "staff", None, str(own)) == ""
