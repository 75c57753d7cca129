from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from samsim.errors import ConfigError, InputError
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS
from samsim.reports.build import ReportFiles, build_report
from samsim.reports.collecting import collect
from samsim.reports.tables.provenance import sanity_table
from samsim.reports.tables.results import stability_table
from tests.experiments.runs import rewrite
from tests.reports.making_runs import RESAMPLES, Row, change_manifest, change_rows, copied, rows_of


def built(*folders: Path, out: Path | None = None) -> ReportFiles:
    return build_report(folders, out, resamples=RESAMPLES)


def test_everything_is_written(report: ReportFiles) -> None:
    measured = json.loads(report.metrics_json.read_text(encoding="utf-8"))
    assert [run["name"] for run in measured["runs"]] == ["memory-cr_v2-C2", "single-C1", "cr_v2-C1", "cr_v2-C2"]
    assert measured["comparisons"][0]["baseline"] == "single-C1"
    rows = list(csv.DictReader(io.StringIO(report.metrics_csv.read_text(encoding="utf-8"))))
    f1 = {row["run"]: row["value"] for row in rows if row["measure"] == "ref_pol.final.micro.f1"}
    for run in report.collected.runs:
        assert float(f1[run.name]) == run.metrics.tuples["ref_pol"].final.micro.f1
    assert all(row["value"] for row in rows)
    assert {path.suffix for path in report.paper} == {".md", ".tex"}
    assert all(path.read_text(encoding="utf-8").strip() for path in report.paper)
    assert not list(report.folder.rglob("*.part"))


def _renamed(name: str, manifest: Row) -> None:
    manifest["experiment"] = name


