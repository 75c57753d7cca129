"""Which scores are shown: over shared samples, of repeats together, and none picked by luck."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from samsim.experiments.artefacts import OUTPUTS, read_run
from samsim.metrics.repeats import repeats
from samsim.reports.build import ReportFiles, build_report
from samsim.reports.collecting import Collected, collect, equal_names, gold_fields_of
from samsim.reports.page.summary_cards import Card, summary_cards
from samsim.reports.scored import has_repeats, scored_runs, trivial_scores
from samsim.reports.tables import results
from samsim.reports.tables.model import said
from tests.reports.making_runs import Row, change_manifest, change_rows, copied, fail_sample, rows_of


def cards_of(collected: Collected) -> dict[str, Card]:
    return {card.what: card for card in summary_cards(collected, "ref_pol")}


@pytest.fixture(scope="module")
def with_failures(experiment: Path, tmp_path_factory: pytest.TempPathFactory) -> Collected:
    """cr_v2-C1 failed on two samples, cr_v2-C2 on none."""
    folder = copied(experiment, tmp_path_factory.mktemp("failures") / "runs")
    for uid in ("ko-001", "ko-030"):
        fail_sample(folder / "cr_v2-C1", uid, "no answer")
    return collect([folder], resamples=10)


def test_scores_are_over_the_samples_that_no_run_failed_on(with_failures: Collected) -> None:
    scored = {one.name: one for one in scored_runs(with_failures, "ref_pol")}
    assert {one.samples for one in scored.values()} == {82}
    assert scored["cr_v2-C1"].failed == 2
    compared = {row.name: row.scores["ref_pol"] for row in with_failures.comparisons[0].runs}
    for name, one in scored.items():
        assert one.final == compared[name].micro
        assert one.stage1.gold == one.final.gold
    table = results.main_table(with_failures, "ref_pol")
    rows = {str(row.cells[0]): said(row.cells[1], "en") for row in table.rows if row.kind == "plain"}
    assert rows["cr_v2-C1"] == "82 (2 failed)"
    assert rows["cr_v2-C2"] == "82"
    assert any("2 samples left out" in said(note, "en") for note in table.notes)


def test_trivial_baselines_are_over_all_samples(with_failures: Collected) -> None:
    assert [samples for samples, _ in trivial_scores(with_failures, "ref_pol")] == [84]


def test_a_run_that_failed_on_samples_is_not_the_best(with_failures: Collected) -> None:
    largest = cards_of(with_failures)["card_largest"]
    assert "cr_v2-C1" not in said(largest.more, "en")
    assert said(largest.more, "en").startswith("cr_v2-C2")


def test_cards_say_the_baseline_and_a_range(report: ReportFiles) -> None:
    cards = cards_of(report.collected)
    assert said(cards["card_baseline"].more, "en").startswith("single-C1 [")
    assert said(cards["card_largest"].more, "en").startswith("cr_v2-C1 = C2")
    changed = {run.metrics.funnel.changed for run in report.collected.evaluated if run.has_review}
    assert cards["card_changed"].value == "–".join(map(str, sorted(changed)))


@pytest.fixture(scope="module")
def repeated(experiment: Path, tmp_path_factory: pytest.TempPathFactory) -> Collected:
    """Two repeats of cr_v2-C1, of which one lost its final tuples, against single-C1."""
    folder = tmp_path_factory.mktemp("repeats") / "runs"
    copied(experiment / "single-C1", folder / "single")
    for repeat in (0, 1):
        run = copied(experiment / "cr_v2-C1", folder / f"z{repeat}")

        def numbered(manifest: Row, repeat: int = repeat) -> None:
            manifest["cell"] = {**manifest["cell"], "repeat": repeat, "cell_id": f"cr_v2-C1-r{repeat}"}

        change_manifest(run, numbered)
    change_rows(folder / "z1", OUTPUTS, lambda row: {**row, "final_tuples": row["final_tuples"][:1]})
    return collect([folder], resamples=10)


def test_repeats_are_one_row_with_their_spread_and_each_can_be_seen(repeated: Collected) -> None:
    assert has_repeats(repeated)
    pooled = {one.name: one for one in scored_runs(repeated, "ref_pol")}
    assert list(pooled) == ["single-C1", "cr_v2-C1"]
    group = pooled["cr_v2-C1"]
    assert group.repeats == 2
    assert group.spread is not None
    assert group.spread[0] < group.final.f1 < group.spread[1]
    assert group.contrast is not None
    table = results.main_table(repeated, "ref_pol")
    assert [row.cells[0] for row in table.rows[:2]] == ["single-C1", "cr_v2-C1 ×2"]
    single = results.main_table(repeated, "ref_pol", single=True)
    assert [row.cells[0] for row in single.rows] == ["single-C1", "cr_v2-C1-r0", "cr_v2-C1-r1"]


def test_without_repeats_there_is_no_such_table(report: ReportFiles) -> None:
    assert not has_repeats(report.collected)
    assert 'id="table-single-' not in report.page.read_text(encoding="utf-8")


def test_equal_runs_share_a_name() -> None:
    assert equal_names(["cr_v1-C1"]) == "cr_v1-C1"
    assert equal_names(["cr_v1-C1", "cr_v1-C2", "cr_v1-C2_silent"]) == "cr_v1-C1 = C2 = C2_silent"
    assert equal_names(["x/a", "b"]) == "x/a = b"


def test_runs_with_different_results_are_never_one(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "other")
    first = True

    def flipped(row: Row) -> Row:
        nonlocal first
        if first and row["final_tuples"]:
            first = False
            row["final_tuples"][0]["aspect_term"] += "!"
        return row

    change_rows(folder / "cr_v2-C2", OUTPUTS, flipped)
    files = build_report([folder], resamples=10)
    assert [run.name for run in files.collected.shown] == ["single-C1", "cr_v2-C1", "cr_v2-C2"]


def mark_one(run: Path) -> None:
    """Mark the first tuple of the first sample that has one, or take its mark away."""
    chosen = next(row["uid"] for row in rows_of(run / OUTPUTS) if row.get("final_tuples"))

    def marked(row: Row) -> Row:
        if row["uid"] != chosen:
            return row
        first, *others = row["final_tuples"]
        return {**row, "final_tuples": [{**first, "flagged": not first["flagged"]}, *others]}

    change_rows(run, OUTPUTS, marked)


def test_runs_that_differ_in_a_mark_are_not_called_equal(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "runs")
    assert "cr_v2-C1 = C2" in [run.name for run in collect([folder], resamples=10).shown]

    mark_one(folder / "cr_v2-C2")
    assert [run.name for run in collect([folder], resamples=10).shown] == ["single-C1", "cr_v2-C1", "cr_v2-C2"]


def test_the_tables_say_what_differs_where_there_is_nothing_to_test(experiment: Path, tmp_path: Path) -> None:
    """cr_v2-C1 under three names: as it is, with a mark more, and as a protocol that came to the same."""
    folder = tmp_path / "runs"
    for number, name in enumerate(("a", "b", "c")):
        run = copied(experiment / "cr_v2-C1", folder / name)

        def renamed(manifest: Row, name: str = name, number: int = number) -> None:
            manifest["cell"] = {**manifest["cell"], "cell_id": name, "engine": name}
            manifest["position"] = number

        change_manifest(run, renamed)

    mark_one(folder / "b")
    collected = collect([folder], resamples=10)
    table = results.paper_table(collected, "ref_pol")
    last = {said(row.cells[0], "en"): row.cells[-1] for row in table.rows if row.kind == "plain"}
    assert said(last["b"], "en") == "same tuples"
    assert (said(last["c"], "en"), said(last["c"], "ko")) == ("identical answers", "답이 모두 같음")
    (note,) = (note for note in table.notes if said(note, "en").startswith("b: "))
    assert "marks of uncertain tuples (1 sample)" in said(note, "en")
    assert "불확실 표시(샘플 1개)" in said(note, "ko")


def test_repeats_are_told_by_their_tuples_and_by_everything(experiment: Path) -> None:
    run = read_run(experiment / "cr_v2-C1")
    samples = list(run.samples())
    marked = [
        replace(
            one,
            result=one.result.model_copy(
                update={"conflict_flags": []} if one.result.conflict_flags else {"structure": []}
            ),
        )
        for one in samples
        if one.result is not None
    ]
    found = repeats([samples, marked], gold_fields=gold_fields_of(run))
    with_flags = sum(bool(one.result.conflict_flags) for one in samples if one.result is not None)
    assert with_flags
    assert (found.exact.count, found.identical.count) == (len(samples), len(samples) - with_flags)
