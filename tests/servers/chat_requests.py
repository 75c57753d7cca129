"""Reading a chat-completions request of samsim, and answering it as a very good model would.

The server sees nothing but the wire: which agent asks about which text is read from the prompt, and
the answer is what the embedded engine makes of those facts. So the answers are real and the same
every time, whoever asks and in whatever order.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from pydantic import BaseModel

from samsim.agents.debate_agents import DEBATE_VOICES
from samsim.agents.perspective_agents import PERSPECTIVE_AGENTS, SingleAgent
from samsim.agents.prompt_files import load_prompt
from samsim.agents.review_agents import REVIEW_AGENTS
from samsim.engines.answers.shape import as_stated
from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import (
    ATSAInputs,
    DebateInputs,
    EngineRequest,
    Inputs,
    ReviewInputs,
    Stage1Inputs,
    Stage2Inputs,
)
from samsim.language.analyze import analyze_text
from samsim.pipeline.config import PipelineConfig
from samsim.rules.candidates import anchor_span
from samsim.rules.text_index import TextIndex
from samsim.schemas.memory_v1_1 import SLOT_NAME
from samsim.schemas.protocol_conflict_review import AgentName, Candidate, ConflictFlag, ValidatorRisk
from samsim.schemas.protocol_debate import (
    AspectItem,
    CorrectionProposal,
    DebateTurn,
    DropRecord,
    PatchOp,
    StructuralRisk,
)
from samsim.schemas.results import Stage

_TASK = "\n## Task\n"
_TEXT = re.compile(r"^<<<TEXT\n(.*?)\nTEXT>>>$", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r"^## ([\w ]+)\n(.*?)\n(?=\n## )", re.MULTILINE | re.DOTALL)
_CONFIG = PipelineConfig()


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks about which text. A retry or a repair of a call asks the same again."""

    agent: AgentName
    stage: Stage
    text: str

    @property
    def digest(self) -> bytes:
        """A hash of it, the same in every process."""
        return hashlib.sha256(f"{self.agent}:{self.stage}:{self.text}".encode()).digest()


def asked_by(body: dict[str, Any]) -> Asked | None:
    """What a request asks; None for a probe, which is about no text."""
    prompt = _prompt(body)
    who, text = _tasks().get(prompt.rpartition(_TASK)[2]), _TEXT.search(prompt)
    return None if who is None or text is None else Asked(*who, text.group(1))


@cache
def _tasks() -> dict[str, tuple[AgentName, Stage]]:
    """Who asks at which stage, by the last words of the prompt: no two prompts give the same task."""
    prompts: list[tuple[str, AgentName, Stage]] = [
        *((one.prompt_name, one.agent, "stage1") for one in (*PERSPECTIVE_AGENTS, SingleAgent)),
        *((one.prompt_name, one.agent, "review") for one in REVIEW_AGENTS),
        *((one.prompt_name, one.agent, one.stage) for one in DEBATE_VOICES),
    ]
    return {load_prompt(name).user.rpartition(_TASK)[2]: (agent, stage) for name, agent, stage in prompts}


def answer_to(body: dict[str, Any]) -> dict[str, Any]:
    """The right answer to a request: the embedded engine's, or the smallest the schema allows for a probe."""
    asked = asked_by(body)
    if asked is None:
        return dict(_smallest(_schema(body)))
    return dict(as_stated(json.loads(_answer(asked, _prompt(body))), _schema(body)))


