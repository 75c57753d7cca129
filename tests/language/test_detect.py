"""Which language a review is in."""

from __future__ import annotations

import pytest

from samsim.language.detect import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("사용감은 좋지만 가격은 비싸요.", "ko"),
        ("Samsung Galaxy S24 Ultra 색감 최고", "ko"),
        ("iPhone 15 Pro Max 배터리가 오래가요", "ko"),
        ("ㅋㅋㅋ", "ko"),
        ("굿", "ko"),
        ("\u1100\u1161\u1100\u1167\u11a8", "ko"),  # 가격, decomposed
        ("The battery life is great.", "en"),
        ("I bought the 삼성 phone at the store downtown last week and it works.", "en"),
        ("", "en"),
        ("😀 123 !?", "en"),
    ],
)
def test_the_language_is_the_one_most_of_the_text_is_in(text: str, language: str) -> None:
    assert detect_language(text) == language
