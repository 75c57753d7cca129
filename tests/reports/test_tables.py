from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.experiments.artefacts import OUTPUTS
from samsim.metrics.statistics import Interval
from samsim.plurals import how_many
from samsim.reports import numbers
from samsim.reports.build import ReportFiles, paper_tables
from samsim.reports.collecting import collect
from samsim.reports.tables import measures, results, review, subsets
from samsim.reports.tables.formats import latex, latex_table, markdown_table, page_table, page_text
from samsim.reports.tables.model import Column, Row, Table, said
from tests.reports.making_runs import change_rows, copied

EVIL = """<img src=x onerror="alert(1)">|a_b*c`d\\e & 50% $x$ #1 {y} ~^"""


def evil_table() -> Table:
    columns = (Column("name", numeric=False), Column(EVIL, group=EVIL))
    return Table("evil", EVIL, columns, (Row((EVIL, EVIL)), Row((EVIL, EVIL), "missing")), (EVIL,))


def test_html_says_data_and_obeys_none_of_it() -> None:
    written = page_table(evil_table())
    assert "<img" not in written
    assert 'onerror="' not in written
    assert written.count("&lt;img") == 7


def test_a_cell_of_markdown_cannot_end_its_row() -> None:
    lines = markdown_table(evil_table(), "en").splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert "<img" not in re.sub(r"\\<", "", "\n".join(rows))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_latex_obeys_nothing_of_a_text(text: str) -> None:
    written = latex(text)
    plain = re.sub(
        r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textperiodcentered|ldots)\{\}",
        "",
        written,
    )
    plain = re.sub(r"\$(-|\\(Delta|kappa|alpha|rightarrow|geq|times))\$", "", plain)
    plain = re.sub(r"\\[&%$#_{}]", "", plain).removeprefix("{}")
    assert not re.search(r"[\\&%$#_{}~^]", plain)
    assert not written.startswith("[")


def test_latex_needs_booktabs_and_says_when_it_has_hangul() -> None:
    table = Table("t", ("caption", "표 제목"), (Column("a", numeric=False), Column("b")), (Row(("x", "1")),))
    english, korean = latex_table(table, "en"), latex_table(table, "ko")
    assert "\\toprule" in english
    assert "booktabs" in english
    assert "kotex" not in english
    assert "kotex" in korean
    assert english.count("&") == 2


def test_both_languages_are_on_the_page_where_they_differ() -> None:
    assert page_text(("run", "실행")) == '<span lang="en">run</span><span lang="ko">실행</span>'
    assert page_text(("F1", "F1")) == "F1"


def test_numbers_are_written_the_same_everywhere() -> None:
    assert numbers.percent(0.59749) == "59.7"
    assert numbers.percent(None) == "–"
    assert numbers.points(-0.0049) == "−0.5"
    assert numbers.points(-0.0001) == "0.0"
    assert numbers.points_interval(Interval(low=-0.01, high=0.02)) == "[−1.0, +2.0]"
    assert numbers.p_value(0.00049) == "<0.001"
    assert numbers.p_value(0.0314159) == "0.031"
    assert numbers.dollars(0.0) == "$0.00"
    assert numbers.dollars(0.01234) == "$0.0123"
    assert numbers.dollars(None) == "–"
    assert numbers.seconds(0.0123) == "12.3 ms"
    assert numbers.signed(-0.004) == "0.00"


def test_the_main_table_has_every_cell_with_its_budget_and_the_baselines(report: ReportFiles) -> None:
    collected = report.collected
    table = results.main_table(collected, "ref_pol")
    headings = [f"{said(column.group, 'en')} {said(column.heading, 'en')}".strip() for column in table.columns]
    assert {"per sample calls", "per sample tokens", "final F1", "final 95% CI"} <= set(headings)
    assert [said(row.cells[0], "en") for row in table.rows[:2]] == ["single-C1", "cr_v2-C1 = C2"]
    assert [row.kind for row in table.rows[2:]] == ["baseline"] * 3
    for run, row in zip(collected.shown, table.rows, strict=False):
        scores = run.metrics.tuples["ref_pol"]
        cells = dict(zip(headings, row.cells, strict=True))
        assert cells["final F1"] == numbers.percent(scores.final.micro.f1)
        assert cells["Stage 1 F1"] == numbers.percent(scores.stage1.micro.f1)
        assert cells["per sample calls"] == f"{run.metrics.cost.calls / run.metrics.samples:.2f}"
    change = [headings.index(f"final − Stage 1 {name}") for name in ("Δ F1", "95% CI", "p")]
    assert [table.rows[0].cells[at] for at in change] == ["–"] * 3
    assert "–" not in [table.rows[1].cells[at] for at in change]
    assert table.rows[0].cells[headings.index("against single-C1 p (Holm)")] == "–"
    assert table.rows[1].cells[headings.index("against single-C1 p (Holm)")] != "–"


