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

from samsim.experiments.config import ConfigMistakes, load_config
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


@settings(max_examples=3000, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ROUTES), VALUES), min_size=1, max_size=3))
def test_anything_anywhere(changes: list[tuple[Route, Any]]) -> None:
    content = deepcopy(CONTENT)
    for route, value in changes:
        node = content
        for key in route[:-1]:
            node = node[key] if isinstance(node, list) or (isinstance(node, dict) and key in node) else {}
        if isinstance(node, dict) or (isinstance(node, list) and int(route[-1]) < len(node)):
            node[route[-1]] = value
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), yaml.safe_dump(content, allow_unicode=True))
        lines = path.read_text(encoding="utf-8").count("\n")
        try:
            config = load_config(path)
        except ConfigMistakes as error:
            assert error.mistakes
            assert all(1 <= mistake.place.order[1] <= lines for mistake in error.mistakes)
            assert str(error).endswith("nothing was run.")
        else:
            assert config.cells()
            assert len({cell.cell_id for cell in config.cells()}) == len(config.cells())
            assert config.notes() is not None
            assert config.config_hash() == load_config(path).config_hash()
