from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from samsim.experiments.artefacts import OUTPUTS, SCORECARDS, TRACES, read_run
from samsim.reports.build import build_report
from samsim.reports.problem_words import problem_text
from samsim.schemas.runs import RunStatus
from tests.reports.making_runs import change_manifest, copied, rows_of, write_rows


@pytest.mark.parametrize(
    ("lost", "kept", "status", "done", "korean"),
    [
        ((OUTPUTS,), 84, "finished", 84, "아무것도 측정할 수 없습니다"),
        ((SCORECARDS,), 84, "finished", 84, "scorecards.jsonl이 없습니다"),
        ((TRACES,), 84, "finished", 84, "호출을 보여 주거나 재생할 수 없습니다"),
        ((), 40, "interrupted", 40, "실행 상태: 중단됨. 샘플 84개 가운데 40개만 끝났습니다"),
        ((), 40, "finished", 84, "샘플 84개 가운데 40개만 남아 있습니다"),
    ],
)
def test_what_a_run_says_of_itself_is_known_in_korean(
    experiment: Path, tmp_path: Path, lost: tuple[str, ...], kept: int, status: str, done: int, korean: str
) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "run")
    for name in (OUTPUTS, SCORECARDS):
        write_rows(run / name, rows_of(run / name)[:kept])
    for name in lost:
        (run / name).unlink()
    change_manifest(run, lambda manifest: manifest.update(status=status, done=done))
    problems = read_run(run).problems
    assert problems
    pairs = [problem_text(words) for words in problems]
    assert all(isinstance(pair, tuple) for pair in pairs), problems
    assert any(korean in pair[1] for pair in pairs)


def test_an_unknown_problem_stays_as_it_is() -> None:
    assert problem_text("something {0} else") == "something {0} else"
    assert problem_text("no comparison: {0} {") == ("no comparison: {0} {", "비교하지 못했습니다. 원인: {0} {")


@pytest.mark.parametrize(
    ("words", "korean"),
    [
        (
            "its lines do not say what made them (samsim 0.9 did not mark them): whether …",
            "표시가 없습니다(samsim 0.9)",
        ),
        (
            "runs/a has lines of a run and no manifest.json: nobody …",
            "runs/a에 실행의 줄은 있지만 manifest.json이 없어",
        ),
    ],
)
def test_lines_that_prove_nothing_are_known_in_korean(words: str, korean: str) -> None:
    assert korean in problem_text(words)[1]


@pytest.mark.parametrize("status", get_args(RunStatus))
def test_no_english_status_is_on_the_korean_page(status: str, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "run")
    for name in (OUTPUTS, SCORECARDS):
        write_rows(run / name, rows_of(run / name)[:10])
    change_manifest(run, lambda manifest: manifest.update(status=status, done=10))
    page = build_report([run], tmp_path / "out", ui="ko", resamples=10).page.read_text(encoding="utf-8")
    assert "샘플 84개 가운데 10개만 끝났습니다" in page
    shown = re.sub(
        r'<span lang="en">.*?</span>|<script.*?</script>|<style.*?</style>|<[^>]*>', " ", page, flags=re.DOTALL
    )
    assert not re.search(rf"\b({'|'.join(get_args(RunStatus))}|failed)\b", shown)
