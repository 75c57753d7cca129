"""The JSONL store's own promises: its bytes, its journal, its repairs, its snapshot, its processes."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from samsim.durable_files import sync
from samsim.errors import ConfigError, ContractError, StoreError
from samsim.memory.index import KeyReader
from samsim.memory.jsonl import files
from samsim.memory.jsonl.journal import RECORD_SIZE
from samsim.memory.jsonl.store import JsonlStore
from samsim.memory.store import open_store
from tests.memory.store_episodes import episode, signature

WRITERS = 4
EACH = 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "episodic_store.jsonl"


def filled(path: Path, count: int) -> None:
    with closing(JsonlStore(path)) as store:
        for number in range(count):
            store.append(episode(number))


def imported(path: Path, count: int) -> None:
    with closing(JsonlStore(path)) as store:
        whole = (episode(number).with_id(f"epi_{number + 1:06d}") for number in range(count))
        store.import_(entry.model_dump_json() for entry in whole)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def test_lines_are_canonical_and_readable(path: Path) -> None:
    filled(path, 3)
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    for number, line in enumerate(lines, start=1):
        record = json.loads(line)
        assert record["episode_id"] == f"epi_{number:06d}"
        assert "부정의 범위".encode() in line
        assert line == json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def test_every_byte_state_of_a_crashed_append_is_repaired(path: Path) -> None:
    """A crash leaves any part of the new line, then any part of its record: none of it counts, none is lost."""
    filled(path, 3)
    log, journal = path.read_bytes(), beside(path, ".journal").read_bytes()
    start, journal_start = log.rindex(b"\n", 0, -1) + 1, len(journal) - RECORD_SIZE
    states = [(cut, journal_start) for cut in range(start, len(log) + 1, 37)]
    states += [(len(log), cut) for cut in range(journal_start, len(journal))]
    for log_end, journal_end in states:
        path.write_bytes(log[:log_end])
        beside(path, ".journal").write_bytes(journal[:journal_end])
        with closing(JsonlStore(path)) as store:
            assert store.last_seq() == 2
            assert store.append(episode(99)) == "epi_000003"
            assert [entry.stage_snapshot.final.aspects_norm for entry in store.iterate()][2] == ("배터리 99",)
            assert store.verify().ok
            torn = beside(path, ".torn-1")
            if log_end > start:
                assert torn.read_bytes() == log[start:log_end]
                assert str(torn) in store.notices[0]
                assert torn.name in store.verify().notices[0]
                torn.unlink()
            else:
                assert not torn.exists()
                assert store.notices == ()


def test_a_line_is_durable_before_its_record_and_both_before_the_answer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    pwrite = os.pwrite

    def name(fd: int) -> str:
        return "journal" if os.path.samestat(os.fstat(fd), beside(path, ".journal").stat()) else "log"

    def noted_write(fd: int, data: bytes, offset: int) -> int:
        steps.append(f"write {name(fd)}")
        return pwrite(fd, data, offset)

    def noted_sync(fd: int) -> None:
        steps.append(f"sync {name(fd)}")
        sync(fd)

    with closing(JsonlStore(path)) as store:
        monkeypatch.setattr(os, "pwrite", noted_write)
        monkeypatch.setattr(files, "sync", noted_sync)
        store.append(episode(1))
        assert steps == ["write log", "sync log", "write journal", "sync journal"]


def test_a_living_writer_moves_away_what_another_left_behind(path: Path) -> None:
    with closing(JsonlStore(path)) as store:
        store.append(episode(1))
        with path.open("ab") as file:
            file.write(b'{"half": ')
        assert store.append(episode(2)) == "epi_000002"
        assert beside(path, ".torn-1").read_bytes() == b'{"half": '
        assert len(store.notices) == 1
        with path.open("ab") as file:
            file.write(b"again")
        assert store.append(episode(3)) == "epi_000003"
        assert beside(path, ".torn-2").read_bytes() == b"again"
        unfinished = beside(path, ".index.1-2.tmp")
        unfinished.write_bytes(b"of a killed process")
        report = store.compact()
        assert not unfinished.exists()
        assert report.bytes_before > report.bytes_after - beside(path, ".index").stat().st_size
        assert not beside(path, ".torn-1").exists()
        assert not beside(path, ".torn-2").exists()
        assert store.append(episode(4)) == "epi_000004"


def test_readers_do_not_see_bytes_that_are_not_journalled(path: Path) -> None:
    with closing(JsonlStore(path)) as store:
        store.append(episode(1))
        with closing(JsonlStore(path)) as reader:
            size = path.stat().st_size
            with path.open("ab") as file:
                file.write(path.read_bytes())
            assert path.stat().st_size == 2 * size
            assert reader.last_seq() == 1
            assert len(list(reader.iterate())) == 1
            assert len(reader.query(signature(1), "품질", 5)) == 1
            assert reader.get("epi_000002") is None


def test_a_reader_sees_what_another_opened_store_writes(path: Path) -> None:
    with closing(JsonlStore(path)) as writer, closing(JsonlStore(path)) as reader:
        assert reader.query(signature(1), "품질", 3) == []
        for number in (1, 61, 121):
            episode_id = writer.append(episode(number))
            best = reader.query(episode(number).input_signature, "", 1)[0]
            assert best.entry.episode_id == episode_id


def test_a_reader_forgets_what_a_writer_took_back(path: Path) -> None:
    """A writer whose sync failed cuts its record off again; another episode then gets the number."""
    filled(path, 2)
    log, journal = path.stat().st_size, beside(path, ".journal").stat().st_size
    with closing(JsonlStore(path)) as reader, closing(JsonlStore(path)) as writer:
        writer.append(episode(1))
        assert len(reader.query(signature(1), "", 9)) == 2
        os.truncate(beside(path, ".journal"), journal)
        os.truncate(path, log)
        writer.append(episode(2))
        found = {hit.entry.stage_snapshot.final.aspects_norm[0] for hit in reader.query(signature(1), "", 9)}
        assert found == {"배터리 1"}


def _append_many(path: Path, worker: int) -> None:
    with closing(JsonlStore(path)) as store:
        for number in range(EACH):
            store.append(episode(worker * EACH + number))


def test_four_processes_append_without_a_gap_or_a_double(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_append_many, args=(path, worker)) for worker in range(WRITERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * WRITERS
    with closing(JsonlStore(path)) as store:
        entries = list(store.iterate())
        assert [entry.episode_id for entry in entries] == [f"epi_{n:06d}" for n in range(1, WRITERS * EACH + 1)]
        assert len({entry.stage_snapshot.final.aspects_norm for entry in entries}) == WRITERS * EACH
        assert store.verify().ok
        assert store.notices == ()


def test_threads_share_one_store(path: Path) -> None:
    with closing(JsonlStore(path)) as store, ThreadPoolExecutor(WRITERS) as pool:

        def work(number: int) -> tuple[str, int]:
            return store.append(episode(number)), len(store.query(episode(number).input_signature, "", 1))

        done = list(pool.map(work, range(EACH)))
        assert sorted(episode_id for episode_id, _ in done) == [f"epi_{seq:06d}" for seq in range(1, EACH + 1)]
        assert {found for _, found in done} == {1}
        assert store.verify().ok


def test_the_filters_can_be_lifted(path: Path) -> None:
    filled(path, 4)
    with closing(JsonlStore(path)) as store:

        def found(same_language: bool, overlap: bool) -> set[str]:
            hits = store.query(
                signature(1), "", 9, require_same_language=same_language, require_structure_overlap=overlap
            )
            return {hit.entry.episode_id for hit in hits}

        assert found(True, True) == {"epi_000002"}
        assert found(True, False) == {"epi_000001", "epi_000002", "epi_000003"}
        assert found(False, True) == {"epi_000002", "epi_000004"}
        assert len(found(False, False)) == 4


def test_a_current_snapshot_spares_reading_the_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(path, 5000)
    with closing(JsonlStore(path)) as store:
        expected = store.query(signature(1), "NEGATION_SCOPE 품질", 5)
    read: list[bytes] = []
    key_of = KeyReader.key_of

    def counted(self: KeyReader, line: bytes) -> object:
        read.append(line)
        return key_of(self, line)

    monkeypatch.setattr(KeyReader, "key_of", counted)
    with closing(JsonlStore(path)) as store:
        assert store.query(signature(1), "NEGATION_SCOPE 품질", 5) == expected
        assert len(read) == 2, "only the first and the last line are compared with the snapshot"
        store.append(episode(7))
        store.query(signature(1), "", 1)
        assert len(read) == 3


@pytest.mark.parametrize("case", ["torn", "missing", "of another log", "behind"])
def test_a_snapshot_that_does_not_match_is_made_again(path: Path, case: str) -> None:
    imported(path, 300)
    index = beside(path, ".index")
    with closing(JsonlStore(path)) as store:
        store.query(signature(1), "", 1)
    snapshot = index.read_bytes()
    with closing(JsonlStore(path)) as store:
        for number in range(5):
            store.append(episode(number))
        expected = store.query(signature(1), "품질", 9)
    if case == "torn":
        index.write_bytes(snapshot[: len(snapshot) // 2])
    elif case == "missing":
        index.unlink()
    elif case == "of another log":
        other = path.with_name("other.jsonl")
        with closing(JsonlStore(other)) as store:
            store.import_(episode(0).with_id(f"epi_{n:06d}").model_dump_json() for n in range(1, 301))
            store.query(signature(1), "", 1)
        index.write_bytes(beside(other, ".index").read_bytes())
    with closing(JsonlStore(path)) as store:
        assert store.query(signature(1), "품질", 9) == expected


def test_an_exported_file_is_adopted_as_a_store(path: Path, tmp_path: Path) -> None:
    filled(path, 3)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(path.read_bytes() + b'{"torn')
    with closing(JsonlStore(copy)) as store:
        assert store.last_seq() == 3
        assert "no journal" in store.notices[0]
        assert "torn-1" in store.notices[1]
        assert store.append(episode(3)) == "epi_000004"
        assert store.verify().ok


@pytest.mark.parametrize("content", [b"not json\n", b"{}\n", b"\n"])
def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(StoreError, match=r"line 1 .*import"):
        JsonlStore(file)
    assert file.read_bytes() == content
    assert not beside(file, ".journal").exists()


def test_damage_is_found_and_named(path: Path) -> None:
    filled(path, 5)
    data = bytearray(path.read_bytes())
    second = data.index(b"\n") + 50
    data[second] ^= 1
    path.write_bytes(data)
    with closing(JsonlStore(path)) as store:
        report = store.verify()
        assert not report.ok
        assert (report.episodes, report.last_seq) == (4, 5)
        assert len(report.problems) == 1
        assert report.problems[0].startswith("epi_000002")
        with pytest.raises(StoreError, match="epi_000002"):
            store.get("epi_000002")
        with pytest.raises(StoreError, match="damaged"):
            store.compact()
        assert store.get("epi_000003") is not None


def test_a_log_shorter_than_its_journal_is_an_error(path: Path) -> None:
    filled(path, 3)
    os.truncate(path, path.stat().st_size - 10)
    with pytest.raises(StoreError, match="epi_000003"):
        JsonlStore(path)


def test_a_forbidden_field_smuggled_into_the_file_is_refused_on_read(path: Path) -> None:
    filled(path, 1)
    record = json.loads(path.read_bytes())
    record["case_summary"]["gold_label"] = "positive"
    with closing(JsonlStore(path.with_name("other.jsonl"))) as store:
        with pytest.raises(ContractError, match="gold_label"):
            store.import_([json.dumps(record)])
        assert store.last_seq() == 0


def test_a_replaced_file_is_noticed_before_an_append_is_lost(path: Path) -> None:
    with closing(JsonlStore(path)) as store:
        store.append(episode(1))
        path.rename(path.with_name("moved"))
        with pytest.raises(StoreError, match="replaced or deleted"):
            store.append(episode(2))


def test_ids_grow_longer_when_six_digits_run_out() -> None:
    from samsim.memory.store import episode_id_of, seq_of

    assert episode_id_of(1_000_000) == "epi_1000000"
    assert [seq_of(name) for name in ("epi_000001", "epi_1000000", "epi_0000001", "epi_1", "epi_000000")] == [
        1,
        1_000_000,
        None,
        None,
        None,
    ]


def test_the_content_hash_ignores_the_clock_only(path: Path) -> None:
    hashes = []
    for name, time, symptom in (("a", "00", "품질"), ("b", "59", "품질"), ("c", "00", "품질이")):
        with closing(JsonlStore(path.with_name(name))) as store:
            draft = episode(1, symptom)
            clock = draft.provenance.model_copy(update={"timestamp": f"2026-01-02T03:04:{time}Z"})
            store.append(draft.model_copy(update={"provenance": clock}))
            hashes.append(store.content_hash())
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_closed_store_says_so(path: Path) -> None:
    store = JsonlStore(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.last_seq()


def test_export_is_the_file(path: Path) -> None:
    filled(path, 3)
    with closing(JsonlStore(path)) as store:
        out = io.BytesIO()
        assert store.export(out) == 3
        assert out.getvalue() == path.read_bytes()


def test_an_unknown_kind_of_store_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match=re.escape("mysql://")):
        open_store("mysql://host/db")
