"""``samsim analyze --file``: rows in, JSON lines out, whatever the rows are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.cli.writing import _write_whole
from samsim.errors import EngineError
from samsim.pipeline import api
from samsim.schemas.results import SampleResult

KOREAN = "화면은 좋은데 배터리가 금방 닳아요."
ENGLISH = "The screen is great."


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["analyze", *map(str, arguments)], prog_name="samsim", env={"SAMSIM_DEBUG": ""})


def results_in(content: str) -> list[SampleResult]:
    return [SampleResult.model_validate_json(line) for line in content.split("\n") if line]


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    path.write_text(f"id,text\na,{KOREAN}\nb,{ENGLISH}\n", encoding="utf-8")
    return path


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    path = tmp_path / "spoilt.csv"
    path.write_text(f'id,text\na,{KOREAN}\nb\nc,"open\nd,{ENGLISH}\n', encoding="utf-8")
    return path


def test_json_lines_go_to_stdout(reviews: Path) -> None:
    ended = run("--file", reviews, "--id-column", "id")
    assert ended.exit_code == ExitCode.OK
    assert ended.stderr == ""
    assert [(read.uid, read.text) for read in results_in(ended.stdout)] == [("a", KOREAN), ("b", ENGLISH)]


def test_the_output_file_appears_complete(reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    ended = run("--file", reviews, "-o", out)
    assert ended.exit_code == ExitCode.OK
    assert ended.stdout == ""
    assert [read.uid for read in results_in(out.read_text(encoding="utf-8"))] == ["2", "3"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "reviews.csv"]


def test_bad_rows_are_named_and_the_rest_is_written(spoilt: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    ended = run("--file", spoilt, "-o", out)
    assert ended.exit_code == ExitCode.SOME_BAD
    assert "line 3: 1 fields, but the header has 2" in ended.stderr
    assert "line 4: a quote" in ended.stderr
    assert "2 analyzed, 2 bad" in ended.stderr
    assert [read.uid for read in results_in(out.read_text(encoding="utf-8"))] == ["2", "5"]


def test_a_row_the_pipeline_refuses_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('\n{"text": "\\ud800"}\n{"text": "The screen is great."}\n', encoding="utf-8")
    ended = run("--file", path)
    assert ended.exit_code == ExitCode.SOME_BAD
    assert "line 2: invalid JSON: half of a surrogate pair" in ended.stderr
    assert [read.uid for read in results_in(ended.stdout)] == ["3"]


@pytest.mark.parametrize("content", ["", "\n\n", "id,text\n", "id,text\n1\n"])
def test_nothing_usable(tmp_path: Path, content: str) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "out.jsonl"
    path.write_text(content, encoding="utf-8")
    ended = run("--file", path, "-o", out)
    assert ended.exit_code == ExitCode.NO_INPUT
    assert "error: " in ended.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.csv"]


def test_a_wrong_column_leaves_nothing_behind(reviews: Path, tmp_path: Path) -> None:
    ended = run("--file", reviews, "-o", tmp_path / "out.jsonl", "--text-column", "body")
    assert ended.exit_code == ExitCode.USAGE
    assert [entry.name for entry in tmp_path.iterdir()] == ["reviews.csv"]


def test_an_existing_file_is_not_overwritten(reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("precious", encoding="utf-8")
    refused = run("--file", reviews, "-o", out)
    assert refused.exit_code == ExitCode.USAGE
    assert "--force" in refused.stderr
    assert out.read_text(encoding="utf-8") == "precious"
    assert run("--file", reviews, "-o", out, "--force").exit_code == ExitCode.OK
    assert len(results_in(out.read_text(encoding="utf-8"))) == 2


def test_a_partial_file_of_an_earlier_run_is_not_overwritten(reviews: Path, tmp_path: Path) -> None:
    partial = tmp_path / "out.jsonl.partial"
    partial.write_text("earlier", encoding="utf-8")
    refused = run("--file", reviews, "-o", tmp_path / "out.jsonl")
    assert refused.exit_code == ExitCode.USAGE
    assert partial.read_text(encoding="utf-8") == "earlier"
    assert run("--file", reviews, "-o", tmp_path / "out.jsonl", "--force").exit_code == ExitCode.OK
    assert not partial.exists()


def test_the_input_is_never_the_output(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "The screen is great."}\n', encoding="utf-8")
    before = path.read_bytes()
    assert run("--file", path, "-o", path, "--force").exit_code == ExitCode.USAGE
    assert path.read_bytes() == before


def test_a_missing_folder_is_wrong_usage(reviews: Path, tmp_path: Path) -> None:
    ended = run("--file", reviews, "-o", tmp_path / "no" / "out.jsonl")
    assert ended.exit_code == ExitCode.USAGE
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (EngineError("gone."), ExitCode.ENGINE),
        (ValueError("x"), ExitCode.INTERNAL),
    ],
)
def test_what_was_written_stays_when_the_run_ends_early(
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: ExitCode
) -> None:
    def stream(self: api.Pipeline, samples: Iterable[tuple[str, str]], *, concurrency: int) -> Iterator[SampleResult]:
        uid, text = next(iter(samples))
        yield self.analyze(text, uid=uid)
        raise error

    monkeypatch.setattr(api.Pipeline, "stream", stream)
    out = tmp_path / "out.jsonl"
    ended = run("--file", reviews, "-o", out)
    assert ended.exit_code == code
    assert "out.jsonl.partial" in ended.stderr
    assert not out.exists()
    assert len(results_in(Path(f"{out}.partial").read_text(encoding="utf-8"))) == 1


def test_results_are_written_as_they_come(reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.jsonl"
    seen: list[int] = []

    def stream(self: api.Pipeline, samples: Iterable[tuple[str, str]], *, concurrency: int) -> Iterator[SampleResult]:
        for uid, text in samples:
            yield self.analyze(text, uid=uid)
            seen.append(len(results_in(Path(f"{out}.partial").read_text(encoding="utf-8"))))

    monkeypatch.setattr(api.Pipeline, "stream", stream)
    assert run("--file", reviews, "-o", out).exit_code == ExitCode.OK
    assert seen == [1, 2]


# Python's own buffering, whatever the tests run under: what it holds back must not surface at the end.
BUFFERED = {**os.environ, "PYTHONUNBUFFERED": ""}
COMMAND = [sys.executable, "-c", "from samsim.cli.main import entry; entry()", "analyze"]


def test_a_reader_that_stops_ends_it_quietly(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(f"{ENGLISH}\n" * 2000, encoding="utf-8")
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, "--file", path], env=BUFFERED, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"{")
        process.stdout.close()
        complaints = process.stderr.read()
    assert complaints == b""
    assert process.returncode == ExitCode.BROKEN_PIPE


@pytest.mark.parametrize("arguments", [["--explain"], ["--json"]])
def test_a_closed_reader_ends_it_quietly(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [*COMMAND, *arguments, ENGLISH]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=BUFFERED, check=False)
    os.close(writing)
    assert ended.stderr == b""
    assert ended.returncode == ExitCode.BROKEN_PIPE


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="signals work differently there")
def test_ctrl_c_keeps_whole_lines(tmp_path: Path) -> None:
    path, out = tmp_path / "many.txt", tmp_path / "out.jsonl"
    path.write_text(f"{ENGLISH}\nbad \0 row\n" * 20_000, encoding="utf-8")
    command: list[str | Path] = [*COMMAND, "--file", path, "-o", out]
    # Where the tests run in the background of a shell, SIGINT is ignored and children inherit that.
    with subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=_heed_ctrl_c) as process:
        assert process.stderr is not None
        # Rows are read a little ahead: by the twentieth bad one, good ones have been written.
        assert [process.stderr.readline()[:5] for _ in range(20)] == [b"line "] * 20
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == ExitCode.INTERRUPTED
    assert b"interrupted. The first" in said
    assert b"out.jsonl.partial" in said
    assert results_in(Path(f"{out}.partial").read_text(encoding="utf-8"))
    assert not out.exists()


class Sips:
    """A stream that takes seven bytes at a time, as an unbuffered one may."""

    def __init__(self) -> None:
        self.taken = b""

    def write(self, content: memoryview) -> int:
        self.taken += bytes(content[:7])
        return min(7, len(content))

    def flush(self) -> None:
        """Nothing is held back."""


def test_a_stream_that_takes_parts_gets_the_whole_line() -> None:
    stream = Sips()
    _write_whole(cast(BinaryIO, stream), '{"text": "화면은 좋은데"}')
    assert stream.taken.decode() == '{"text": "화면은 좋은데"}\n'


def test_a_terminal_without_unicode_is_no_crash() -> None:
    environ = {**os.environ, "PYTHONIOENCODING": "euc-kr", "LC_ALL": "ko_KR.EUC-KR", "PYTHONUTF8": "0"}
    text = f"{ENGLISH} 👍".encode()
    ended = subprocess.run([*COMMAND, "-"], input=text, capture_output=True, env=environ, check=False)
    assert ended.returncode == ExitCode.OK
    assert "\\U0001f44d" in ended.stdout.decode("euc-kr")
