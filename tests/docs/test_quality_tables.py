"""The table of the shipped reviews in both quality pages is what benchmarks/shipped.py computes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from benchmarks.shipped import run_protocol, score_cells

from samsim.data.gold import load_reviews_gold
from samsim.data.shipped import load_reviews
from samsim.schemas.protocols import CRProtocol

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "quality.md", DOCS / "ko" / "quality.md")
_ROW = re.compile(
    r"^\| (A|B|C|cr_v\d) (alone \([^)]*\)|단독 \([^)]*\)|Stage 1|1단계|final|최종) \|(.*)\|$", re.MULTILINE
)
_SYSTEMS = {"Stage 1": "stage1", "1단계": "stage1", "final": "final", "최종": "final"}


def test_the_shipped_reviews_table_is_current() -> None:
    gold, reviews = load_reviews_gold(), load_reviews()
    runs = {protocol: run_protocol(protocol, reviews) for protocol in get_args(CRProtocol)}
    for page in PAGES:
        rows = _ROW.findall(page.read_text(encoding="utf-8"))
        assert len(rows) == 7, page
        for who, what, cells in rows:
            run = runs[who] if who in runs else runs["cr_v1"]
            expected = score_cells(run, gold, _SYSTEMS.get(what, who))
            assert [cell.strip() for cell in cells.split("|")] == expected, f"{page}: {who} {what}"
