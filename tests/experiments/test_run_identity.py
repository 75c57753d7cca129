"""Lines prove what made them, and a run is resumed only by what decides the same."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.errors import ConfigError, InputError, StoreError
from samsim.experiments import provenance
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, STORE, TRACES, find_runs, read_run
from samsim.experiments.config import ExperimentConfig
from samsim.experiments.run_folder.signing import cell_digest
from samsim.experiments.runner import cell_folders, is_outdated, rename_old_folder
from samsim.reports.build import build_report
from tests.experiments.engines import FailingEngine, serving
from tests.experiments.runs import configure, footprint, only_folder, rewrite, rows, run

SMALL = {"evaluation": {"name": "reviews", "language": "en", "limit": 6}}
LINES = (OUTPUTS, SCORECARDS, TRACES)


def small(folder: Path, **changes: Any) -> ExperimentConfig:
    return configure(folder, **{"data": SMALL} | changes)


def two_cells(folder: Path) -> tuple[ExperimentConfig, Path, Path]:
    """A finished experiment of two cells over the same samples."""
    config = small(folder, matrix={"protocol": ["cr_v1", "cr_v2"]})
    run(config)
    first, second = cell_folders(config).values()
    return config, first, second


def without_digests(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if not key.endswith("_digest")}


def swap(first: Path, second: Path) -> None:
    aside = first.with_name("aside")
    first.rename(aside)
    second.rename(first)
    aside.rename(second)


# --- a folder that lost its manifest -----------------------------------------------------------------


def test_lines_without_a_manifest_are_not_taken_for_another_cells(tmp_path: Path) -> None:
    run(small(tmp_path, protocol="cr_v2"))
    other = small(tmp_path, protocol="single")
    folder = only_folder(other)
    (folder / MANIFEST).unlink()
    before = {name: (folder / name).read_bytes() for name in LINES}
    with pytest.raises(InputError, match=r"has lines of a run and no manifest\.json.*--restart"):
        run(other)
    assert not (folder / MANIFEST).exists()
    assert {name: (folder / name).read_bytes() for name in LINES} == before, "nothing is lost"
    assert rename_old_folder(other) is not None
    run(other)
    assert {row["protocol"] for row in rows(folder / OUTPUTS)} == {"single"}


def test_a_run_killed_before_its_manifest_begins_anew(tmp_path: Path) -> None:
    """Only a store can be there then; no line says that anything was done."""
    config = small(tmp_path, episodic_memory={"condition": "C2"})
    only_folder(config).mkdir(parents=True)
    (only_folder(config) / STORE).write_bytes(b"")
    assert run(config).cells[0].status == "finished"


def test_a_cell_that_lost_its_manifest_is_not_left_out_in_silence(tmp_path: Path) -> None:
    config, first, _ = two_cells(tmp_path)
    (first / MANIFEST).unlink()
    with pytest.raises(InputError, match="no manifest"):
        find_runs([first.parent])
    collected = build_report([first.parent], tmp_path / "report", resamples=10).collected
    assert [(one.run, one.problem.code) for one in collected.problems] == [(first.name, "no_manifest")]
    with pytest.raises(InputError, match="no manifest"):
        run(config)


# --- lines of another cell ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINES)
def test_lines_of_another_cell_are_refused_by_whoever_reads_them(name: str, tmp_path: Path) -> None:
    config, first, second = two_cells(tmp_path)
    swap(first / name, second / name)
    with pytest.raises(InputError, match=rf"{name} holds sample 'en-001' of another cell.*--restart"):
        run(config)
    found = read_run(first)
    with pytest.raises(InputError, match="of another cell"):
        list(found.traces() if name == TRACES else found.samples())


def test_a_manifest_of_another_cell_is_refused_and_reported(tmp_path: Path) -> None:
    config, first, second = two_cells(tmp_path)
    swap(first / MANIFEST, second / MANIFEST)
    with pytest.raises(ConfigError, match="mix two experiments"):
        run(config)
    report = CliRunner().invoke(cli, ["report", str(first.parent), "--out", str(tmp_path / "report"), "--quiet"])
    assert report.exit_code == ExitCode.SOME_BAD
    assert "of another cell" in report.stderr
    compared = CliRunner().invoke(cli, ["compare", str(first), str(second)])
    assert compared.exit_code == ExitCode.NO_INPUT
    assert "of another cell" in compared.stderr


EDITS: dict[str, Callable[[dict[str, Any]], None]] = {
    "protocol": lambda manifest: manifest["cell"].update(protocol="single"),
    "condition": lambda manifest: manifest["cell"].update(condition="C2"),
    "seed": lambda manifest: manifest["cell"].update(seed=7),
    "engine": lambda manifest: manifest["cell"].update(engine="gpt"),
    "settings": lambda manifest: manifest.update(settings_hash="0" * 64),
    "store": lambda manifest: manifest.update(store_base_seq=2),
    "texts": lambda manifest: manifest["data"]["evaluation"].update(sha256="0" * 64),
    "analyser": lambda manifest: manifest["versions"].update(kiwipiepy="0.1"),
}


@pytest.mark.parametrize("edited", EDITS)
def test_a_manifest_that_claims_another_cell_is_noticed(edited: str, tmp_path: Path) -> None:
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    EDITS[edited](manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(InputError, match="of another cell"):
        list(read_run(folder).samples())
    with pytest.raises((ConfigError, InputError), match=r"mix two experiments|of another cell"):
        run(config)


def edit_line(path: Path, number: int, old: bytes, new: bytes) -> None:
    """What a user does with an editor."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert old in lines[number]
    lines[number] = lines[number].replace(old, new, 1)
    path.write_bytes(b"".join(lines))


