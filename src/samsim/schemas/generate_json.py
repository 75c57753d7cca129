"""Write the JSON Schemas of the memory records: ``python -m samsim.schemas.generate_json [FOLDER]``.

The files in ``json/`` are generated, never edited; a test compares them with the models.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from pydantic import BaseModel

from samsim.schemas import memory_v1_1 as memory

RECORDS: tuple[type[BaseModel], ...] = (
    memory.InputSignatureV1_1,
    memory.CaseSummaryV1_1,
    memory.StageSnapshotPairV1_1,
    memory.CorrectionV1_1,
    memory.EvaluationV1_1,
    memory.ProvenanceV1_1,
    memory.EpisodicMemoryEntryV1_1,
    memory.AdvisoryV1_1,
    memory.AdvisoryBundleV1_1,
)
FOLDER = Path(__file__).parent / "json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def file_name(record: type[BaseModel]) -> str:
    """Return the file name of a record, such as episodic_memory_entry_v1_1.json for EpisodicMemoryEntryV1_1."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", record.__name__).lower() + ".json"


def schema_text(record: type[BaseModel]) -> str:
    """Return the content of the file; always the same bytes for the same model."""
    schema = {"$schema": _DIALECT, **record.model_json_schema(mode="serialization")}
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def write_schemas(folder: Path = FOLDER) -> list[Path]:
    """Write all schemas into the folder and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for record in RECORDS:
        path = folder / file_name(record)
        path.write_text(schema_text(record), encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for path in write_schemas(*(Path(given) for given in sys.argv[1:2])):
        print(path)
