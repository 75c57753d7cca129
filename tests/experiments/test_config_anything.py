"""Whatever is put anywhere in a configuration, it is valid or its mistakes are told; nothing else happens."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.experiments.config import ConfigMistakes, ExperimentConfig, load_config
from tests.experiments.config_files import RICH, write

Route = tuple[str | int, ...]


def _routes(node: Any, route: Route = ()) -> Iterator[Route]:
    if route:
        yield route
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in items:
        yield from _routes(child, (*route, key))


CONTENT = yaml.safe_load(RICH)
ROUTES = list(_routes(CONTENT))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 10**12)
    | st.floats(allow_nan=False)
    | st.sampled_from(["C2", "cr_v2", "reviews", "embedded", "openai:x", "a.yaml", "epoch:0", "", "1.2", "~", "://"])
    | st.text(max_size=8)
)
KEYS = st.sampled_from(sorted({key for route in ROUTES for key in route if isinstance(key, str)})) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


def _put(content: Any, route: Route, value: Any) -> None:
    """Put a value where the route leads, if an earlier one has not taken the place away."""
    try:
        for key in route[:-1]:
            content = content[key]
        content[route[-1]] = value
    except (KeyError, IndexError, TypeError):
        return


def _mistakes_or_config(path: Path) -> ConfigMistakes | ExperimentConfig:
    try:
        return load_config(path)
    except ConfigMistakes as error:
        return error


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ROUTES), VALUES), min_size=1, max_size=3))
def test_anything_anywhere(changes: list[tuple[Route, Any]]) -> None:
    content = deepcopy(CONTENT)
    for route, value in changes:
        _put(content, route, value)
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), yaml.safe_dump(content, allow_unicode=True))
        lines = path.read_text(encoding="utf-8").count("\n")
        found = _mistakes_or_config(path)
        if isinstance(found, ConfigMistakes):
            assert found.mistakes
            assert all(1 <= mistake.place.order[1] <= lines for mistake in found.mistakes)
        else:
            assert len({cell.cell_id.casefold() for cell in found.cells()}) == len(found.cells()) > 0
            assert all(isinstance(note, str) for note in found.notes())
            assert found.config_hash() == load_config(path).config_hash()
