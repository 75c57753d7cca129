"""The store a run starts from: a file or a database, copied whole, known by its content."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samsim.errors import StoreError
from samsim.experiments.run_folder.store import copy_store, store_digest, wind_back
from samsim.memory.store import open_store
from tests.memory.test_store_contract import draft, filled, varied

if TYPE_CHECKING:
    from tests.servers.postgres import PostgresServer

pytest_plugins = ["tests.servers.postgres"]


def content_of(place: str | Path) -> tuple[int, str]:
    with closing(open_store(place)) as store:
        return store.last_seq(), store.content_hash()


def test_a_run_starts_with_the_episodes_of_a_database(postgres: PostgresServer, tmp_path: Path) -> None:
    address, copy = postgres.new_database(), tmp_path / "store.jsonl"
    filled(address, varied(5)).close()
    known = store_digest(address)
    assert copy_store(address, copy) == 5
    assert content_of(copy) == content_of(address)
    with closing(open_store(address)) as store:
        store.append(draft())
    assert store_digest(address) != known
    assert content_of(copy)[0] == 5


def test_what_was_there_before_is_replaced(tmp_path: Path) -> None:
    base, copy = tmp_path / "base.jsonl", tmp_path / "run" / "store.jsonl"
    copy.parent.mkdir()
    filled(str(base), varied(3)).close()
    filled(str(copy), varied(7)).close()
    assert copy_store(base, copy) == 3
    assert content_of(copy) == content_of(base)
    assert (copy_store(None, copy), store_digest(None)) == (0, None)


def test_a_store_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no memory store"):
        store_digest(tmp_path / "nowhere.jsonl")
    with pytest.raises(StoreError, match="is not a regular file"):
        copy_store(tmp_path, tmp_path / "run.jsonl")


def test_a_store_with_fewer_episodes_than_the_run_speaks_of_is_an_error(tmp_path: Path) -> None:
    place = tmp_path / "store.jsonl"
    filled(str(place), varied(4)).close()
    with pytest.raises(StoreError, match="holds 4 whole episodes, but the run's outputs mention 5"):
        wind_back(place, 5)
    with place.open("ab") as torn:
        torn.write(b'{"torn')
    wind_back(place, 3)
    assert content_of(place)[0] == 3
