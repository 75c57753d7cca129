"""Runs that fail, are limited, damaged or gone on with: nothing is lost, doubled or mixed."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from samsim.errors import ConfigError, InputError, StoreError
from samsim.experiments import provenance
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, STORE, TRACES, read_run
from samsim.experiments.run_folder.writing import locked
from samsim.experiments.runner import Unwatched, cell_folders, is_outdated, rename_old_folder, run_experiment
from tests.experiments.engines import DearEngine, FailingEngine, serving
from tests.experiments.runs import configure, footprint, only_folder, rows, run

PROTOCOLS = ("cr_v2", "debate")


def test_a_failed_sample_is_a_row_and_can_be_done_again(tmp_path: Path) -> None:
    config = configure(tmp_path)
    folder = only_folder(config)
    engine = FailingEngine({"en-003", "en-007"})
    source = serving(lambda _: engine)
    outcome = run(config, source)
    assert outcome.errors == 2
    failed = [row for row in rows(folder / OUTPUTS) if "error" in row]
    assert [row["uid"] for row in failed] == ["en-003", "en-007"]
    assert all("server_error" in row["error"] for row in failed)
    assert run(config, source).errors == 2, "they are not done again by themselves"
    engine.broken.clear()
    engine.asked.clear()
    assert run(config, source, retry_errors=True).errors == 0
    assert set(engine.asked) == {"en-003", "en-007"}
    whole = configure(tmp_path / "whole")
    run(whole, serving(lambda _: FailingEngine(set())))
    assert footprint(folder) == footprint(only_folder(whole))


def test_a_retry_that_is_stopped_keeps_what_it_has_repaired(tmp_path: Path) -> None:
    config = configure(tmp_path)
    folder = only_folder(config)
    engine = FailingEngine({"en-003", "en-005", "en-007"})
    source = serving(lambda _: engine)
    assert run(config, source).errors == 3
    engine.broken = {"en-005", "en-007"}
    stopped = run(config, source, retry_errors=True, fail_fast=True, concurrency=1)
    assert stopped.stopped is not None
    assert stopped.errors == 2, "en-003 was repaired before the stop"
    assert [row["uid"] for row in rows(folder / OUTPUTS) if "error" in row] == ["en-005", "en-007"]
    engine.broken = set()
    engine.asked.clear()
    assert run(config, source, retry_errors=True).errors == 0
    assert set(engine.asked) == {"en-005", "en-007"}
    whole = configure(tmp_path / "whole")
    run(whole, serving(lambda _: FailingEngine(set())))
    assert footprint(folder) == footprint(only_folder(whole))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_with_a_memory_everything_after_a_failed_sample_is_done_again(protocol: str, tmp_path: Path) -> None:
    config = configure(tmp_path, protocol=protocol, episodic_memory={"condition": "C2"})
    engine = FailingEngine({"en-010"})
    source = serving(lambda _: engine)
    assert run(config, source).errors == 1
    engine.broken.clear()
    assert run(config, source, retry_errors=True).errors == 0
    whole = configure(tmp_path / "whole", protocol=protocol, episodic_memory={"condition": "C2"})
    run(whole, serving(lambda _: FailingEngine(set())))
    assert footprint(only_folder(config)) == footprint(only_folder(whole))


def test_fail_fast_stops_before_the_failed_sample(tmp_path: Path) -> None:
    config = configure(tmp_path)
    outcome = run(config, serving(lambda _: FailingEngine({"en-004"})), fail_fast=True)
    assert outcome.stopped is not None
    assert "en-004" in outcome.stopped
    assert [row["uid"] for row in rows(only_folder(config) / OUTPUTS)] == ["en-001", "en-002", "en-003"]


def test_too_many_errors_stop_the_run(tmp_path: Path) -> None:
    config = configure(tmp_path)
    everything = {f"en-{number:03d}" for number in range(1, 60)}
    outcome = run(config, serving(lambda _: FailingEngine(everything)), max_error_rate=0.5)
    assert outcome.stopped is not None
    assert "20 of 20 samples failed" in outcome.stopped
    assert len(rows(only_folder(config) / OUTPUTS)) == 20


def test_the_spending_limit_counts_all_cells_and_all_starts(tmp_path: Path) -> None:
    price, limit = 0.01, 1.0
    settings = {"matrix": {"protocol": ["single", "stage1_only"]}}
    runs = {"out": str(tmp_path / "runs"), "max_cost": limit}
    config = configure(tmp_path, **settings, run=runs)
    dear = serving(lambda spending: DearEngine(spending, price))
    stopped = run(config, dear)
    assert stopped.stopped == "the spending limit is reached"
    spent = sum(card["usage"]["cost"] for folder in cell_folders(config).values() for card in _cards(folder))
    assert limit - 3 * price <= round(spent, 6) <= limit
    assert run(config, dear).stopped == "the spending limit is reached", "an earlier start's spending counts"
    richer = configure(tmp_path, **settings, run={**runs, "max_cost": 10})
    assert run(richer, dear).stopped is None
    whole = configure(tmp_path / "whole", **settings)
    run(whole, serving(lambda spending: DearEngine(spending, price)))
    for cell, folder in cell_folders(richer).items():
        assert footprint(folder) == footprint(cell_folders(whole)[cell])


def _cards(folder: Path) -> list[dict[str, dict[str, float]]]:
    return rows(folder / SCORECARDS) if (folder / SCORECARDS).exists() else []


def test_a_limit_is_only_for_now(tmp_path: Path) -> None:
    config = configure(tmp_path)
    first = run(config, limit=4)
    assert (first.cells[0].status, first.cells[0].done, first.stopped) == ("stopped", 4, None)
    assert read_run(only_folder(config)).problems
    assert run(config).cells[0].status == "finished"
    whole = configure(tmp_path / "whole")
    run(whole)
    assert footprint(only_folder(config)) == footprint(only_folder(whole))


def test_a_finished_run_asks_nothing(tmp_path: Path) -> None:
    config = configure(tmp_path)
    engine = FailingEngine(set())
    source = serving(lambda _: engine)
    run(config, source)
    engine.asked.clear()
    assert run(config, source).cells[0].status == "finished"
    assert engine.asked == []


def test_two_processes_do_not_write_to_one_folder(tmp_path: Path) -> None:
    config = configure(tmp_path)
    with locked(only_folder(config)), pytest.raises(ConfigError, match="another samsim run"):
        run(config)


@pytest.mark.parametrize("change", [{"protocol": "cr_v1"}, {"data": {"evaluation": {"name": "reviews", "limit": 3}}}])
def test_another_experiment_is_not_mixed_into_the_folder(change: dict[str, object], tmp_path: Path) -> None:
    run(configure(tmp_path), limit=2)
    other = configure(tmp_path, **change)
    with pytest.raises(ConfigError, match="mix two experiments"):
        run(other)
    kept = rename_old_folder(other)
    assert kept is not None
    assert len(rows(kept / OUTPUTS)) == 2
    assert run(other).cells[0].status == "finished"


def test_other_code_does_not_go_on_with_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = configure(tmp_path)
    run(config, limit=2)
    assert not is_outdated(config)
    monkeypatch.setattr(provenance, "code_digest", lambda: "of other code")
    assert is_outdated(config)
    with pytest.raises(ConfigError, match="code of samsim"):
        run(config)


def test_one_cell_more_does_not_spoil_the_finished_ones(tmp_path: Path) -> None:
    two = configure(tmp_path, matrix={"protocol": ["single", "stage1_only"]})
    run(two)
    three = configure(tmp_path, matrix={"protocol": ["single", "stage1_only", "cr_v1"]})
    outcome = run(three)
    assert [cell.status for cell in outcome.cells] == ["finished"] * 3


def test_a_text_in_two_roles_stops_the_run_and_names_it(tmp_path: Path) -> None:
    both = {"evaluation": {"name": "reviews", "language": "en"}, "memory": {"name": "reviews", "language": "en"}}
    config = configure(tmp_path, data=both, episodic_memory={"condition": "C2"})
    with pytest.raises(InputError, match=r"evaluation:en-001 = memory:en-001"):
        run(config)
    assert not (tmp_path / "runs").exists()


def test_a_seed_reaches_every_request_and_every_draw_has_its_own(tmp_path: Path) -> None:
    small = {"evaluation": {"name": "reviews", "language": "en", "limit": 2}}
    config = configure(tmp_path, data=small, protocol="self_consistency:3", matrix={"seed": [10, 20]}, repeats=2)
    run(config)
    for folder in cell_folders(config).values():
        cell = read_run(folder).manifest.cell
        asked = [(row["seed"], row["repeat"]) for row in rows(folder / TRACES)]
        assert cell.seed is not None
        assert asked == [(cell.seed + draw * 1_000_003, cell.repeat * 100 + draw) for draw in range(3)] * 2


BUILT = {"evaluation": {"name": "reviews", "language": "en"}, "memory": {"name": "reviews_memory", "language": "en"}}


def test_a_limit_never_leaves_half_a_memory_behind(tmp_path: Path) -> None:
    conditions = {"condition": ["C1", "C2_frozen"]}
    whole, limited = (configure(tmp_path / name, data=BUILT, matrix=conditions) for name in ("whole", "limited"))
    run(whole)
    run(limited, limit=3)
    run(limited)
    for cell, folder in cell_folders(limited).items():
        assert footprint(folder) == footprint(cell_folders(whole)[cell])


def test_a_memory_that_was_built_anew_is_not_mixed_with_the_old_one(tmp_path: Path) -> None:
    config = configure(tmp_path, data=BUILT, matrix={"condition": ["C2_frozen"]})
    engine = FailingEngine({"mem-en-003"})
    run(config, serving(lambda _: engine))
    engine.broken.clear()
    memory, _ = cell_folders(config).values()
    shutil.move(memory, tmp_path / "away")
    with pytest.raises(ConfigError, match="memory store to start from"):
        run(config, serving(lambda _: engine))


def test_a_memory_that_is_done_again_makes_its_evaluation_begin_anew(tmp_path: Path) -> None:
    config = configure(tmp_path, data=BUILT, matrix={"condition": ["C2_frozen"]})
    engine = FailingEngine({"mem-en-003"})
    run(config, serving(lambda _: engine))
    _, evaluation = cell_folders(config).values()
    before = (evaluation / OUTPUTS).read_bytes()
    engine.broken.clear()
    watcher = Noting()
    run_experiment(config, retry_errors=True, watcher=watcher, engines=serving(lambda _: engine))
    assert any("starts over, since its memory was rebuilt" in note for note in watcher.notes)
    assert (evaluation / "replaced-1" / OUTPUTS).read_bytes() == before
    whole = configure(tmp_path / "whole", data=BUILT, matrix={"condition": ["C2_frozen"]})
    run(whole, serving(lambda _: FailingEngine(set())))
    for cell, folder in cell_folders(config).items():
        assert footprint(folder) == footprint(cell_folders(whole)[cell])
    engine.asked.clear()
    run(config, serving(lambda _: engine), retry_errors=True)
    assert engine.asked == []


def test_without_any_memory_there_is_no_evaluation(tmp_path: Path) -> None:
    config = configure(tmp_path, data=BUILT, matrix={"condition": ["C2_frozen"]})
    broken = {f"mem-en-{number:03d}" for number in range(1, 99)}
    outcome = run(config, serving(lambda _: FailingEngine(broken)))
    assert outcome.stopped is not None
    assert "every sample of memory-cr_v2-C2 failed" in outcome.stopped
    assert len(outcome.cells) == 1


def test_a_named_store_that_was_replaced_is_noticed_and_nothing_is_written_beside_it(tmp_path: Path) -> None:
    first = configure(tmp_path / "first", episodic_memory={"condition": "C2"})
    run(first)
    named = tmp_path / "named.jsonl"
    lines = (only_folder(first) / STORE).read_bytes().splitlines(keepends=True)
    named.write_bytes(b"".join(lines[:10]))
    memory = {"condition": "C2_frozen", "store": str(named)}
    run(configure(tmp_path, episodic_memory=memory))
    assert [path.name for path in tmp_path.glob("named*")] == ["named.jsonl"]
    named.write_bytes(b"".join(lines[:20]))
    with pytest.raises(ConfigError, match="memory store to start from"):
        run(configure(tmp_path, episodic_memory=memory))


def test_a_limit_hides_no_other_stop(tmp_path: Path) -> None:
    config = configure(tmp_path, matrix={"protocol": ["single", "stage1_only"]})
    outcome = run(config, serving(lambda _: FailingEngine({"en-002"})), limit=5, fail_fast=True)
    assert outcome.stopped is not None
    assert len(outcome.cells) == 1


class Noting(Unwatched):
    """Keeps the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_bad_rows_are_told_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text('{"id": "a", "text": "Good soup."}\n{"id": "b"}\nno json\n', encoding="utf-8")
    config = configure(tmp_path, data={"evaluation": {"path": str(file), "format": "jsonl"}})
    watcher = Noting()
    assert run_experiment(config, watcher=watcher).bad_rows == 2
    assert "data.evaluation: 2 of 3 rows cannot be used (row 2: " in watcher.notes[0]


