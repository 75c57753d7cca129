"""A run on disk, read back: the manifest, and the samples with what was decided and what it was worth.

Each fact is in one file; ``Run.samples`` joins outputs and scorecards by ``uid``. Nothing here can ask
an engine or find gold: what is not in the files is missing, and ``Run.problems`` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from samsim.errors import InputError
from samsim.json_text import JsonError, read_json
from samsim.schemas.results import SampleResult
from samsim.schemas.runs import FORMAT_VERSION, DataRecord, Manifest
from samsim.schemas.scorecards import Scorecard

MANIFEST = "manifest.json"
OUTPUTS = "outputs.jsonl"
TRACES = "traces.jsonl"
SCORECARDS = "scorecards.jsonl"
STORE = "store.jsonl"

_BLOCK = 1 << 20
# What a line of outputs leaves to the scorecards and the traces.
NOT_IN_OUTPUTS: dict[str, Any] = {
    "memory": True,
    "evaluation": True,
    "calls": {"__all__": {"messages", "attempts", "cached", "engine"}},
}


@dataclass(frozen=True, slots=True)
class RunSample:
    """One sample of a run: its result or its error, and its scorecard if there is one."""

    uid: str
    result: SampleResult | None
    error: str | None
    card: Scorecard | None


class Run:
    """One run folder. Lines are read when they are asked for, so that a long run does not fill the memory."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @property
    def name(self) -> str:
        """How tables call this run."""
        return self.manifest.cell.cell_id

    @property
    def data(self) -> DataRecord | None:
        """What it was run over: the texts to evaluate, or those that fill the memory."""
        role = "memory" if self.manifest.cell.kind == "memory_building" else "evaluation"
        return self.manifest.data.get(role)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """What is missing, in words; each says which measures cannot be had without it.

        What counts is what the files hold, not what the manifest says was done.
        """
        outputs, cards = (_count_lines(self.path / name) for name in (OUTPUTS, SCORECARDS))
        found = []
        if outputs is None:
            found.append(f"{OUTPUTS} is missing: nothing can be measured. Repeat the run.")
        else:
            found += self._lost_outputs(outputs)
        if cards is None:
            found.append(
                f"{SCORECARDS} is missing: the gold and with it all scores are gone, and risk, memory and cost, which"
                " are known at inference only. Repeat the run to have them."
            )
        elif outputs is not None and cards != outputs:
            found.append(
                f"{SCORECARDS} has {_samples(cards)}, {OUTPUTS} {outputs:,}: gold, scores, risk, memory and cost of"
                " the others are gone. Repeat the run to have them."
            )
        if not (self.path / TRACES).exists():
            found.append(f"{TRACES} is missing: the calls cannot be shown or replayed.")
        return tuple(found)

    def _lost_outputs(self, lines: int) -> Iterator[str]:
        wanted = max(self.manifest.done, 0 if self.data is None else self.data.samples)
        if lines < self.manifest.done:
            yield (
                f"{OUTPUTS} has {lines:,} of {_samples(wanted)}: the manifest says that {self.manifest.done:,} are"
                " done, so the others were lost. All measures are over what is left; repeat the run."
            )
        elif lines < wanted:
            yield (
                f"the run is {self.manifest.status}: {lines:,} of {_samples(wanted)} are done."
                " Run the same configuration again to go on."
            )
        elif lines > wanted:
            yield f"{OUTPUTS} has {_samples(lines)}, but the run was over {wanted:,}: do not trust it. Repeat the run."

    def samples(self) -> Iterator[RunSample]:
        """Every finished sample, in order, with its scorecard."""
        cards = _lines(self.path / SCORECARDS)
        for row in _lines(self.path / OUTPUTS):
            raw_card = next(cards, None)
            card = None if raw_card is None else self._card(raw_card, row.get("uid"))
            yield self._joined(row, card)

    def traces(self) -> Iterator[dict[str, Any]]:
        """Every recorded engine call as plain data, grouped by sample in order."""
        return _lines(self.path / TRACES, recorded=True)

    def _card(self, raw: dict[str, Any], uid: object) -> Scorecard:
        try:
            card = Scorecard.model_validate(raw)
        except ValidationError as error:
            raise InputError(f"{self.path / SCORECARDS}: {_first(error)}. Repeat the run.") from error
        if card.uid != uid:
            raise InputError(f"{self.path}: outputs and scorecards do not go together at {uid!r}. Repeat the run.")
        return card

    def _joined(self, row: dict[str, Any], card: Scorecard | None) -> RunSample:
        if "error" in row:
            return RunSample(uid=str(row["uid"]), result=None, error=str(row["error"]), card=card)
        try:
            result = SampleResult.model_validate(row)
        except ValidationError as error:
            raise InputError(
                f"{self.path / OUTPUTS}: {_first(error)}. It was written by another version; repeat the run."
            ) from error
        if card is not None:
            result = result.model_copy(update={"memory": card.memory, "evaluation": card.evaluation})
        return RunSample(uid=result.uid, result=result, error=None, card=card)


def load_run(path: str | Path) -> Run:
    """The run in a folder."""
    folder = Path(path)
    place = folder / MANIFEST
    try:
        raw = read_json(place.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{folder} is no run: it has no {MANIFEST}. Give a folder that samsim run wrote.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"Cannot read {place}: {error}. Give a folder that samsim run wrote.") from error
    if not isinstance(raw, dict) or raw.get("format_version") != FORMAT_VERSION:
        raise InputError(
            f"{place} has format {raw.get('format_version') if isinstance(raw, dict) else None!r}; this version"
            f" reads format {FORMAT_VERSION}. Repeat the run, or use the version that wrote it."
        )
    try:
        return Run(folder, Manifest.model_validate(raw))
    except ValidationError as error:
        raise InputError(f"{place}: {_first(error)}. Give a folder that samsim run wrote.") from error


def find_runs(paths: Iterable[str | Path]) -> list[Run]:
    """The runs in folders: each a run itself, or an experiment with a run per cell, in the order of its cells."""
    found = []
    for path in map(Path, paths):
        if (path / MANIFEST).exists():
            found.append(load_run(path))
            continue
        inside = [load_run(place.parent) for place in sorted(path.glob(f"*/{MANIFEST}"))]
        if not inside:
            raise InputError(f"There is no run in {path}. Give a folder that samsim run wrote.")
        found.extend(sorted(inside, key=lambda run: (run.manifest.position, run.name)))
    return found


def _lines(path: Path, *, recorded: bool = False) -> Iterator[dict[str, Any]]:
    """Every whole line; an unfinished last one is what a killed run leaves."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                return
            try:
                row = read_json(raw, recorded=recorded)
            except JsonError as error:
                raise InputError(f"{path}, line {number} is damaged: {error}. Run it again to repair it.") from error
            if not isinstance(row, dict):
                raise InputError(f"{path}, line {number} is damaged: not a JSON object. Run it again to repair it.")
            yield row


def _count_lines(path: Path) -> int | None:
    """How many whole lines a file has, without reading them as JSON; None without the file."""
    try:
        with path.open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
    except FileNotFoundError:
        return None


def _samples(number: int) -> str:
    return f"{number:,} sample{'' if number == 1 else 's'}"


def _first(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'record'}: {first['msg']}"