HAND_EDITS = {
    "usage": (SCORECARDS, b'"input_tokens":0', b'"input_tokens":7'),
    "calls": (SCORECARDS, b'"cached_calls":0', b'"cached_calls":1'),
    "severity": (SCORECARDS, b'"severity_sum":0}', b'"severity_sum":3}'),
    "completeness": (SCORECARDS, b'"completeness":"complete"', b'"completeness":"partial"'),
    "without its digest": (SCORECARDS, b', "line_digest"', b', "unknown"'),
    "polarity": (OUTPUTS, b'"positive"', b'"negative"'),
    "trace": (TRACES, b'"cached": false', b'"cached": true'),
}


@pytest.mark.parametrize("edited", HAND_EDITS)
def test_a_line_edited_by_hand_is_named_by_whoever_reads_it(edited: str, tmp_path: Path) -> None:
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    name, old, new = HAND_EDITS[edited]
    edit_line(folder / name, 0, old, new)
    before = (folder / name).read_bytes()
    said = rf"{name} was changed: the line of sample 'en-001'"
    with pytest.raises(InputError, match=rf"{said}.*--restart"):
        run(config)
    assert (folder / name).read_bytes() == before
    found = read_run(folder)
    with pytest.raises(InputError, match=said):
        list(found.traces() if name == TRACES else found.samples())


def test_report_and_compare_name_the_file_that_was_edited(tmp_path: Path) -> None:
    _, first, second = two_cells(tmp_path)
    edit_line(first / SCORECARDS, 2, b'"cached_calls":0', b'"cached_calls":1')
    report = CliRunner().invoke(cli, ["report", str(first.parent), "--out", str(tmp_path / "report"), "--quiet"])
    compared = CliRunner().invoke(cli, ["compare", str(first), str(second)])
    assert (report.exit_code, compared.exit_code) == (ExitCode.SOME_BAD, ExitCode.NO_INPUT)
    for ended in (report, compared):
        assert f"{first / SCORECARDS} was changed: the line of sample 'en-003'" in ended.stderr


def test_a_run_whose_lines_bear_no_digests_of_themselves_can_be_read(tmp_path: Path) -> None:
    """As an older version wrote them."""
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    del manifest["line_digests"]
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    digest = cell_digest(read_run(folder).manifest)
    for name in LINES:
        lines = (json.dumps({**without_digests(row), "cell_digest": digest}) + "\n" for row in rows(folder / name))
        (folder / name).write_text("".join(lines), encoding="utf-8")
    assert len(list(read_run(folder).samples())) == 6
    assert read_run(folder).problems == ()


def test_retried_samples_are_marked_like_the_others(tmp_path: Path) -> None:
    config = small(tmp_path)
    engine = FailingEngine({"en-003"})
    run(config, serving(lambda _: engine))
    engine.broken.clear()
    assert run(config, serving(lambda _: engine), retry_errors=True).errors == 0
    marks = {row["cell_digest"] for name in LINES for row in rows(only_folder(config) / name)}
    assert len(marks) == 1
    assert len(list(read_run(only_folder(config)).samples())) == 6


