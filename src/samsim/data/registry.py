"""Texts by source. Annotations are dropped here; only ``samsim.data.gold`` gives access to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samsim.data.format_table import FORMATS, FormatInfo
from samsim.data.formats.reading import Reading, read_source
from samsim.data.samples import RowProblem, Sample
from samsim.data.selection import fingerprint, select
from samsim.data.shipped import SHIPPED, load_shipped
from samsim.data.sources import DataSource, as_source
from samsim.errors import InputError
from samsim.plurals import how_many

__all__ = ["FORMATS", "SHIPPED", "FormatInfo", "LoadedSamples", "load_samples", "require_some"]


@dataclass(frozen=True, slots=True)
class LoadedSamples:
    """The texts of a source, with an account of all rows of its file.

    ``total_rows`` is ``usable_rows`` plus one of ``problems`` for each bad row. ``samples`` are the selected
    ones among the usable rows; several rows may form one sample (a row per tuple).
    ``notes`` are about rows that are used. ``sha256`` is over the uids and texts of the samples, in order.
    """

    source: DataSource
    samples: tuple[Sample, ...]
    problems: tuple[RowProblem, ...]
    notes: tuple[RowProblem, ...]
    total_rows: int
    usable_rows: int
    sha256: str
    format: str
    file: Path | None


def load_samples(source: DataSource | str | Path, **options: Any) -> LoadedSamples:
    """Read texts from a shipped set ("reviews", "ko_triplets", …), a file, or a folder with one file per split.

    ``options`` are those of a ``DataSource``: format, split, language, limit, sample, sample_seed, columns, encoding.
    """
    source = as_source(source, **options)
    if source.name is not None:
        shipped = load_shipped(source.name, source.split)
        samples = select(shipped, source)
        total = len(shipped)
        return LoadedSamples(source, samples, (), (), total, total, fingerprint(samples), "samsim", None)
    return samples_of(source, read_source(source))


def samples_of(source: DataSource, reading: Reading) -> LoadedSamples:
    """Return the selected texts of a file that was read."""
    samples = select([entry.sample for entry in reading.entries], source)
    return LoadedSamples(
        source=source,
        samples=samples,
        problems=reading.problems,
        notes=reading.notes,
        total_rows=reading.total_rows,
        usable_rows=reading.usable_rows,
        sha256=fingerprint(samples),
        format=reading.format,
        file=reading.file,
    )


def require_some(loaded: LoadedSamples) -> None:
    """Raise ``InputError`` with the reason if there is no text."""
    if loaded.samples:
        return
    why = f"all rows are bad ({loaded.total_rows:,})" if loaded.total_rows else "there are no rows"
    if loaded.usable_rows:
        why = f"none of {how_many(loaded.usable_rows, 'usable row')} is in the requested language"
    raise InputError(f"Nothing to read in {loaded.source.describe()}: {why}. Check the file and its format.")