def test_a_restart_does_not_take_a_folder_from_whoever_is_writing(tmp_path: Path) -> None:
    config = configure(tmp_path, matrix={"protocol": ["single", "stage1_only"]})
    run(config)
    folder = next(iter(cell_folders(config).values()))
    with locked(folder), pytest.raises(ConfigError, match="another samsim run"):
        rename_old_folder(config)
    assert folder.exists()


@pytest.mark.parametrize("name", [OUTPUTS, SCORECARDS, TRACES])
def test_a_finished_run_that_lost_a_file_is_done_again(name: str, tmp_path: Path) -> None:
    config = configure(tmp_path)
    run(config)
    before = footprint(only_folder(config))
    (only_folder(config) / name).unlink()
    run(config)
    assert footprint(only_folder(config)) == before


@pytest.mark.parametrize("name", [OUTPUTS, SCORECARDS, TRACES])
def test_what_a_finished_run_lost_is_said_before_it_is_done_again(name: str, tmp_path: Path) -> None:
    config = configure(tmp_path, data={"evaluation": {"name": "reviews", "language": "en", "limit": 6}})
    run(config)
    folder = only_folder(config)
    (folder / name).unlink()
    left = {other: (folder / other).read_bytes() for other in (OUTPUTS, SCORECARDS, TRACES) if other != name}
    watcher = Noting()
    run_experiment(config, watcher=watcher)
    (said,) = watcher.notes
    assert f"{name} is missing, so 6 finished samples will be run again" in said
    assert str(folder / "damaged-1") in said
    assert {path.name: path.read_bytes() for path in (folder / "damaged-1").iterdir()} == left


