"""Memory impact over records that a real run writes."""

from __future__ import annotations

import pytest

from samsim.experiments.artefacts import Run, find_runs
from samsim.metrics.memory_impact import MemoryImpactAnalysis
from samsim.metrics.summary import summarise
from tests.experiments.runs import configure, run

CONDITIONS = ["C1", "C2_frozen", "C2_silent", "C2_eval_only", "C2_placebo"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("memory")
    config = configure(
        folder,
        data={"evaluation": {"name": "reviews", "limit": 30}, "memory": {"name": "reviews_memory"}},
        matrix={"protocol": ["cr_v2"], "condition": CONDITIONS},
        engines="embedded",
    )
    run(config)
    found = find_runs([folder / "runs" / "tested"])
    return {one.manifest.cell.condition: one for one in found if one.manifest.cell.kind == "evaluation"}


def impact(of: Run) -> MemoryImpactAnalysis:
    found = summarise(of.samples(), gold_fields=(), resamples=50).memory
    assert found is not None
    return found


@pytest.mark.parametrize("condition", ["C2_silent", "C2_eval_only"])
def test_a_masking_condition_has_masked_samples(runs: dict[str, Run], condition: str) -> None:
    found = impact(runs[condition])
    assert found.masked.samples > 0
    assert found.masked.samples == found.gate_open.count
    assert (found.coverage.count, found.follow_rate.of, found.prompt_injection_chars) == (0, 0, 0)


def test_a_condition_that_shows_advice_masks_nothing(runs: dict[str, Run]) -> None:
    found = impact(runs["C2_frozen"])
    assert found.coverage.count > 0
    assert found.masked.samples == 0
    # Over the same samples, with the same memory, as many would have been shown it.
    assert impact(runs["C2_eval_only"]).masked.samples == found.coverage.count


def test_without_a_memory_nothing_is_masked(runs: dict[str, Run]) -> None:
    found = impact(runs["C1"])
    assert (found.retrieved.count, found.gate_open.of, found.masked.samples) == (0, 0, 0)


def test_a_placebo_has_a_chance_rate_and_no_follow_rate(runs: dict[str, Run]) -> None:
    found = impact(runs["C2_placebo"])
    assert (found.source, found.follow_rate.of) == ("placebo", 0)
    assert found.chance_rate is not None
    assert found.chance_rate.of == found.coverage.count > 0
