from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.reports.build import ReportFiles
from samsim.reports.figures import charts
from samsim.reports.figures.budget import budget_figure
from samsim.reports.figures.svg import Drawing, Scale, fitted, round_steps, text_width

SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)


def drawings(report: ReportFiles) -> list[ElementTree.Element]:
    collected = report.collected
    written = (
        charts.score_figure(collected, "ref_pol")
        + budget_figure(collected, "ref_pol")
        + charts.polarity_figure(collected, "ref_pol")
        + charts.risk_figure(collected)
        + charts.funnel_figure(collected)
    )
    return [ElementTree.fromstring(found) for found in SVG.findall(written)]


def test_every_figure_is_a_drawing_with_a_title_a_description_and_real_text(report: ReportFiles) -> None:
    found = drawings(report)
    assert len(found) == 5
    for drawing in found:
        assert (drawing.findtext("title") or "").strip()
        assert (drawing.findtext("desc") or "").strip()
        assert drawing.findall(".//text")
        assert not drawing.findall(".//path")


def test_everything_is_drawn_inside_the_figure(report: ReportFiles) -> None:
    for drawing in drawings(report):
        width, height = float(drawing.get("width", 0)), float(drawing.get("height", 0))
        for shape in drawing.iter():
            for name, most in (
                ("x", width),
                ("x1", width),
                ("x2", width),
                ("cx", width),
                ("y", height),
                ("cy", height),
            ):
                if name in shape.attrib:
                    assert 0 <= float(shape.attrib[name]) <= most


def test_the_dots_stand_where_the_scores_are(report: ReportFiles) -> None:
    drawing = drawings(report)[0]
    finals = [float(shape.attrib["cx"]) for shape in drawing.iter("circle") if shape.get("class") == "dot"][1:]
    scores = [run.metrics.tuples["ref_pol"].final.micro.f1 for run in report.collected.shown]
    assert len(finals) == len(scores)
    for one in range(len(scores)):
        for other in range(len(scores)):
            assert (finals[one] < finals[other]) == (round(scores[one], 6) < round(scores[other], 6)) or finals[
                one
            ] == pytest.approx(finals[other], abs=0.1)


def test_names_are_escaped() -> None:
    drawing = Drawing(10, 10, "<b>", "<i>")
    drawing.text(1, 1, "<script>", "tick")
    drawing.dot(1, 1, "dot", "<script>")
    assert "<script>" not in drawing.render()
    assert "<b>" not in drawing.render()


@given(st.floats(0, 1e6), st.floats(0.001, 1e6))
def test_an_axis_has_a_few_round_steps_inside_its_range(low: float, span: float) -> None:
    steps = round_steps(low, low + span)
    assert 1 <= len(steps) <= 8
    assert all(low - 1e-6 * (1 + low) <= step <= (low + span) * (1 + 1e-6) for step in steps)


def test_a_value_outside_is_put_at_the_edge() -> None:
    scale = Scale(0, 1, 100, 200)
    assert [scale(value) for value in (-1, 0, 0.5, 1, 2)] == [100, 100, 150, 200, 200]
    assert Scale(1, 1, 100, 200)(1) == 100


def test_a_label_that_is_too_long_is_shortened_and_says_the_rest_in_its_tip() -> None:
    assert fitted("cr_v2-C1", 200) == "cr_v2-C1"
    short = fitted("a-very-long-name-of-a-run = another = and-one-more", 120)
    assert short.endswith("…")
    assert text_width([short]) <= 120
    drawing = Drawing(10, 10, "t", "d")
    drawing.text(1, 1, short, tip="the whole name")
    assert "<title>the whole name</title>" in drawing.render()


def test_runs_that_came_to_the_same_are_one_entry_of_every_figure(report: ReportFiles) -> None:
    assert [run.name for run in report.collected.shown] == ["single-C1", "cr_v2-C1 = C2"]
    for drawing in drawings(report):
        names = [text.text for text in drawing.iter("text") if text.text and text.text.startswith("cr_v2")]
        assert names == ["cr_v2-C1 = C2"]


def test_every_dot_of_the_budget_figure_has_its_label_beside_it_and_an_interval(report: ReportFiles) -> None:
    drawing = drawings(report)[1]
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in drawing.iter("circle")]
    labels = [text for text in drawing.iter("text") if "on-grid" in text.get("class", "")]
    assert len(labels) == 2
    leaders = [line for line in drawing.iter("line") if line.get("class") == "leader"]
    for label in labels:
        x, y = float(label.attrib["x"]), float(label.attrib["y"]) - 4
        ends = [(float(line.attrib["x2"]), float(line.attrib["y2"])) for line in leaders]
        assert any(abs(x - dot[0]) <= 14 and abs(y - dot[1]) <= 1 for dot in [*dots, *ends])
    assert sum(line.get("class") == "whisker thin" for line in drawing.iter("line")) == 2


@pytest.mark.parametrize("high", [0.0, -1.0, 5e-324, 1e-310, 1e308, float("inf"), float("nan")])
def test_an_axis_without_a_usable_range_has_one_step(high: float) -> None:
    assert round_steps(0.0, high) == [0.0]