def test_a_model_is_not_asked_again_for_a_lost_file_unless_that_is_wanted(tmp_path: Path) -> None:
    config = configure(tmp_path, data={"evaluation": {"name": "reviews", "language": "en", "limit": 6}})
    engine = FailingEngine(set())
    source = serving(lambda _: engine)
    run(config, source)
    folder, asked = only_folder(config), len(engine.asked)
    whole = footprint(folder)
    traces = (folder / TRACES).read_bytes()
    (folder / TRACES).unlink()
    with pytest.raises(InputError, match=r"traces\.jsonl is missing, so 6 finished samples would .* --retry-errors"):
        run(config, source)
    assert len(engine.asked) == asked, "nothing is spent"
    (folder / TRACES).write_bytes(b"".join(traces.splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match="damaged after sample 5, so 1 finished sample would"):
        run(config, source)
    (folder / TRACES).write_bytes(traces)
    run(config, source)
    assert len(engine.asked) == asked, "the file was put back"
    (folder / TRACES).unlink()
    run(config, source, retry_errors=True)
    assert len(engine.asked) == 2 * asked
    assert footprint(folder) == whole


def test_a_run_killed_while_it_did_lost_samples_again_resumes(tmp_path: Path) -> None:
    config = configure(tmp_path, data={"evaluation": {"name": "reviews", "language": "en", "limit": 6}})
    source = serving(lambda _: FailingEngine(set()))
    run(config, source)
    folder = only_folder(config)
    whole = footprint(folder)
    for name in (OUTPUTS, SCORECARDS, TRACES):
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(line for line in lines if b"en-001" in line))
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    (folder / MANIFEST).write_text(json.dumps(manifest | {"status": "running"}), encoding="utf-8")
    run(config, source)
    assert footprint(folder) == whole


