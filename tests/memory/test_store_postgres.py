"""What is special to the PostgreSQL store: its order, its errors and its secrets, on a real server."""

from __future__ import annotations

import io
import json
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samsim.errors import ConfigError, ContractError, StoreError
from samsim.memory import postgres as postgres_store
from samsim.memory.postgres import PostgresStore, public_place
from samsim.memory.scoring import passes_filters
from samsim.memory.store import MemoryStore, episode_id_of, open_store
from tests.memory.test_store_contract import draft, filled, signature, varied

if TYPE_CHECKING:
    from tests.servers.postgres import PostgresServer

# pytest loads the plugin itself; an import of it up here would come too early.
pytest_plugins = ["tests.servers.postgres"]

SECRET = "s3cret"


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    assert SECRET in postgres.password
    return postgres.new_database()


@pytest.fixture
def store(url: str) -> Iterator[MemoryStore]:
    with closing(filled(url, varied(3))) as opened:
        yield opened


def database_of(url: str) -> str:
    return url.split("@/")[1].split("?")[0]


def assert_tells_no_secret(error: BaseException) -> None:
    told = "".join(traceback.format_exception(error))
    assert SECRET not in told


USES: list[Callable[[MemoryStore], object]] = [
    lambda store: store.append(draft()),
    lambda store: list(store.iterate()),
    lambda store: store.get("epi_000001"),
    lambda store: store.query(signature(), "품질", 3),
    lambda store: store.last_seq(),
    lambda store: store.verify(),
    lambda store: store.compact(),
    lambda store: store.export(io.BytesIO()),
    lambda store: store.import_([]),
    lambda store: store.content_hash(),
]


@pytest.mark.parametrize("use", USES)
def test_a_lost_connection_is_explained_and_the_next_call_connects_anew(
    postgres: PostgresServer, url: str, store: MemoryStore, use: Callable[[MemoryStore], object]
) -> None:
    postgres.cut_connections(url)
    with pytest.raises(StoreError, match="Check that the server runs, then try again") as lost:
        use(store)
    assert_tells_no_secret(lost.value)
    use(store)
    assert store.verify().ok


def test_a_connection_lost_while_writing_leaves_no_gap(postgres: PostgresServer, url: str, store: MemoryStore) -> None:
    def lines() -> Iterator[bytes]:
        yield draft().with_id("epi_000004").model_dump_json().encode()
        postgres.cut_connections(url)

    with pytest.raises(StoreError, match="first check whether it is there"):
        store.import_(lines())
    assert store.append(draft()) == "epi_000004"
    assert store.verify().ok


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda url: url.replace(SECRET, f"wrong-{SECRET}"), "password authentication failed"),
        (lambda url: url.replace("@/store", "@/nowhere"), "does not exist"),
        (lambda url: url.split("?")[0] + "?host=%2Fno%2Fsuch%2Ffolder", "No such file"),
        (lambda url: url + "&port=1", "1"),
    ],
)
def test_a_store_that_cannot_be_opened_says_what_to_check(url: str, change: Callable[[str], str], reason: str) -> None:
    with pytest.raises(StoreError, match="Check that the server runs, and the host, user, password") as refused:
        open_store(change(url))
    assert reason in str(refused.value)
    assert_tells_no_secret(refused.value)


@pytest.mark.parametrize("character", ["/", "?", "#", "["])
def test_a_password_that_breaks_its_url_is_not_repeated(character: str) -> None:
    with pytest.raises(ConfigError, match="%2F") as refused:
        open_store(f"postgresql://me:{SECRET}{character}5@host/db")
    assert_tells_no_secret(refused.value)


