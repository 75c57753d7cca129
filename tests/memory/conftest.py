"""Places for stores of either kind. Whoever asks for PostgreSQL names ``tests.servers.postgres`` as a plugin."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

BACKENDS = ["jsonl", "postgres"]


@pytest.fixture
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Makes places for stores: a file name, or the address of an empty database."""
    numbers = count(1)

    def make(backend: str) -> str:
        if backend == "postgres":
            return str(request.getfixturevalue("postgres").new_database())
        return str(tmp_path / f"store_{next(numbers)}.jsonl")

    return make


@pytest.fixture(params=BACKENDS)
def place(request: pytest.FixtureRequest, new_place: Callable[[str], str]) -> str:
    return new_place(request.param)
