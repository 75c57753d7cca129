"""Semantic candidates: two terms are alike from θ on (seed 000 §4.2)."""

from __future__ import annotations

import pytest

from samsim.errors import ContractError
from samsim.pipeline.api import Pipeline
from samsim.rules.conflicts import compute_conflict_flags, surface_similarity
from tests.support.builders import candidate
from tests.support.engines import AnswerBook, Book

# Six of ten characters match: exactly 0.6.
LEFT, RIGHT = "abcde", "abcxy"


def semantic(theta: float) -> list[str]:
    rows = [candidate("t0", LEFT, "본품#품질", "positive"), candidate("t1", RIGHT, "본품#품질", "negative")]
    flags = compute_conflict_flags(rows, semantic_conflict_enabled=True, semantic_theta=theta)
    return [flag.aspect_term for flag in flags if flag.conflict_type == "semantic_conflict_candidate"]


def test_the_measure_is_symmetric_and_counts_matching_characters() -> None:
    assert surface_similarity(LEFT, RIGHT) == surface_similarity(RIGHT, LEFT) == pytest.approx(0.6)
    assert surface_similarity("품질", "품질") == 1.0
    assert surface_similarity("품질", "가격") == 0.0


@pytest.mark.parametrize(("theta", "flagged"), [(0.6, True), (0.61, False), (0.3, True), (1.0, False)])
def test_terms_are_alike_from_theta_on(theta: float, flagged: bool) -> None:
    assert bool(semantic(theta)) is flagged


@pytest.mark.parametrize(("theta", "flagged"), [(0.6, True), (0.61, False)])
def test_the_pipeline_passes_theta_on(theta: float, flagged: bool) -> None:
    answers: Book = {
        ("A", "stage1"): {"triplets": [{"aspect_term": LEFT, "aspect_ref": "quality", "polarity": "positive"}]},
        ("C", "stage1"): {"triplets": [{"aspect_term": RIGHT, "aspect_ref": "quality", "polarity": "negative"}]},
    }
    config = {"semantic_conflict_enabled": True, "semantic_theta": theta, "language": "en"}
    result = Pipeline(config, AnswerBook(answers)).analyze(f"{LEFT} {RIGHT}")
    assert ("semantic_conflict_candidate" in {flag.conflict_type for flag in result.conflict_flags}) is flagged


@pytest.mark.parametrize("polarity", ["great", "", None, 1])
def test_an_unknown_polarity_is_an_error_not_a_conflict(polarity: object) -> None:
    row = {"tuple_id": "t0", "aspect_term": "x", "aspect_ref": "본품#품질", "polarity": polarity}
    with pytest.raises(ContractError, match="Unknown polarity"):
        compute_conflict_flags([row])
