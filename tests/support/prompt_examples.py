"""The worked examples inside the prompt files, read from the files themselves."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from samsim.agents.debate_agents import DEBATE_VOICES
from samsim.agents.perspective_agents import PERSPECTIVE_AGENTS, SingleAgent
from samsim.agents.prompt_files import PromptFile, load_prompt
from samsim.agents.review_agents import REVIEW_AGENTS
from samsim.schemas.protocol_conflict_review import Agent, AgentName
from samsim.schemas.taxonomy import Taxonomy, load_taxonomy

STAGE1_PROMPTS: dict[str, AgentName] = {agent.prompt_name: agent.agent for agent in (*PERSPECTIVE_AGENTS, SingleAgent)}
REVIEW_PROMPTS: dict[str, Agent] = {agent.prompt_name: agent.agent for agent in REVIEW_AGENTS}
DEBATE_PROMPTS: dict[str, AgentName] = {voice.prompt_name: voice.agent for voice in DEBATE_VOICES}
PROMPTS = (*STAGE1_PROMPTS, *REVIEW_PROMPTS, *DEBATE_PROMPTS)

EXAMPLE_COLUMNS = ("tuple_id", "aspect_term", "aspect_ref", "polarity", "evidence")

_HANGUL = re.compile("[가-힣]")
_REASON_CODE = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")


@dataclass(frozen=True)
class Example:
    """One worked example: the text, the JSON shown as input (reviews only) and the JSON shown as answer."""

    title: str
    text: str
    shown: dict[str, Any]
    answer: dict[str, Any]

    @property
    def is_korean(self) -> bool:
        return bool(_HANGUL.search(self.text))

    @property
    def taxonomy(self) -> Taxonomy:
        """Korean examples use the NIKL refs, English ones free refs."""
        return load_taxonomy("nikl2022" if self.is_korean else "none")


def section(prompt: PromptFile, title: str) -> str:
    """The one section with this heading (a prefix of it is enough), wherever in the prompt it is read."""
    blocks = re.split(r"(?m)^## ", f"{prompt.system}\n\n{prompt.user}")[1:]
    found = [block for block in blocks if block.startswith(title)]
    assert len(found) == 1, f"{prompt.name} has {len(found)} sections '## {title}'"
    return found[0]


def examples(name: str) -> list[Example]:
    """All examples of a prompt, in file order."""
    blocks = re.split(r"(?m)^### ", section(load_prompt(name), "Examples"))[1:]
    return [_example(block) for block in blocks]


def _example(block: str) -> Example:
    text = re.search(r"(?m)^Text: (.*)$", block)
    assert text is not None, block
    *shown, answer = (json.loads(found) for found in re.findall(r"(?s)```json\n(.*?)\n```", block))
    return Example(block.splitlines()[0], text[1], shown[0] if shown else _shown_in_lines(block), answer)


def _shown_in_lines(block: str) -> dict[str, Any]:
    """What a review's example shows: rows of candidates, and the types of flags and risks with their tuples."""
    lines = dict(re.findall(r"(?m)^(Candidates|Flags|Risks): (.*)$", block))
    rows = json.loads(lines["Candidates"]) if "Candidates" in lines else []
    return {
        "candidates": [dict(zip(EXAMPLE_COLUMNS, row, strict=True)) for row in rows],
        "flags": _types_and_ids(lines.get("Flags", "")),
        "risks": _types_and_ids(lines.get("Risks", "")),
    }


def _types_and_ids(line: str) -> list[tuple[str, list[str]]]:
    return [(name, ids) for name, *ids in (part.split() for part in line.split(", ") if part)]


def listed_reason_codes(name: str) -> set[str]:
    """The reason codes a review prompt offers."""
    return set(_REASON_CODE.findall(section(load_prompt(name), "Reason codes")))
