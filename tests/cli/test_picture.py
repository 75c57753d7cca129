from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from tools.draw_pictures import FOLDER, PICTURES, WIDTH

from samsim.cli.result_view.picture import render_svg
from samsim.pipeline.api import Pipeline
from samsim.schemas.code_names import Ui
from tests.cli.hand_made import candidate, contested, result

COLUMN = 12.2


class Piece(NamedTuple):
    """A piece of text with its line, and its place and length in columns."""

    words: str
    y: str
    x: float
    length: float


def pieces_of(svg: str) -> list[Piece]:
    return [
        Piece(
            text.text,
            text.attrib["y"],
            round(float(text.attrib["x"]) / COLUMN, 3),
            round(float(text.attrib["textLength"]) / COLUMN, 3),
        )
        for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
        if text.text and text.text != "\n" and "textLength" in text.attrib
    ]


@pytest.mark.parametrize(("ui", "words"), [("en", "Final"), ("ko", "분석\xa0결과")])
def test_the_picture_is_well_formed_and_fetches_nothing(ui: Ui, words: str) -> None:
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


@pytest.mark.parametrize("text", ["화면은 LED 10개, 밝아요.", "Great 👍🏽 food ㅋㅋ", "e\u0301clair가 좋아요"])
def test_every_piece_is_as_long_as_its_cells_and_follows_the_one_before(text: str) -> None:
    found = candidate("t0", "A", "", "x", "positive", text=text)
    pieces = pieces_of(render_svg(result([found], text=text), 80))
    assert [piece.length for piece in pieces] == [cell_len(piece.words) for piece in pieces]
    for piece, following in pairwise(pieces):
        assert piece.y != following.y or piece.x + piece.length <= following.x, piece


def test_hangul_and_latin_keep_their_columns_side_by_side() -> None:
    text = "화면은 LED 10개"
    pieces = pieces_of(render_svg(result([candidate("t0", "A", "", "x", "positive", text=text)], text=text), 80))
    places = {piece.words.strip(): piece.x for piece in pieces if piece.words.strip() in ("화면은", "LED\xa010", "개")}
    assert places == {"화면은": 0, "LED\xa010": 6, "개": 13}


@pytest.mark.parametrize(("name", "text", "ui"), PICTURES)
def test_the_pictures_of_the_readmes_show_a_review_that_changes_something(name: str, text: str, ui: Ui) -> None:
    decided = Pipeline().analyze(text)
    assert {"FLIP", "DROP"} & {decision.action for decision in decided.arbiter_decisions}
    drawn = (FOLDER / name).read_text(encoding="utf-8")
    assert pieces_of(drawn) == pieces_of(render_svg(decided, width=WIDTH, ui=ui))
    assert all(piece.length == cell_len(piece.words) for piece in pieces_of(drawn))
