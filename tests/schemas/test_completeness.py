"""Whether a sample is complete follows from its calls alone, in every protocol and however it is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.errors import EngineError
from samsim.experiments.artefacts import RunSample
from samsim.pipeline.api import Pipeline, analyze
from samsim.reports.page.sample_rows import BrowsedSample
from samsim.schemas.results import CallRecord, MissingCall, SampleResult, missing_words

TEXT = "The screen is great, but the battery isn't."
WHOLE = analyze(TEXT)
PROTOCOLS = ("cr_v1", "cr_v2", "debate", "single", "stage1_only", "self_consistency:3")


def with_problems(problems: list[str | None]) -> SampleResult:
    calls = [CallRecord(agent="C", stage="review", prompt_hash="", problem=problem) for problem in problems]
    return WHOLE.model_copy(update={"calls": calls})


class Losing:
    """The embedded engine, losing one call of a sample."""

    name = "losing"

    def __init__(self, lost: int) -> None:
        self._left = lost
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        self._left -= 1
        return EngineReply(None, "timeout") if self._left == -1 else await self._engine.complete(request)


@given(st.lists(st.none() | st.sampled_from(["timeout", "refusal"]), max_size=6))
def test_partial_means_that_a_call_has_a_problem(problems: list[str | None]) -> None:
    result = with_problems(problems)
    lost = [problem for problem in problems if problem is not None]
    assert [(call.agent, call.stage, call.problem) for call in result.missing_calls] == [
        ("C", "review", problem) for problem in lost
    ]
    assert result.completeness == ("partial" if lost else "complete")
    assert RunSample("0", result, None, None).completeness == result.completeness


def test_without_a_result_a_sample_failed() -> None:
    assert RunSample("0", None, "no answer", None).completeness == "failed"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_embedded_engine_is_always_complete(protocol: str) -> None:
    assert analyze(TEXT, protocol=protocol).completeness == "complete"


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "single"])
def test_whichever_call_is_lost_the_sample_is_partial(protocol: str) -> None:
    calls = len(analyze(TEXT, protocol=protocol, recheck=True).calls)
    for lost in range(calls):
        try:
            result = Pipeline({"protocol": protocol, "recheck": True}, Losing(lost)).analyze(TEXT)
        except EngineError as error:
            assert "ATSA has not" in str(error)  # noqa: PT017 - the only call a debate cannot do without
            continue
        assert result.completeness == "partial"
        assert [call.problem for call in result.missing_calls] == ["timeout"]
        with pytest.raises(
            EngineError, match=r"Sample 0 is partial \(\w+ at [\w ]+: timeout\), and on_partial is fail"
        ):
            Pipeline({"protocol": protocol, "recheck": True, "on_partial": "fail"}, Losing(lost)).analyze(TEXT)


def test_what_is_written_says_it_and_what_is_read_follows_from_the_calls() -> None:
    partial = with_problems(["timeout", None])
    written = partial.model_dump(mode="json")
    assert (written["completeness"], written["missing_calls"]) == (
        "partial",
        [{"agent": "C", "stage": "review", "problem": "timeout"}],
    )
    assert '"completeness":"partial"' in partial.outputs_json()
    for changes in ({}, {"completeness": "complete", "missing_calls": []}, {"completeness": None}):
        assert SampleResult.model_validate(written | changes) == partial
    older = {name: value for name, value in written.items() if name not in ("completeness", "missing_calls")}
    assert SampleResult.model_validate(older) == partial


def test_equal_losses_are_counted_in_words() -> None:
    draw = MissingCall(agent="SINGLE", stage="stage1", problem="timeout")
    other = MissingCall(agent="JUDGE", stage="judge", problem="refusal")
    assert missing_words([draw, other, draw]) == "SINGLE at stage 1: timeout (×2), JUDGE at judge: refusal"


def test_the_page_lists_partial_samples() -> None:
    partial, whole = with_problems(["timeout"]), with_problems([None])
    assert "state:partial" in BrowsedSample(RunSample("0", partial, None, None), ()).labels()
    assert "state:partial" not in BrowsedSample(RunSample("0", whole, None, None), ()).labels()
