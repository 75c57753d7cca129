from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.reports import figures
from samsim.reports.build import ReportFiles
from samsim.reports.svg import Drawing, Scale, round_steps

SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)


def drawings(report: ReportFiles) -> list[ElementTree.Element]:
    collected = report.collected
    written = (
        figures.score_figure(collected, "ref_pol")
        + figures.budget_figure(collected, "ref_pol")
        + figures.polarity_figure(collected, "ref_pol")
        + figures.risk_figure(collected)
        + figures.funnel_figures(collected)
    )
    return [ElementTree.fromstring(found) for found in SVG.findall(written)]


def test_every_figure_is_a_drawing_with_a_title_a_description_and_real_text(report: ReportFiles) -> None:
    found = drawings(report)
    assert len(found) == 4 + 2
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
    scores = [run.metrics.tuples["ref_pol"].final.micro.f1 for run in report.collected.evaluated]
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
