"""Replace the rows of failed and partial samples that were run again; all others stay byte for byte.

New versions of the three files are written to a separate folder and moved into place when they are complete. If the
process dies in between, the next start either finds the old files or finishes the move.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from samsim.durable_files import sync, sync_folder
from samsim.experiments.artefacts import LINE_FILES, OUTPUTS, SCORECARDS, TRACES
from samsim.experiments.projection import SampleLines
from samsim.json_text import read_json

RETRY_FOLDER = "retry"
_COMPLETE = "complete"


def finish_replacing(folder: Path) -> None:
    """Move complete new files into place, or delete incomplete ones."""
    beside = folder / RETRY_FOLDER
    if not beside.exists():
        return
    if (beside / _COMPLETE).exists():
        for name in LINE_FILES:
            if (beside / name).exists():
                (beside / name).replace(folder / name)
        sync_folder(folder)
    shutil.rmtree(beside)


def replace_rows(folder: Path, renewed: Mapping[str, SampleLines]) -> None:
    """Replace the lines of these samples by their new ones."""
    beside = folder / RETRY_FOLDER
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    traces = _traces_by_sample(folder / TRACES)
    with (
        (folder / OUTPUTS).open("rb") as outputs,
        (folder / SCORECARDS).open("rb") as cards,
        (beside / OUTPUTS).open("wb") as new_outputs,
        (beside / SCORECARDS).open("wb") as new_cards,
        (beside / TRACES).open("wb") as new_traces,
    ):
        waiting = next(traces, None)
        for row, card in zip(outputs, cards, strict=True):
            uid = read_json(row)["uid"]
            calls = b""
            if waiting is not None and waiting[0] == uid:
                calls, waiting = waiting[1], next(traces, None)
            new = renewed.get(uid)
            new_traces.write(new.traces if new is not None else calls)
            new_cards.write(new.scorecard if new is not None else card)
            new_outputs.write(new.outputs if new is not None else row)
        for file in (new_traces, new_cards, new_outputs):
            file.flush()
            sync(file.fileno())
    (beside / _COMPLETE).touch()
    sync_folder(beside)
    finish_replacing(folder)


def _traces_by_sample(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each sample that has calls, in order, with its lines."""
    owner: str | None = None
    lines: list[bytes] = []
    with path.open("rb") as file:
        for line in file:
            uid = read_json(line, recorded=True)["uid"]
            if owner is not None and uid != owner:
                yield owner, b"".join(lines)
                lines = []
            owner = uid
            lines.append(line)
    if owner is not None:
        yield owner, b"".join(lines)
