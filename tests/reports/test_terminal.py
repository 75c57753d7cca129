from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

from rich.console import Console

from samsim.experiments.artefacts import OUTPUTS, SCORECARDS
from samsim.reports.build import ReportFiles, build_report
from samsim.reports.numbers import percent
from samsim.reports.terminal import show_comparison
from samsim.schemas.code_names import Ui
from tests.reports.making_runs import change_manifest, change_rows, copied, fail_sample, rows_of


def printed(files: ReportFiles, width: int = 80, ui: Ui = "en") -> str:
    written = io.StringIO()
    show_comparison(Console(file=written, width=width), files, ui)
    return written.getvalue()


def test_every_cell_is_in_eighty_columns(report: ReportFiles) -> None:
    words = printed(report)
    assert max(map(len, words.splitlines()[:12])) <= 80
    for run in report.collected.shown:
        first = run.members[0].name
        line = next(line for line in words.splitlines() if line.strip().startswith(first))
        scores = run.metrics.tuples["ref_pol"]
        assert (f"{percent(scores.stage1.micro.f1)} → " in line) == run.has_review
        assert percent(scores.final.micro.f1) in line
        assert "…" not in line
    assert "constant pairs" in words
    assert "knows the gold's frequencies" in " ".join(words.split())
    assert "difference to single-C1" in words
    assert str(report.page) in printed(report, 200)


def test_failures_and_missing_files_are_told(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "old")
    fail_sample(folder / "cr_v2-C1", "ko-001", "no answer")
    (folder / "cr_v2-C2" / SCORECARDS).unlink()
    words = " ".join(printed(build_report([folder], resamples=10), 120).split())
    assert "Failed samples: cr_v2-C1 1." in words
    assert f"missing: cr_v2-C2: {SCORECARDS} is missing" in words


def test_run_and_report_both_say_that_a_check_failed(experiment: Path, tmp_path: Path) -> None:
    """Both print this: run through show_comparison, report too, or quietly on stderr."""
    folder = copied(experiment / "cr_v2-C1", tmp_path / "wrong")

    def cheat(row: dict[str, object]) -> dict[str, object]:
        scores = json.loads(json.dumps(row["scores"]))
        scores["ref_pol"]["final"]["matched"] += 1
        return {**row, "scores": scores}

    change_rows(folder, SCORECARDS, cheat)
    files = build_report([folder], resamples=10)
    assert "1 check of the measures FAILED" in printed(files)


def test_why_nothing_is_scored_is_told_apart(experiment: Path, tmp_path: Path) -> None:
    unlabelled = copied(experiment / "cr_v2-C1", tmp_path / "unlabelled")
    change_rows(unlabelled, SCORECARDS, lambda row: {**row, "gold": None, "scores": {}})
    change_manifest(unlabelled, lambda manifest: manifest["data"]["evaluation"].update(gold_fields=[]))
    failed = copied(experiment / "cr_v2-C1", tmp_path / "failed")
    for row in rows_of(failed / OUTPUTS):
        fail_sample(failed, row["uid"], "no answer")
    lost = copied(experiment / "cr_v2-C1", tmp_path / "lost")
    (lost / SCORECARDS).unlink()
    for folder, words, sentence in (
        (unlabelled, "no gold", "There is no gold"),
        (failed, "all samples failed", "All samples failed"),
        (lost, "needs inference", "The scorecards are missing"),
    ):
        files = build_report([folder], resamples=10)
        assert words in printed(files).splitlines()[0]
        assert sentence in files.page.read_text(encoding="utf-8")


def test_the_korean_table_is_korean(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "runs")
    fail_sample(folder / "cr_v2-C1", "ko-001", "no answer")
    (folder / "cr_v2-C2" / SCORECARDS).unlink()
    words = printed(build_report([folder], resamples=10), 120, "ko")
    for found in (
        "샘플 84개",
        "호출",
        "비용",
        "1단계 → 최종",
        "단순 기준선",
        "실패한 샘플: cr_v2-C1 1.",
        "누락: cr_v2-C2",
        "보고서:",
    ):
        assert found in words
    names = {"single", "cr_v", "C", "F", "CI", "p", "Holm", "ref", "pol", "scorecards", "jsonl"}
    assert set(re.findall("[A-Za-z_]+", words.partition("보고서:")[0])) <= names


def test_an_untested_difference_has_words_in_the_terminal(experiment: Path, tmp_path: Path) -> None:
    for number, name in enumerate(("a", "b")):
        run = copied(experiment / "cr_v2-C1", tmp_path / "runs" / name)

        def renamed(manifest: dict[str, Any], name: str = name, number: int = number) -> None:
            manifest["cell"] = {**manifest["cell"], "cell_id": name, "engine": name}
            manifest["position"] = number

        change_manifest(run, renamed)
    files = build_report([tmp_path / "runs"], resamples=10)
    assert "identical answers, nothing to test" in " ".join(printed(files).split())
    assert "동일" in printed(files, ui="ko")
