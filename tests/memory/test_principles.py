"""The catalogue: complete, general, in two languages, and silent about labels and hits."""

from __future__ import annotations

import re
from itertools import product
from typing import get_args

import pytest

from samsim.memory.principles import Check, Principle, all_principles, principle_for
from samsim.schemas.memory_v1_1 import ActionTaken, EpisodeRisk
from samsim.schemas.protocol_conflict_review import REASON_CODES, ConflictType, DecidedAction, RiskType

RISKS: tuple[EpisodeRisk, ...] = (*get_args(RiskType), *get_args(ConflictType), "none")
ACTIONS: tuple[ActionTaken, ...] = (*get_args(DecidedAction), "NONE")

ABOUT_HITS_OR_LABELS = re.compile(
    r"정답|정확|라벨|레이블|골드|신뢰도|확신|긍정|부정적|중립|accura|gold|label|ground truth|correct|confiden|certainly"
    r"|\bsure\b|positive|negative|neutral|\bmixed\b|always|항상|반드시|무조건",
    re.IGNORECASE,
)


def test_there_are_at_least_25_principles_with_different_ids_and_texts() -> None:
    found = all_principles()
    assert len(found) >= 25
    for values in ([one.principle_id for one in found], [one.ko for one in found], [one.en for one in found]):
        assert len(set(values)) == len(found)
    keys = {(one.risk_type, one.action, one.reason_code) for one in found}
    assert len(keys) == len(found)


def test_every_case_has_a_principle_and_every_principle_a_case() -> None:
    reached = {
        principle_for(risk, action, reason).principle_id
        for risk, action, reason in product(RISKS, ACTIONS, (*REASON_CODES, None))
    }
    assert reached == {one.principle_id for one in all_principles()}


def test_the_chosen_principle_fits_the_case() -> None:
    for risk, action, reason in product(RISKS, ACTIONS, (*REASON_CODES, None)):
        chosen = principle_for(risk, action, reason)
        assert chosen.risk_type in ("*", risk)
        assert chosen.action in ("*", action)
        assert chosen.reason_code in ("*", reason)


@pytest.mark.parametrize(
    ("case", "principle_id"),
    [
        (("ref_polarity_mismatch", "FLIP", "NEGATION_SCOPE"), "ref_conflict_flip_negation"),
        (("ref_polarity_mismatch", "FLIP", "STRUCTURAL_INCONSISTENT"), "ref_conflict_flip"),
        (("ref_polarity_mismatch", "KEEP", "CONTRAST_CLAUSE"), "ref_conflict_keep_contrast"),
        (("SPAN_MISMATCH", "KEEP", None), "span_mismatch_any"),
        (("SPAN_MISMATCH", "KEEP", "IMPLICIT_ASPECT"), "implicit_keep"),
        (("none", "NONE", None), "any_unreviewed"),
        (("NEGATION_SCOPE", "NONE", None), "any_unreviewed"),
    ],
)
def test_the_most_specific_principle_wins(case: tuple[EpisodeRisk, ActionTaken, str | None], principle_id: str) -> None:
    assert principle_for(*case).principle_id == principle_id


@pytest.mark.parametrize("principle", all_principles(), ids=lambda one: one.principle_id)
def test_no_accuracy_gold_label_or_confidence_in_any_principle(principle: Principle) -> None:
    texts = (principle.ko, principle.en)
    for text in texts:
        assert not ABOUT_HITS_OR_LABELS.search(text), text
        assert text == text.strip()
        assert "\n" not in text
        assert text.endswith(".")
    assert re.search("[가-힣]", texts[0])
    assert not re.search("[가-힣]", texts[1])


def test_every_check_is_named_by_some_principle() -> None:
    assert {one.check for one in all_principles()} - {None} == set(get_args(Check))
