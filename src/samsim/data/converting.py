"""Writing texts and gold in samsim's own format, which reads back as exactly the same."""

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
    """The result of ``convert_data``, written to ``path``.

    ``texts`` is the number of texts, ``with_gold`` the number of those with gold. ``problems`` lists the unusable
    rows, each with its ``row`` and ``reason``; they are not in the file.
    """

    path: Path
    texts: int
    with_gold: int
    problems: tuple[RowProblem, ...]


def convert_data(
    source: DataSource | str | Path, path: str | Path, *, overwrite: bool = False, **options: Any
) -> ConvertedData:
    """Write texts and gold to a file in samsim's own format, one JSON object per line.

    ``source`` and ``options`` are those of ``load_samples``. The file appears only when it is complete; an existing
    one is kept unless ``overwrite`` is set. Raises ``InputError`` if the source has no usable text, and
    ``ConfigError`` if the file cannot be written.
    """
    check_place(path, "path", "the path of a .jsonl file")
    loaded = load_samples(source, **options)
    require_some(loaded)
    return write_converted(loaded, Path(path), overwrite=overwrite)


def write_converted(loaded: LoadedSamples, path: Path, *, overwrite: bool) -> ConvertedData:
    """Write the loaded texts with their gold."""
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
    """Return one text as a line of JSON; without gold its ``tuples`` are null."""
    record = {
        "uid": sample.uid,
        "language": sample.language,
        "text": sample.text,
        "tuples": None if gold is None else [item.model_dump() for item in gold.tuples],
        "tags": [] if gold is None else gold.tags,
    }
    return json.dumps(record, ensure_ascii=False)