def completion(body: dict[str, Any], content: str, finish: str = "stop") -> dict[str, Any]:
    """A reply with this content, as text or as the arguments of the tool that was asked for."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if "tools" in body:
        name = body["tools"][0]["function"]["name"]
        call = {"id": "call_0", "type": "function", "function": {"name": name, "arguments": content}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "object": "chat.completion",
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": len(_prompt(body)) // 4, "completion_tokens": len(content) // 4},
    }


def _prompt(body: dict[str, Any]) -> str:
    """The first user message: a repair only adds messages after it."""
    return str(next(message["content"] for message in body["messages"] if message["role"] == "user"))


@lru_cache(maxsize=4096)
def _answer(asked: Asked, prompt: str) -> str:
    request = EngineRequest(
        agent=asked.agent,
        stage=asked.stage,
        uid="",
        inputs=_inputs(asked, dict(_SECTION.findall(prompt))),
        output_schema=BaseModel,
        messages=lambda: (),
        prompt_hash="",
    )
    return embedded_output(request).model_dump_json()


def _inputs(asked: Asked, sections: dict[str, str]) -> Inputs:
    """The facts of a request as they can be read from its prompt."""
    analysis = analyze_text(asked.text)
    taxonomy = _CONFIG.taxonomy_for(analysis.language)

    def listed(name: str, kind: type[BaseModel], within: dict[str, Any] | None = None) -> list[Any]:
        given = json.loads(sections[name]) if within is None else within[name]
        return [kind.model_validate(item) for item in given]

    if asked.agent == "ATSA":
        return ATSAInputs(analysis, taxonomy, listed("Aspects found", AspectItem))
    if "debate_context" in sections:
        context = json.loads(sections["debate_context"])
        return DebateInputs(
            analysis,
            taxonomy,
            listed("candidates", Candidate, context),
            listed("conflict_flags", ConflictFlag, context),
            listed("validator_risks", ValidatorRisk, context),
            listed("dropped_aspects", DropRecord, context),
            listed("structural_risks", StructuralRisk, context),
            listed("correction_proposals", CorrectionProposal, context),
            context.get(SLOT_NAME),
            listed("turns", DebateTurn) if "turns" in sections else (),
        )
    if asked.stage not in ("review", "stage2"):
        return Stage1Inputs(analysis, taxonomy)
    flags = listed("conflict_flags_json", ConflictFlag)
    if asked.stage == "stage2":
        return Stage2Inputs(
            analysis,
            taxonomy,
            listed("candidates_json", Candidate),
            flags,
            listed("validator_risks_json", ValidatorRisk),
            listed("patch_json", PatchOp),
            listed("structural_risks_json", StructuralRisk),
        )
    index = TextIndex(asked.text)
    shown = [Candidate(**row, origin_agent="A") for row in _rows(sections["candidates_json"])]
    # The table has no places; where a term stands is seen in the text.
    places = [anchor_span(one.aspect_term, None, one.evidence, index) for one in shown]
    candidates = [one.model_copy(update={"span": place}) for one, place in zip(shown, places, strict=True)]
    risks = [ValidatorRisk(**row, description="") for row in _rows(sections["validator_risks_json"])]
    return ReviewInputs(analysis, taxonomy, candidates, flags, risks, memory_context="")


def _rows(table: str) -> list[dict[str, Any]]:
    """The rows of a table in a prompt, by the names of its columns."""
    columns, *rows = json.loads(table) or [[]]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def embedded_output(request: EngineRequest) -> BaseModel:
    """What the embedded engine answers to a request."""
    coroutine = EmbeddedEngine().complete(request)
    try:
        # The embedded engine never waits, so its answer is there after the first step.
        coroutine.send(None)
    except StopIteration as done:
        output = done.value.output
        assert isinstance(output, BaseModel)
        return output
    raise asyncio.InvalidStateError("the embedded engine waited for something")


def _schema(body: dict[str, Any]) -> dict[str, Any]:
    if "tools" in body:
        return dict(body["tools"][0]["function"]["parameters"])
    stated = body.get("response_format", {})
    return dict(stated.get("schema") or stated.get("json_schema", {}).get("schema", {}))


def _smallest(schema: dict[str, Any]) -> Any:
    """The simplest value a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _smallest(schema["anyOf"][-1])
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: _smallest(child) for name, child in schema.get("properties", {}).items()}
    if kind == "array":
        return []
    return {"string": "", "number": schema.get("minimum", 0), "integer": 0, "boolean": False, "null": None}[kind]
