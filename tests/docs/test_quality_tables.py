"""The table of the shipped reviews in docs/quality.md is what benchmarks/shipped.py computes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from benchmarks.shipped import run_protocol, score_cells

from samsim.data.gold import load_reviews_gold
from samsim.data.shipped import load_reviews
from samsim.schemas.protocols import CRProtocol

QUALITY = Path(__file__).parents[2] / "docs" / "quality.md"
_ROW = re.compile(r"^\| (A|B|C|cr_v\d)( alone \([^)]*\)| Stage 1| final) \|(.*)\|$", re.MULTILINE)


def test_the_shipped_reviews_table_is_current() -> None:
    gold, reviews = load_reviews_gold(), load_reviews()
    runs = {protocol: run_protocol(protocol, reviews) for protocol in get_args(CRProtocol)}
    rows = _ROW.findall(QUALITY.read_text(encoding="utf-8"))
    assert len(rows) == 7
    for who, what, cells in rows:
        system = {" Stage 1": "stage1", " final": "final"}.get(what, who)
        run = runs[who] if who in runs else runs["cr_v1"]
        assert [cell.strip() for cell in cells.split("|")] == score_cells(run, gold, system), f"{who}{what}"
