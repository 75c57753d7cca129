"""The baselines: one call, perspectives without review, and a vote over draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samsim.engines.interface import EngineReply, EngineRequest
from samsim.engines.scripted import ScriptedEngine
from samsim.errors import ConfigError, EngineError
from samsim.memory.conditions import resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.memory.store import open_store
from samsim.pipeline.api import Pipeline
from samsim.pipeline.epochs import SampleError
from samsim.schemas.results import SampleResult
from tests.support.engines import AnswerBook

TEXT = "The strap is soft, but the bag is heavy."
PROTOCOLS = ["cr_v1", "cr_v2", "debate", "single", "stage1_only", "self_consistency:3"]


def triplet(term: str, polarity: str, opinion: str) -> dict[str, Any]:
    return {"aspect_term": term, "aspect_ref": term, "polarity": polarity, "opinion_term": opinion, "evidence": opinion}


SOFT, HEAVY = triplet("strap", "positive", "soft"), triplet("bag", "negative", "heavy")
LIGHT = triplet("bag", "positive", "heavy")


def statements(result: SampleResult) -> list[tuple[str, str, list[str]]]:
    return [(one.aspect_term, one.polarity, one.support) for one in result.final_tuples]


def test_single_is_one_call() -> None:
    engine = AnswerBook({("SINGLE", "stage1"): {"triplets": [SOFT, HEAVY]}})
    result = Pipeline({"protocol": "single"}, engine).analyze(TEXT)
    assert [(call.agent, call.stage) for call in result.calls] == [("SINGLE", "stage1")]
    assert statements(result) == [("strap", "positive", ["SINGLE"]), ("bag", "negative", ["SINGLE"])]
    assert {one.origin_agent for one in result.stage1_tuples} == {"SINGLE"}


def test_stage1_only_is_the_union_of_the_perspectives() -> None:
    engine = AnswerBook(
        {
            ("A", "stage1"): {"triplets": [SOFT]},
            ("B", "stage1"): {"triplets": [LIGHT]},
            ("C", "stage1"): {"triplets": [SOFT, HEAVY]},
        }
    )
    result = Pipeline({"protocol": "stage1_only"}, engine).analyze(TEXT)
    assert [(call.agent, call.stage) for call in result.calls] == [("A", "stage1"), ("B", "stage1"), ("C", "stage1")]
    assert statements(result) == [
        ("strap", "positive", ["A", "C"]),
        ("bag", "positive", ["B"]),
        ("bag", "negative", ["C"]),
    ]
    # The conflict is seen, and nobody does anything about it.
    assert [flag.conflict_type for flag in result.conflict_flags] == ["ref_polarity_mismatch"]
    assert result.evaluation is not None
    assert result.evaluation.risk_before == result.evaluation.risk_after
    assert not result.evaluation.override_applied


def by_draw(*answers: object) -> ScriptedEngine:
    return ScriptedEngine(lambda request: answers[request.repeat])


def test_self_consistency_keeps_what_most_draws_found() -> None:
    engine = by_draw({"triplets": [SOFT, HEAVY]}, {"triplets": [HEAVY]}, {"triplets": [LIGHT, SOFT]})
    result = Pipeline({"protocol": "self_consistency:3"}, engine).analyze(TEXT)
    assert statements(result) == [("strap", "positive", ["S1", "S3"]), ("bag", "negative", ["S1", "S2"])]
    assert [one.origin_agent for one in result.stage1_tuples] == ["S1", "S1", "S2", "S3", "S3"]
    assert len(result.calls) == 3
    assert result.evaluation is not None
    # A vote is no override, and what two draws say alike is doubted once.
    assert (result.evaluation.override_applied, result.evaluation.override_success) == (False, False)
    assert [flag.tuple_ids for flag in result.conflict_flags] == [["t1", "t3"]]


def test_the_risk_of_equal_draws_is_that_of_one() -> None:
    negated = "I don't think the strap is soft."
    answer = {"triplets": [SOFT]}
    single = Pipeline({"protocol": "single"}, by_draw(answer)).analyze(negated)
    drawn = Pipeline({"protocol": "self_consistency:3"}, by_draw(answer, answer, answer)).analyze(negated)
    assert single.evaluation == drawn.evaluation
    assert single.evaluation is not None
    assert single.evaluation.risk_before.severity_sum > 0


def test_the_draws_are_numbered_so_that_no_cache_takes_one_for_another() -> None:
    asked: list[EngineRequest] = []

    def answer(request: EngineRequest) -> object:
        asked.append(request)
        return {"triplets": [SOFT]}

    Pipeline({"protocol": "self_consistency:4"}, ScriptedEngine(answer)).analyze(TEXT)
    assert sorted(request.repeat for request in asked) == [0, 1, 2, 3]
    assert {request.agent for request in asked} == {"SINGLE"}


def test_a_lost_draw_is_no_vote() -> None:
    lost = EngineReply(output=None, failure="timeout")
    both = Pipeline({"protocol": "self_consistency:3"}, by_draw({"triplets": [SOFT]}, lost, {"triplets": [SOFT]}))
    assert statements(both.analyze(TEXT)) == [("strap", "positive", ["S1", "S3"])]
    one = Pipeline({"protocol": "self_consistency:3"}, by_draw({"triplets": [SOFT]}, lost, {"triplets": []}))
    assert statements(one.analyze(TEXT)) == []
    alone = Pipeline({"protocol": "self_consistency:3"}, by_draw({"triplets": [SOFT]}, lost, lost))
    assert statements(alone.analyze(TEXT)) == [("strap", "positive", ["S1"])]


def test_a_draw_with_another_opinion_word_supports_the_statement_too() -> None:
    other = {**HEAVY, "opinion_term": "is heavy"}
    engine = by_draw({"triplets": [HEAVY]}, {"triplets": [other]}, {"triplets": [HEAVY]})
    result = Pipeline({"protocol": "self_consistency:3"}, engine).analyze(TEXT)
    assert statements(result) == [("bag", "negative", ["S1", "S2", "S3"])]
    assert result.final_tuples[0].opinion_terms == ["heavy"]


@pytest.mark.parametrize("protocol", ["single", "stage1_only", "self_consistency:3"])
def test_no_answer_at_all_is_an_error(protocol: str) -> None:
    engine = ScriptedEngine(lambda _request: EngineReply(output=None, failure="timeout"))
    with pytest.raises(EngineError, match="received an answer for sample 0 from scripted: timeout"):
        Pipeline({"protocol": protocol}, engine).analyze(TEXT)


@pytest.mark.parametrize("protocol", ["single", "self_consistency:1", "self_consistency:5"])
def test_the_embedded_engine_reads_the_same_however_often_it_is_asked(protocol: str) -> None:
    single, other = (Pipeline({"protocol": name}).analyze(TEXT) for name in ("single", protocol))
    assert [(s[0], s[1]) for s in statements(single)] == [(s[0], s[1]) for s in statements(other)] != []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_gives_the_same_kind_of_record(protocol: str) -> None:
    result = Pipeline({"protocol": protocol}).analyze(TEXT)
    assert result.protocol == protocol
    assert result.evaluation is not None
    assert result.structure == ["contrast"]
    assert (result.debate is not None) == (protocol == "debate")
    assert SampleResult.model_validate_json(result.model_dump_json()) == result
    assert result.final_tuples


def outputs(result: SampleResult | SampleError) -> str:
    assert isinstance(result, SampleResult)
    return result.outputs_json()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_results_come_in_order_whatever_the_concurrency(protocol: str) -> None:
    samples = [(str(number), f"The bag number {number} is nice.") for number in range(12)]
    alone, together = (
        list(Pipeline({"protocol": protocol}).stream(samples, concurrency=concurrency)) for concurrency in (1, 6)
    )
    assert [outputs(result) for result in alone] == [outputs(result) for result in together]


@pytest.mark.parametrize("protocol", ["single", "stage1_only", "self_consistency:3"])
def test_a_baseline_has_no_place_for_advice_but_remembers(protocol: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "store.jsonl")
    memory = EpisodicOrchestrator(store, resolve_condition("C2"), now=lambda: "2026-01-02T03:04:05Z", version="test")
    pipeline = Pipeline({"protocol": protocol}, memory=memory)
    texts = ["I don't think the lid is sturdy.", "I don't think the hose is soft."]
    results = [pipeline.analyze(text, uid=str(number)) for number, text in enumerate(texts)]
    records = [result.memory for result in results]
    store.close()
    assert [record.episode_id for record in records if record] == ["epi_000001", "epi_000002"]
    assert [(record.prompt_injection_chars, record.advisories_present) for record in records if record] == [
        (0, False),
        (0, False),
    ]
    assert records[1] is not None
    assert records[1].retrieved_ids == ["epi_000001"]


def test_an_engine_that_was_not_given_is_missed_by_name() -> None:
    engine = AnswerBook({})
    with pytest.raises(ConfigError, match=r"No engine was given for the agent SINGLE, only for A, B, C\."):
        Pipeline({"protocol": "single"}, {"A": engine, "B": engine, "C": engine}).analyze(TEXT)
