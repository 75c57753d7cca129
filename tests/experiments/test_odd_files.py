"""A run folder in which links, pipes, devices and folders stand where files belong: told, never followed, no hang."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.errors import StoreError
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, STORE, TRACES
from samsim.experiments.config import ExperimentConfig
from samsim.experiments.runner import rename_old_folder
from samsim.reports.build import build_report
from tests.experiments.runs import configure, footprint, only_folder, run

PRECIOUS = b"somebody else's\n" * 10
WRITTEN = (OUTPUTS, SCORECARDS, TRACES, STORE, MANIFEST, ".lock", f"{STORE}.journal", f"{STORE}.index", f"{STORE}.tmp")


def begun(folder: Path) -> tuple[ExperimentConfig, Path]:
    """A run with a memory, stopped after two samples."""
    small = {"evaluation": {"name": "reviews", "language": "en", "limit": 5}}
    config = configure(folder, data=small, episodic_memory={"condition": "C2"})
    run(config, limit=2)
    return config, only_folder(config)


def put(place: Path, make: Callable[[Path], object]) -> None:
    place.unlink(missing_ok=True)
    make(place)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_link_in_a_run_folder_is_named_and_its_target_stays(name: str, tmp_path: Path) -> None:
    config, folder = begun(tmp_path)
    target = tmp_path / "precious"
    # The very bytes of the run, so that nothing but the link is wrong; a lock has none.
    target.write_bytes(((folder / name).read_bytes() if (folder / name).exists() else b"") or PRECIOUS)
    before = target.read_bytes()
    put(folder / name, lambda place: place.symlink_to(target))
    with pytest.raises(StoreError, match="is a symbolic link") as refused:
        run(config)
    assert str(folder / name) in str(refused.value)
    assert target.read_bytes() == before
    assert rename_old_folder(config) is not None, "--restart gets over it"
    assert run(config).cells[0].status == "finished"
    assert target.read_bytes() == before


def test_a_link_that_leads_nowhere_makes_no_file_there(tmp_path: Path) -> None:
    config, folder = begun(tmp_path)
    put(folder / OUTPUTS, lambda place: place.symlink_to(tmp_path / "nowhere"))
    with pytest.raises(StoreError, match="is a symbolic link"):
        run(config)
    assert not (tmp_path / "nowhere").exists()


def test_links_in_the_place_of_folders_are_refused(tmp_path: Path) -> None:
    config, folder = begun(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "complete").touch()
    (elsewhere / OUTPUTS).write_bytes(PRECIOUS)
    (folder / "retry").symlink_to(elsewhere)
    with pytest.raises(StoreError, match="retry is a symbolic link"):
        run(config)
    (folder / "retry").unlink()
    (folder / "retry").mkdir()
    (folder / "retry" / "complete").touch()
    (folder / "retry" / OUTPUTS).symlink_to(elsewhere / OUTPUTS)
    with pytest.raises(StoreError, match="symbolic link"):
        run(config)
    assert (elsewhere / OUTPUTS).read_bytes() == PRECIOUS


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    config, folder = begun(tmp_path)
    moved = folder.rename(tmp_path / "on-another-disk")
    folder.symlink_to(moved)
    assert run(config).cells[0].status == "finished"
    whole, _ = begun(tmp_path / "whole")
    run(whole)
    assert footprint(folder) == footprint(only_folder(whole))


def listening(place: Path) -> None:
    """A socket; its path must be short, so it is made elsewhere and moved."""
    short = Path(tempfile.gettempdir(), f"samsim-{os.getpid()}.socket")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(short))
    short.rename(place)


@pytest.mark.parametrize(
    ("make", "kind"),
    [(os.mkfifo, "a pipe"), (Path.mkdir, "a folder"), (listening, "a socket")],
    ids=["pipe", "folder", "socket"],
)
@pytest.mark.parametrize("name", [OUTPUTS, MANIFEST, STORE, ".lock"])
def test_what_is_no_file_is_named_before_anything_is_read(
    name: str, make: Callable[[Path], object], kind: str, tmp_path: Path
) -> None:
    config, folder = begun(tmp_path)
    put(folder / name, make)
    with pytest.raises(StoreError, match=f"{name} is {kind}"):
        run(config)


def samsim(*arguments: object) -> subprocess.CompletedProcess[str]:
    """A process of its own, since what hangs cannot be stopped from inside."""
    command = [sys.executable, "-m", "samsim", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", [OUTPUTS, MANIFEST])
def test_a_pipe_does_not_hang_a_report(name: str, tmp_path: Path) -> None:
    _, folder = begun(tmp_path)
    put(folder / name, os.mkfifo)
    ended = samsim("report", folder, "--out", tmp_path / "report")
    assert ended.returncode in (ExitCode.NO_INPUT, ExitCode.SOME_BAD)
    assert f"{name} is a pipe" in " ".join((ended.stdout + ended.stderr).split())
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("name", [OUTPUTS, SCORECARDS, TRACES, MANIFEST])
def test_report_and_compare_do_not_read_through_a_link_either(name: str, tmp_path: Path) -> None:
    _, folder = begun(tmp_path)
    target = (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(target)
    out = tmp_path / "report"
    for arguments in (["report", str(folder), "--out", str(out)], ["compare", str(folder), str(folder)]):
        ended = CliRunner().invoke(cli, arguments)
        assert ended.exit_code in (ExitCode.NO_INPUT, ExitCode.SOME_BAD), ended.output
        assert f"{name} is a symbolic link" in " ".join(ended.output.split())


@pytest.mark.parametrize("name", ["report.html", ".report.html.part", "metrics.json", ".metrics.csv.part", "paper"])
def test_a_report_is_never_written_through_a_link(name: str, tmp_path: Path) -> None:
    _, folder = begun(tmp_path)
    target = tmp_path / "precious"
    if name == "paper":
        target.mkdir()
        (folder / name).symlink_to(target)
        with pytest.raises(StoreError, match="paper is a symbolic link"):
            build_report([folder], resamples=10)
        assert list(target.iterdir()) == []
        return
    target.write_bytes(PRECIOUS)
    (folder / name).symlink_to(target)
    build_report([folder], resamples=10)
    assert target.read_bytes() == PRECIOUS
    assert (folder / "report.html").stat().st_size > len(PRECIOUS)
    assert not (folder / "report.html").is_symlink()


def test_a_folder_in_the_place_of_the_page_is_a_store_error(tmp_path: Path) -> None:
    _, folder = begun(tmp_path)
    (folder / "report.html").mkdir()
    with pytest.raises(StoreError, match=r"report\.html"):
        build_report([folder], resamples=10)
