"""What the debate's Stage 1 drops, and why."""

from __future__ import annotations

import pytest

from samsim.rules.stage1_drops import screen_aspects, screen_sentiments
from samsim.schemas.protocol_conflict_review import Span
from samsim.schemas.protocol_debate import AspectItem, AspectSentimentItem
from tests.support.builders import analysis, span_of, token, word

TEXT = "화면이 밝고 화면 크기도 좋아요. 예뻐요"
SEEN = analysis(TEXT, tokens=[token(TEXT, "예뻐요", "VA")], words=[word(TEXT, "예뻐요", 1.0)])


def aspect(term: str, span: Span | None = None) -> AspectItem:
    return AspectItem(term=term, span=span)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (aspect("배터리"), "hallucination"),
        (aspect("배터리", Span(start=0, end=3)), "hallucination"),
        (aspect("화면", Span(start=1, end=3)), "alignment_failure"),
        (aspect("예뻐요", span_of(TEXT, "예뻐요")), "filter_rejection"),
        (aspect("  "), "filter_rejection"),
    ],
)
def test_what_is_not_a_target_in_the_text_is_dropped_with_its_reason(item: AspectItem, reason: str) -> None:
    kept, drops = screen_aspects([item], SEEN)
    assert kept == []
    assert [(drop.agent, drop.aspect_term, drop.reason) for drop in drops] == [("ATE", item.term.strip(), reason)]


@pytest.mark.parametrize(
    ("item", "span"),
    [
        (aspect("화면", span_of(TEXT, "화면")), Span(start=0, end=2)),
        (aspect("화면", Span(start=7, end=9)), Span(start=7, end=9)),
        (aspect("화면"), Span(start=0, end=2)),
        # It stands there once, so a miscounted span is put right instead.
        (aspect("크기", Span(start=0, end=2)), span_of(TEXT, "크기")),
        (aspect(" 크기 "), span_of(TEXT, "크기")),
    ],
)
def test_what_stands_in_the_text_is_kept_and_anchored(item: AspectItem, span: Span) -> None:
    (kept,), drops = screen_aspects([item], SEEN)
    assert (kept.term, kept.span, drops) == (item.term.strip(), span, [])


def sentiment(term: str, **fields: object) -> AspectSentimentItem:
    return AspectSentimentItem.model_validate({"aspect_term": term, "polarity": "positive", **fields})


def test_a_sentiment_on_an_invented_aspect_is_dropped_and_an_implied_one_loses_its_name() -> None:
    kept, drops = screen_sentiments(
        [
            sentiment("화면"),
            sentiment("배터리"),
            sentiment("가격", is_implicit=True, span={"start": 0, "end": 2}, aspect_ref="제품 전체#가격"),
            sentiment("", is_implicit=True),
        ],
        SEEN,
    )
    assert [(item.aspect_term, item.aspect_ref, item.span) for item in kept] == [
        ("화면", "", None),
        ("", "제품 전체#가격", None),
        ("", "", None),
    ]
    assert [(drop.agent, drop.aspect_term, drop.reason) for drop in drops] == [("ATSA", "배터리", "hallucination")]


def test_what_was_dropped_does_not_come_back_through_a_sentiment_and_counts_once() -> None:
    aspects = [aspect("예뻐요"), aspect("배터리"), aspect("화면", Span(start=1, end=3)), aspect("크기"), aspect(" ")]
    kept_aspects, drops = screen_aspects(aspects, SEEN)
    found = [sentiment(term) for term in ("예뻐요", "배터리", "화면", "크기", "", "상자", "상자")]
    kept, more = screen_sentiments([*found, sentiment("예뻐요", is_implicit=True)], SEEN, kept_aspects, drops)
    assert [item.aspect_term for item in kept] == ["크기", "", ""]
    assert [(drop.agent, drop.aspect_term, drop.reason) for drop in (*drops, *more)] == [
        ("ATE", "예뻐요", "filter_rejection"),
        ("ATE", "배터리", "hallucination"),
        ("ATE", "화면", "alignment_failure"),
        ("ATE", "", "filter_rejection"),
        ("ATSA", "상자", "hallucination"),
    ]


def test_an_aspect_that_was_kept_at_another_place_may_be_judged() -> None:
    kept_aspects, drops = screen_aspects([aspect("화면", Span(start=1, end=3)), aspect("화면")], SEEN)
    kept, more = screen_sentiments([sentiment("화면")], SEEN, kept_aspects, drops)
    assert ([item.aspect_term for item in kept], len(drops), more) == (["화면"], 1, [])


@pytest.mark.parametrize(("claimed", "written"), [("deep bass", "Deep bass"), ("BASS", "bass"), ("bass", "bass")])
def test_another_case_is_the_same_word_as_it_is_written(claimed: str, written: str) -> None:
    seen = analysis("Deep bass (C++ amp)", language="en")
    (aspect,), no_drops = screen_aspects([AspectItem(term=claimed)], seen)
    (item,), none_dropped = screen_sentiments([sentiment(claimed)], seen)
    assert (aspect.term, item.aspect_term, no_drops, none_dropped) == (written, written, [], [])
    assert aspect.span == span_of(seen.text, written)


def test_a_term_is_words_and_no_pattern() -> None:
    seen = analysis("Deep bass (C++ amp)", language="en")
    assert [drop.reason for drop in screen_aspects([AspectItem(term="b.ss"), AspectItem(term="(")], seen)[1]] == [
        "hallucination"
    ]
    assert screen_aspects([AspectItem(term="c++")], seen)[0][0].term == "C++"
