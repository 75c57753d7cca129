"""Runs for tests: copies of real ones, with lines changed, lost or repeated."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, TRACES
from samsim.experiments.run_folder.signing import cell_digest
from samsim.schemas.protocol_debate import (
    AcceptedChange,
    AspectItem,
    DebateRecord,
    DebateTurn,
    DropRecord,
    Edit,
    EditRefusal,
    EVRecord,
    JudgeRecord,
    ModeratorRecord,
    OverrideDecision,
    PatchOp,
    Signal,
    Stage2Record,
)
from samsim.schemas.runs import CELL_DIGEST, FORMAT_VERSION, Manifest
from tests.experiments.runs import rewrite

# Enough for intervals that nobody reads.
RESAMPLES = 200
Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def copied(run: Path, target: Path) -> Path:
    shutil.copytree(run, target)
    return target


def change_rows(run: Path, name: str, change: Callable[[Row], Row]) -> None:
    rewrite(run / name, [change(row) for row in rows_of(run / name)])


def change_manifest(run: Path, change: Callable[[Row], None]) -> None:
    manifest = json.loads((run / MANIFEST).read_text(encoding="utf-8"))
    change(manifest)
    (run / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    own = {CELL_DIGEST: cell_digest(Manifest.model_validate({**manifest, "format_version": FORMAT_VERSION}))}
    for name in (OUTPUTS, SCORECARDS, TRACES):
        if (run / name).exists():
            change_rows(run, name, lambda row: {**row, **own})


def enlarged(run: Path, target: Path, samples: int) -> Path:
    """The run's samples over and over, under new ids."""
    copied(run, target)
    for name in (OUTPUTS, SCORECARDS):
        repeated = islice(cycle(rows_of(run / name)), samples)
        rewrite(target / name, [{**row, "uid": f"{row['uid']}-{n}"} for n, row in enumerate(repeated)])
    (target / TRACES).write_bytes(b"")

    def counted(manifest: Row) -> None:
        manifest["done"] = manifest["data"]["evaluation"]["samples"] = samples

    change_manifest(target, counted)
    return target


def fail_sample(run: Path, uid: str, message: str) -> None:
    """Let one sample of a run have failed."""

    def _failed(row: Row, message: str) -> Row:
        return {"uid": row["uid"], "error": message, CELL_DIGEST: row[CELL_DIGEST]}

    change_rows(run, OUTPUTS, lambda row: _failed(row, message) if row["uid"] == uid else row)
    lost: Row = {"scores": {}, "evaluation": None, "memory": None, "error": message}
    change_rows(run, SCORECARDS, lambda row: {**row, **lost} if row["uid"] == uid else row)


def a_debate(tuple_id: str) -> DebateRecord:
    """A debate in which one polarity is changed."""
    edit = Edit(op="set_polarity", target_tuple_id=tuple_id, value="negative", evidence="별로", confidence=0.9)
    patch = PatchOp(**edit.model_dump(), change_id="ch1")
    change: dict[str, Any] = {
        "change_id": "ch1",
        "op": "set_polarity",
        "target_tuple_id": tuple_id,
        "value": "negative",
    }
    return DebateRecord(
        aspects=[AspectItem(term="용기 디자인")],
        drops=[DropRecord(agent="ATE", aspect_term="유령", reason="hallucination")],
        structural_risks=[],
        correction_proposals=[],
        turns=[
            DebateTurn(persona="EPM", round=1, answered=True, proposed_edits=[edit]),
            DebateTurn(persona="TAN", round=1, answered=True, proposed_edits=[]),
            DebateTurn(persona="CJ", round=1, answered=False, proposed_edits=[]),
        ],
        judge=JudgeRecord(answered=True, final_patch=[patch], unresolved_conflicts=[], rationale=""),
        stage2=Stage2Record(
            answered=True,
            accepted_changes=[AcceptedChange(**change, reasoning="근거가 분명하다")],
            rejected_changes=[],
        ),
        refusals=[
            EditRefusal(
                actor="TAN", reason="same_ref", op="set_aspect_ref", target_tuple_id=tuple_id, value="본품#품질"
            )
        ],
        override_profile="t1",
        overrides=[
            OverrideDecision(
                **change,
                applied=False,
                skip_reason="below_min_total",
                signal=Signal(support=0.9, against=0.0, supporters=["EPM"]),
            )
        ],
        ev=EVRecord(action=0, risk=0, grounding=0, confidence=0, total=0.0, threshold=0.5, passed=False),
        moderator=ModeratorRecord(
            label="positive", confidence=0.8, stage="stage1", rules=["stage1_kept_nothing_applied"], summary=""
        ),
    )


def with_debate(run: Path, uid: str) -> None:
    """Let one sample of a run have been debated, without votes."""

    def debated(row: Row) -> Row:
        if row["uid"] != uid:
            return row
        record = a_debate(row["stage1_tuples"][0]["tuple_id"]).model_dump(mode="json")
        return {**row, "protocol": "debate", "debate": record, "arbiter_decisions": [], "review_actions": []}

    change_rows(run, OUTPUTS, debated)
