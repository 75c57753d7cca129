from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.embedded.english.perspectives import extract_implicit, extract_literal, extract_negation
from samsim.engines.embedded.extraction import Extraction
from samsim.language.english.analysis import analyze_english

Triple = tuple[str, str, str]

# Read alike by A (scope of negation and contrast) and C (literal), and left alone by B (implicit).
SHARED: tuple[tuple[str, list[Triple]], ...] = (
    ("The grilled salmon was delicious.", [("grilled salmon", "delicious", "positive")]),
    (
        "The battery life is great but the screen is dim.",
        [("battery life", "great", "positive"), ("screen", "dim", "negative")],
    ),
    ("The food was good but overpriced.", [("food", "good", "positive"), ("food", "overpriced", "negative")]),
    (
        "The staff is neither friendly nor helpful.",
        [("staff", "friendly", "negative"), ("staff", "helpful", "negative")],
    ),
    (
        "The wine list, which is extensive, impressed us.",
        [("wine list", "extensive", "positive"), ("wine list", "impressed", "positive")],
    ),
    ("Great food and service.", [("food", "Great", "positive"), ("service", "Great", "positive")]),
    (
        "The food, the service and the decor were excellent.",
        [
            ("food", "excellent", "positive"),
            ("service", "excellent", "positive"),
            ("decor", "excellent", "positive"),
        ],
    ),
    ("I love the keyboard and the display.", [("keyboard", "love", "positive"), ("display", "love", "positive")]),
    ("I hated the hard drive.", [("hard drive", "hated", "negative")]),
    ("The waiter was not attentive.", [("waiter", "not attentive", "negative")]),
    ("The waiter wasn't very attentive.", [("waiter", "wasn't very attentive", "negative")]),
    ("The fan is noisy.", [("fan", "noisy", "negative")]),
    ("I was impressed with the screen resolution.", [("screen resolution", "impressed", "positive")]),
    ("We were disappointed by the portions.", [("portions", "disappointed", "negative")]),
    ("The best thing about this phone is the camera.", [("camera", "best", "positive")]),
    ("The only downside is the price.", [("price", "downside", "negative")]),
    ("My only complaint is the noise level.", [("noise level", "complaint", "negative")]),
    ("The quality of the food was excellent.", [("quality", "excellent", "positive")]),
    (
        "The hotel has a beautiful pool and friendly owners.",
        [("pool", "beautiful", "positive"), ("owners", "friendly", "positive")],
    ),
    ("The charger stopped working.", [("charger", "stopped working", "negative")]),
    ("The display lacks contrast.", [("display", "lacks", "negative")]),
    (
        "Not only was the food outstanding, but the staff was friendly.",
        [("food", "outstanding", "positive"), ("staff", "friendly", "positive")],
    ),
    (
        "Although the room is small, the bed is comfortable.",
        [("room", "small", "negative"), ("bed", "comfortable", "positive")],
    ),
    ("The service couldn't be better.", [("service", "couldn't be better", "positive")]),
    ("The portions very small.", [("portions", "small", "negative")]),
    ("Ambiance: relaxed and stylish.", [("Ambiance", "relaxed", "positive"), ("Ambiance", "stylish", "positive")]),
    ("The spicy tuna roll is fresh.", [("spicy tuna roll", "fresh", "positive")]),
    ("The trackpad works flawlessly.", [("trackpad", "flawlessly", "positive")]),
    ("There are problems with the trackpad.", [("trackpad", "problems", "negative")]),
    ("The soup was nothing special.", [("soup", "nothing special", "negative")]),
    ("You must try the crab cakes.", [("crab cakes", "try", "positive")]),
    ("I have never had bad service here.", [("service", "bad", "positive")]),
    ("The food was average.", [("food", "average", "neutral")]),
    ("Great soup and the waiter is friendly.", [("soup", "Great", "positive"), ("waiter", "friendly", "positive")]),
    ("The app is less stable.", [("app", "less stable", "negative")]),
    ("The seats are less than ideal.", [("seats", "less than ideal", "negative")]),
    ("I can't complain about the price.", [("price", "can't complain", "positive")]),
    (
        "The staff were helpful; the room, on the other hand, smelled awful.",
        [("staff", "helpful", "positive"), ("room", "awful", "negative")],
    ),
    ("I would recommend the soup if you were hungry.", [("soup", "recommend", "positive")]),
    ("The couch looks as if it were new and the fabric is soft.", [("fabric", "soft", "positive")]),
    ("The phone looks cheap.", [("phone", "cheap", "negative")]),
    ("The watch feels a bit cheap.", [("watch", "cheap", "negative")]),
    ("The phone is cheap.", [("phone", "cheap", "positive")]),
    ("The handle doesn't feel cheap.", [("handle", "cheap", "positive")]),
    ("The staff was anything but helpful.", [("staff", "anything but helpful", "negative")]),
    ("The waiters were far from friendly.", [("waiters", "far from friendly", "negative")]),
    ("None of the dishes were good.", [("dishes", "good", "negative")]),
    ("None of the waiters was rude.", [("waiters", "rude", "positive")]),
    ("The manual is useless.", [("manual", "useless", "negative")]),
    ("The battery dies quickly.", [("battery", "dies", "negative")]),
    ("The battery drains quickly.", [("battery", "quickly", "negative")]),
    ("The lid opens quickly.", [("lid", "quickly", "positive")]),
    ("The screen isn't bright enough.", [("screen", "isn't bright enough", "negative")]),
    ("The alarm is not nearly loud enough.", [("alarm", "not nearly loud enough", "negative")]),
    ("We sat near the window.", []),
    ("The menu lists forty dishes.", []),
    ("👍👍", []),
    ("", []),
)
# What A reads and C does not, or reads literally.
SCOPED: tuple[tuple[str, list[Triple], list[Triple]], ...] = (
    ("I don't think the soup is fresh.", [("soup", "fresh", "negative")], [("soup", "fresh", "positive")]),
    ("The service could be better.", [("service", "could be better", "negative")], []),
    ("The dessert was too sweet.", [("dessert", "too sweet", "negative")], []),
    ("The pizza arrived late. It was cold.", [("pizza", "cold", "negative")], []),
    ("We had the lobster roll and it was fantastic.", [("lobster roll", "fantastic", "positive")], []),
    (
        "The food is fresh and tastes great.",
        [("food", "fresh", "positive"), ("food", "great", "positive")],
        [("food", "fresh", "positive")],
    ),
    ("The flash barely works.", [("flash", "barely works", "negative")], []),
    ("I wouldn't call the staff friendly.", [("staff", "friendly", "negative")], [("staff", "friendly", "positive")]),
    (
        "My husband hated the chicken but I loved it.",
        [("chicken", "hated", "negative"), ("chicken", "loved", "positive")],
        [("chicken", "hated", "negative")],
    ),
    ("The quality it provides is amazing.", [("quality", "amazing", "positive")], []),
    ('The "fresh" fish smelled.', [("fish", "fresh", "negative")], [("fish", "fresh", "positive")]),
    ("We expected good service.", [("service", "good", "neutral")], []),
    (
        "Had the steak been warmer, I would have loved it.",
        [("steak", "warmer", "neutral"), ("steak", "loved", "neutral")],
        [],
    ),
    ("I wish the room was bigger.", [("room", "bigger", "neutral")], []),
    ("Is the food good?", [("food", "good", "neutral")], []),
    ("If only the screen were bigger.", [("screen", "bigger", "neutral")], []),
    (
        "If the screen were brighter, it would be perfect.",
        [("screen", "brighter", "neutral"), ("screen", "perfect", "neutral")],
        [],
    ),
    (
        "The food would be great if it wasn't cold.",
        [("food", "great", "neutral"), ("food", "wasn't cold", "neutral")],
        [],
    ),
)
# What B finds; an implicit target is written as its attribute after "#".
IMPLICIT: tuple[tuple[str, list[Triple]], ...] = (
    ("Overpriced!", [("#price", "Overpriced", "negative")]),
    ("Waste of money.", [("#price", "Waste of money", "negative")]),
    ("Would definitely come back!", [("#general", "come back", "positive")]),
    ("We will not be returning.", [("#general", "returning", "negative")]),
    ("Never again.", [("#general", "Never again", "negative")]),
    ("Highly recommend.", [("#general", "recommend", "positive")]),
    ("I love it!", [("#general", "love", "positive")]),
    ("I would not recommend it.", [("#general", "not recommend", "negative")]),
    ("It broke after a week.", [("#quality", "broke", "negative")]),
    ("Great laptop, but the hinge is loose.", [("#general", "Great", "positive")]),
    ("Very disappointed.", [("#general", "disappointed", "negative")]),
    ("It is cheap and sturdy.", [("#price", "cheap", "positive"), ("#quality", "sturdy", "positive")]),
    ("It looks beautiful.", [("#design", "beautiful", "positive")]),
    ("It is easy to use.", [("use", "easy", "positive")]),
    ("It doesn't work.", [("#quality", "doesn't work", "negative")]),
    ("Don't waste your money.", [("#price", "Don't waste your money", "negative")]),
    ("It works great.", [("works", "great", "positive")]),
    ("The soup was cold.", []),
)


