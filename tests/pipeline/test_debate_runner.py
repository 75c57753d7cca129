"""The debate from the text to the result, with every answer written by hand."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import DebateInputs, Engine, EngineRequest
from samsim.engines.scripted import ScriptedEngine
from samsim.engines.table import EngineTable
from samsim.errors import ConfigError, EngineError
from samsim.language.analyze import analyze_text
from samsim.memory.conditions import resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.memory.store import open_store
from samsim.pipeline.api import Pipeline
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.debate_runner import run_debate
from samsim.schemas.protocol_conflict_review import AgentName, DebateAgent
from samsim.schemas.results import SampleResult
from tests.support.debate_book import CONFIRM, FLIP, TEXT, answered, book, debate_of, failed, polarities, run, sentiment
from tests.support.engines import AnswerBook

EVERYBODY: list[DebateAgent] = ["ATE", "ATSA", "VALIDATOR", "EPM", "TAN", "CJ", "JUDGE", "STAGE2"]


# --- a debate that changes something -----------------------------------------------------------------------


def test_an_agreed_and_accepted_change_is_applied() -> None:
    result, engine = run()
    assert [call.agent for call in result.calls] == [request.agent for request in engine.asked] == EVERYBODY
    assert polarities(result) == {"strap": "negative", "bag": "positive"}
    assert [one.polarity for one in result.stage1_tuples] == ["positive", "positive"]
    assert {one.origin_agent for one in result.stage1_tuples} == {"ATSA"}
    record = debate_of(result)
    (change,) = record.overrides
    assert (change.applied, change.skip_reason, change.signal.supporters) == (True, None, ["EPM", "CJ"])
    assert record.ev is not None
    assert (record.ev.action, record.ev.risk, record.ev.grounding, record.ev.confidence) == (0.4, 0.3, 0.2, 0.08)
    assert record.moderator.rules == ["stage2_preferred", "polarities_differ"]
    assert (record.moderator.label, record.moderator.stage) == ("mixed", "stage2")
    assert result.evaluation is not None
    assert (result.evaluation.override_applied, result.evaluation.override_success) == (True, True)


def test_the_changed_tuple_is_as_sure_as_those_who_changed_it() -> None:
    result, _ = run()
    assert [one.confidence for one in result.final_tuples] == [0.8, 0.8]
    sure, _ = run({"CJ": {"proposed_edits": [FLIP]}})
    assert [one.confidence for one in sure.final_tuples] == [0.9, 0.8]


def test_each_persona_sees_the_turns_before_and_the_judge_all_of_them() -> None:
    _, engine = run(rounds=2)
    seen = [
        (request.agent, [(turn.persona, turn.round) for turn in request.inputs.turns])
        for request in engine.asked
        if request.stage in ("debate", "judge") and isinstance(request.inputs, DebateInputs)
    ]
    order = [("EPM", 1), ("TAN", 1), ("CJ", 1), ("EPM", 2), ("TAN", 2), ("CJ", 2)]
    assert seen == [
        *((persona, order[:number]) for number, (persona, _) in enumerate(order)),
        ("JUDGE", order),
    ]


def test_what_the_validator_says_reaches_the_personas_and_nothing_about_unknown_tuples() -> None:
    said = {
        "structural_risks": [{"tuple_id": "t1", "risk_type": "irony"}, {"tuple_id": "t9", "risk_type": "irony"}],
        "correction_proposals": [{"tuple_id": "t0", "op": "set_polarity", "value": "NEG"}],
    }
    result, engine = run({"VALIDATOR": said})
    record = debate_of(result)
    assert [one.tuple_id for one in record.structural_risks] == ["t1"]
    (call,) = (call for call in result.calls if call.agent == "VALIDATOR")
    assert call.rejected == ["structural_risks[1]: unknown_tuple"]
    assert [one.value for one in record.correction_proposals] == ["negative"]
    (epm,) = (request for request in engine.asked if request.agent == "EPM")
    prompt = epm.messages()[1].content
    assert '"structural_risks": [{"tuple_id": "t1"' in prompt
    (stage2,) = (request for request in engine.asked if request.agent == "STAGE2")
    assert '## structural_risks_json\n[{"tuple_id": "t1"' in stage2.messages()[1].content


# --- what is not asked --------------------------------------------------------------------------------------


def test_an_empty_patch_needs_no_stage_2() -> None:
    result, engine = run({"JUDGE": {"final_patch": [], "unresolved_conflicts": [], "rationale": ""}})
    assert [request.agent for request in engine.asked] == EVERYBODY[:-1]
    record = debate_of(result)
    assert (record.stage2, record.ev, record.overrides) == (None, None, [])
    assert record.moderator.rules[0] == "stage1_kept_nothing_applied"


def test_without_tuples_there_is_nothing_to_debate() -> None:
    result, engine = run({"ATSA": {"aspect_sentiments": []}})
    assert [request.agent for request in engine.asked] == ["ATE", "ATSA"]
    record = debate_of(result)
    assert (record.judge, record.moderator.label, record.moderator.rules[1]) == (None, None, "no_tuples")
    assert result.final_tuples == []


def test_a_review_switched_off_leaves_stage_1() -> None:
    engine = AnswerBook(book())
    config = PipelineConfig(protocol="debate", enable_review=False)
    result = asyncio.run(run_debate("s1", analyze_text(TEXT, "en"), EngineTable.of(engine), config))
    assert [request.agent for request in engine.asked] == ["ATE", "ATSA", "VALIDATOR"]
    assert polarities(result) == {"strap": "positive", "bag": "positive"}


# --- what goes wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("silent", ["ATE", "VALIDATOR", "TAN"])
def test_a_missing_answer_takes_nothing_else_with_it(silent: str) -> None:
    result, _ = run({silent: failed()})
    assert [call.agent for call in result.calls] == EVERYBODY
    assert [call.agent for call in result.calls if call.problem] == [silent]
    assert polarities(result) == {"strap": "negative", "bag": "positive"}


def test_a_missing_turn_is_recorded_as_such() -> None:
    result, _ = run({"CJ": failed()})
    record = debate_of(result)
    assert [(turn.persona, turn.answered) for turn in record.turns] == [("EPM", True), ("TAN", True), ("CJ", False)]
    assert [one.skip_reason for one in record.overrides] == ["below_min_total"]
    assert polarities(result)["strap"] == "positive"


@pytest.mark.parametrize(("silent", "asked"), [("JUDGE", EVERYBODY[:-1]), ("STAGE2", EVERYBODY)])
def test_without_judge_or_stage_2_stage_1_stands(silent: str, asked: list[str]) -> None:
    result, engine = run({silent: failed()})
    assert [request.agent for request in engine.asked] == asked
    assert polarities(result) == {"strap": "positive", "bag": "positive"}
    record = debate_of(result)
    if silent == "STAGE2":
        assert record.stage2 is not None
        assert (record.stage2.answered, [one.reason for one in record.stage2.rejected_changes]) == (
            False,
            ["not_answered"],
        )
    else:
        assert record.judge is not None
        assert not record.judge.answered


def test_without_any_sentiment_there_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(EngineError, match=r"ATSA has not received an answer for sample s1 .* timeout.*samsim doctor"):
        run({"ATSA": failed()})


def test_a_change_without_reasoning_is_rejected() -> None:
    result, _ = run({"STAGE2": {"accepted_changes": [answered(reasoning=" ")], "rejected_changes": []}})
    record = debate_of(result)
    assert record.stage2 is not None
    assert [(one.change_id, one.reason) for one in record.stage2.rejected_changes] == [("c0", "no_reasoning")]
    assert polarities(result)["strap"] == "positive"


def test_a_refused_change_is_recorded_with_its_reason_and_signal() -> None:
    result, _ = run({"CJ": {"proposed_edits": [{**CONFIRM, "confidence": 0.8}]}})
    (change,) = debate_of(result).overrides
    assert (change.applied, change.skip_reason) == (False, "below_min_margin")
    assert (change.signal.support, change.signal.against) == (0.9, 0.8)


def test_a_stage_2_that_is_not_worth_it_leaves_stage_1() -> None:
    result, _ = run(ev_threshold=0.99)
    record = debate_of(result)
    assert record.ev is not None
    assert (record.ev.total, record.ev.passed) == (0.98, False)
    assert [(one.applied, one.skip_reason) for one in record.overrides] == [(False, "ev_below_threshold")]
    assert record.moderator.rules[0] == "stage1_kept_ev_below_threshold"
    assert polarities(result)["strap"] == "positive"
    assert result.evaluation is not None
    assert not result.evaluation.override_applied


def test_a_persona_that_says_nothing_more_in_a_later_round_still_stands_by_its_edit() -> None:
    spoken: set[str] = set()

    def speak(request: EngineRequest) -> object:
        if request.agent in spoken:
            return {"proposed_edits": []}
        spoken.add(request.agent)
        return book()[request.agent, request.stage]

    config = PipelineConfig.model_validate({"protocol": "debate", "debate": {"rounds": 2}})
    engines = EngineTable.of(ScriptedEngine(speak))
    result = asyncio.run(run_debate("s1", analyze_text(TEXT, "en"), engines, config))
    assert [one.signal.supporters for one in debate_of(result).overrides] == [["EPM", "CJ"]]
    assert polarities(result) == {"strap": "negative", "bag": "positive"}


def test_a_stage_2_that_is_much_less_sure_leaves_stage_1() -> None:
    weak = {**FLIP, "confidence": 0.3}
    changes = {name: {"proposed_edits": [weak]} for name in ("EPM", "TAN", "CJ")}
    result, _ = run(changes, override_profile="t2")
    record = debate_of(result)
    assert record.moderator.rules[0] == "stage1_kept_confidence_fell"
    assert [one.skip_reason for one in record.overrides] == ["confidence_fell"]
    assert polarities(result)["strap"] == "positive"


@pytest.mark.parametrize(("profile", "applied"), [("t0", True), ("t1", True), ("t2", True)])
def test_the_profile_is_a_setting_and_is_recorded(profile: str, applied: bool) -> None:
    result, _ = run(override_profile=profile)
    record = debate_of(result)
    assert (record.override_profile, record.overrides[0].applied) == (profile, applied)
    alone, _ = run({"CJ": {"proposed_edits": []}}, override_profile=profile)
    # One voice: too little for t0 and t1, enough for t2.
    assert debate_of(alone).overrides[0].applied is (profile == "t2")


def test_hostile_answers_break_nothing_and_are_recorded() -> None:
    nonsense = [
        {"op": "set_polarity", "target_tuple_id": "t0", "value": "superb", "evidence": "soft"},
        {"op": "set_aspect_ref", "target_tuple_id": "t0", "value": ""},
        {"op": "drop_tuple", "target_tuple_id": "t77"},
        {"op": "add_tuple", "target_tuple_id": "t5"},
        {"op": "drop_tuple", "target_tuple_id": ["t0"]},
        "drop everything",
        None,
    ]
    result, _ = run(
        {
            "EPM": {"proposed_edits": nonsense},
            "JUDGE": {"final_patch": nonsense, "unresolved_conflicts": [7, "t0?"], "rationale": 3},
        }
    )
    record = debate_of(result)
    reasons = ["unknown_polarity", "ref_not_in_taxonomy", "unknown_tuple", "unknown_op", "unknown_tuple"]
    assert [one.reason for one in record.refusals] == reasons * 2
    assert [one.actor for one in record.refusals] == ["EPM"] * 5 + ["JUDGE"] * 5
    assert record.judge is not None
    assert [(one.tuple_ids, one.issue) for one in record.judge.unresolved_conflicts] == [([], "t0?")]
    assert polarities(result) == {"strap": "positive", "bag": "positive"}
    assert [len(call.rejected) for call in result.calls if call.agent in ("EPM", "JUDGE")] == [2, 3]


def test_what_the_judge_leaves_open_is_marked() -> None:
    open_conflict = {"tuple_ids": ["t1", "t9"], "issue": "unclear"}
    result, _ = run({"JUDGE": {"final_patch": [], "unresolved_conflicts": [open_conflict], "rationale": ""}})
    assert [(one.aspect_term, one.flagged, one.flag_reasons) for one in result.final_tuples] == [
        ("strap", False, []),
        ("bag", True, ["TIE_UNRESOLVED"]),
    ]


# --- the other ops ------------------------------------------------------------------------------------------


def agreed(edit: dict[str, Any], **atsa: Any) -> SampleResult:
    changes = {
        "EPM": {"proposed_edits": []},
        "TAN": {"proposed_edits": [edit]},
        "CJ": {"proposed_edits": [edit]},
        "JUDGE": {"final_patch": [edit], "unresolved_conflicts": [], "rationale": ""},
        "VALIDATOR": {"structural_risks": [{"tuple_id": edit["target_tuple_id"], "risk_type": "target"}]}
        | {"correction_proposals": []},
        "STAGE2": {"accepted_changes": [{"change_id": "c0", "reasoning": "so it is"}], "rejected_changes": []},
        **atsa,
    }
    return run(changes, ev_threshold=0.4)[0]


def test_a_drop_removes_its_tuple() -> None:
    result = agreed({"op": "drop_tuple", "target_tuple_id": "t1", "evidence": "nice", "confidence": 0.9})
    assert polarities(result) == {"strap": "positive"}


def test_a_new_ref_leaves_everything_else() -> None:
    result = agreed(
        {"op": "set_aspect_ref", "target_tuple_id": "t1", "value": "Case", "evidence": "nice", "confidence": 0.9}
    )
    assert [(one.aspect_term, one.aspect_ref, one.polarity) for one in result.final_tuples] == [
        ("strap", "strap", "positive"),
        ("bag", "case", "positive"),
    ]
    assert result.evaluation is not None
    assert result.evaluation.override_applied


def test_a_merge_makes_one_statement_of_two() -> None:
    result = agreed(
        {"op": "merge_tuples", "target_tuple_id": "t1", "value": "t0", "evidence": "nice", "confidence": 0.9}
    )
    (final,) = result.final_tuples
    assert (final.aspect_term, final.tuple_ids, final.opinion_terms) == ("strap", ["t0", "t1"], ["soft", "nice"])


def test_a_merged_tuple_is_not_doubted_for_the_place_of_its_old_term() -> None:
    text = "The strap is soft. The strap is wide. The band is soft."
    atsa = [
        sentiment("strap", "positive", "soft", span={"start": 4, "end": 9}),
        sentiment("band", "positive", "soft", span={"start": 42, "end": 46}),
    ]
    merge = {"op": "merge_tuples", "target_tuple_id": "t1", "value": "t0", "evidence": "soft", "confidence": 0.9}
    engine = AnswerBook(
        book(
            ATSA={"aspect_sentiments": atsa},
            EPM={"proposed_edits": [merge]},
            CJ={"proposed_edits": [merge]},
            JUDGE={"final_patch": [merge], "unresolved_conflicts": [], "rationale": ""},
            STAGE2={"accepted_changes": [{"change_id": "c0", "reasoning": "the same"}], "rejected_changes": []},
        )
    )
    config = PipelineConfig.model_validate({"protocol": "debate", "debate": {"ev_threshold": 0.4}})
    result = asyncio.run(run_debate("s1", analyze_text(text, "en"), EngineTable.of(engine), config))
    assert [one.tuple_ids for one in result.final_tuples] == [["t0", "t1"]]
    assert result.evaluation is not None
    assert result.evaluation.risk_after.tags == ()
    assert not result.evaluation.override_harm


# --- drops, memory and the episode --------------------------------------------------------------------------


def with_memory(changes: dict[str, Any], path: Path, condition: str = "C2") -> SampleResult:
    store = open_store(path)
    memory = EpisodicOrchestrator(
        store, resolve_condition(condition), now=lambda: "2026-01-02T03:04:05Z", version="test"
    )
    engine = AnswerBook(book(**changes))
    config = PipelineConfig(protocol="debate")
    try:
        return asyncio.run(run_debate("s1", analyze_text(CALM, "en"), EngineTable.of(engine), config, memory))
    finally:
        store.close()


CALM = "The strap is soft and the strap is wide."
CALM_ATSA = {"aspect_sentiments": [sentiment("strap", "positive", "soft")]}
MISPLACED = {"term": "strap", "span": {"start": 0, "end": 5}}
INVENTED = {"term": "battery"}


@pytest.mark.parametrize(
    ("aspects", "drops", "reason"),
    [
        ([{"term": "strap"}], [], "none"),
        ([MISPLACED], ["alignment_failure"], "explicit_grounding_failure"),
        ([MISPLACED, MISPLACED], ["alignment_failure"] * 2, "alignment,explicit_grounding_failure"),
        ([MISPLACED, MISPLACED, INVENTED], ["alignment_failure"] * 2 + ["hallucination"], "alignment"),
        ([MISPLACED, INVENTED], ["alignment_failure", "hallucination"], "none"),
        ([INVENTED], ["hallucination"], "none"),
        ([{"term": "soft"}], ["filter_rejection"], "none"),
    ],
)
def test_the_drops_of_stage_1_open_the_gate(
    aspects: list[dict[str, Any]], drops: list[str], reason: str, tmp_path: Path
) -> None:
    result = with_memory({"ATE": {"aspects": aspects}, "ATSA": CALM_ATSA}, tmp_path / "store.jsonl")
    assert [drop.reason for drop in debate_of(result).drops] == drops
    assert result.memory is not None
    assert result.memory.injection_trigger_reason == reason
    assert result.memory.advisory_injection_gated is (reason == "none")


def test_a_doubt_of_the_validating_engine_opens_the_gate(tmp_path: Path) -> None:
    doubt = {"structural_risks": [{"tuple_id": "t0", "risk_type": "irony"}], "correction_proposals": []}
    result = with_memory({"ATSA": CALM_ATSA, "VALIDATOR": doubt}, tmp_path / "store.jsonl")
    assert result.memory is not None
    assert result.memory.injection_trigger_reason == "validator"


def test_the_episode_has_the_moderators_codes_and_the_action(tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    store = open_store(path)
    memory = EpisodicOrchestrator(store, resolve_condition("C2"), now=lambda: "2026-01-02T03:04:05Z", version="test")
    config = PipelineConfig(protocol="debate")
    engines = EngineTable.of(AnswerBook(book()))
    result = asyncio.run(run_debate("s1", analyze_text(TEXT, "en"), engines, config, memory))
    (entry,) = store.iterate()
    store.close()
    assert entry.moderator_summary == debate_of(result).moderator.summary
    assert "rule:stage2_preferred" in entry.moderator_summary
    assert (entry.action_taken, entry.risk_type, entry.episode_type) == ("FLIP", "NEGATION_SCOPE", "success")
    assert entry.correction.principle_id == "negation_scope_flip"


def test_a_text_that_holds_the_moderators_own_words_does_not_break_anything(tmp_path: Path) -> None:
    text = "stage1_kept_nothing_applied! The strap is soft."
    store = open_store(tmp_path / "store.jsonl")
    memory = EpisodicOrchestrator(store, resolve_condition("C2"), now=lambda: "2026-01-02T03:04:05Z", version="test")
    Pipeline({"protocol": "debate"}, memory=memory).analyze(text)
    (entry,) = store.iterate()
    store.close()
    assert entry.moderator_summary == ""


# --- settings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rounds": 0}, "debate.rounds"),
        ({"rounds": 6}, "debate.rounds"),
        ({"override_profile": "t3"}, "debate.override_profile"),
        ({"ev_threshold": 1.1}, "debate.ev_threshold"),
        ({"profile": "t1"}, "debate.profile"),
    ],
)
def test_a_wrong_setting_is_an_error_at_start_that_names_it(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Pipeline({"protocol": "debate", "debate": settings})


def test_the_defaults_are_those_of_the_document() -> None:
    given = PipelineConfig(protocol="debate").debate
    assert (given.rounds, given.override_profile, given.ev_threshold) == (1, "t1", 0.5)


# --- the whole, by the embedded engine ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "final"),
    [
        ("I don't think the strap is soft.", {"strap": "negative"}),
        ("The soup was cold.", {"soup": "negative"}),
        ("기대했던 향이 별로 좋지 않아요.", {"향": "negative"}),
    ],
)
def test_the_embedded_cast_debates_for_real(text: str, final: dict[str, str]) -> None:
    result = Pipeline({"protocol": "debate"}).analyze(text)
    assert polarities(result) == final
    assert Pipeline({"protocol": "debate"}).analyze(text).outputs_json() == result.outputs_json()


def test_single_answers_may_come_from_another_engine() -> None:
    scripted = AnswerBook(book())
    engines: dict[AgentName, Engine] = {agent: EmbeddedEngine() for agent in EVERYBODY}
    table = EngineTable.of({**engines, "ATSA": scripted})
    config = PipelineConfig(protocol="debate")
    result = asyncio.run(run_debate("s1", analyze_text(TEXT, "en"), table, config))
    assert polarities(result) == {"strap": "negative", "bag": "positive"}
    assert [call.engine for call in result.calls].count("answer-book") == 1
