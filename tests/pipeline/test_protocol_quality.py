"""The shipped set by every protocol: the table of docs/debate.md is what the embedded engine gives."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from benchmarks.shipped import ShippedRun, run_protocol

from samsim.data.gold import load_reviews_gold
from samsim.data.shipped import load_reviews
from samsim.metrics.tuples import Family
from samsim.schemas.protocols import CRProtocol

GOLD = load_reviews_gold()
FAMILIES: tuple[Family, ...] = ("triplet", "ref_pol")
DOCUMENT = (Path(__file__).parents[2] / "docs" / "debate.md").read_text(encoding="utf-8")


def stated() -> dict[str, list[list[str]]]:
    """The table's figures: for each protocol, per family, all reviews, Korean and English."""
    table = DOCUMENT.rpartition("| protocol | triplet | ref and polarity |")[2].strip().splitlines()[1:]
    found: dict[str, list[list[str]]] = {}
    for line in table:
        names, *families = (cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|")))
        for name in re.findall(r"`([^`]+)`", names):
            found[name] = [re.findall(r"\d+\.\d", cells) for cells in families]
    return found


@cache
def run(protocol: CRProtocol) -> ShippedRun:
    return run_protocol(protocol, load_reviews())


@pytest.mark.parametrize("protocol", sorted(stated()))
def test_the_table_is_what_comes_out(protocol: str) -> None:
    computed = [
        [f"{100 * run(protocol).scores(GOLD, 'final', language)[family].f1:.1f}" for language in ("", "ko", "en")]
        for family in FAMILIES
    ]
    assert stated()[protocol] == computed


def test_the_table_has_every_protocol() -> None:
    assert set(stated()) == {"cr_v1", "cr_v2", "debate", "single", "stage1_only", "self_consistency:3"}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_debate_does_not_lose_what_its_stage_1_found(family: Family) -> None:
    found = run("debate")
    assert found.scores(GOLD, "final")[family].f1 > found.scores(GOLD, "stage1")[family].f1
