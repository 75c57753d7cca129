"""Long texts of awkward shapes: short evidence, and work that grows with the length, not with its square.

How long it takes is measured by benchmarks/long_texts.py.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from samsim.engines.embedded.triplets import LONGEST_EVIDENCE
from samsim.pipeline.api import Pipeline
from samsim.schemas.results import SampleResult

PIPELINE = Pipeline()
UNSPACED = "사용감은좋지만가격은비싸요배송이정말빠르고포장도꼼꼼했어요"


def analyse(piece: str, length: int) -> SampleResult:
    return PIPELINE.analyze((piece * (length // len(piece) + 1))[:length])


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(UNSPACED, id="korean_without_spaces"),
        pytest.param("좋아요", id="korean_repeated"),
        pytest.param("최고", id="korean_noun_repeated"),
        pytest.param("good좋아요", id="two_scripts"),
        pytest.param(unicodedata.normalize("NFD", UNSPACED), id="decomposed"),
        pytest.param("The screen is-not-good-at-all-", id="english_with_dashes"),
        pytest.param("good ", id="english_repeated"),
    ],
)
def test_evidence_is_a_short_passage_of_the_text(piece: str) -> None:
    result = analyse(piece, 1_500)
    for item in result.stage1_tuples:
        assert 0 < len(item.evidence) <= LONGEST_EVIDENCE
        assert item.evidence in result.text
    assert not [risk for risk in result.validator_risks if risk.risk_type == "EVIDENCE_NOT_IN_TEXT"]


def test_evidence_without_spaces_is_the_clause() -> None:
    found = {item.aspect_term: item.evidence for item in analyse(UNSPACED, 1_500).stage1_tuples}
    assert (found["사용감"], found["가격"]) == ("사용감은좋지만", "가격은비싸요")


def test_a_short_text_without_spaces_is_quoted_in_whole_words() -> None:
    found = {item.aspect_term: item.evidence for item in PIPELINE.analyze("화면이좋고 소리도커요").stage1_tuples}
    assert found["화면"] == "화면이좋고"


@pytest.mark.parametrize("piece", [UNSPACED, "별로", "결함,happiest", "가성비대박", "good,"])
def test_twice_the_text_is_about_twice_the_work(piece: str) -> None:
    once, twice = (lines_run(piece, length) for length in (900, 1_800))
    assert twice < 2.4 * once


def lines_run(piece: str, length: int) -> int:
    """How many lines of the package are run for a text: the same on every machine, however busy."""
    with counting_lines() as counted:
        analyse(piece, length)
    return counted[0]


@contextmanager
def counting_lines() -> Iterator[list[int]]:
    counted = [0]

    def in_package(frame: FrameType, event: str, _: Any) -> Any:
        if "samsim" not in frame.f_code.co_filename:
            return None
        counted[0] += event == "line"
        return in_package

    before = sys.gettrace()
    sys.settrace(in_package)
    try:
        yield counted
    finally:
        sys.settrace(before)
