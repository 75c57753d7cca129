"""What a run folder says of itself, against what its files really hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.experiments.artefacts import OUTPUTS, SCORECARDS, TRACES, read_run
from tests.metrics.runs import big_run, hand_run, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(big_run("whole", 5), tmp_path / "whole")


def cut(path: Path, lines: int) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))


def test_a_whole_run_has_no_problem(folder: Path) -> None:
    assert read_run(folder).problems == ()


def test_lines_that_were_lost_are_noticed(folder: Path) -> None:
    for name in (OUTPUTS, SCORECARDS):
        cut(folder / name, 3)
    run = read_run(folder)
    assert len(list(run.samples())) == 3
    (problem,) = run.problems
    assert str(problem).startswith("outputs.jsonl has 3 of 5 samples: the manifest says that 5 are done")


def test_a_line_that_was_not_finished_does_not_count(folder: Path) -> None:
    outputs = folder / OUTPUTS
    outputs.write_bytes(outputs.read_bytes()[:-1])
    cut(folder / SCORECARDS, 4)
    assert "outputs.jsonl has 4 of 5 samples" in str(read_run(folder).problems[0])


def test_scorecards_that_end_early_are_noticed(folder: Path) -> None:
    cut(folder / SCORECARDS, 1)
    (problem,) = read_run(folder).problems
    assert str(problem).startswith("scorecards.jsonl has 1 sample, outputs.jsonl 5: gold, scores, risk, memory")


def test_too_many_lines_are_noticed(folder: Path) -> None:
    for name in (OUTPUTS, SCORECARDS):
        path = folder / name
        path.write_bytes(path.read_bytes() * 2)
    assert "outputs.jsonl has 10 samples, but the run was over 5" in str(read_run(folder).problems[0])


def test_without_scorecards_the_gold_is_gone_too(folder: Path) -> None:
    (folder / SCORECARDS).unlink()
    (problem,) = read_run(folder).problems
    assert "scorecards.jsonl is missing: the gold and with it all scores are gone" in str(problem)


def test_a_run_that_was_interrupted_can_go_on(tmp_path: Path) -> None:
    """The manifest may be older than the last lines: what counts are the lines."""
    made = big_run("part", 5)
    data = made.manifest.data
    folder = written(hand_run("part", made.made[:3], data=data, done=2, status="interrupted"), tmp_path / "part")
    (problem,) = read_run(folder).problems
    assert str(problem) == (
        "the run is unfinished (interrupted): 3 of 5 samples are done. Run the same configuration again to resume."
    )


def test_every_missing_file_is_named(folder: Path) -> None:
    for name in (OUTPUTS, SCORECARDS, TRACES):
        (folder / name).unlink()
    assert [str(problem).split()[0] for problem in read_run(folder).problems] == [OUTPUTS, SCORECARDS, TRACES]
