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
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.protocol import EngineRequest, ReviewInputs, Stage1Inputs
from samsim.language.analyze import analyze_text
from samsim.pipeline.config import PipelineConfig
from samsim.schemas.protocol_conflict_review import Agent, Candidate, ConflictFlag, ValidatorRisk
from samsim.schemas.results import Stage

_TASK = re.compile(r"^(Extract|Propose) .* as Agent ([ABC]) ", re.MULTILINE)
_TEXT = re.compile(r"^<<<TEXT\n(.*?)\nTEXT>>>$", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r"^## (\w+_json)\n(.*?)\n(?=\n## )", re.MULTILINE | re.DOTALL)
_STAGES: dict[str, Stage] = {"Extract": "stage1", "Propose": "review"}
_CONFIG = PipelineConfig()


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks about which text. A retry or a repair of a call asks the same again."""

    agent: Agent
    stage: Stage
    text: str

    @property
    def digest(self) -> bytes:
        """A hash of it, the same in every process."""
        return hashlib.sha256(f"{self.agent}:{self.stage}:{self.text}".encode()).digest()


def asked_by(body: dict[str, Any]) -> Asked | None:
    """What a request asks; None for a probe, which is about no text."""
    prompt = _prompt(body)
    task, text = _TASK.search(prompt), _TEXT.search(prompt)
    if task is None or text is None:
        return None
    return Asked(TypeAdapter[Agent](Agent).validate_python(task.group(2)), _STAGES[task.group(1)], text.group(1))


def answer_to(body: dict[str, Any]) -> dict[str, Any]:
    """The right answer to a request: the embedded engine's, or the smallest the schema allows for a probe."""
    asked = asked_by(body)
    if asked is None:
        return dict(_smallest(_schema(body)))
    return json.loads(_answer(asked, _prompt(body)))  # type: ignore[no-any-return]


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
    analysis = analyze_text(asked.text)
    taxonomy = _CONFIG.taxonomy_for(analysis.language)
    inputs: Stage1Inputs | ReviewInputs = Stage1Inputs(analysis, taxonomy)
    if asked.stage == "review":
        sections = dict(_SECTION.findall(prompt))
        inputs = ReviewInputs(
            analysis,
            taxonomy,
            TypeAdapter(list[Candidate]).validate_json(sections["candidates_json"]),
            TypeAdapter(list[ConflictFlag]).validate_json(sections["conflict_flags_json"]),
            TypeAdapter(list[ValidatorRisk]).validate_json(sections["validator_risks_json"]),
            memory_context="",
        )
    request = EngineRequest(
        agent=asked.agent,
        stage=asked.stage,
        uid="",
        inputs=inputs,
        output_schema=BaseModel,
        messages=lambda: (),
        prompt_hash="",
    )
    return _output_of(request).model_dump_json()


def _output_of(request: EngineRequest) -> BaseModel:
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
