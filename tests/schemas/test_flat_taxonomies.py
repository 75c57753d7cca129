"""Taxonomies of plain categories: those that ship, a user's own in every form, and how their refs are compared."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.errors import ConfigError
from samsim.pipeline.config import PipelineConfig
from samsim.schemas.analysis import Language
from samsim.schemas.taxonomy import FLAT_TAXONOMIES, Taxonomy, fold_term, load_taxonomy
from tests.schemas.test_taxonomy import SAYS_WHAT_TO_DO, own
from tests.support.builders import nfd
from tests.support.strategies import steady

LANGUAGES: tuple[Language, ...] = get_args(Language)
SHIPPED_FORMS = [(name, language) for name in FLAT_TAXONOMIES for language in LANGUAGES]
# The domains of the Korean triplet set; delivery belongs to food.
KOREAN_CATEGORIES = {
    "shop": "전체 품질 디자인 크기 소재 가격 배송 포장 응대 사용감 내구성",
    "food": "전체 맛 양 가격 메뉴 서비스 분위기 위생 대기 위치 배달 포장 온도 정확성",
    "hotel": "전체 객실 청결 침구 욕실 직원 위치 조식 시설 소음 전망 가격",
    "electronics": "전체 화면 배터리 성능 소리 디자인 크기·무게 조작 연결 발열·소음 내구성 가격 배송 서비스",
    "cosmetics": "전체 발림 보습 향 색 지속력 자극 효과 용기 양 가격 배송",
    "app": "전체 기능 속도 안정성 디자인 사용성 광고 결제 고객_지원 업데이트 가격",
}


# --- the shipped ones ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLAT_TAXONOMIES)
def test_the_korean_categories_are_those_of_the_triplet_set(name: str) -> None:
    expected = [category.replace("_", " ") for category in KOREAN_CATEGORIES[name].split()]
    assert list(load_taxonomy(name).refs) == expected


@pytest.mark.parametrize(("name", "language"), SHIPPED_FORMS)
def test_a_shipped_one_is_small_flat_and_has_a_general_category(name: str, language: Language) -> None:
    taxonomy = load_taxonomy(name, language)
    assert (taxonomy.name, taxonomy.language) == (name, language)
    assert 8 <= len(taxonomy.refs) <= 15
    assert taxonomy.general_category == taxonomy.refs[0] == {"ko": "전체", "en": "general"}[language]
    assert not taxonomy.entities
    assert taxonomy.upper_entity is None
    assert not any("#" in ref for ref in taxonomy.refs)
    assert all(taxonomy.is_valid(ref) and taxonomy.split(ref) == (ref, "") for ref in taxonomy.refs)


@pytest.mark.parametrize("name", FLAT_TAXONOMIES)
def test_both_languages_have_the_same_categories_and_things(name: str) -> None:
    korean, english = load_taxonomy(name, "ko"), load_taxonomy(name, "en")
    pairs = dict(zip(korean.refs, english.refs, strict=True))
    assert [pairs[thing] for thing in korean.things] == list(english.things)


@pytest.mark.parametrize(("name", "language"), SHIPPED_FORMS)
def test_every_category_has_terms_and_every_term_one_category(name: str, language: Language) -> None:
    taxonomy = load_taxonomy(name, language)
    for category, terms in taxonomy.categories.items():
        assert len(terms) >= 8, category
        assert len(terms) + len(taxonomy.opinions.get(category, ())) >= 10, category
    for table in (taxonomy.categories, taxonomy.opinions):
        words = [fold_term(word) for words in table.values() for word in words]
        assert len(set(words)) == len(words)
        assert all(word == fold_term(word) for words in table.values() for word in words)
    assert not {fold_term(name) for name in taxonomy.refs} & {
        fold_term(term) for terms in taxonomy.categories.values() for term in terms
    }


def test_the_language_of_the_text_chooses_the_form() -> None:
    config = PipelineConfig(taxonomy="shop")
    assert config.taxonomy_for("ko") is load_taxonomy("shop", "ko") is load_taxonomy("shop")
    assert config.taxonomy_for("en") is load_taxonomy("shop", "en")
    assert PipelineConfig().taxonomy_for("ko") is load_taxonomy("nikl2022", "en")


def test_other_spellings_of_a_double_category_are_the_category() -> None:
    electronics = load_taxonomy("electronics")
    assert electronics.normalise("크기/무게") == electronics.normalise("크기ㆍ무게 ") == "크기·무게"


# --- a user's own ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("- price\n- Battery life\n", id="a_list"),
        pytest.param("categories: [price, Battery life]", id="categories"),
        pytest.param("price: []\nBattery life: [charge, charging]\n", id="names_and_terms"),
        pytest.param("price:\nBattery life: [charge]\n", id="a_name_without_anything"),
        pytest.param("categories: {price: [], ' Battery  life ': [charge]}", id="categories_with_terms"),
        pytest.param("name: own\ncategories: [price, Battery life]\naliases: {power: Battery life}", id="all_of_it"),
    ],
)
def test_a_flat_list_is_enough(tmp_path: Path, content: str) -> None:
    taxonomy = own(tmp_path, content)
    assert taxonomy.name == "own"
    assert taxonomy.refs == ("price", "Battery life")
    assert not taxonomy.is_free
    assert taxonomy.normalise(" battery   LIFE ") == "Battery life"
    assert taxonomy.is_valid("Price")
    assert not taxonomy.is_valid("battery")
    assert not taxonomy.is_valid("")


def test_the_general_category_is_named_or_known_by_its_name(tmp_path: Path) -> None:
    assert own(tmp_path, "[price, Overall]").general_category == "Overall"
    assert own(tmp_path, "[가격, 전체, 배송]").general_category == "전체"
    assert own(tmp_path, "categories: [price, misc]\ngeneral: misc").general_category == "misc"
    assert own(tmp_path, "[price, misc]").general_category is None
    assert own(tmp_path, "general: [product]\nprice: []").general_category == "general"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "expected a list of names"),
        ("categories: []", "expected a list of names"),
        ("categories: price", "expected a list of names"),
        ("[price, 5, yes]", "put quotes around"),
        ("[price, '  ']", "has no name"),
        ("[price, price]", "twice"),
        ("[price, Price ]", "twice"),
        ("price: [cost]\nvalue: [Cost]", "'Cost' is given to both 'price' and 'value'"),
        ("price: [value]\nvalue: []", "'value' is given to both"),
        ("price: cost", "price"),
        ("price: {a: b}", "price"),
        ("name: x\ncategories: [a]\nentities: {b: [c]}", "not both"),
        ("categories: [a]\ngeneral: b", "'b' is not among the categories"),
        ("categories: [a]\nopinions: {b: [good]}", "'b' is not among the categories"),
        ("categories: [a]\naliases: {b: c}", "not among the categories"),
        ("categories: [a]\nupper_entity: a", "not among the entities"),
        ("name: x\nentities: {a: [b]}\ngeneral: a", "'a' is not among the categories"),
    ],
)
def test_an_unusable_list_says_why_and_what_to_do(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(ConfigError, match=r"own\.yaml") as caught:
        own(tmp_path, content)
    assert said in str(caught.value)
    assert SAYS_WHAT_TO_DO.search(str(caught.value))


# --- how refs are compared -------------------------------------------------------------------------------

_PIECES = st.sampled_from(["크기·무게", nfd("배송"), "Battery", "life", "LIFE", " ", "\n", "#", "İ", "ß", "ſ", "가격"])
_NAME = st.one_of(st.text(min_size=1, max_size=10), st.lists(_PIECES, min_size=1, max_size=4).map("".join))


def _taxonomy(names: list[str]) -> Taxonomy | None:
    try:
        return Taxonomy.model_validate({"name": "any", "categories": names})
    except ValueError:
        return None


@steady
@given(st.lists(_NAME, min_size=1, max_size=5), _NAME)
def test_normalising_a_flat_ref_is_stable_and_keeps_validity(names: list[str], ref: str) -> None:
    taxonomy = _taxonomy(names)
    if taxonomy is None:
        return
    for each in (ref, *taxonomy.refs, *names):
        once = taxonomy.normalise(each)
        assert taxonomy.normalise(once) == once
        assert taxonomy.is_valid(once) == taxonomy.is_valid(each) == (once in taxonomy.refs)


@steady
@given(st.lists(_NAME, min_size=1, max_size=5))
def test_every_given_name_is_a_ref_in_every_spelling(names: list[str]) -> None:
    taxonomy = _taxonomy(names)
    if taxonomy is None:
        return
    assert len(taxonomy.refs) == len(names)
    for name, ref in zip(names, taxonomy.refs, strict=True):
        for spelling in (name, f"  {name}\n", nfd(name), ref):
            assert taxonomy.normalise(spelling) == ref