def test_runs_that_fill_a_memory_are_not_compared_but_cost_something(report: ReportFiles) -> None:
    names = [row.cells[0] for row in measures.cost_table(report.collected).rows]
    assert names[0] == "memory-cr_v2-C2"
    assert "memory-cr_v2-C2" not in [row.cells[0] for row in review.funnel_table(report.collected).rows]


def test_every_table_has_a_cell_for_every_column_in_both_languages(report: ReportFiles) -> None:
    tables = list(paper_tables(report.collected))
    assert {"main-ref_pol", "correction", "agreement", "memory", "memory-impact", "cost"} <= {
        table.key for table in tables
    }
    for table in tables:
        for row in table.rows:
            assert len(row.cells) == (2 if row.kind == "missing" else len(table.columns))
        for ui in ("en", "ko"):
            assert markdown_table(table, ui).count("\n|") >= len(table.rows) + 2


@pytest.mark.parametrize("by_reason", [False, True])
def test_rules_add_up_to_all_decisions(report: ReportFiles, by_reason: bool) -> None:
    run = report.collected.evaluated[1]
    table = review.rules_table(report.collected, "ref_pol", by_reason=by_reason)
    own = [row for row in table.rows if str(row.cells[0]).split(" = ")[0] == run.name]
    found = run.metrics.rules["ref_pol"]
    copies = sum(row.copies for row in (found.by_reason if by_reason else found.by_rule))
    assert sum(int(str(row.cells[3])) for row in own) + copies == sum(run.metrics.overrides.actions.values()) > 0


def test_rows_that_say_the_same_are_one_and_others_are_not(experiment: Path, tmp_path: Path) -> None:
    """C2 votes otherwise than C1 and comes to the same: one row of results, two of votes."""
    folder = copied(experiment, tmp_path / "runs")

    def otherwise(row: dict[str, Any]) -> dict[str, Any]:
        decisions = [
            {**one, "votes": one["votes"] | {"A": {**one["votes"]["A"], "action": "FLAG"}}}
            for one in row["arbiter_decisions"]
        ]
        return {**row, "arbiter_decisions": decisions}

    change_rows(folder / "cr_v2-C2", OUTPUTS, otherwise)
    collected = collect([folder], resamples=10)
    assert [row.cells[0] for row in review.funnel_table(collected).rows] == ["cr_v2-C1 = C2"]
    names = dict.fromkeys(row.cells[0] for row in measures.agreement_table(collected).rows)
    assert list(names) == ["cr_v2-C1", "cr_v2-C2"]


def test_a_protocol_without_a_review_is_no_review_that_changed_nothing(report: ReportFiles) -> None:
    collected = report.collected
    for table in (
        review.funnel_table(collected),
        review.correction_table(collected, "ref_pol"),
        review.overrides_table(collected),
    ):
        assert "single-C1" not in [row.cells[0] for row in table.rows]
    assert any("single-C1" in said(note, "en") for note in review.funnel_table(collected).notes)
    risk = measures.risk_table(collected).rows[0]
    assert risk.cells[0] == "single-C1"
    assert risk.cells[2:5] == ("–", "–", "–")


def test_breakdowns_say_over_how_much_and_nothing_where_there_is_no_gold(report: ReportFiles) -> None:
    tables = {table.key: table for table in subsets.subset_tables(report.collected, "ref_pol")}
    polarity = tables["subset-polarity"]
    groups = dict.fromkeys(said(column.group, "en") for column in polarity.columns[1:])
    gold = report.collected.evaluated[0].metrics.tuples["ref_pol"].subsets["polarity"]
    assert next(iter(groups)) == f"positive (gold {gold['positive'].final.gold})"
    assert any(group.endswith("*)") for group in groups)
    assert any("fewer than 30" in said(note, "en") for note in polarity.notes)
    conflict = tables["subset-conflict"]
    assert "samples" in [said(column.heading, "en") for column in conflict.columns]
    assert any("cannot be compared across runs" in said(note, "en") for note in conflict.notes)
    assert "속성 수" in said(tables["subset-multi"].caption, "ko")
    empty = next(
        place
        for place, column in enumerate(tables["subset-multi"].columns)
        if said(column.group, "en").startswith("0 (") and said(column.heading, "en") == "final"
    )
    assert all(row.cells[empty] == "–" for row in tables["subset-multi"].rows)


def test_the_paper_has_a_main_table_of_nine_columns_and_wide_ones_fit_the_page(report: ReportFiles) -> None:
    main = results.paper_table(report.collected, "ref_pol")
    assert len(main.columns) == 9
    written = latex_table(main, "en")
    assert "\\begin{table*}" in written
    assert "\\resizebox{\\textwidth}{!}{%" in written
    assert "graphicx" in written
    assert latex("Rule × outcome …") == "Rule $\\times$ outcome \\ldots{}"


def test_small_numbers_and_zeros() -> None:
    assert numbers.dollars(0.00000001) == "<$0.0001"
    assert numbers.net(0) == "0"
    assert numbers.net(-3) == "−3"
    assert how_many(1, "sample") == "1 sample"
    assert how_many(1200, "sample") == "1,200 samples"
