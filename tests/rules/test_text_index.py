"""Looking pieces up in a text: occurrences, normal forms, nearness, overlaps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.rules.text_index import PlacedItems, TextIndex, fold
from samsim.schemas.protocol_conflict_review import Span
from tests.support.builders import nfc, nfd
from tests.support.strategies import steady

Form = Callable[[str], str]


def test_counts_every_occurrence_also_overlapping_ones() -> None:
    index = TextIndex("가격, 가격, 가격")
    assert index.count("가격") == 3
    assert TextIndex("aaaa").count("aa") == 3


def test_an_empty_piece_is_nowhere() -> None:
    index = TextIndex("사용감")
    assert not index.has("")
    assert index.nearest("", 0) is None
    assert not index.carries(Span(start=0, end=0), "")


def test_an_empty_text_has_nothing() -> None:
    assert not TextIndex("").has("사용감")


def test_carries_is_exact() -> None:
    index = TextIndex("사용감은 좋지만")
    assert index.carries(Span(start=0, end=3), "사용감")
    assert not index.carries(Span(start=0, end=4), "사용감")
    assert not index.carries(Span(start=1, end=3), "사용감")
    assert not index.carries(Span(start=90, end=93), "사용감")


@pytest.mark.parametrize(
    ("origin", "start"), [(0, 0), (4, 0), (5, 0), (6, 10), (10, 10), (12, 10), (16, 20), (999, 20)]
)
def test_nearest_takes_the_closer_one_and_the_earlier_of_two(origin: int, start: int) -> None:
    text = "맛........." + "맛........." + "맛"
    assert TextIndex(text).nearest("맛", origin) == Span(start=start, end=start + 1)


def test_offsets_count_code_points_not_bytes() -> None:
    text = "👍🏽 사용감"
    assert TextIndex(text).nearest("사용감", 0) == Span(start=text.index("사용감"), end=len(text))


@pytest.mark.parametrize(("text_form", "piece_form"), [(nfd, nfc), (nfc, nfd), (nfd, nfd)])
def test_another_normal_form_is_found_with_the_offsets_of_the_text(text_form: Form, piece_form: Form) -> None:
    text = text_form("정말 사용감은 좋아요")
    found = TextIndex(text).nearest(piece_form("사용감"), 0)
    assert found is not None
    assert text[found.start : found.end] == text_form("사용감")


@pytest.mark.parametrize(("text", "piece"), [("창이 커요", "차"), ("café", "cafe")])
def test_a_piece_does_not_end_inside_a_decomposed_character(text: str, piece: str) -> None:
    assert not TextIndex(nfc(text)).has(piece)
    assert not TextIndex(nfd(text)).has(piece)


@steady
@given(st.text(alphabet="가나 ", max_size=20), st.text(alphabet="가나", min_size=1, max_size=3), st.integers(0, 25))
def test_nearest_agrees_with_looking_at_every_place(text: str, piece: str, origin: int) -> None:
    places = [start for start in range(len(text)) if text.startswith(piece, start)]
    found = TextIndex(text).nearest(piece, origin)
    if not places:
        assert found is None
    else:
        start = min(places, key=lambda place: (abs(place - origin), place))
        assert found == Span(start=start, end=start + len(piece))


# --- case, width and Unicode form are folded ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "piece", "written"),
    [
        ("Serves really good Sushi.", "serves really good sushi", "Serves really good Sushi"),
        ("GREAT food", "great", "GREAT"),
        ("ＵＳＢ 포트가 좋아요", "usb 포트", "ＵＳＢ 포트"),
        ("the ﬁnest ﬁsh", "finest", "ﬁnest"),
        ("Straße", "STRASSE", "Straße"),
        ("I don’t like it", "don't like", "don’t like"),
        (nfd("Café ｄｅ Paris"), "café de paris", nfd("Café ｄｅ Paris")),
        (nfd("ＬＧ 화면이 커요"), "lg 화면", nfd("ＬＧ 화면")),
    ],
)
def test_a_piece_is_found_however_it_is_written_with_the_offsets_of_the_text(
    text: str, piece: str, written: str
) -> None:
    index = TextIndex(text)
    found = index.nearest(piece, 0)
    assert found is not None
    assert text[found.start : found.end] == written
    assert index.carries(found, piece)
    assert index.count(piece) == 1


@pytest.mark.parametrize(("text", "piece"), [("the ﬁnest", "inest"), ("half ½", "2"), ("Straße", "stras")])
def test_a_folded_piece_does_not_begin_or_end_inside_a_character(text: str, piece: str) -> None:
    assert not TextIndex(text).has(piece)


def test_the_spelling_of_the_piece_is_looked_for_first() -> None:
    assert TextIndex("Sushi, sushi").nearest("sushi", 0) == Span(start=7, end=12)
    assert TextIndex("Sushi, sushi").carries(Span(start=0, end=5), "sushi")


@steady
@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_any_piece_of_any_text_is_found_in_any_case_and_form(before: str, piece: str, after: str) -> None:
    text = f"{before} {piece} {after}"
    for spelling in (piece.strip(), nfd(piece).strip().upper()):
        if fold(spelling) == fold(piece.strip()):
            found = TextIndex(text).nearest(spelling, 0)
            assert (found is None) == (not fold(spelling))
            assert found is None or fold(text[found.start : found.end]) == fold(spelling)


@steady
@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@st.composite
def in_text_order(draw: st.DrawFn) -> list[Span]:
    """Items as the language layer gives them: none empty, starts and ends both rising (morphemes may share letters)."""
    items: list[Span] = []
    for step, length in draw(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), max_size=8)):
        start = (items[-1].start if items else 0) + step
        items.append(Span(start=start, end=max(start + length, items[-1].end if items else 0)))
    return items


@steady
@given(in_text_order(), st.integers(0, 30), st.integers(1, 10))
def test_overlapping_agrees_with_looking_at_every_item(items: list[Span], start: int, length: int) -> None:
    region = Span(start=start, end=start + length)
    expected = [item for item in items if item.start < region.end and item.end > region.start]
    assert list(PlacedItems(items).overlapping(region)) == expected