def test_a_retry_does_not_mix_in_lines_of_another_cell(tmp_path: Path) -> None:
    config, first, second = two_cells(tmp_path)
    retry = first / "retry"
    shutil.copytree(second, retry, ignore=shutil.ignore_patterns(MANIFEST, ".lock"))
    (retry / "complete").touch()
    with pytest.raises(InputError, match="of another cell"):
        run(config, retry_errors=True)


def test_a_run_of_an_older_version_can_be_read_with_a_note(tmp_path: Path) -> None:
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    for name in LINES:
        bare = [without_digests(row) for row in rows(folder / name)]
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    del manifest["settings_hash"], manifest["store_digest"], manifest["line_digests"]
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    old_run = read_run(folder)
    assert len(list(old_run.samples())) == 6
    (note,) = old_run.problems
    assert "do not say what made them" in str(note)
    with pytest.raises(ConfigError, match="mix two experiments"):
        run(config)


def test_a_sample_twice_is_not_measured_twice(tmp_path: Path) -> None:
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    for name in (OUTPUTS, SCORECARDS):
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join([*lines[:5], lines[4]]))
    with pytest.raises(InputError, match="has sample 'en-005' twice"):
        list(read_run(folder).samples())
    with pytest.raises(InputError, match="holds sample 'en-005' but 'en-006' was expected"):
        run(config)


@pytest.mark.parametrize("line", [b"[]\n", b"7\n", b'{"error": "x"}\n', b'{"uid": 3}\n'])
def test_a_line_that_is_no_sample_is_an_input_error(line: bytes, tmp_path: Path) -> None:
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    whole = footprint(folder)
    with (folder / OUTPUTS).open("ab") as file:
        file.write(line)
    with pytest.raises(InputError, match=re.escape(str(folder / OUTPUTS))):
        list(read_run(folder).samples())
    run(config)
    assert footprint(folder) == whole


@pytest.mark.parametrize("name", [OUTPUTS, SCORECARDS])
def test_a_line_that_no_run_writes_is_done_again(name: str, tmp_path: Path) -> None:
    """Otherwise the run says that it is finished, and the report that it must be repeated, for ever."""
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    before = rows(folder / name)
    changed = [{**row, "unknown": 1} if row["uid"] == "en-004" else row for row in before]
    rewrite(folder / name, changed)
    run(config)
    assert all("unknown" not in row for row in rows(folder / name))
    assert [row["uid"] for row in rows(folder / name)] == [row["uid"] for row in before]
    assert read_run(folder).problems == ()


def test_a_call_that_is_there_twice_is_noticed(tmp_path: Path) -> None:
    config = small(tmp_path)
    run(config)
    folder = only_folder(config)
    whole = footprint(folder)
    traces = (folder / TRACES).read_bytes().splitlines(keepends=True)
    (folder / TRACES).write_bytes(b"".join([*traces[:-1], traces[-2], traces[-1]]))
    run(config)
    assert footprint(folder) == whole


def test_counts_of_a_manifest_that_the_files_do_not_bear_out_are_corrected(tmp_path: Path) -> None:
    config = small(tmp_path)
    run(config)
    path = only_folder(config) / MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(manifest | {"done": 600, "errors": 3}), encoding="utf-8")
    ended = run(config).cells[0]
    assert (ended.status, ended.done, ended.errors) == ("finished", 6, 0)


def test_a_store_that_is_not_the_one_a_run_left_is_noticed(tmp_path: Path) -> None:
    config = small(tmp_path, episodic_memory={"condition": "C2"})
    run(config)
    store = only_folder(config) / STORE
    whole = store.read_bytes()
    store.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    with pytest.raises(StoreError, match="not as the run left it"):
        run(config)
    store.write_bytes(whole)
    assert run(config).cells[0].status == "finished"


@pytest.mark.parametrize("condition", ["C2", "C2_frozen"])
def test_a_stopped_run_is_not_resumed_with_another_store(condition: str, tmp_path: Path) -> None:
    """Also where nothing is written to it: the rest of the samples would be read with another memory."""
    first = small(tmp_path / "first", episodic_memory={"condition": "C2"})
    run(first)
    named = only_folder(first) / STORE
    config = small(tmp_path, episodic_memory={"condition": condition, "store": str(named)})
    run(config, limit=2)
    store = only_folder(config) / STORE
    lines = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    with pytest.raises(StoreError, match="not as the run left it"):
        run(config)