def test_no_cell_of_the_table_is_a_formula_and_numbers_stay_numbers(experiment: Path, tmp_path: Path) -> None:
    runs = [copied(experiment / cell, tmp_path / cell) for cell in ("single-C1", "cr_v2-C1")]
    for run, name in zip(runs, ("=1+1", "@SUM(A1)"), strict=True):
        change_manifest(run, partial(_renamed, name))
    report = built(*runs, out=tmp_path / "out")
    rows = list(csv.reader(io.StringIO(report.metrics_csv.read_text(encoding="utf-8"))))
    formulas = [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert {row[0] for row in rows[1:]} >= {"'=1+1/single-C1", "'@SUM(A1)/cr_v2-C1"}
    assert any(cell.startswith("-") for cell in formulas)
    assert [float(cell) for cell in formulas]


def test_the_same_runs_give_the_same_bytes(experiment: Path, report: ReportFiles, tmp_path: Path) -> None:
    again = built(experiment, out=tmp_path)
    for one, other in zip(
        (report.page, report.metrics_json, report.metrics_csv, *report.paper),
        (again.page, again.metrics_json, again.metrics_csv, *again.paper),
        strict=True,
    ):
        assert one.read_bytes() == other.read_bytes()


def test_a_report_loads_nothing_that_could_ask_or_find_gold(experiment: Path, tmp_path: Path) -> None:
    script = (
        "import sys; from samsim.reports.build import build_report;"
        f"build_report([{str(experiment)!r}], {str(tmp_path)!r}, resamples=10);"
        "bad = ('samsim.engines', 'samsim.pipeline', 'samsim.agents', 'samsim.data', 'samsim.language', 'kiwipiepy');"
        "print([name for name in sys.modules if name.startswith(bad)])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_it_goes_to_the_experiment_unless_told_otherwise(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "three-cells")
    assert built(folder).page == folder / "report.html"
    assert built(folder / "single-C1", folder / "cr_v2-C1").page == (folder / "report.html").resolve()


def test_runs_of_different_experiments_need_a_place(experiment: Path, tmp_path: Path) -> None:
    other = copied(experiment / "cr_v2-C1", tmp_path / "other")
    change_manifest(other, lambda manifest: manifest.update(experiment="another"))
    with pytest.raises(ConfigError, match="--out"):
        built(experiment / "cr_v2-C1", other)
    files = built(experiment / "cr_v2-C1", other, out=tmp_path / "both")
    assert [run.name for run in files.collected.runs] == ["three-cells/cr_v2-C1", "another/cr_v2-C1"]


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No run found in"):
        built(tmp_path, out=tmp_path)


def test_one_cell_alone_is_reported_without_a_comparison(experiment: Path, tmp_path: Path) -> None:
    files = built(experiment / "cr_v2-C1", out=tmp_path)
    assert files.collected.comparisons == ()
    assert files.collected.problems == ()


def test_a_taxonomy_that_most_refs_are_outside_of_is_a_hint(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "misfit")
    rows = rows_of(folder / "cr_v2-C1" / OUTPUTS)
    for row in rows:
        row["taxonomy"] = "nikl2022"
        row["validator_risks"] = [
            {"tuple_id": one["tuple_id"], "risk_type": "INVALID_REF", "severity": "high", "description": ""}
            for one in row["stage1_tuples"]
            if one["aspect_ref"]
        ]
    rewrite(folder / "cr_v2-C1" / OUTPUTS, rows)
    files = built(folder / "cr_v2-C1")
    (hint,) = files.collected.problems
    assert (hint.run, hint.kind) == ("cr_v2-C1", "hint")
    assert "refs are not in the taxonomy nikl2022: it does not fit these texts" in str(hint.problem)
    assert "이 글들에 맞지 않는 분류 체계" in files.page.read_text(encoding="utf-8")


def test_without_scorecards_it_says_which_run_to_repeat(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "old")
    (folder / "cr_v2-C1" / SCORECARDS).unlink()
    files = built(folder)
    page = files.page.read_text(encoding="utf-8")
    run_id = next(run.run.manifest.run_id for run in files.collected.runs if run.name == "cr_v2-C1")
    assert f"needs inference: repeat run {run_id}" in page
    assert any(problem.run == "cr_v2-C1" and SCORECARDS in str(problem.problem) for problem in files.collected.problems)
    lost = next(run for run in files.collected.runs if run.name == "cr_v2-C1")
    assert lost.metrics.samples == 84
    assert lost.metrics.tuples == {}
    assert files.collected.comparisons[0].runs[0].name == "single-C1"
    assert all(row.name != "cr_v2-C1" for row in files.collected.comparisons[0].runs)


def test_an_unfinished_run_is_told_and_measured_as_far_as_it_goes(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "partial")
    for name in (OUTPUTS, SCORECARDS):
        rewrite(folder / "cr_v2-C2" / name, rows_of(folder / "cr_v2-C2" / name)[:40])
    change_manifest(folder / "cr_v2-C2", lambda manifest: manifest.update(done=40, status="interrupted"))
    collected = built(folder).collected
    words = " ".join(str(problem.problem) for problem in collected.problems)
    assert "40 of 84" in words
    assert "no comparison" in words
    assert collected.runs[-1].metrics.samples == 40


def test_a_damaged_line_does_not_hide_the_samples_before_it(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "damaged")
    lines = (folder / "cr_v2-C2" / OUTPUTS).read_text(encoding="utf-8").splitlines(keepends=True)
    lines[50] = "{not json}\n"
    (folder / "cr_v2-C2" / OUTPUTS).write_text("".join(lines), encoding="utf-8")
    collected = built(folder).collected
    assert collected.runs[-1].metrics.samples == 50
    assert any("first 50 samples" in str(problem.problem) for problem in collected.problems)


def test_a_run_of_another_format_is_named_and_the_others_are_reported(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "mixed")
    change_manifest(folder / "cr_v2-C2", lambda manifest: manifest.update(format_version=0))
    collected = built(folder).collected
    assert [run.name for run in collected.evaluated] == ["single-C1", "cr_v2-C1"]
    assert any(problem.run == "cr_v2-C2" and "format" in str(problem.problem) for problem in collected.problems)
    with pytest.raises(InputError, match="format"):
        built(folder / "cr_v2-C2", out=tmp_path)


def test_a_failed_check_is_not_overlooked(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment / "cr_v2-C1", tmp_path / "wrong")

    def cheat(row: dict[str, object]) -> dict[str, object]:
        scores = json.loads(json.dumps(row["scores"]))
        scores["ref_pol"]["final"]["matched"] += 1
        return {**row, "scores": scores}

    change_rows(folder, SCORECARDS, cheat)
    files = built(folder)
    assert files.checks_failed == 1
    page = files.page.read_text(encoding="utf-8")
    assert 'class="banner red"' in page
    assert page.count('<tr class="failed">') == 2
    assert len(sanity_table(files.collected, only_failed=True).rows) == 1


def test_without_gold_everything_else_is_there(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment / "cr_v2-C1", tmp_path / "unlabelled")
    change_rows(folder, SCORECARDS, lambda row: {**row, "gold": None, "scores": {}})
    change_manifest(folder, lambda manifest: manifest["data"]["evaluation"].update(gold_fields=[]))
    files = built(folder)
    page = files.page.read_text(encoding="utf-8")
    assert "There is no gold" in page
    assert 'id="table-risk"' in page
    assert 'id="table-main' not in page
    assert (files.folder / "paper" / "cost.md").exists()


def test_repeats_are_measured_for_their_agreement(experiment: Path, tmp_path: Path) -> None:
    folder = tmp_path / "repeated"
    for repeat in (0, 1):
        run = copied(experiment / "cr_v2-C1", folder / f"r{repeat}")

        def numbered(manifest: Row, repeat: int = repeat) -> None:
            manifest["cell"] = {**manifest["cell"], "repeat": repeat, "cell_id": f"cr_v2-C1-r{repeat}"}

        change_manifest(run, numbered)
    collected = collect([folder], resamples=10)
    found = collected.repeated
    assert [(cell.kind, cell.runs) for cell in found] == [("repeats", ("cr_v2-C1-r0", "cr_v2-C1-r1"))]
    assert found[0].metrics.exact.rate == 1.0
    (row,) = stability_table(collected).rows
    assert row.cells[:2] == ("cr_v2-C1 (embedded)", ("2 repeats", "반복 2회"))
    low, high = str(row.cells[-1]).split(" … ")
    assert low == high == row.cells[-2]


def test_an_empty_run_is_no_crash(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment / "cr_v2-C1", tmp_path / "empty")
    for name in (OUTPUTS, SCORECARDS):
        (folder / name).write_bytes(b"")
    change_manifest(folder, lambda manifest: manifest.update(done=0, status="interrupted"))
    files = built(folder)
    assert files.collected.runs[0].metrics.samples == 0
    assert "0 of 84" in files.page.read_text(encoding="utf-8")
    assert (folder / MANIFEST).exists()


def test_a_report_that_is_built_again_leaves_no_table_of_the_last_one(experiment: Path, tmp_path: Path) -> None:
    first = built(experiment, out=tmp_path)
    (tmp_path / "paper" / "mine.md").write_text("my own notes", encoding="utf-8")
    again = built(experiment / "single-C1", out=tmp_path)
    assert set(again.paper) < set(first.paper)
    assert {path.name for path in (tmp_path / "paper").iterdir()} == {path.name for path in again.paper} | {"mine.md"}


def test_a_table_that_somebody_changed_is_not_removed(experiment: Path, tmp_path: Path) -> None:
    first = built(experiment, out=tmp_path)
    gone = sorted(set(first.paper) - set(built(experiment / "single-C1", out=tmp_path / "other").paper))
    changed = next(path for path in gone if path.name == "memory.md")
    changed.write_text(changed.read_text(encoding="utf-8") + "\nmy remark\n", encoding="utf-8")
    built(experiment / "single-C1", out=tmp_path)
    assert "my remark" in changed.read_text(encoding="utf-8")
    assert not changed.with_suffix(".tex").exists()


@pytest.mark.parametrize("name", ["../outside.md", "paper/../outside.md", "/outside.md", "outside.md", "paper/\0"])
def test_a_report_removes_nothing_outside_its_tables(name: str, experiment: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    (folder / "paper").mkdir(parents=True)
    digest = hashlib.sha256(b"mine").hexdigest()
    mine = [tmp_path / "outside.md", folder / "outside.md"]
    for place in mine:
        place.write_bytes(b"mine")
    (folder / "metrics.json").write_text(json.dumps({"files": {name: digest}}), encoding="utf-8")
    built(experiment / "single-C1", out=folder)
    assert all(place.exists() for place in mine)


@pytest.mark.parametrize("content", ["[]", "{", '{"files": 3}', '{"files": {"paper/x.md": 7}}', "[" * 100_000])
def test_metrics_that_are_not_ours_are_replaced(content: str, experiment: Path, tmp_path: Path) -> None:
    (tmp_path / "metrics.json").write_text(content, encoding="utf-8")
    built(experiment / "single-C1", out=tmp_path)
    files = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))["files"]
    assert set(files) == {f"paper/{path.name}" for path in (tmp_path / "paper").iterdir()}
