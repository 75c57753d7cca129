from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from samsim.cli.safe_text import shown, shown_lines
from samsim.safe_json import safe_json

OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@given(st.text(st.characters()))
def test_nothing_a_terminal_obeys_is_left(text: str) -> None:
    assert not OBEYED.search(shown(text))
    assert "\n" not in shown(text)
    assert not OBEYED.search(shown_lines(text))


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert shown(text) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_means_the_same_and_stays_on_one_line(text: str) -> None:
    document = safe_json(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(document) == {"text": text}
    assert not OBEYED.search(document)
    assert len(document.splitlines()) == 1
