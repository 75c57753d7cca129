"""Texts and gold written in samsim's own format, which reads back as exactly the same."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samsim.arguments import check_place
from samsim.data.gold import GoldSample, load_gold
from samsim.data.registry import LoadedSamples, load_samples, require_some
from samsim.data.samples import RowProblem, Sample
from samsim.data.sources import DataSource
from samsim.durable_files import new_file
from samsim.errors import ConfigError
from samsim.safe_json import safe_json


@dataclass(frozen=True, slots=True)
class ConvertedData:
    """What ``convert_data`` wrote to ``path``.

    ``texts`` is how many texts, ``with_gold`` how many of them have gold. ``problems`` are the rows that could not be
    used, each with its ``row`` and ``reason``; they are not in the file.
    """

    path: Path
    texts: int
    with_gold: int
    problems: tuple[RowProblem, ...]


def convert_data(
    source: DataSource | str | Path, path: str | Path, *, overwrite: bool = False, **options: Any
) -> ConvertedData:
    """Write texts and gold to a file in samsim's own format, a JSON line per text.

    ``source`` and ``options`` are those of ``load_samples``. The file appears when it is complete; one that is there
    already stays unless ``overwrite`` is set. A source without any usable text is an ``InputError``, and a file that
    cannot be written a ``ConfigError``.
    """
    check_place(path, "path", "the path of a .jsonl file")
    loaded = load_samples(source, **options)
    require_some(loaded)
    return write_converted(loaded, Path(path), overwrite=overwrite)


def write_converted(loaded: LoadedSamples, path: Path, *, overwrite: bool) -> ConvertedData:
    """Write texts that were read, with their gold."""
    if path.suffix.lower() == ".csv":
        raise ConfigError(f"{path.name} would hold JSON lines, not CSV. End the name in .jsonl.")
    if loaded.file is not None and path.exists() and path.samefile(loaded.file):
        raise ConfigError(f"{path} is the input itself. Give the results another name.")
    gold = load_gold(loaded.source)
    with new_file(path, overwrite=overwrite) as file:
        for sample in loaded.samples:
            file.write(safe_json(own_line(sample, gold.get(sample.uid))).encode("utf-8") + b"\n")
    return ConvertedData(path, len(loaded.samples), len(gold), loaded.problems)


def own_line(sample: Sample, gold: GoldSample | None) -> str:
    """Return one text as a JSON document; without gold its ``tuples`` are null."""
    record = {
        "uid": sample.uid,
        "language": sample.language,
        "text": sample.text,
        "tuples": None if gold is None else [item.model_dump() for item in gold.tuples],
        "tags": [] if gold is None else gold.tags,
    }
    return json.dumps(record, ensure_ascii=False)
