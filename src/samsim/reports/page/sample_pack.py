"""All samples of all runs, packed for the page: chunks of JSON, deflated, in base64.

The page shows a few samples at a time, so the details are in small chunks that are unpacked on demand;
the data for listing, filtering and searching is unpacked at once. If everything exceeds the budget, the
least interesting samples are left out, and the page says how many.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from samsim.reports.page.sample_rows import BrowsedSample

DETAILS_PER_CHUNK = 200
BASES_PER_CHUNK = 2_000
DEFAULT_BUDGET = 13_000_000
# Packed data is 5 to 25 times smaller; holding more than this is never worth it.
_RAW_PER_BUDGET = 20
# The first label that applies decides; samples without any are the least interesting.
_PRIORITY = (
    "state:error",
    "state:partial",
    "state:harmed",
    "state:helped",
    "state:changed",
    "state:flagged",
    "state:wrong",
)
_KEPT_OF_EXCESS = 0.97


@dataclass(frozen=True, slots=True)
class Entry:
    """One sample of one run, ready to be packed."""

    run: int
    position: int
    base: tuple[str, str | None]
    labels: tuple[str, ...]
    detail: bytes

    @property
    def rank(self) -> tuple[int, int, int]:
        """The sort key: earlier samples are kept longest, and the same sample of all runs stays together."""
        priority = next((place for place, label in enumerate(_PRIORITY) if label in self.labels), len(_PRIORITY))
        return priority, self.position, self.run


@dataclass(frozen=True, slots=True)
class PackedSamples:
    """The data the page embeds: the index and the chunks, each in base64, and how many samples were left out."""

    index: str
    bases: tuple[str, ...]
    details: tuple[str, ...]
    included: int
    left_out: int

    @property
    def size(self) -> int:
        """The number of characters it takes in the page."""
        return len(self.index) + sum(map(len, self.bases)) + sum(map(len, self.details))


@dataclass(slots=True)
class SamplePacker:
    """Collects samples and packs them into a budget of characters."""

    budget: int = DEFAULT_BUDGET
    entries: list[Entry] = field(default_factory=list)
    bases: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    total: int = 0
    held: int = 0

    def add(self, run: int, position: int, sample: BrowsedSample) -> None:
        """Add one sample of one run."""
        uid, text = sample.sample.uid, sample.text
        if text is not None:
            base = self.bases.setdefault((uid, text), sample.base())
            if base[1] is None:
                self.bases[uid, text] = sample.base()
        detail = _json(sample.detail())
        self.entries.append(Entry(run, position, (uid, text), tuple(sample.labels()), detail))
        self.total += 1
        self.held += len(detail)
        if self.held > 2 * self.budget * _RAW_PER_BUDGET:
            self._keep_best(self.budget * _RAW_PER_BUDGET)

    def pack(self) -> PackedSamples:
        """Pack as many samples as fit."""
        packed = self._packed(self.entries)
        while packed.size > self.budget and self.entries:
            share = _KEPT_OF_EXCESS * self.budget / packed.size
            self._keep_best(int(sum(self._weight(entry) for entry in self.entries) * share))
            packed = self._packed(self.entries)
        return packed

    def _weight(self, entry: Entry) -> int:
        return len(entry.detail) + len(entry.base[1] or "")

    def _keep_best(self, size: int) -> None:
        kept: list[Entry] = []
        for entry in sorted(self.entries, key=lambda entry: entry.rank):
            size -= self._weight(entry)
            if size < 0:
                break
            kept.append(entry)
        self.entries = sorted(kept, key=lambda entry: (entry.run, entry.position))
        self.held = sum(len(entry.detail) for entry in self.entries)

    def _packed(self, entries: Sequence[Entry]) -> PackedSamples:
        by_uid = dict(reversed(self.bases))
        # A failed sample has no text; another run may have it.
        keys = [
            (entry.base[0], by_uid.get(entry.base[0], "") if entry.base[1] is None else entry.base[1])
            for entry in entries
        ]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        labels = {label: number for number, label in enumerate(sorted({label for e in entries for label in e.labels}))}
        index = {
            "labels": list(labels),
            "run": [entry.run for entry in entries],
            "base": [numbers[key] for key in keys],
            "found": [[labels[label] for label in entry.labels] for entry in entries],
        }
        bases = [[*key, *self.bases.get(key, ["", None, []])] for key in numbers]
        return PackedSamples(
            index=_deflated(_json(index)),
            bases=tuple(_deflated(_json(chunk)) for chunk in _chunks(bases, BASES_PER_CHUNK)),
            details=tuple(
                _deflated(b"[" + b",".join(entry.detail for entry in chunk) + b"]")
                for chunk in _chunks(entries, DETAILS_PER_CHUNK)
            ),
            included=len(entries),
            left_out=self.total - len(entries),
        )


def _chunks(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _json(value: Any) -> bytes:
    # Lone surrogates cannot be encoded as UTF-8, so they are shown as escapes.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def _deflated(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")