@pytest.mark.parametrize("status", ["stopped", "running"])
@pytest.mark.parametrize("size", [0, 57, 150])
def test_a_journal_that_lost_episodes_costs_no_episode(size: int, status: str, tmp_path: Path) -> None:
    whole, config = (small(tmp_path / name, episodic_memory={"condition": "C2"}) for name in ("whole", "cut"))
    run(whole)
    run(config, limit=4)
    folder = only_folder(config)
    os.truncate(folder / f"{STORE}.journal", size)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8")) | {"status": status}
    if status == "running":
        manifest["store_digest"] = None
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    run(config)
    assert footprint(folder) == footprint(only_folder(whole))


def test_a_memory_whose_journal_lost_episodes_is_evaluated_whole(tmp_path: Path) -> None:
    both = SMALL | {"memory": {"name": "reviews_memory", "language": "en", "limit": 4}}
    built = small(tmp_path, data=both, matrix={"condition": ["C2_frozen"]})
    run(built, serving(lambda _: FailingEngine({"en-001"})), fail_fast=True)
    folders = cell_folders(built)
    memory, evaluated = folders["memory-cr_v2-C2"], folders["cr_v2-C2_frozen"]
    shutil.rmtree(evaluated)
    os.truncate(memory / f"{STORE}.journal", 57)
    run(built, serving(lambda _: FailingEngine(set())))
    assert read_run(evaluated).manifest.store_base_seq == 4


def test_a_run_that_has_done_nothing_starts_from_a_fresh_copy_of_its_store(tmp_path: Path) -> None:
    first = small(tmp_path / "first", episodic_memory={"condition": "C2"})
    run(first)
    memory = {"condition": "C2", "store": str(only_folder(first) / STORE)}
    config, whole = (small(tmp_path / name, episodic_memory=memory) for name in ("cut", "whole"))
    run(whole)
    run(config, serving(lambda _: FailingEngine({"en-001"})), fail_fast=True)
    folder = only_folder(config)
    assert (folder / OUTPUTS).read_bytes() == b""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    cut = manifest | {"store_base_seq": 1, "store_digest": None}
    (folder / MANIFEST).write_text(json.dumps(cut), encoding="utf-8")
    (folder / STORE).unlink()
    run(config, serving(lambda _: FailingEngine(set())))
    assert read_run(folder).manifest.store_base_seq == 6
    assert len(rows(folder / STORE)) == 12


# --- what decides ------------------------------------------------------------------------------------


def at_version(monkeypatch: pytest.MonkeyPatch, package: str, number: str) -> None:
    real = importlib.metadata.version
    monkeypatch.setattr(provenance, "version", lambda name: number if name == package else real(name))


@pytest.mark.parametrize(
    ("package", "condition"), [("kiwipiepy", "C1"), ("kiwipiepy_model", "C1"), ("numpy", "C2_silent")]
)
def test_other_versions_of_what_decides_do_not_resume_a_run(
    package: str, condition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small(tmp_path, episodic_memory={"condition": condition})
    run(config, limit=2)
    assert not is_outdated(config)
    old = importlib.metadata.version(package)
    at_version(monkeypatch, package, "9.9.9")
    with pytest.raises(ConfigError, match=re.escape(f"{package} {old} → 9.9.9")) as refused:
        run(config)
    assert "Install the same versions again" in str(refused.value)
    assert "--restart" in str(refused.value)
    assert is_outdated(config)
    assert len(rows(only_folder(config) / OUTPUTS)) == 2


@pytest.mark.parametrize("package", ["numpy", "pydantic"])
def test_what_does_not_decide_may_change(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a memory nothing is ranked, so numpy has no part in any answer."""
    config = small(tmp_path)
    run(config, limit=2)
    at_version(monkeypatch, package, "9.9.9")
    assert run(config).cells[0].status == "finished"


@pytest.mark.parametrize(
    "shipped",
    [
        "language/data/lexicon_ko.tsv",
        "language/data/tagger_en.json.gz",
        "agents/prompts/single_aste.md",
        "memory/data/principles.yaml",
        "schemas/taxonomies/nikl2022.yaml",
        "engines/embedded/data/refs.yaml",
    ],
)
def test_shipped_data_is_part_of_the_code_digest(shipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "samsim"
    shutil.copytree(Path(provenance.__file__).parents[1], root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "files", lambda _: root)
    before = provenance.code_digest.__wrapped__()
    with (root / shipped).open("ab") as file:
        file.write(b"\n")
    assert provenance.code_digest.__wrapped__() != before
