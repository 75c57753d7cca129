"""Very many triplets: what is done about them grows with their number, not with its square."""

from __future__ import annotations

import asyncio
import sys
from types import FrameType

import pytest

from samsim.engines.interface import EngineReply, EngineRequest
from samsim.pipeline.api import Pipeline
from samsim.rules.conflicts import compute_conflict_flags
from tests.support.builders import candidate

TEXT = "The soup was cold but the screen is bright and the service was not slow. " * 3
FEW, MANY = 40, 160


class Answering:
    """Every perspective finds ``count`` different triplets, every reviewer votes on each."""

    name = "many"

    def __init__(self, count: int) -> None:
        self._count = count

    async def complete(self, request: EngineRequest) -> EngineReply:
        numbers = range(self._count)
        if request.stage != "stage1":
            votes = [{"action_type": "KEEP", "target_tuple_ids": [f"t{number}"]} for number in numbers]
            return EngineReply(output={"review_actions": votes})
        found = [
            {
                "aspect_term": f"term {number}",
                "aspect_ref": f"ref {number % 7}",
                "polarity": ("positive", "negative")[number % 2],
                "opinion_term": f"good {number}",
                "evidence": TEXT[number % 50 : number % 50 + 40],
            }
            for number in numbers
        ]
        return EngineReply(output={"triplets": found})


def steps(count: int, protocol: str) -> int:
    """How many Python functions are entered, and generators taken up again, for a sample of so many triplets."""
    pipeline = Pipeline({"protocol": protocol}, engine=Answering(count))
    entered = 0

    def counting(frame: FrameType, event: str, argument: object) -> None:
        nonlocal entered
        entered += event == "call"

    async def analyse() -> None:
        sys.setprofile(counting)
        try:
            await pipeline.aanalyze(TEXT)
        finally:
            sys.setprofile(None)

    asyncio.run(analyse())
    return entered


@pytest.mark.parametrize("protocol", ["cr_v2", "stage1_only", "self_consistency:2"])
def test_four_times_as_many_triplets_take_about_four_times_the_steps(protocol: str) -> None:
    steps(1, protocol)
    assert steps(MANY, protocol) < 5 * steps(FEW, protocol)


def test_terms_that_cannot_be_alike_are_not_compared_letter_by_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, str]] = []

    def noting(left: str, right: str) -> float:
        compared.append((left, right))
        return 0.0

    monkeypatch.setattr("samsim.rules.conflicts.surface_similarity", noting)
    letters = [chr(0xAC00 + 28 * number) * 3 for number in range(200)]
    rows = [
        candidate(f"t{number}", term, "본품#품질", ("positive", "negative")[number % 2])
        for number, term in enumerate([*letters, "abcde", "abcdx"])
    ]
    compute_conflict_flags(rows, semantic_conflict_enabled=True)
    assert compared == [("abcde", "abcdx")]