def _triples(text: str, found: list[Extraction]) -> list[Triple]:
    triples = []
    for extraction in found:
        target = extraction.target
        name = text[target[0] : target[1]] if target is not None else f"#{extraction.attribute}"
        triples.append((name, extraction.opinion_term, str(extraction.polarity)))
    return triples


@pytest.mark.parametrize(("text", "expected"), SHARED, ids=[text for text, _ in SHARED])
def test_what_scope_and_literal_reading_share(text: str, expected: list[Triple]) -> None:
    analysis = analyze_english(text)
    assert _triples(text, extract_negation(analysis)) == expected
    assert _triples(text, extract_literal(analysis)) == expected
    assert all(extraction.target is not None for extraction in extract_literal(analysis))
    assert _triples(text, extract_implicit(analysis)) == []


@pytest.mark.parametrize(("text", "scoped", "literal"), SCOPED, ids=[text for text, _, _ in SCOPED])
def test_where_they_differ(text: str, scoped: list[Triple], literal: list[Triple]) -> None:
    analysis = analyze_english(text)
    assert _triples(text, extract_negation(analysis)) == scoped
    assert _triples(text, extract_literal(analysis)) == literal


@pytest.mark.parametrize(("text", "expected"), IMPLICIT, ids=[text for text, _ in IMPLICIT])
def test_implicit(text: str, expected: list[Triple]) -> None:
    assert _triples(text, extract_implicit(analyze_english(text))) == expected