@pytest.mark.parametrize("ending", ["&nonsense=1", "&%zz", "&password=%zz", "&host"])
def test_a_url_that_cannot_be_read_is_not_repeated(url: str, ending: str) -> None:
    for broken in (url + ending, url.replace(SECRET, f"%zz{SECRET}") + ending):
        with pytest.raises(ConfigError, match="cannot be parsed") as refused:
            open_store(broken)
        assert_tells_no_secret(refused.value)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://me:s3cret@host:5433/db", "postgresql://me@host:5433/db"),
        ("postgresql://me:s3@cret@host/db", "postgresql://me@host/db"),
        ("postgres://host/db?password=s3cret&user=me", "postgresql://me@host/db"),
        ("postgresql://me:s3cret@/db?host=%2Frun%2Fpg", "postgresql://me@/run/pg/db"),
        ("postgresql://a:1,b:2/db?sslpassword=s3cret", "postgresql://a:1,b:2/db"),
        ("postgresql://", "postgresql:///"),
    ],
)
def test_the_place_shown_has_no_password(url: str, place: str) -> None:
    assert public_place(url) == place


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"pip install 'samsim\[postgres\]'"):
        PostgresStore("postgresql://me@host/db")


def test_a_number_is_given_only_when_the_one_before_it_is_visible(
    url: str, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    with psycopg.connect(url) as other:
        other.execute("UPDATE samsim_memory SET last_seq = last_seq + 1")
        monkeypatch.setattr(postgres_store, "LOCK_SECONDS", 0.05)
        with pytest.raises(StoreError, match="Another writer has held the store"):
            store.append(draft())
        assert [entry.episode_id for entry in store.iterate()] == [episode_id_of(number) for number in (1, 2, 3)]
        other.rollback()
    assert store.append(draft()) == "epi_000004"


def test_threads_may_share_a_store(store: MemoryStore) -> None:
    given: list[str] = []

    def write() -> None:
        for _ in range(10):
            given.append(store.append(draft()))
            assert store.query(signature(), "NEGATION_SCOPE", 3)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(given) == [episode_id_of(number) for number in range(4, 44)]
    assert store.verify().ok


def test_several_may_create_the_store_at_once(url: str) -> None:
    given: list[str] = []

    def write() -> None:
        with closing(open_store(url)) as opened:
            given.append(opened.append(draft()))

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(given) == [episode_id_of(number) for number in range(1, 7)]


def test_a_forbidden_field_in_the_database_is_refused_on_read(
    postgres: PostgresServer, url: str, store: MemoryStore
) -> None:
    record = draft().with_id("epi_000002").model_dump(mode="json")
    record["case_summary"]["gold_polarity"] = "positive"
    line = json.dumps(record, ensure_ascii=False).replace("'", "''")
    postgres.run(f"UPDATE samsim_episodes SET line = '{line}' WHERE seq = 2", database_of(url))
    for use in (
        lambda: list(store.iterate()),
        lambda: store.get("epi_000002"),
        lambda: store.query(signature(), "x", 3),
        lambda: store.export(io.BytesIO()),
        store.content_hash,
    ):
        with pytest.raises(ContractError, match=r"epi_000002.*gold_polarity"):
            use()
    assert len(list(store.iterate(as_of=1))) == 1
    problems = store.verify().problems
    assert len(problems) == 1
    assert "gold_polarity" in problems[0]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("DELETE FROM samsim_episodes WHERE seq = 2", "1 of 3 episodes are missing"),
        ("DELETE FROM samsim_episodes WHERE seq = 3", "1 of 3 episodes are missing"),
        ("UPDATE samsim_memory SET last_seq = 2", "the counter is at 2"),
        (
            "UPDATE samsim_episodes SET line = line || ' ' WHERE seq = 1",
            "epi_000001: the line is not in canonical form",
        ),
        ("UPDATE samsim_episodes SET line = 'x' WHERE seq = 1", "epi_000001: not a JSON line"),
        (
            "UPDATE samsim_episodes a SET line = b.line FROM samsim_episodes b WHERE a.seq = 1 AND b.seq = 2",
            "epi_000002",
        ),
    ],
)
def test_verify_names_the_damage(
    postgres: PostgresServer, url: str, store: MemoryStore, damage: str, problem: str
) -> None:
    assert store.verify().ok
    postgres.run(damage, database_of(url))
    report = store.verify()
    assert not report.ok
    assert problem in " ".join(report.problems)
    assert report.episodes == (3 if "counter" in problem else 2)


