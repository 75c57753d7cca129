"""``samsim analyze`` with a real language model on a real server (llama.cpp), from the command to the trace.

Every call of the run goes to the model: three perspectives and, where something is flagged, three
reviewers. One core reads the prompts at about 100 tokens a second. Each has 1,400 to 2,000 tokens, of which
the server has read a third before, for the agent before it in the same stage.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from samsim.engines.replay import TraceLine
from samsim.engines.transport.guard import FORBID_VARIABLE
from samsim.rules.review_actions import reviewable_ids
from samsim.schemas.protocol_conflict_review import AGENTS, PerspectiveASTEStage1Schema, ReviewOutputSchema
from samsim.schemas.results import SampleResult
from tests.servers.smollm import MODEL, asking, bounded, smollm_server
from tests.support.real_model import REAL_MODEL
from tests.support.shared import made_once

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")
pytestmark = REAL_MODEL

TEXT = "The jacket is warm but far from waterproof."
MAX_TOKENS = 320
# Far more than a busy machine needs; only a broken run waits for it.
TIMEOUT_SECONDS = 900
SCHEMAS: dict[str, type[BaseModel]] = {"stage1": PerspectiveASTEStage1Schema, "review": ReviewOutputSchema}


@dataclass(frozen=True)
class Analysed:
    """What the command wrote."""

    result: SampleResult
    trace: list[TraceLine]
    trace_path: Path

    @property
    def asked(self) -> list[TraceLine]:
        """The calls the model answered: the perspectives A, B, C, then the reviewers."""
        return sorted(self.trace, key=lambda line: (line.stage != "stage1", line.agent))


def plan(url: str) -> dict[str, Any]:
    """Everybody asks the model. The schemas are bounded more tightly than usual: a small model likes to go on."""
    server = asking(url, max_tokens=MAX_TOKENS, timeout_s=TIMEOUT_SECONDS)
    texts = ("aspect_term", "aspect_ref", "opinion_term", "evidence", "rationale")
    triplet = {name: {"maxLength": 24} for name in texts} | {"confidence": {"enum": [0.5, 0.9]}}
    action = {
        "target_tuple_ids": {"maxItems": 1, "items": {"maxLength": 4}},
        "new_value": {"anyOf": [{"type": "null"}]},
    }
    return {
        "engines": {
            "default": server | bounded("triplets", 1, triplet),
            "reviewers": bounded("review_actions", 1, action),
        }
    }


def samsim(*arguments: str) -> str:
    """Run the command in a process of its own and return what it printed."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("samsim")), *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_SECONDS,
        env=os.environ | {FORBID_VARIABLE: "loopback"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def analyse(folder: Path) -> None:
    """One run with the server up; its result and its trace stay in the folder."""
    engines = folder / "engines.yaml"
    files = ("--engine", str(engines), "--trace", str(folder / "trace.jsonl"))
    with smollm_server() as url:
        engines.write_text(yaml.safe_dump(plan(url)))
        printed = samsim("analyze", TEXT, "--protocol", "cr_v2", "--json", "--no-cache", *files)
    (folder / "result.json").write_text(printed, encoding="utf-8")


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    folder = made_once(tmp_path_factory, "real-server", analyse)
    result = SampleResult.model_validate_json((folder / "result.json").read_bytes())
    trace_path = folder / "trace.jsonl"
    trace = [TraceLine.model_validate_json(line) for line in trace_path.read_bytes().splitlines()]
    return Analysed(result, trace, trace_path)


def test_the_model_answers_as_all_perspectives_and_as_all_reviewers(analysed: Analysed) -> None:
    result = analysed.result
    assert result.protocol == "cr_v2"
    assert {call.engine for call in analysed.asked} == {f"openai_compatible:{MODEL}"}
    reviewed = bool(result.conflict_flags or result.validator_risks)
    stages = ["stage1", "review"] if reviewed else ["stage1"]
    assert [(call.stage, call.agent) for call in analysed.asked] == [
        (stage, agent) for stage in stages for agent in AGENTS
    ]
    assert all(call.problem is None for call in result.calls)


def test_the_native_mode_gives_valid_answers(analysed: Analysed) -> None:
    for call in analysed.asked:
        assert call.mode == "json_schema"
        last = call.attempts[-1]
        assert last.outcome == "ok"
        answer = json.loads(last.raw)
        SCHEMAS[call.stage].model_validate(answer)
        assert list(answer) == list(SCHEMAS[call.stage].model_fields)


def test_what_the_model_said_reaches_the_result(analysed: Analysed) -> None:
    result = analysed.result
    said = [
        triplet.aspect_term.strip()
        for call in analysed.asked
        if call.stage == "stage1"
        for triplet in PerspectiveASTEStage1Schema.model_validate_json(call.attempts[-1].raw).triplets
    ]
    assert [candidate.aspect_term for candidate in result.stage1_tuples] == said
    reviewable = reviewable_ids(result.conflict_flags, result.validator_risks)
    assert {decision.tuple_id for decision in result.arbiter_decisions} == reviewable


def test_tokens_are_counted_and_an_unknown_price_is_unknown(analysed: Analysed) -> None:
    for call in analysed.asked:
        assert (call.attempts[-1].usage.input_tokens or 0) > 1_000
        for attempt in call.attempts:
            assert attempt.usage.input_tokens
            assert attempt.usage.output_tokens
            assert attempt.usage.output_tokens <= MAX_TOKENS
            assert attempt.cost is None


def test_the_trace_is_complete(analysed: Analysed) -> None:
    written = {(call.agent, call.stage, call.prompt_hash, call.mode) for call in analysed.result.calls}
    assert {(line.agent, line.stage, line.prompt_hash, line.mode) for line in analysed.trace} == written
    assert len(analysed.trace) == len(written) == len(analysed.result.calls)
    for line in analysed.asked:
        assert [message.role for message in line.messages] == ["system", "user"]
        assert TEXT in line.messages[-1].content
        assert all(attempt.raw and attempt.http_status == 200 for attempt in line.attempts)
        assert all(0 < attempt.started < attempt.ended for attempt in line.attempts)


def test_the_run_is_replayed_from_its_trace_without_a_server(analysed: Analysed) -> None:
    replayed = SampleResult.model_validate_json(samsim("analyze", TEXT, "--json", "--replay", str(analysed.trace_path)))
    assert replayed.model_dump(exclude={"calls"}) == analysed.result.model_dump(exclude={"calls"})
