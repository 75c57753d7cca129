"""Opinion lexicons shipped with the package: one TSV per language, read lazily and only once.

Their sources and licenses are listed in ``docs/data-cards/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@cache
def load_scores(name: str) -> Mapping[str, float]:
    """Read ``language/data/{name}.tsv``: one ``key<TAB>score`` per line; lines starting with ``#`` are comments."""
    text = files("samsim.language").joinpath("data", f"{name}.tsv").read_text(encoding="utf-8")
    scores: dict[str, float] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, score = line.split("\t")[:2]
            scores[key] = float(score)
    return MappingProxyType(scores)
