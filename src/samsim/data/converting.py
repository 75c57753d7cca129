"""Texts and gold written in samsim's own format, which reads back as exactly the same."""

from __future__ import annotations

import json

from samsim.data.gold import GoldSample
from samsim.data.samples import Sample


def own_line(sample: Sample, gold: GoldSample | None) -> str:
    """One text as a JSON document; without gold its ``tuples`` are null."""
    record = {
        "uid": sample.uid,
        "language": sample.language,
        "text": sample.text,
        "tuples": None if gold is None else [item.model_dump() for item in gold.tuples],
        "tags": [] if gold is None else gold.tags,
    }
    return json.dumps(record, ensure_ascii=False)
