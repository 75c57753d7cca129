"""Taxonomies: the shipped refs, how refs are compared, and a user's own file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.errors import ConfigError
from samsim.schemas.taxonomy import Taxonomy, as_taxonomy, clean_ref, load_taxonomy
from tests.support.builders import nfd
from tests.support.strategies import steady

ALL_ATTRIBUTES = ["일반", "가격", "디자인", "품질", "편의성", "다양성", "인지도"]
NIKL_REFS = [
    *(f"제품 전체#{attribute}" for attribute in ALL_ATTRIBUTES),
    *(f"본품#{attribute}" for attribute in ALL_ATTRIBUTES),
    *(f"패키지·구성품#{attribute}" for attribute in ALL_ATTRIBUTES if attribute != "인지도"),
    *(f"브랜드#{attribute}" for attribute in ("일반", "가격", "디자인", "품질", "인지도")),
]
CAFE = """
name: cafe
language: en
upper_entity: Place
entities:
  Place: [general, price]
  Food: [taste, price]
aliases:
  Dish: Food
"""
SAYS_WHAT_TO_DO = re.compile(r"\b(Use|Check|Fix|Expected|Did you mean)\b")


def nikl() -> Taxonomy:
    return load_taxonomy("nikl2022")


def own(folder: Path, content: str) -> Taxonomy:
    path = folder / "own.yaml"
    path.write_text(content, encoding="utf-8")
    return load_taxonomy(path)


# --- the shipped ones ------------------------------------------------------------------------------------


def test_nikl_has_exactly_these_25_refs() -> None:
    assert len(NIKL_REFS) == 25
    assert sorted(nikl().refs) == sorted(NIKL_REFS)
    assert all(nikl().is_valid(ref) for ref in NIKL_REFS)


@pytest.mark.parametrize(
    "ref", ["패키지·구성품#인지도", "브랜드#편의성", "브랜드#다양성", "사용감", "제품 전체", "제품 전체#", "#품질", ""]
)
def test_nikl_has_no_other_ref(ref: str) -> None:
    assert not nikl().is_valid(ref)


def test_nikl_names_the_upper_entity() -> None:
    assert nikl().upper_entity == "제품 전체"
    assert nikl().split("제품 전체#품질") == ("제품 전체", "품질")


def test_free_refs_allow_any_name_but_none_at_all() -> None:
    free = load_taxonomy("none")
    assert free.is_free
    assert free.is_valid("battery life")
    assert not free.is_valid("  ")
    assert free.upper_entity is None


def test_nothing_given_means_the_default() -> None:
    assert as_taxonomy(None) == nikl()
    assert as_taxonomy("none").is_free
    assert as_taxonomy(nikl()) is nikl()


# --- how refs are compared -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "ref"),
    [
        (" 제품  전체 # 품질 ", "제품 전체#품질"),
        ("본품\t#\n가격", "본품#가격"),
        ("패키지/구성품#디자인", "패키지·구성품#디자인"),
        ("패키지ㆍ구성품#디자인", "패키지·구성품#디자인"),
        (" 패키지/구성품 # 디자인", "패키지·구성품#디자인"),
        (nfd("본품#품질"), "본품#품질"),
        ("", ""),
    ],
)
def test_spelling_variants_are_one_ref(spelling: str, ref: str) -> None:
    assert nikl().normalise(spelling) == ref


@pytest.mark.parametrize(("ref", "kept"), [("제품 전체품질", 0), ("본품##품질", 2), ("본품 # # 품질", 2), ("#", 1)])
def test_the_hash_is_never_touched(ref: str, kept: int) -> None:
    assert nikl().normalise(ref).count("#") == kept


def test_free_refs_are_compared_without_case_and_spaces() -> None:
    assert load_taxonomy("none").normalise("  Battery   Life ") == "battery life"


_REF_PIECES = st.sampled_from(
    [
        "제품 전체",
        "본품",
        "패키지/구성품",
        nfd("브랜드"),
        "Food",
        "Dish",
        "#",
        " ",
        "\n",
        "품질",
        "TASTE",
        "İ",
        "ß",
        "\u0345",
    ]
)
_ANY_REF = st.one_of(st.text(max_size=12), st.lists(_REF_PIECES, max_size=6).map("".join))


@steady
@given(_ANY_REF)
def test_normalising_twice_changes_nothing_more(ref: str) -> None:
    cafe = Taxonomy.model_validate(
        {"name": "cafe", "entities": {"Food": ["taste"], "Place": ["price"]}, "aliases": {"Dish": "Food"}}
    )
    for taxonomy in (nikl(), load_taxonomy("none"), cafe):
        once = taxonomy.normalise(ref)
        assert taxonomy.normalise(once) == once
        assert taxonomy.is_valid(once) == taxonomy.is_valid(ref)


@steady
@given(_ANY_REF)
def test_cleaning_keeps_every_hash_and_leaves_no_space_around_it(ref: str) -> None:
    cleaned = clean_ref(ref)
    assert cleaned.count("#") == ref.count("#")
    assert not re.search(r"\s#|#\s|^\s|\s$|\s\s", cleaned)


# --- a user's own ----------------------------------------------------------------------------------------


def test_a_users_own_file(tmp_path: Path) -> None:
    cafe = own(tmp_path, CAFE)
    assert cafe.refs == ("Place#general", "Place#price", "Food#taste", "Food#price")
    assert cafe.upper_entity == "Place"
    assert cafe.normalise(" dish # TASTE ") == "Food#taste"
    assert cafe.is_valid("food#taste")
    assert not cafe.is_valid("Food#general")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("name: [", id="broken_yaml"),
        pytest.param("- a\n- [b]", id="a_list_within_a_list"),
        pytest.param("name: x", id="no_entities"),
        pytest.param("entities: {Food: [taste]}", id="no_name"),
        pytest.param("name: ''\nentities: {}", id="empty_name"),
        pytest.param("name: x\nentities: {Food: taste}", id="attributes_no_list"),
        pytest.param("name: x\nentities: {Food: [yes, no]}", id="yaml_booleans"),
        pytest.param("name: x\nentities: {Food: [taste]}\nupper: Food", id="unknown_key"),
        pytest.param("name: x\nentities: {Food: [taste]}\nupper_entity: Place", id="upper_entity_unknown"),
        pytest.param("name: x\nentities: {Food: [taste]}\naliases: {Dish: Meal}", id="alias_to_nothing"),
        pytest.param("name: 2024-13-45\nentities: {}", id="impossible_date"),
        pytest.param("!!python/object:os.system {}", id="unsafe_tag"),
    ],
)
def test_an_unusable_file_is_a_config_error_that_says_what_to_do(tmp_path: Path, content: str) -> None:
    with pytest.raises(ConfigError, match=r"own\.yaml") as caught:
        own(tmp_path, content)
    assert SAYS_WHAT_TO_DO.search(str(caught.value))


def test_an_alias_that_is_itself_an_entity_cannot_make_normalising_unstable(tmp_path: Path) -> None:
    content = "name: x\nentities: {Food: [taste], Meal: [taste]}\naliases: {Dish: Food, Food: Meal}"
    try:
        taxonomy = own(tmp_path, content)
    except ConfigError:
        return
    once = taxonomy.normalise("Dish#taste")
    assert taxonomy.normalise(once) == once


def test_a_missing_file_and_a_wrong_encoding_say_what_to_check(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Check the path"):
        load_taxonomy(tmp_path / "nowhere.yaml")
    (tmp_path / "legacy.yaml").write_bytes("name: 가게".encode("cp949"))
    with pytest.raises(ConfigError, match="encoding"):
        load_taxonomy(tmp_path / "legacy.yaml")


def test_an_unknown_name_suggests_the_nearest_and_lists_the_choices() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'nikl2022'") as caught:
        load_taxonomy("nikl2023")
    assert "none" in str(caught.value)
    with pytest.raises(ConfigError, match=r"nikl2022, none, shop, .* or app, or a path") as unlike:
        load_taxonomy("zzz")
    assert "Did you mean" not in str(unlike.value)
