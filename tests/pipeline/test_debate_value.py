"""What a change is worth: risks that only the validating engine saw count like those of the code."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from samsim.engines.table import EngineTable
from samsim.language.analyze import analyze_text
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.debate_runner import run_debate
from samsim.schemas.results import SampleResult
from tests.support.debate_book import CONFIRM, FLIP, book, debate_of, run, sentiment
from tests.support.engines import AnswerBook


def reread(text: str, given: dict[str, Any], change: dict[str, Any], risks: list[dict[str, str]]) -> SampleResult:
    """A debate about one tuple that EPM, CJ and the judge want to change alike."""
    said = {"proposed_edits": [change]}
    engine = AnswerBook(
        book(
            ATE={"aspects": [{"term": given["aspect_term"]}]},
            ATSA={"aspect_sentiments": [given]},
            VALIDATOR={"structural_risks": risks, "correction_proposals": []},
            EPM=said if change["op"] == "set_polarity" else {"proposed_edits": [{**CONFIRM, "evidence": ""}]},
            TAN=said if change["op"] == "set_aspect_ref" else {"proposed_edits": []},
            CJ=said,
            JUDGE={"final_patch": [change], "unresolved_conflicts": [], "rationale": ""},
            STAGE2={"accepted_changes": [{"change_id": "c0", "reasoning": "so it reads"}], "rejected_changes": []},
        )
    )
    analysis = analyze_text(text)
    return asyncio.run(run_debate("s1", analysis, EngineTable.of(engine), PipelineConfig(protocol="debate")))


IRONIC = "Great battery, it lasted a whole ten minutes."
WISHED = "It would be great if the strap were softer."
BOXED = "근데 상자가 찌그러져서 왔어요."
REREADINGS = [
    (
        IRONIC,
        sentiment("battery", "positive", "Great", evidence="Great battery"),
        {**FLIP, "evidence": "Great battery"},
        "irony",
    ),
    (
        WISHED,
        sentiment("strap", "positive", "great", evidence="would be great if the strap were softer"),
        {**FLIP, "evidence": "would be great if the strap were softer"},
        "other",
    ),
    (
        BOXED,
        sentiment("상자", "negative", "찌그러지다", evidence="찌그러져서 왔어요", aspect_ref="본품#품질"),
        {**FLIP, "op": "set_aspect_ref", "value": "패키지·구성품#품질", "evidence": "상자가 찌그러져서"},
        "target",
    ),
]


@pytest.mark.parametrize(("text", "given", "change", "kind"), REREADINGS)
def test_a_risk_that_only_the_engine_saw_is_resolved_by_the_change_it_asked_for(
    text: str, given: dict[str, Any], change: dict[str, Any], kind: str
) -> None:
    """The worked examples of the prompts: no code check sees these."""
    result = reread(text, given, change, [{"tuple_id": "t0", "risk_type": kind, "severity": "high"}])
    record = debate_of(result)
    assert record.ev is not None
    assert (record.ev.action, record.ev.risk, record.ev.passed) == (0.4, 0.3, True)
    assert [one.applied for one in record.overrides] == [True]
    (final,) = result.final_tuples
    assert change["value"] in (final.polarity, final.aspect_ref)


@pytest.mark.parametrize(("text", "given", "change", "kind"), REREADINGS)
def test_without_a_risk_such_a_change_is_worth_too_little(
    text: str, given: dict[str, Any], change: dict[str, Any], kind: str
) -> None:
    result = reread(text, {**given, "confidence": 0.5}, change, [])
    record = debate_of(result)
    assert record.ev is not None
    assert (record.ev.action, record.ev.risk, record.ev.passed) == (0.4, 0.0, False)
    assert [one.skip_reason for one in record.overrides] == ["ev_below_threshold"]


def test_a_risk_on_another_tuple_is_not_resolved() -> None:
    calm = {
        "aspect_sentiments": [
            sentiment("strap", "positive", "wide", confidence=0.5),
            sentiment("bag", "positive", "nice"),
        ]
    }
    doubt = {"structural_risks": [{"tuple_id": "t1", "risk_type": "irony"}], "correction_proposals": []}
    result, _ = run({"ATSA": calm, "VALIDATOR": doubt})
    record = debate_of(result)
    assert record.ev is not None
    assert record.ev.risk == 0.0
