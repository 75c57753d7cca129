from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from samsim.experiments.artefacts import SCORECARDS
from samsim.reports.build import ReportFiles, build_report
from samsim.reports.numbers import percent
from samsim.reports.terminal import show_comparison
from tests.reports.making_runs import copied, fail_sample


def printed(files: ReportFiles, width: int = 80) -> str:
    written = io.StringIO()
    show_comparison(Console(file=written, width=width), files)
    return written.getvalue()


def test_every_cell_is_in_eighty_columns(report: ReportFiles) -> None:
    words = printed(report)
    assert max(map(len, words.splitlines()[:12])) <= 80
    for run in report.collected.evaluated:
        line = next(line for line in words.splitlines() if line.strip().startswith(run.name))
        scores = run.metrics.tuples["ref_pol"]
        assert f"{percent(scores.stage1.micro.f1)} → {percent(scores.final.micro.f1)}" in line
        assert "…" not in line
    assert "trivial baseline" in words
    assert "difference to single-C1" in words
    assert str(report.page) in printed(report, 200)


def test_failures_and_missing_files_are_told(experiment: Path, tmp_path: Path) -> None:
    folder = copied(experiment, tmp_path / "old")
    fail_sample(folder / "cr_v2-C1", "ko-001", "no answer")
    (folder / "cr_v2-C2" / SCORECARDS).unlink()
    words = " ".join(printed(build_report([folder], resamples=10), 120).split())
    assert "Failed samples: cr_v2-C1 1." in words
    assert f"missing: cr_v2-C2: {SCORECARDS} is missing" in words
