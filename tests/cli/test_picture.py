from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from samsim.cli.labels import UiLanguage
from samsim.cli.picture import render_svg
from tests.cli.hand_made import candidate, contested, result


@pytest.mark.parametrize(("ui", "words"), [("en", "Final"), ("ko", "최종")])
def test_the_picture_is_well_formed_and_fetches_nothing(ui: UiLanguage, words: str) -> None:
    svg = render_svg(contested(), 100, ui=ui)
    root = ElementTree.fromstring(svg)
    shown = "".join(root.itertext())
    assert words in shown
    assert "@font-face" not in svg
    assert "@import" not in svg
    assert re.findall(r"url\((?!#)", svg) == []
    assert [name for element in root.iter() for name in element.attrib if name.endswith(("href", "src"))] == []


def test_the_picture_has_a_korean_font_and_the_polarity_colours() -> None:
    svg = render_svg(contested(), 120)
    assert "D2Coding" in svg
    assert "Fira Code" not in svg
    assert "full-width" not in svg
    assert re.search(r"text-decoration: underline", svg)


def test_the_environment_does_not_change_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    before = render_svg(contested(), 100)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "44")
    monkeypatch.setenv("TERM", "dumb")
    assert render_svg(contested(), 100) == before


def test_markup_in_the_text_cannot_break_the_picture() -> None:
    text = "<script>alert(1)</script> & \x1b[31m ]]>"
    found = candidate("t0", "A", "<script>", "x", "positive", text=text)
    root = ElementTree.fromstring(render_svg(result([found], text=text), 80))
    assert not any(element.tag.endswith("script") for element in root.iter())