@pytest.mark.parametrize("seq", [2, 3])
def test_a_missing_episode_is_never_passed_over(
    postgres: PostgresServer, url: str, store: MemoryStore, seq: int
) -> None:
    postgres.run(f"DELETE FROM samsim_episodes WHERE seq = {seq}", database_of(url))
    for use in (lambda: list(store.iterate()), lambda: store.get(episode_id_of(seq)), store.content_hash):
        with pytest.raises(StoreError, match=f"{episode_id_of(seq)} is missing"):
            use()


@pytest.mark.parametrize("line", ["x", "[]", "{}", '{"episode_id":"epi_000001"}'])
def test_a_row_that_is_no_record_is_neither_exported_nor_hashed(
    postgres: PostgresServer, url: str, store: MemoryStore, line: str
) -> None:
    postgres.run(f"UPDATE samsim_episodes SET line = '{line}' WHERE seq = 2", database_of(url))
    for use in (lambda: store.export(io.BytesIO()), store.content_hash):
        with pytest.raises(StoreError, match="epi_000002: "):
            use()
    with pytest.raises((StoreError, ContractError), match="epi_000002: "):
        store.query(signature(), "x", 3)


def test_another_layout_is_refused(postgres: PostgresServer, url: str, store: MemoryStore) -> None:
    postgres.run("UPDATE samsim_memory SET layout = 2", database_of(url))
    with pytest.raises(StoreError, match="layout 2, this one reads 1"):
        open_store(url)


def test_a_database_that_cannot_keep_every_character_is_refused(postgres: PostgresServer) -> None:
    postgres.run("CREATE DATABASE plain ENCODING 'SQL_ASCII' TEMPLATE template0")
    with pytest.raises(StoreError, match="UTF8"):
        open_store(postgres.url("plain"))


def test_tables_that_are_gone_are_named(postgres: PostgresServer, url: str, store: MemoryStore) -> None:
    postgres.run("DROP TABLE samsim_episodes", database_of(url))
    with pytest.raises(StoreError, match="restore them, or import an export"):
        store.append(draft())


def test_a_reader_without_the_right_to_write_can_read(postgres: PostgresServer, url: str, store: MemoryStore) -> None:
    database = database_of(url)
    postgres.run(f"CREATE ROLE reader LOGIN PASSWORD '{postgres.password}'", database)
    postgres.run("GRANT SELECT ON samsim_memory, samsim_episodes TO reader", database)
    with closing(open_store(url.replace("tester:", "reader:"))) as reading:
        assert reading.verify().ok
        assert reading.query(signature(), "품질", 3) == store.query(signature(), "품질", 3)
        with pytest.raises(StoreError, match="Let the user read and write samsim_memory"):
            reading.append(draft())
    with pytest.raises(StoreError, match="or create them"):
        open_store(postgres.new_database().replace("tester:", "reader:"))


def test_a_server_without_writes_is_explained(postgres: PostgresServer, url: str, store: MemoryStore) -> None:
    with (
        closing(open_store(url + "&options=-cdefault_transaction_read_only%3Don")) as reading,
        pytest.raises(StoreError, match="the URL of the primary"),
    ):
        reading.append(draft())


def test_more_episodes_than_one_page(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_store, "_BATCH", 4)
    drafts = varied(21)
    lines = [one.with_id(episode_id_of(n)).model_dump_json() for n, one in enumerate(drafts, start=1)]
    alike = [one for one in drafts if passes_filters(signature(), one.input_signature)]
    with closing(open_store(url)) as opened:
        assert opened.import_(lines[:9]) == 9
        assert opened.import_(lines) == 12
        assert [entry.episode_id for entry in opened.iterate()] == [episode_id_of(n) for n in range(1, 22)]
        assert len(opened.query(signature(), "품질", 50)) == len(alike)
        assert opened.verify().ok


@pytest.mark.usefixtures("postgres")
def test_the_test_server_leaves_nothing_behind() -> None:
    from tests.servers.postgres import postgres_server

    with postgres_server() as server:
        process = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
        assert Path(f"/proc/{process}").exists()
    assert not Path(f"/proc/{process}").exists()
    assert not server.folder.exists()
