"""The slot and the prompt text: one structure in every condition, and only the flags decide."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.memory.advice import NO_ADVICE, advice_in
from samsim.memory.advisory_builder import build_from_episodes
from samsim.memory.conditions import load_conditions, resolve_condition
from samsim.memory.injection_controller import (
    PLACEBO_PRINCIPLE,
    advisories_to_show,
    as_placebo,
    build_slot_payload,
    format_memory_context,
    neutral_text,
)
from samsim.schemas.analysis import Language
from samsim.schemas.memory_v1_1 import AdvisoryBundleV1_1, AdvisoryV1_1
from tests.memory import episode
from tests.memory.test_principles import ABOUT_HITS_OR_LABELS

CONDITIONS = list(load_conditions().conditions)
ARMS = ("C2_frozen", "C2_placebo")
INJECTING = {"C2", "C2_frozen", "C2_placebo", "C2_shuffled"}


def advisories() -> list[AdvisoryV1_1]:
    found = [(episode(1), 0.9), (episode(2, principle="any_keep"), 0.8), (episode(3, principle="any_keep"), 0.7)]
    return build_from_episodes(found, language="ko")[0]


def shape(data: Any) -> Any:
    """The keys of a payload with the types of their values, lists by their name only."""
    return {key: shape(value) if isinstance(value, dict) else type(value).__name__ for key, value in data.items()}


@pytest.mark.parametrize("name", CONDITIONS)
def test_all_conditions_have_the_same_slot_structure(name: str) -> None:
    payload = build_slot_payload(resolve_condition(name), advisories(), language="ko")
    assert shape(payload) == {
        "schema_version": "str",
        "memory_on": "bool",
        "retrieved": "list",
        "warnings": "list",
        "meta": {"memory_mode": "str", "topk": "int", "masked_injection": "bool", "retrieval_executed": "bool"},
    }
    AdvisoryBundleV1_1.model_validate(payload)


@pytest.mark.parametrize("name", CONDITIONS)
def test_masked_conditions_retrieve_into_an_empty_slot(name: str) -> None:
    warning = "조언 하나를 뺐습니다."
    payload = build_slot_payload(resolve_condition(name), advisories(), language="ko", warnings=[warning])
    injects = name in INJECTING
    assert len(payload["retrieved"]) == (2 if injects else 0)
    # A placebo says nothing of what it stands for: neutral text, as long as the warning.
    assert list(map(len, payload["warnings"])) == ([len(warning)] if injects else [])
    assert (payload["warnings"] == [warning]) is (injects and name != "C2_placebo")
    assert payload["memory_on"] is injects
    assert payload["meta"]["masked_injection"] is not injects
    assert payload["meta"]["retrieval_executed"] is (name != "C1")


def test_an_advisory_in_the_slot_has_the_seeds_fields() -> None:
    first = build_slot_payload(resolve_condition("C2"), advisories(), language="ko")["retrieved"][0]
    assert set(first) == {
        "advisory_id",
        "advisory_type",
        "message",
        "strength",
        "relevance_score",
        "evidence",
        "constraints",
    }
    assert {"source_episode_ids", "risk_tags", "principle_id"} <= set(first["evidence"])
    assert first["constraints"] == {"no_label_hint": True, "no_forcing": True, "no_confidence_boost": True}


def test_topk_limits_the_slot() -> None:
    payload = build_slot_payload(resolve_condition("C2"), advisories(), language="ko", topk=1)
    assert (len(payload["retrieved"]), payload["meta"]["topk"]) == (1, 1)


def test_the_flags_decide_not_the_name() -> None:
    renamed = resolve_condition("C2").model_copy(update={"name": "C1"})
    assert build_slot_payload(renamed, advisories(), language="ko") == build_slot_payload(
        resolve_condition("C2"), advisories(), language="ko"
    )


# --- the text for the prompt -------------------------------------------------------------------------


def test_memory_context_has_the_seeds_form() -> None:
    first, second = advisories()
    assert format_memory_context([first, second]) == (
        f"Memory advisory (from similar past cases):\n- {first.message}\n- {second.message}"
    )


def test_no_advice_no_text() -> None:
    assert format_memory_context([]) == ""


def test_each_advisory_is_one_line() -> None:
    broken = advisories()[0].model_copy(update={"message": "첫 줄\n- 둘째 줄"})
    assert format_memory_context([broken]).splitlines()[1:] == ["- 첫 줄 - 둘째 줄"]


# --- placebo -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_placebo_is_as_long_and_says_nothing(language: Language) -> None:
    real = advisories()
    shown = advisories_to_show(resolve_condition("C2_placebo"), real, language)
    assert [len(one.message) for one in shown] == [len(one.message) for one in real]
    assert len(format_memory_context(shown)) == len(format_memory_context(real))
    read = [advice_in(build_slot_payload(resolve_condition(name), real, language=language)) for name in ARMS]
    assert read[0] != NO_ADVICE == read[1]
    for one in shown:
        assert one.evidence.principle_id == PLACEBO_PRINCIPLE
        assert one.evidence.risk_tags == ()
        assert not ABOUT_HITS_OR_LABELS.search(one.message)
        AdvisoryV1_1.model_validate(one.model_dump())


def test_placebos_of_both_kinds_of_evidence_are_valid() -> None:
    override, anchor = advisories()
    assert as_placebo(override, "ko").evidence.risk_before_tags == ()
    assert as_placebo(anchor, "ko").evidence.risk_before_tags is None


@given(st.integers(1, 900), st.sampled_from(["ko", "en"]))
def test_neutral_text_has_the_wanted_length(length: int, language: Language) -> None:
    text = neutral_text(length, language)
    assert len(text) == length
    assert text == text.strip()
    assert len(" ".join(text.split())) == length
