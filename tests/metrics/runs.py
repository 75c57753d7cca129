"""Runs for comparisons: in memory, and as folders like those that samsim run writes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samsim.experiments.artefacts import IN_SCORECARDS, MANIFEST, OUTPUTS, SCORECARDS, TRACES
from samsim.experiments.run_folder.signing import cell_digest, signed
from samsim.schemas.polarity import PolarityName
from samsim.schemas.runs import CellRecord, DataRecord, Manifest, RunMeta
from tests.metrics.hand_made import ALL_FIELDS, HandSample, Quad, sample

REFS = ("food#quality", "food#price", "service#general", "place#general")
FLIPPED: dict[PolarityName, PolarityName] = {"positive": "negative", "negative": "positive"}


@dataclass(frozen=True)
class HandRun:
    """A run in memory."""

    name: str
    manifest: Manifest
    made: Sequence[HandSample]

    @property
    def data(self) -> DataRecord | None:
        return self.manifest.data.get("evaluation")

    def samples(self) -> Sequence[HandSample]:
        return self.made


def manifest(
    name: str, samples: int, *, sha256: str = "a" * 64, cell: dict[str, Any] | None = None, **more: Any
) -> Manifest:
    data = {
        "evaluation": DataRecord(
            source="reviews", samples=samples, rows=samples, bad_rows=0, sha256=sha256, gold_fields=sorted(ALL_FIELDS)
        )
    }
    fields = {"data": data, "done": samples, "status": "finished", **more}
    return Manifest(
        run_id=f"id-{name}",
        experiment="tested",
        cell=CellRecord(
            **{"cell_id": name, "protocol": "cr_v2", "condition": "C1", "engine": "embedded"} | (cell or {})
        ),
        run_meta=RunMeta(memory_mode="off", condition="C1"),
        config={},
        config_hash="0",
        settings_hash="0",
        prompt_hashes={},
        engines=[],
        versions={},
        started="2026-01-01T00:00:00Z",
        **fields,
    )


def hand_run(name: str, made: Sequence[HandSample], **more: Any) -> HandRun:
    return HandRun(name, manifest(name, len(made), **more), made)


def big_run(name: str, samples: int = 400, *, broken: float = 0.0) -> HandRun:
    """Two tuples per sample, most of them right; of the final tuples a share is broken (polarity turned)."""
    chance, breaking = random.Random(1), random.Random(2)
    made = []
    for number in range(samples):
        right = [_tuple(chance, place) for place in range(2)]
        claimed = [one if chance.random() < 0.7 else _tuple(chance, place) for place, one in enumerate(right)]
        final = [_flipped(one) if breaking.random() < broken else one for one in claimed]
        made.append(sample(claimed, final, right, uid=f"s{number:04d}"))
    return hand_run(name, made)


def _flipped(quad: Quad) -> Quad:
    term, ref, opinion, polarity = quad
    return term, ref, opinion, FLIPPED[polarity]


def _tuple(chance: random.Random, place: int) -> Quad:
    term = f"term{chance.randrange(9)}{'ab'[place]}"
    return term, chance.choice(REFS), f"opinion{chance.randrange(4)}", chance.choice(sorted(FLIPPED))


def written(run: HandRun, folder: Path) -> Path:
    """The run as a folder."""
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(run.manifest.model_dump_json(), encoding="utf-8")
    digest = cell_digest(run.manifest)
    outputs, cards = [], []
    for one in run.made:
        outputs.append(
            f'{{"uid": "{one.uid}", "error": "{one.error}"}}'
            if one.result is None
            else one.result.outputs_json(without=IN_SCORECARDS)
        )
        assert one.card is not None
        cards.append(one.card.model_dump_json())
    for name, lines in ((OUTPUTS, outputs), (SCORECARDS, cards), (TRACES, [])):
        (folder / name).write_bytes(signed("".join(f"{line}\n" for line in lines).encode(), digest))
    return folder
