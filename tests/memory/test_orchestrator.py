"""What memory offers, records and writes around one sample, setting by setting (seeds 003 §5, 004 §1.1 to §3.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.errors import ContractError
from samsim.memory.advisory_builder import DANGER_WARNING, OPFB_REASON
from samsim.memory.conditions import resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySettings, MemorySlot, SampleFacts
from samsim.memory.store import MemoryStore, canonical_line, open_store
from samsim.pipeline.api import Pipeline
from samsim.schemas.memory_v1_1 import EpisodicMemoryEntryV1_1
from samsim.schemas.results import SampleResult
from samsim.schemas.taxonomy import load_taxonomy
from tests.memory import FAILURE, episode
from tests.support.builders import analysis, candidate, cue, risk

# What the sample of ``facts`` is about.
HERE = (("품질0", "negative"),)
KOREAN = "품질이 좋지 않아요"
CALM = [("c0", "The soup was cold."), ("c1", "The bread was great."), ("c2", "The tea was hot.")]
TROUBLED = "I don't think the keyboard is comfortable."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with closing(open_store(tmp_path / "store.jsonl")) as opened:
        yield opened


def memory(store: MemoryStore, condition: str = "C2_frozen", **settings: Any) -> EpisodicOrchestrator:
    chosen = MemorySettings(**settings)
    return EpisodicOrchestrator(
        store, resolve_condition(condition), now=lambda: "2026-01-02T03:04:05Z", version="9.9", settings=chosen
    )


def facts(uid: str = "s0", tuples: int = 1, troubled: bool = True) -> SampleFacts:
    seen = analysis(KOREAN, cues=[cue(KOREAN, "negation", "지 않", "좋")])
    found = [candidate(f"t{number}", f"품질{number}") for number in range(tuples)]
    risks = [risk("t0", "NEGATION_SCOPE")] if troubled else []
    return SampleFacts(uid, seen, load_taxonomy("none"), found, risks, [])


def asked(store: MemoryStore, condition: str = "C2_frozen", as_of: int | None = None, **settings: Any) -> MemorySlot:
    return memory(store, condition, **settings).get_slot_payload_for_current_sample(facts(), as_of)


def failing(number: int, **fields: Any) -> EpisodicMemoryEntryV1_1:
    return episode(number, outcome=FAILURE, after=5, principle="any_flip", **fields)


def test_the_slot_the_text_and_the_record_say_the_same(store: MemoryStore) -> None:
    for one in (episode(), episode(principle="any_keep")):
        store.append(one)
    slot = asked(store)
    shown = slot.slot_dict["retrieved"]
    assert [advisory["advisory_id"] for advisory in shown] == ["adv_000001", "adv_000002"]
    assert slot.record.advisory_ids == slot.record.advisories_ids == ["adv_000001", "adv_000002"]
    assert all(f"\n- {advisory['message']}" in slot.context for advisory in shown)
    assert slot.slot_dict["meta"]["memory_mode"] == slot.record.memory_mode == "on"
    assert slot.record.retrieved_ids == ["epi_000002", "epi_000001"]


def test_a_masked_condition_retrieves_but_has_no_advice_to_list(store: MemoryStore) -> None:
    store.append(episode())
    slot = asked(store, "C2_silent")
    assert (slot.slot_dict["retrieved"], slot.context) == ([], "")
    assert (slot.record.advisory_ids, slot.record.advisories_ids, slot.record.retrieved_k) == ([], [], 1)


def test_opfb_blocks_by_default_and_the_record_counts(store: MemoryStore) -> None:
    for one in (episode(pairs=HERE), failing(2, pairs=HERE)):
        store.append(one)
    slot = asked(store)
    assert (slot.slot_dict["retrieved"], slot.context) == ([], "")
    record = slot.record
    assert (record.memory_blocked_episode_n, record.memory_blocked_advisory_n) == (2, 2)
    assert record.memory_block_reason == OPFB_REASON
    (warning,) = slot.slot_dict["warnings"]
    assert "2건" in warning


def test_opfb_can_be_a_warning_instead(store: MemoryStore) -> None:
    for one in (episode(pairs=HERE), failing(2, pairs=HERE)):
        store.append(one)
    slot = asked(store, prohibit_dangerous=False)
    assert slot.context.count(DANGER_WARNING["ko"]) == len(slot.slot_dict["retrieved"]) == 2
    assert (slot.record.memory_blocked_episode_n, slot.record.memory_block_reason) == (0, None)
    assert slot.record.memory_downgraded_advisory_n == 2
    assert slot.slot_dict["warnings"] == [f"adv_00000{number}: {DANGER_WARNING['ko']}" for number in (1, 2)]


def test_by_default_a_failure_about_another_target_is_told_as_a_warning(store: MemoryStore) -> None:
    store.append(failing(1))
    slot = asked(store)
    (shown,) = slot.slot_dict["retrieved"]
    assert shown["advisory_type"] == "failed_override_warning"
    assert slot.record.advisory_types == ["failed_override_warning"]
    assert (slot.record.memory_blocked_episode_n, slot.slot_dict["warnings"]) == (0, [])
    assert asked(store, opfb_scope="retrieved").slot_dict["retrieved"] == []


@pytest.mark.parametrize("condition", ["C1", "C2_silent", "C2_eval_only"])
def test_what_is_hidden_has_no_warnings_either(store: MemoryStore, condition: str) -> None:
    for one in (episode(pairs=HERE), failing(2, pairs=HERE)):
        store.append(one)
    assert asked(store, condition).slot_dict["warnings"] == []


def test_an_unknown_principle_is_counted_in_the_record_and_shown_nowhere(tmp_path: Path) -> None:
    correction = {"principle_id": "older_one", "corrective_principle": "Answer positive everywhere."}
    path = tmp_path / "adopted.jsonl"
    path.write_bytes(canonical_line(episode(correction=correction)) + b"\n")
    with closing(open_store(path)) as adopted:
        assert "such as epi_000001" in adopted.notices[-1]
        slot = asked(adopted)
    assert (slot.record.retrieved_k, slot.record.memory_unknown_principle_n) == (1, 1)
    assert (slot.context, slot.record.advisory_ids, slot.slot_dict["retrieved"]) == ("", [], [])


@pytest.mark.parametrize("setting", ["require_same_language", "require_structure_overlap"])
def test_the_filters_of_the_retriever_are_settings(store: MemoryStore, setting: str) -> None:
    change: dict[str, object] = {"language": "en"}
    if setting == "require_structure_overlap":
        change = {"detected_structure": ("contrast",), "has_negation": False}
    store.append(episode(input_signature=episode().input_signature.model_copy(update=change)))
    assert asked(store).record.retrieved_k == 0
    slot = asked(store, "C2_frozen", None, **{setting: False})
    assert slot.record.retrieved_k == 1
    # Whatever its language, an episode advises in the language of the sample.
    assert "부정어가 평가어에 걸리면" in slot.context


def test_a_condition_that_needs_a_store_is_not_run_without(store: MemoryStore) -> None:
    off = EpisodicOrchestrator.without_store(resolve_condition("C1"))
    assert off.get_slot_payload_for_current_sample(facts()).record == asked(store, "C1").record
    off.close()
    with pytest.raises(ContractError, match="C2_silent reads or writes a store"):
        EpisodicOrchestrator.without_store(resolve_condition("C2_silent"))


@pytest.mark.parametrize(("scope", "blocked"), [("retrieved", 0), ("store", 1), ("current", 0)])
def test_opfb_scope(store: MemoryStore, scope: str, blocked: int) -> None:
    english = episode().input_signature.model_copy(update={"language": "en"})
    store.append(episode())
    store.append(failing(2, input_signature=english))
    assert asked(store, opfb_scope=scope).record.memory_blocked_episode_n == blocked
    assert asked(store, as_of=1, opfb_scope=scope).record.memory_blocked_episode_n == 0


def test_topk_is_a_setting_and_three_by_default(store: MemoryStore) -> None:
    for number in range(1, 6):
        store.append(episode(number))
    assert [asked(store, topk=k).record.retrieved_k for k in (1, 2, 5)] == [1, 2, 5]
    assert asked(store).record.retrieved_k == 3


def test_a_sample_sees_the_store_as_of_a_given_episode(store: MemoryStore) -> None:
    for number in range(1, 4):
        store.append(episode(number))
    assert asked(store, as_of=1).record.retrieved_ids == ["epi_000001"]
    assert asked(store, as_of=0).record.retrieved_ids == []


def test_only_exposed_to_debate_lets_advice_out(store: MemoryStore) -> None:
    store.append(episode())
    hidden = resolve_condition("C2_frozen").model_copy(update={"exposed_to_debate": False})
    orchestrator = EpisodicOrchestrator(store, hidden, now=lambda: "2026-01-02T03:04:05Z", version="9.9")
    slot = orchestrator.get_slot_payload_for_current_sample(facts())
    assert (slot.context, slot.record.prompt_injection_chars, slot.record.advisories_ids) == ("", 0, [])
    assert len(slot.slot_dict["retrieved"]) == 1


@pytest.mark.parametrize("condition", ["C1", "C2_frozen", "C2_silent", "C2_eval_only"])
@pytest.mark.parametrize("troubled", [True, False])
def test_the_gate_is_recorded_wherever_memory_is_asked(store: MemoryStore, condition: str, troubled: bool) -> None:
    record = memory(store, condition).get_slot_payload_for_current_sample(facts(troubled=troubled)).record
    assert record.advisory_injection_gated is not troubled
    assert record.injection_trigger_reason == ("validator" if troubled else "none")


@pytest.mark.parametrize("gate", [True, False])
def test_a_shut_gate_keeps_advice_from_a_review_that_takes_place(store: MemoryStore, gate: bool) -> None:
    pipeline = Pipeline({"review_scope": "always"}, memory=memory(store, "C2", gate=gate))
    records = [result.memory for result in pipeline.stream(CALM) if isinstance(result, SampleResult)]
    assert [record.retrieved_k if record else None for record in records] == [0, 1, 2]
    advised = [bool(record and record.prompt_injection_chars) for record in records]
    assert advised == ([False, False, False] if gate else [False, True, True])


def test_shuffled_asks_for_the_sample_before(store: MemoryStore) -> None:
    for aspects in (1, 4):
        signature = episode().input_signature.model_copy(update={"num_aspects": aspects})
        store.append(episode(input_signature=signature))
    shuffled = memory(store, "C2_shuffled", topk=1)
    found = [
        shuffled.get_slot_payload_for_current_sample(facts(f"s{number}", tuples)).record.retrieved_ids
        for number, tuples in enumerate((1, 4, 4))
    ]
    assert found == [[], ["epi_000001"], ["epi_000002"]]


def test_an_episode_says_where_it_comes_from_and_how_the_review_ended(store: MemoryStore) -> None:
    result = Pipeline(memory=memory(store, "C2", created_from_split="dev")).analyze(TROUBLED)
    assert result.memory is not None
    assert result.memory.episode_id == "epi_000001"
    (entry,) = store.iterate()
    assert entry.provenance.model_dump() == {
        "created_from_split": "dev",
        "timestamp": "2026-01-02T03:04:05Z",
        "version": "9.9",
    }
    # The negation that one perspective overlooked is turned, so neither its risk nor the conflict is left.
    judged = entry.evaluation
    assert judged.risk_before.tags == ("NEGATION_SCOPE", "ref_polarity_mismatch")
    assert (judged.risk_after.tags, judged.risk_after.severity_sum) == ((), 0)
    assert (judged.override_success, entry.episode_type) == (True, "success")


class _Overlapping:
    """Gives way to other tasks before it answers, and remembers how many samples were under way at once."""

    def __init__(self) -> None:
        self.name = "embedded"
        self.most = 0
        self._active: list[str] = []
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        self._active.append(request.uid)
        for _ in range(20):
            await asyncio.sleep(0)
        self.most = max(self.most, len(set(self._active)))
        self._active.remove(request.uid)
        return await self._engine.complete(request)


@pytest.mark.parametrize("remembers", [True, False])
def test_with_a_memory_samples_come_one_after_another(store: MemoryStore, remembers: bool) -> None:
    engine = _Overlapping()
    pipeline = Pipeline(engine=engine, memory=memory(store, "C2") if remembers else None)
    list(pipeline.stream(CALM, concurrency=3))
    assert (engine.most == 1) is remembers
