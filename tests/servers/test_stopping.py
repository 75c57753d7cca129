"""A server that does not stop when asked is killed with all it started; no test fails for it."""

from __future__ import annotations

import subprocess
import sys

from tests.servers.stopping import stop

# Ignores what it is asked, and has a child that holds its standard output open.
_STUBBORN = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
print("ready", flush=True)
signal.pause()
"""


def started(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, start_new_session=True
    )


def test_a_stubborn_server_is_killed_with_its_children() -> None:
    with started(_STUBBORN) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        stop(process, process.terminate, grace=0.05)
        # Ends only when nobody holds the other side any more, so the child is gone too.
        assert process.stdout.read() == ""


def test_a_willing_server_is_only_asked() -> None:
    with started("import sys; sys.stdin.read(); sys.exit(7)") as process:
        assert process.stdin is not None
        stop(process, process.stdin.close)
    assert process.returncode == 7


def test_a_server_that_has_ended_is_no_trouble() -> None:
    with started("") as process:
        process.wait()
        stop(process, process.terminate)
    assert process.returncode == 0