def test_an_uncertain_reading_has_low_confidence() -> None:
    (wish,) = extract_negation(analyze_english("We expected good service."))
    (fact,) = extract_negation(analyze_english("The service was good."))
    assert (wish.polarity, fact.polarity) == ("neutral", "positive")
    assert wish.confidence < 0.5 < fact.confidence


def test_what_looks_cheap_is_not_about_the_price() -> None:
    (look,) = extract_negation(analyze_english("The phone looks cheap."))
    (price,) = extract_negation(analyze_english("The phone is cheap."))
    assert (look.attribute, price.attribute) == ("quality", "price")


_WORDS = st.sampled_from(
    "the soup battery was is not n't good bad great too to use it which , . but and never no easy works love i we "
    "could be better than with of thing best problem problems".split()
)
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_WORDS, max_size=40).map(" ".join))


@given(_TEXTS)
def test_any_text_gives_exact_offsets(text: str) -> None:
    analysis = analyze_english(text)
    for extract in (extract_negation, extract_implicit, extract_literal):
        for extraction in extract(analysis):
            start, end = extraction.opinion
            assert text[start:end] == extraction.opinion_term != ""
            assert 0.0 < extraction.confidence <= 1.0
            assert extraction.rationale
            if extraction.target is None:
                assert extraction.attribute is not None
            else:
                first, last = extraction.target
                assert 0 <= first < last <= len(text)
                assert text[first:last].strip() == text[first:last]


@given(_TEXTS)
def test_an_explicit_pair_is_not_repeated_as_implicit(text: str) -> None:
    analysis = analyze_english(text)
    explicit = {extraction.opinion for extraction in extract_negation(analysis)}
    implicit = {extraction.opinion for extraction in extract_implicit(analysis) if extraction.target is None}
    assert not explicit & implicit


@pytest.mark.parametrize("piece", ["The soup was not good but the bread was. ", "good ", "it was ", "and ", ", "])
def test_a_long_text_is_read_to_its_end(piece: str) -> None:
    analysis = analyze_english(piece * (100_000 // len(piece)))
    for extract in (extract_negation, extract_implicit, extract_literal):
        extract(analysis)
