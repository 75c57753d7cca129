"""``samsim compare`` from the command line, over folders like those that samsim run writes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from samsim.cli.compare import FAMILY_NAMES, compare
from samsim.cli.exit_codes import ExitCode
from samsim.errors import InputError
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, read_run
from samsim.reports.codes import BASELINE, named
from samsim.schemas.runs import CellRecord
from samsim.schemas.scorecards import Family
from tests.metrics.hand_made import Quad, failed, sample
from tests.metrics.runs import big_run, hand_run, written

TASTE: Quad = ("taste", "food#quality", "good", "positive")
BAD_TASTE: Quad = ("taste", "food#quality", "good", "negative")


def run(*arguments: object, width: int = 120) -> Result:
    runner = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1"})
    return runner.invoke(compare, [str(argument) for argument in arguments])


def shown_by(*arguments: object, width: int = 120) -> str:
    result = run(*arguments, width=width)
    assert (result.exit_code, result.exception) == (ExitCode.OK, None)
    return result.stdout


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(big_run("good"), tmp_path_factory.mktemp("runs") / "good")


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(big_run("broken", broken=0.05), tmp_path_factory.mktemp("runs") / "broken")


def test_a_run_and_its_copy(good: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(good, tmp_path / "copy")
    found = json.loads(shown_by(good, copy, "--json"))
    assert [row["name"] for row in found["runs"]] == [str(good), str(copy)]
    for contrast in found["contrasts"]:
        assert (contrast["delta_f1"], contrast["p_value"], contrast["p_holm"]) == (0.0, None, None)
        assert contrast["tuple_flips"] == []
    assert f"{copy}: identical answers" in shown_by(good, copy, width=300)


def test_the_tables_are_in_the_language_asked_for(good: Path, broken: Path) -> None:
    korean = shown_by(good, broken, "--lang", "ko", width=300)
    for words in ("샘플 400개, 실행 2개; 기준: good", "기준과 비교", "맞음 → 틀림", "완전 일치", "계산 방법은"):
        assert words in korean
    for words in ("baseline", "samples", "right → wrong", "exact", "gold tuple", "more (--flips)"):
        assert words not in korean
    assert shown_by(good, broken, "--lang", "en") == shown_by(good, broken)


def test_a_run_that_differs_in_its_marks_only(good: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(good, tmp_path / "copy")
    lines = (copy / OUTPUTS).read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[0])
    row["final_tuples"][0]["flagged"] = True
    lines[0] = json.dumps(row)
    (copy / OUTPUTS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = shown_by(good, copy, width=300)
    assert words.count(f"{copy}: same tuples") == 4
    assert words.count(f"{copy} differs from the baseline in: marks of uncertain tuples (1 sample)") == 1
    assert "identical" not in words


def test_a_run_and_one_with_broken_tuples(good: Path, broken: Path) -> None:
    found = json.loads(shown_by(good, broken, "--json"))
    assert found["baseline"] == "good"
    for contrast in found["contrasts"]:
        assert contrast["delta_f1"] < 0
        assert contrast["p_value"] < 0.01
    text = shown_by(good, broken)
    assert "400 samples, 2 runs; baseline: good" in text
    for words in (named(BASELINE, "majority_target")[0], "p Holm", "McNemar p", "right → wrong"):
        assert words in text


def test_flips_are_listed_and_limited(good: Path, broken: Path) -> None:
    full = json.loads(shown_by(good, broken, "--json", "--family", "triplet"))
    (contrast,) = full["contrasts"]
    flip = next(one for one in contrast["tuple_flips"] if one["direction"] == "right_to_wrong")
    text = shown_by(good, broken, "--family", "triplet", "--flips", 1000)
    assert " / ".join(flip["key"]) in text
    assert text.count("right → wrong") + text.count("wrong → right") == len(contrast["tuple_flips"])
    few = shown_by(good, broken, "--family", "triplet", "--flips", 2)
    assert f"and {len(contrast['tuple_flips']) - 2} more (--flips)" in few
    assert "flips," not in shown_by(good, broken, "--flips", 0)


def test_a_flip_stands_beside_the_text_it_is_about(good: Path, broken: Path) -> None:
    full = json.loads(shown_by(good, broken, "--json", "--family", "triplet"))
    (contrast,) = full["contrasts"]
    uids = {flip["uid"] for flip in contrast["tuple_flips"]}
    (text,) = {sample.result.text for sample in read_run(good).samples() if sample.result}
    whole = _lines(shown_by(good, broken, "--family", "triplet", "--flips", 1000, width=400))
    assert len(uids) <= whole.count(text) <= len(contrast["tuple_flips"])
    assert _lines(shown_by(good, broken, "--family", "triplet", "--flips", 1, width=400)).count(text) == 1


def _lines(output: str) -> list[str]:
    return [line.strip() for line in output.splitlines()]


def test_an_experiment_folder_stands_for_its_runs(tmp_path: Path) -> None:
    for name, final in (("a", TASTE), ("b", BAD_TASTE)):
        written(hand_run(name, [sample([], [final], [TASTE], uid="0")]), tmp_path / "all" / name)
    building = CellRecord(cell_id="fill", kind="memory_building", protocol="cr_v2", condition="C2", engine="embedded")
    filling = hand_run("fill", [], sha256="f" * 64)
    folder = written(filling, tmp_path / "all" / "fill")
    (folder / MANIFEST).write_text(
        filling.manifest.model_copy(update={"cell": building}).model_dump_json(), encoding="utf-8"
    )
    result = run(tmp_path / "all", "--json")
    assert result.exit_code == ExitCode.OK
    assert [row["name"] for row in json.loads(result.stdout)["runs"]] == ["a", "b"]
    assert "fill only filled a memory" in result.stderr


def test_what_cannot_be_compared_is_refused(good: Path, tmp_path: Path) -> None:
    other = written(hand_run("other", big_run("other", 5).made, sha256="b" * 64), tmp_path / "other")
    error = run(good, other).exception
    assert isinstance(error, InputError)
    assert "ran over different data" in str(error)
    assert run(good).exception is not None
    assert run(tmp_path / "nowhere").exit_code == ExitCode.USAGE
    (tmp_path / "empty").mkdir()
    assert "No run found in" in str(run(good, tmp_path / "empty").exception)


def test_what_is_missing_is_said(good: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(good, tmp_path / "copy")
    (copy / SCORECARDS).unlink()
    result = run(good, copy)
    assert f"note: {copy}: {SCORECARDS} is missing: the gold and with it all scores are gone" in result.stderr
    assert "has no scorecard for 400 samples" in str(result.exception)


def test_failed_samples_are_named(tmp_path: Path) -> None:
    right = sample([], [TASTE], [TASTE], uid="0")
    first = written(hand_run("a", [right, sample([], [], [TASTE], uid="sick")]), tmp_path / "a")
    second = written(hand_run("b", [right, failed("sick", [TASTE])]), tmp_path / "b")
    text = shown_by(first, second)
    assert "1 sample failed in a run and is left out of all runs: sick" in text
    assert "1 sample, 2 runs; baseline: a" in text


def test_samples_without_gold_are_counted(tmp_path: Path) -> None:
    folders = [
        written(hand_run(name, [sample([], [], None, uid="0"), sample([], [TASTE], [TASTE], uid="1")]), tmp_path / name)
        for name in "ab"
    ]
    assert "1 sample has no gold and cannot be compared." in shown_by(*folders)


def test_repeats_are_one_row_and_listed_on_demand(tmp_path: Path) -> None:
    for condition, finals in (("C1", [TASTE, TASTE, TASTE]), ("C2", [TASTE, BAD_TASTE, TASTE])):
        for number, final in enumerate(finals):
            name = f"cr_v2-{condition}-r{number}"
            made = [sample([], [final], [TASTE], uid="0"), sample([], [TASTE], [TASTE], uid="1")]
            repeat = hand_run(name, made, cell={"condition": condition, "repeat": number})
            written(repeat, tmp_path / "all" / name)
    text = shown_by(tmp_path / "all", "--family", "triplet")
    assert "2 samples, 6 runs; baseline: cr_v2-C1" in text
    (row,) = [line for line in text.splitlines() if line.startswith("cr_v2-C2 ") and "…" in line]
    # 5 of 6 claims are right; over the runs 1, 1/2, 1.
    assert row.split()[1:4] == ["83.3", "83.3", "83.3"]
    assert "50.0 … 100.0" in row
    assert "cr_v2-C2-r1" not in text
    assert "cr_v2-C2-r1" in shown_by(tmp_path / "all", "--family", "triplet", "--each")
    found = json.loads(shown_by(tmp_path / "all", "--json"))
    assert [len(group["runs"]) for group in found["groups"]] == [3, 3]
    assert len(found["runs"]) == 6


def test_a_difference_and_its_interval_are_written_alike(good: Path, broken: Path) -> None:
    text = shown_by(good, broken, "--family", "triplet", "--flips", 0)
    (row,) = [line for line in text.splitlines() if re.match(r"broken +−", line)]
    assert re.match(r"broken +−\d+\.\d +\[−\d+\.\d, −\d+\.\d\]", row)


def test_names_are_not_broken_where_there_is_room(tmp_path: Path) -> None:
    names = ["cr_v2-C2_eval_only", "self_consistency-6-C1"]
    folders = [
        written(hand_run(name, [sample([], [TASTE], [TASTE], uid=str(n)) for n in range(3)]), tmp_path / name)
        for name in names
    ]
    lines = shown_by(*folders, width=80).splitlines()
    assert all(any(line.startswith(name) for line in lines) for name in names)


def test_nothing_in_a_run_steers_the_terminal(tmp_path: Path) -> None:
    evil: Quad = ("\x1b[31mred", "food#quality", "good", "positive")
    first = written(hand_run("a", [sample([], [evil], [evil], uid="\x1b]0;x\x07")]), tmp_path / "a")
    second = written(hand_run("b", [sample([], [], [evil], uid="\x1b]0;x\x07")]), tmp_path / "b")
    assert "\x1b" not in shown_by(first, second)
    assert "\x1b" not in shown_by(first, second, "--json")


def test_the_names_of_the_families_are_those_of_the_schema() -> None:
    assert get_args(Family) == FAMILY_NAMES


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys\nfrom samsim.cli.compare import compare\n"
        "try:\n    compare(['--help'], prog_name='compare')\nexcept SystemExit:\n    pass\n"
        "print('LOADED', [name for name in ('numpy', 'rich', 'pydantic', 'yaml') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, encoding="utf-8")
    assert "LOADED []" in ended.stdout