def test_damage_in_the_middle_is_told_and_the_old_files_are_kept(tmp_path: Path) -> None:
    config = configure(tmp_path)
    run(config, limit=9)
    folder = only_folder(config)
    cards = (folder / SCORECARDS).read_bytes().splitlines(keepends=True)
    (folder / SCORECARDS).write_bytes(b"".join([*cards[:3], b'{"uid": "en-004"}\n', *cards[4:]]))
    outputs = (folder / OUTPUTS).read_bytes()
    watcher = Noting()
    run_experiment(config, watcher=watcher)
    assert "damaged after sample 3" in watcher.notes[0]
    assert (folder / "damaged-1" / OUTPUTS).read_bytes() == outputs
    whole = configure(tmp_path / "whole")
    run(whole)
    assert footprint(folder) == footprint(only_folder(whole))


def test_a_memory_role_added_later_leaves_the_cells_without_memory_alone(tmp_path: Path) -> None:
    evaluation = BUILT["evaluation"]
    run(configure(tmp_path, data={"evaluation": evaluation}, matrix={"condition": ["C1", "C2_silent"]}))
    grown = configure(tmp_path, data=BUILT, matrix={"condition": ["C1", "C2_frozen"]})
    assert [cell.status for cell in run(grown).cells] == ["finished"] * 3


