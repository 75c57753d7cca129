"""Answers as small models write them: capitals, intensifiers, inflections and refs of their own are no doubt."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web

from samsim.engines.scripted import ScriptedEngine
from samsim.engines.table import EngineTable
from samsim.language.analyze import analyze_text
from samsim.pipeline.api import Pipeline
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.conflict_review_runner import run_conflict_review
from samsim.schemas.protocol_conflict_review import AGENTS
from samsim.schemas.results import SampleResult
from tests.support.asking import Asked, asking
from tests.support.engines import AnswerBook
from tests.support.loopback import Body, chat_reply

FREE = PipelineConfig(taxonomy="none")
SUSHI = "Serves really good sushi."


def said(term: str, ref: str, opinion: str, evidence: str, polarity: str = "positive") -> dict[str, Any]:
    return {
        "aspect_term": term,
        "aspect_ref": ref,
        "opinion_term": opinion,
        "evidence": evidence,
        "polarity": polarity,
    }


def reviewed(text: str, *answers: dict[str, Any]) -> tuple[SampleResult, AnswerBook]:
    """The result where A, B and C each say one thing."""
    book = AnswerBook({(agent, "stage1"): {"triplets": [item]} for agent, item in zip(AGENTS, answers, strict=False)})
    result = asyncio.run(run_conflict_review("r1", analyze_text(text), EngineTable.of(book), FREE))
    return result, book


def test_one_finding_under_three_free_refs_is_one_final_tuple_that_all_support() -> None:
    result, book = reviewed(
        SUSHI,
        said("sushi", "food#quality", "really good", "really good sushi"),
        said("Sushi", "quality", "good", "serves really good"),
        said("sushi", "Food", "very good", "Really good sushi"),
    )
    (only,) = result.final_tuples
    assert (only.aspect_term, only.opinion_terms, only.support) == ("sushi", ["good"], ["A", "B", "C"])
    # What each perspective called it stays its own.
    assert [each.aspect_ref for each in result.stage1_tuples] == ["food#quality", "quality", "food"]
    assert result.validator_risks == []
    assert book.asked_for("review") == []


def test_the_same_opinion_with_two_polarities_is_a_conflict_under_whatever_refs() -> None:
    result, book = reviewed(
        SUSHI,
        said("sushi", "food#quality", "really good", "really good"),
        said("sushi", "quality", "good", "good", "negative"),
    )
    (flag,) = result.conflict_flags
    assert (flag.conflict_type, flag.tuple_ids) == ("ref_polarity_mismatch", ["t0", "t1"])
    assert len(book.asked_for("review")) == len(AGENTS)


def test_an_opinion_in_words_that_the_text_does_not_have_is_a_risk() -> None:
    text = "I highly recommend this place."
    result, _ = reviewed(
        text,
        said("place", "place", "추천", "highly recommend"),
        said("", "restaurant", "추천", "highly recommend"),
        said("place", "place", "highly recommended", "highly recommend"),
    )
    doubts = [(risk.tuple_id, risk.risk_type, risk.severity) for risk in result.validator_risks]
    assert doubts == [("t0", "EVIDENCE_NOT_IN_TEXT", "mid"), ("t1", "EVIDENCE_NOT_IN_TEXT", "low")]
    assert {risk.description for risk in result.validator_risks} == {"The opinion term does not occur in the text."}
    assert result.stage1_tuples[2].opinion_term == "recommended"


def test_an_inflected_korean_opinion_is_the_one_of_the_dictionary() -> None:
    result, _ = reviewed(
        "방이 정말 깨끗하고 직원분들도 친절했어요.",
        said("방", "객실", "정말 깨끗하고", "정말 깨끗하고"),
        said("방", "객실", "깨끗해요", "깨끗하고"),
        said("방", "청결", "깨끗하다", "깨끗하고"),
    )
    (only,) = result.final_tuples
    assert (only.opinion_terms, only.support) == (["깨끗하다"], ["A", "B", "C"])
    assert result.validator_risks == []


def test_draws_vote_for_a_finding_whatever_they_call_its_ref() -> None:
    names = [("food", "good"), ("quality", "really good"), ("food", "good")]
    draws = [{"triplets": [said("sushi", ref, opinion, "good")]} for ref, opinion in names]
    engine = ScriptedEngine(lambda request: draws[request.repeat])
    result = Pipeline({"taxonomy": "none", "protocol": "self_consistency:3"}, engine).analyze(SUSHI)
    (only,) = result.final_tuples
    assert (only.aspect_ref, only.opinion_terms, only.support) == ("food", ["good"], ["S1", "S2", "S3"])


@pytest.mark.loopback
def test_a_server_keeps_its_raw_words_in_the_record_of_the_call() -> None:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return chat_reply({"triplets": [said("Sushi", "food", "really good", "SERVES REALLY GOOD")]})

    async def analyse(asked: Asked) -> SampleResult:
        return await run_conflict_review("r1", analyze_text(SUSHI), EngineTable.of(asked.engine), FREE)

    result = asking(handler, analyse)
    assert [each.opinion_term for each in result.stage1_tuples] == ["good"] * 3
    assert result.validator_risks == []
    # Nothing in doubt, nothing reviewed.
    assert len(result.calls) == len(AGENTS)
    assert all("really good" in call.attempts[-1].raw for call in result.calls)
