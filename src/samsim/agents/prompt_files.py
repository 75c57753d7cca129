"""Prompt files: found by the seeds' names, split into system and user parts, filled with data.

The text of a review is data. It is put between delimiter lines, and look-alikes of those lines
inside it are broken, so that nothing a text says can close its own frame.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from samsim.engines.protocol import Message
from samsim.errors import ConfigError

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_PART = re.compile(r"^# (system|user)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRAME = re.compile(r"<{3,}|>{3,}")
_WORD_JOINER = "\u2060"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """One prompt: its two parts and a hash of its content."""

    name: str
    system: str
    user: str
    digest: str

    def render(self, values: Mapping[str, str]) -> tuple[Message, Message]:
        """Fill the placeholders; every one must have a value, and values are never re-read as templates."""
        return Message("system", self._fill(self.system, values)), Message("user", self._fill(self.user, values))

    def _fill(self, template: str, values: Mapping[str, str]) -> str:
        missing = sorted(set(_PLACEHOLDER.findall(template)) - set(values))
        if missing:
            raise ConfigError(f"Prompt {self.name} needs a value for: {', '.join(missing)}.")
        return _PLACEHOLDER.sub(lambda match: values[match.group(1)], template)


def guard_frame(text: str) -> str:
    """Break every run of angle brackets that could make a delimiter line; it looks the same."""
    return _FRAME.sub(lambda match: _WORD_JOINER.join(match.group(0)), text)


@cache
def load_prompt(name: str) -> PromptFile:
    """Read ``agents/prompts/{name}.md``."""
    content = files("samsim.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    return parse_prompt(name, content)


def parse_prompt(name: str, content: str) -> PromptFile:
    """Split a prompt file at its ``# system`` and ``# user`` headings; comments before them are dropped."""
    pieces = _PART.split(content)
    if pieces[1::2] != ["system", "user"] or _COMMENT.sub("", pieces[0]).strip():
        raise ConfigError(f"Prompt {name} needs exactly the two parts '# system' and '# user', in this order.")
    digest = hashlib.sha256(content.encode()).hexdigest()
    return PromptFile(name=name, system=pieces[2].strip(), user=pieces[4].strip(), digest=digest)