def test_one_seed_or_repeat_more_leaves_the_finished_cells_where_they_are(tmp_path: Path) -> None:
    small = {"evaluation": {"name": "reviews", "language": "en", "limit": 3}}
    one = configure(tmp_path, data=small, matrix={"condition": ["C1", "C2_silent"], "seed": [1]})
    two = configure(tmp_path, data=small, matrix={"condition": ["C1", "C2_silent"], "seed": [1, 2]}, repeats=2)
    assert set(cell_folders(one)) < set(cell_folders(two))


def test_after_too_many_errors_a_run_whose_server_is_well_again_goes_on(tmp_path: Path) -> None:
    config = configure(tmp_path)
    engine = FailingEngine({f"en-{number:03d}" for number in range(1, 60)})
    assert run(config, serving(lambda _: engine), max_error_rate=0.5).stopped is not None
    engine.broken.clear()
    assert run(config, serving(lambda _: engine), max_error_rate=0.5).stopped is None


def test_a_full_disk_is_told_and_what_is_done_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = configure(tmp_path)
    real, room = os.write, 60_000

    def write(descriptor: int, data: memoryview) -> int:
        nonlocal room
        room -= len(data)
        if room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        with pytest.raises(StoreError, match="free disk space and rerun"):
            run(config)
    assert len(rows(only_folder(config) / OUTPUTS)) > 0
    run(config)
    whole = configure(tmp_path / "whole")
    run(whole)
    assert footprint(only_folder(config)) == footprint(only_folder(whole))


def test_a_damaged_tail_is_done_again(tmp_path: Path) -> None:
    config = configure(tmp_path)
    run(config, limit=6)
    folder = only_folder(config)
    for name, tail in ((OUTPUTS, b'{"uid": "en-0'), (SCORECARDS, b"\0" * 40), (TRACES, b"not json\n")):
        with (folder / name).open("ab") as file:
            file.write(tail)
    run(config)
    whole = configure(tmp_path / "whole")
    run(whole)
    assert footprint(folder) == footprint(only_folder(whole))


def test_lost_traces_of_a_counted_sample_are_noticed(tmp_path: Path) -> None:
    config = configure(tmp_path)
    run(config, limit=6)
    folder = only_folder(config)
    kept = (folder / TRACES).read_bytes().split(b"\n")[:-3]
    (folder / TRACES).write_bytes(b"\n".join(kept) + b"\n")
    run(config)
    whole = configure(tmp_path / "whole")
    run(whole)
    assert footprint(folder) == footprint(only_folder(whole))


def test_nothing_is_shown_to_nobody(tmp_path: Path) -> None:
    config = configure(tmp_path, data={"evaluation": {"name": "reviews", "limit": 2}})
    assert run_experiment(config).errors == 0
