"""What only a real terminal shows: colours and the progress bar."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from samsim.schemas.results import SampleResult

pty = pytest.importorskip("pty")
COMMAND = [sys.executable, "-c", "from samsim.cli.main import entry; entry()", "analyze"]
ENGLISH = "The screen is great."


def on_a_terminal(*arguments: object, stream: str, **environ: str) -> tuple[int, str, bytes]:
    """Run with one stream on a terminal; return the exit code, what it showed, and the other stream."""
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs}
    settings = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    settings |= {"TERM": "xterm-256color", "COLUMNS": "100", "LC_ALL": "C.UTF-8", **environ}
    with subprocess.Popen([*COMMAND, *map(str, arguments)], env=settings, **streams) as process:
        os.close(theirs)
        seen = bytearray()
        try:
            while piece := os.read(ours, 1 << 16):
                seen += piece
        except OSError:  # the terminal was closed at the other side
            pass
        other = process.stderr if stream == "stdout" else process.stdout
        assert other is not None
        rest = other.read()
    os.close(ours)
    return process.returncode, seen.decode(), rest


def test_colour_on_a_terminal_but_not_the_review_s_own() -> None:
    code, shown, _ = on_a_terminal(f"{ENGLISH} \x1b[5mblink", stream="stdout")
    assert code == 0
    assert "\x1b[1;32mscreen\x1b[0m" in shown
    assert "\\x1b[5mblink" in shown
    assert "\x1b[5m" not in shown


def test_no_color_is_respected_and_loses_nothing() -> None:
    _, shown, _ = on_a_terminal(ENGLISH, stream="stdout", NO_COLOR="1")
    assert "[screen]+" in shown
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", shown)


def test_a_spinner_while_one_text_is_read_and_nothing_of_it_in_a_pipe() -> None:
    code, shown, result = on_a_terminal("화면이 좋아요.", stream="stderr")
    assert code == 0
    assert "Loading the Korean analyzer" in shown
    assert "Loading" not in result.decode()
    assert "화면" in result.decode()
    piped = subprocess.run([*COMMAND, ENGLISH], capture_output=True, check=True)
    assert piped.stderr == b""


def test_progress_is_on_stderr_and_results_stay_clean(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{ENGLISH}\nbad \0 row\n" * 5, encoding="utf-8")
    code, shown, results = on_a_terminal("--file", path, stream="stderr")
    assert code == 4
    assert "100%" in shown
    assert "line 10: a NUL byte in the text" in shown
    assert len([SampleResult.model_validate_json(line) for line in results.splitlines()]) == 5


def test_no_progress_without_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{ENGLISH}\n", encoding="utf-8")
    ended = subprocess.run([*COMMAND, "--file", path], capture_output=True, check=True)
    assert ended.stderr == b""
