from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from samsim.errors import InputError
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, TRACES, read_run
from samsim.reports.build import build_report
from samsim.schemas.run_problems import RunProblem, problem_of
from samsim.schemas.runs import RunStatus
from tests.experiments.runs import rewrite
from tests.reports.making_runs import change_manifest, copied, rows_of


@pytest.mark.parametrize(
    ("lost", "kept", "status", "done", "korean"),
    [
        ((OUTPUTS,), 84, "finished", 84, "아무것도 측정할 수 없습니다"),
        ((SCORECARDS,), 84, "finished", 84, "scorecards.jsonl이 없습니다"),
        ((TRACES,), 84, "finished", 84, "호출을 보여 주거나 재생할 수 없습니다"),
        ((), 40, "interrupted", 40, "실행이 끝나지 않았습니다(중단됨). 샘플 84개 가운데 40개만 끝났습니다"),
        ((), 40, "finished", 84, "샘플 84개 가운데 40개만 남아 있습니다"),
    ],
)
def test_what_a_run_says_of_itself_is_known_in_korean(
    experiment: Path, tmp_path: Path, lost: tuple[str, ...], kept: int, status: str, done: int, korean: str
) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "run")
    for name in (OUTPUTS, SCORECARDS):
        rewrite(run / name, rows_of(run / name)[:kept])
    for name in lost:
        (run / name).unlink()
    change_manifest(run, lambda manifest: manifest.update(status=status, done=done))
    problems = read_run(run).problems
    assert problems
    assert any(korean in problem.words[1] for problem in problems)


def test_what_stands_in_a_value_is_never_a_blank() -> None:
    problem = RunProblem("no_comparison", {"cause": "{0} {"})
    assert problem.words == ("no comparison: {0} {", "비교하지 못했습니다. 원인: {0} {")
    assert problem_of(InputError("something {else}")).words == ("something {else}", "something {else}")


def test_a_folder_that_is_no_run_says_why_in_both_languages(experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "run")
    change_manifest(run, lambda manifest: manifest.update(format_version=0))
    with pytest.raises(InputError, match="has format 0; this version reads") as other:
        read_run(run)
    (run / MANIFEST).unlink()
    with pytest.raises(InputError, match="has lines of a run and no manifest") as missing:
        read_run(run)
    assert f"{run / MANIFEST}의 형식은 0인데" in problem_of(other.value).words[1]
    assert f"{run}에 실행의 줄은 있지만 manifest.json이 없어" in problem_of(missing.value).words[1]


def test_numbers_are_grouped_and_one_sample_is_no_samples() -> None:
    many = RunProblem("lost_outputs", {"outputs": 1_000, "samples": 2_000, "done": 2_000})
    assert str(many).startswith("outputs.jsonl has 1,000 of 2,000 samples: ")
    assert "샘플 2,000개 가운데 1,000개만" in many.words[1]
    assert str(RunProblem("unreadable_sample", {"samples": 1, "cause": "x"})) == (
        "only the first 1 sample could be read. x"
    )


def test_lines_that_prove_nothing_are_known_in_korean() -> None:
    assert "표시가 없습니다(samsim 0.9)" in RunProblem("unmarked_lines", {"version": "0.9"}).words[1]


@pytest.mark.parametrize("status", get_args(RunStatus))
def test_no_english_status_is_on_the_korean_page(status: str, experiment: Path, tmp_path: Path) -> None:
    run = copied(experiment / "cr_v2-C1", tmp_path / "run")
    for name in (OUTPUTS, SCORECARDS):
        rewrite(run / name, rows_of(run / name)[:10])
    change_manifest(run, lambda manifest: manifest.update(status=status, done=10))
    page = build_report([run], tmp_path / "out", ui="ko", resamples=10).page.read_text(encoding="utf-8")
    assert "샘플 84개 가운데 10개만 끝났습니다" in page
    shown = re.sub(
        r'<span lang="en">.*?</span>|<script.*?</script>|<style.*?</style>|<[^>]*>', " ", page, flags=re.DOTALL
    )
    assert not re.search(rf"\b({'|'.join(get_args(RunStatus))}|failed)\b", shown)
