"""A result as rows, as a data frame and in a notebook."""

from __future__ import annotations

import builtins
import csv
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import samsim
from samsim.cli.main import cli
from samsim.schemas.marks import Mark, segments
from samsim.schemas.polarity import POLARITIES

TEXT = "음질은 나쁘지 않은데 배터리가 오래가지 않네요."
HOSTILE = 'The <script>alert(1)</script> menu & "wine list" <b>is</b> great. <img src="https://x.example/p.png">'


class Tags(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def test_there_is_a_row_for_every_opinion() -> None:
    result = samsim.analyze(TEXT)
    rows = result.to_rows()
    assert [(row["aspect_term"], row["polarity"]) for row in rows] == [("음질", "positive"), ("배터리", "negative")]
    assert {row["text"] for row in rows} == {TEXT}
    assert [TEXT[row["start"] : row["end"]] for row in rows] == ["음질", "배터리"]


def test_a_text_without_opinions_keeps_a_row() -> None:
    (row,) = samsim.analyze("I bought it on Monday.").to_rows()
    assert (row["uid"], row["aspect_term"], row["completeness"]) == ("0", None, "complete")


def test_rows_are_the_cells_that_the_command_line_writes(tmp_path: Path) -> None:
    source, table = tmp_path / "one.csv", tmp_path / "out.csv"
    source.write_text(f"uid,text\n0,{TEXT}\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["analyze", "--file", str(source), "--id-column", "uid", "-o", str(table)])
    assert done.exit_code == 0, done.output
    with table.open(encoding="utf-8-sig", newline="") as file:
        written = list(csv.DictReader(file))
    rows = samsim.analyze(TEXT).to_rows()
    shared = [name for name in rows[0] if name not in ("uid", "text")]
    assert [[row[name] for name in shared] for row in written] == [
        ["true" if row[name] is True else "false" if row[name] is False else str(row[name]) for name in shared]
        for row in rows
    ]


def test_a_data_frame_has_the_same_rows() -> None:
    result = samsim.analyze(TEXT)
    frame = result.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("records") == result.to_rows()


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(samsim.ConfigError, match=r"pip install 'samsim\[pandas\]'.*to_rows\(\)"):
        samsim.analyze(TEXT).to_dataframe()


def test_a_notebook_shows_aspects_in_the_colour_of_their_polarity() -> None:
    page = samsim.analyze(TEXT)._repr_html_()
    found = dict(re.findall(r'<span title="(positive|negative)" style="background:rgba\(([\d,]+)', page))
    assert set(found) == {"positive", "negative"}
    assert len(set(found.values())) == 2
    assert re.search(r'title="positive"[^>]*>음질<', page)
    for final in samsim.analyze(TEXT).final_tuples:
        assert final.aspect_ref in page


def test_a_notebook_is_shown_no_markup_of_the_text_and_loads_nothing() -> None:
    page = samsim.analyze(HOSTILE)._repr_html_()
    seen = Tags(page)
    assert set(seen.tags) <= {"div", "p", "span", "table", "thead", "tbody", "tr", "th", "td", "b"}
    assert {name for name, _ in seen.attributes} <= {"style", "title"}
    assert "url(" not in page
    assert HOSTILE in seen.words


def test_a_partial_result_says_so_in_a_notebook() -> None:
    result = samsim.analyze(TEXT)
    lost = result.calls[0].model_copy(update={"problem": "timeout"})
    page = result.model_copy(update={"calls": [lost, *result.calls[1:]]})._repr_html_()
    assert "partial, without A at stage 1: timeout" in page
    assert "No opinion was found." in samsim.analyze("I bought it on Monday.")._repr_html_()


@given(st.data())
def test_segments_are_the_text_again_whatever_the_marks(data: st.DataObject) -> None:
    text = data.draw(st.text(max_size=20))
    places = (
        st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted).filter(lambda one: one[0] < one[1])
    )
    polarities = st.lists(st.sampled_from(POLARITIES), max_size=2, unique=True).map(tuple)
    marks = data.draw(
        st.lists(st.builds(lambda place, names: Mark(place[0], place[1], names), places, polarities), max_size=5)
    )
    found = list(segments(text, marks)) if text or not marks else []
    assert "".join(segment.text for segment in found) == text
    assert sum(len(segment.started) for segment in found) == sum(len(segment.ended) for segment in found) == len(marks)
