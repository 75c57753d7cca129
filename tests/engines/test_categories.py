"""From a term or an opinion to a category, in the shipped taxonomies and in a user's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.embedded.categories import category_of
from samsim.pipeline.api import Pipeline
from samsim.schemas.analysis import Language
from samsim.schemas.protocols import PLAIN_PROTOCOLS
from samsim.schemas.taxonomy import FLAT_TAXONOMIES, Taxonomy, load_taxonomy
from tests.schemas.test_flat_taxonomies import SHIPPED_FORMS
from tests.support.strategies import steady

PLAIN_LIST = Taxonomy.model_validate({"name": "own", "categories": ["배송", "가격", "직원", "전체"]})
WITH_TERMS = Taxonomy.model_validate({"name": "own", "categories": {"배송": ["기다림"], "가격": [], "불만": []}})


@pytest.mark.parametrize(("name", "language"), SHIPPED_FORMS)
def test_every_term_and_opinion_of_a_table_leads_to_its_category(name: str, language: Language) -> None:
    taxonomy = load_taxonomy(name, language)
    for category, terms in taxonomy.categories.items():
        for term in (category, *terms):
            assert category_of(term, "", "", language, taxonomy) == category
    for category, opinions in taxonomy.opinions.items():
        for opinion in opinions:
            assert category_of("", opinion, "", language, taxonomy) == category


@pytest.mark.parametrize(
    ("name", "term", "opinion", "category"),
    [
        ("shop", "배송", "빠르다", "배송"),
        ("shop", "고객센터 응대", "좋다", "응대"),  # the head
        ("shop", "고객센터응대", "좋다", "응대"),
        ("shop", "택배기사님들", "친절하다", "배송"),  # what else is in it
        ("shop", "가디건", "예쁘다", "디자인"),  # an unknown thing: the opinion
        ("shop", "이거", "비싸다", "가격"),  # the whole: the opinion
        ("shop", "이거", "좋다", "전체"),
        ("shop", "가디건", "좋다", "전체"),
        ("shop", "", "촉촉", "전체"),
        ("food", "밥양", "많다", "양"),
        ("food", "콩국수맛", "괜찮다", "맛"),  # a category of one syllable
        ("food", "짬뽕", "맛있다", "맛"),
        ("food", "짬뽕", "식다", "온도"),  # a dish is a thing
        ("food", "커피", "비싸다", "가격"),
        ("food", "", "따로 포장하다", "포장"),
        ("hotel", "뷰", "좋다", "전망"),
        ("hotel", "직원분들", "친절하다", "직원"),
        ("hotel", "방", "시끄럽다", "소음"),
        ("hotel", "욕실", "깨끗하다", "욕실"),  # no thing: the term decides
        ("electronics", "통화품질", "영 아니다", "소리"),
        ("electronics", "발열", "장난 아니다", "발열·소음"),
        ("cosmetics", "", "촉촉", "보습"),
        ("cosmetics", "향", "좋다", "향"),
        ("app", "검색", "느리다", "속도"),
        ("app", "고객 지원", "느리다", "고객 지원"),
    ],
)
def test_korean(name: str, term: str, opinion: str, category: str) -> None:
    assert category_of(term, opinion, "", "ko", load_taxonomy(name)) == category


@pytest.mark.parametrize(
    ("name", "term", "opinion", "category"),
    [
        ("electronics", "Battery Life", "great", "battery"),
        ("electronics", "battery", "great", "battery"),
        ("electronics", "USB ports", "few", "connection"),  # singular
        ("electronics", "build quality", "solid", "durability"),
        ("electronics", "keyboard feel", "good", "operation"),  # what else is in it
        ("electronics", "it", "cheaper", "price"),  # the degree
        ("food", "waiters", "rude", "service"),
        ("food", "pizza", "cold", "temperature"),
        ("food", "pizza", "tasty", "taste"),
        ("hotel", "rooms", "noisy", "noise"),
        ("hotel", "rooms", "nice", "room"),
        ("shop", "sweater", "not comfortable", "ease of use"),
        ("shop", "sweater", "wonderful", "general"),
        ("cosmetics", "", "hydrating", "moisture"),
        ("app", "it", "crashes", "stability"),
    ],
)
def test_english(name: str, term: str, opinion: str, category: str) -> None:
    assert category_of(term, opinion, "", "en", load_taxonomy(name, "en")) == category


def test_what_the_opinion_is_about_counts_where_neither_is_known() -> None:
    assert category_of("가디건", "?", "가격", "ko", load_taxonomy("shop")) == "가격"
    assert category_of("", "?", "편의성", "ko", load_taxonomy("app")) == "사용성"


def test_a_category_without_terms_borrows_those_of_the_shipped_category_with_its_name() -> None:
    assert category_of("택배", "좋다", "", "ko", PLAIN_LIST) == "배송"
    assert category_of("프런트", "좋다", "", "ko", PLAIN_LIST) == "직원"
    assert category_of("이거", "저렴하다", "", "ko", PLAIN_LIST) == "가격"
    assert category_of("향", "좋다", "", "ko", PLAIN_LIST) == "전체"


def test_a_category_with_terms_of_its_own_borrows_no_terms() -> None:
    assert category_of("기다림", "길다", "", "ko", WITH_TERMS) == "배송"
    assert category_of("택배", "좋다", "", "ko", WITH_TERMS) == ""
    assert category_of("가성비", "좋다", "", "ko", WITH_TERMS) == "가격"


def test_opinions_are_borrowed_unless_the_taxonomy_gives_some() -> None:
    assert category_of("날개", "늦게 오다", "", "ko", WITH_TERMS) == "배송"
    given = Taxonomy.model_validate(
        {"name": "own", "categories": {"배송": ["기다림"], "가격": [], "불만": []}, "opinions": {"불만": ["늦게 오다"]}}
    )
    assert category_of("날개", "늦게 오다", "", "ko", given) == "불만"
    assert category_of("날개", "비싸다", "", "ko", given) == ""


@steady
@given(
    st.text(max_size=20),
    st.text(max_size=20),
    st.sampled_from(("ko", "en")),
    st.sampled_from([*(load_taxonomy(*form) for form in SHIPPED_FORMS), PLAIN_LIST]),
)
def test_any_words_lead_to_a_category_of_the_taxonomy(
    term: str, opinion: str, language: Language, taxonomy: Taxonomy
) -> None:
    assert category_of(term, opinion, "", language, taxonomy) in taxonomy.refs


ANALYSED = {
    ("shop", "ko"): ("배송은 빠른데 원단이 별로예요.", {("배송", "positive"), ("소재", "negative")}),
    ("shop", "en"): (
        "The shipping was fast but the fabric is awful.",
        {("delivery", "positive"), ("material", "negative")},
    ),
    ("food", "ko"): ("국물은 맛있는데 직원이 불친절해요.", {("맛", "positive"), ("서비스", "negative")}),
    ("food", "en"): (
        "The pizza was delicious but the waiter was rude.",
        {("taste", "positive"), ("service", "negative")},
    ),
    ("hotel", "ko"): ("뷰는 좋은데 방이 좁아요.", {("전망", "positive"), ("객실", "negative")}),
    ("hotel", "en"): (
        "The view is great but the bed is uncomfortable.",
        {("view", "positive"), ("bedding", "negative")},
    ),
    ("electronics", "ko"): ("화면은 선명한데 소음이 심해요.", {("화면", "positive"), ("발열·소음", "negative")}),
    ("electronics", "en"): (
        "The screen is great but the battery life is terrible.",
        {("screen", "positive"), ("battery", "negative")},
    ),
    ("cosmetics", "ko"): ("향은 좋은데 지속력이 아쉬워요.", {("향", "positive"), ("지속력", "negative")}),
    ("cosmetics", "en"): (
        "The scent is lovely but the pump is terrible.",
        {("scent", "positive"), ("container", "negative")},
    ),
    ("app", "ko"): ("디자인은 예쁜데 로딩이 느려요.", {("디자인", "positive"), ("속도", "negative")}),
    ("app", "en"): ("The layout is beautiful but the ads are annoying.", {("design", "positive"), ("ads", "negative")}),
}


@pytest.mark.parametrize(("name", "language"), SHIPPED_FORMS)
def test_a_review_is_analysed_in_the_categories_of_its_taxonomy(name: str, language: Language) -> None:
    text, expected = ANALYSED[name, language]
    result = Pipeline({"taxonomy": name, "protocol": "cr_v2"}).analyze(text)
    assert {(item.aspect_ref, item.polarity) for item in result.final_tuples} >= expected
    assert (result.taxonomy, result.language) == (name, language)
    assert not [risk for risk in result.validator_risks if risk.risk_type == "INVALID_REF"]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_an_endless_term_is_searched_at_its_end(language: Language) -> None:
    term = "가" * 50_000 + " 가격" if language == "ko" else "a " * 50_000 + "prices"
    assert (
        category_of(term, term, "", language, load_taxonomy("shop", language))
        == {"ko": "가격", "en": "price"}[language]
    )


def test_there_is_an_example_of_each() -> None:
    assert sorted(ANALYSED) == sorted((name, language) for name in FLAT_TAXONOMIES for language in ("en", "ko"))


@pytest.mark.parametrize("protocol", [*PLAIN_PROTOCOLS, "self_consistency:2"])
def test_every_protocol_stays_within_the_categories(protocol: str) -> None:
    text = "배송은 빠른데 포장은 별로고 옷감은 나쁘지 않지만 이 가격에 이건 좀 아니에요."
    result = Pipeline({"taxonomy": "shop", "protocol": protocol}).analyze(text)
    refs = {item.aspect_ref for item in result.stage1_tuples} | {item.aspect_ref for item in result.final_tuples}
    assert {"배송", "포장", "소재"} <= refs <= set(load_taxonomy("shop").refs)
