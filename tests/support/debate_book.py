"""A debate whose every answer is written by hand."""

from __future__ import annotations

import asyncio
from typing import Any

from samsim.engines.interface import EngineReply
from samsim.engines.table import EngineTable
from samsim.language.analyze import analyze_text
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.debate_runner import run_debate
from samsim.schemas.protocol_conflict_review import DebateAgent
from samsim.schemas.protocol_debate import DebateRecord
from samsim.schemas.results import SampleResult, Stage
from tests.support.engines import AnswerBook, Book

TEXT = "I don't think the strap is soft, but the bag is nice."
FLIP = {"op": "set_polarity", "target_tuple_id": "t0", "value": "negative", "evidence": "soft", "confidence": 0.9}
CONFIRM = {"op": "confirm_tuple", "target_tuple_id": "t0", "value": "", "evidence": "soft", "confidence": 0.9}


def sentiment(term: str, polarity: str, opinion: str, **fields: Any) -> dict[str, Any]:
    given = {"aspect_term": term, "aspect_ref": term, "polarity": polarity, "opinion_term": opinion, "confidence": 0.8}
    return {**given, "evidence": opinion, **fields}


def answered(change_id: str = "c0", reasoning: str = "the negation governs it", **fields: str) -> dict[str, str]:
    return {"change_id": change_id, "op": "set_polarity", "target_tuple_id": "t0", "value": "negative"} | {
        "reasoning": reasoning,
        **fields,
    }


def book(**changes: Any) -> Book:
    """A debate that turns the polarity of the strap; keywords replace single answers."""
    answers: dict[DebateAgent, Any] = {
        "ATE": {"aspects": [{"term": "strap"}, {"term": "bag"}]},
        "ATSA": {
            "aspect_sentiments": [sentiment("strap", "positive", "soft"), sentiment("bag", "positive", "nice")],
        },
        "VALIDATOR": {"structural_risks": [], "correction_proposals": []},
        "EPM": {"proposed_edits": [FLIP]},
        "TAN": {"proposed_edits": []},
        "CJ": {"proposed_edits": [{**FLIP, "confidence": 0.7}]},
        "JUDGE": {"final_patch": [FLIP], "unresolved_conflicts": [], "rationale": "EPM and CJ agree."},
        "STAGE2": {"accepted_changes": [answered()], "rejected_changes": []},
    }
    stages: dict[DebateAgent, Stage] = {
        "ATE": "stage1",
        "ATSA": "stage1",
        "VALIDATOR": "stage1",
        "JUDGE": "judge",
        "STAGE2": "stage2",
    }
    assert changes.keys() <= answers.keys(), "an answer of nobody"
    return {(agent, stages.get(agent, "debate")): changes.get(agent, answer) for agent, answer in answers.items()}


def run(changes: dict[str, Any] | None = None, **debate: Any) -> tuple[SampleResult, AnswerBook]:
    engine = AnswerBook(book(**(changes or {})))
    config = PipelineConfig.model_validate({"protocol": "debate", "debate": debate})
    found = asyncio.run(run_debate("s1", analyze_text(TEXT, "en"), EngineTable.of(engine), config))
    return found, engine


def debate_of(result: SampleResult) -> DebateRecord:
    assert result.debate is not None
    return result.debate


def polarities(result: SampleResult) -> dict[str, str]:
    return {one.aspect_term: one.polarity for one in result.final_tuples}


def failed() -> EngineReply:
    return EngineReply(output=None, failure="timeout")
