"""Prompt files: loaded by the seeds' names, assembled, split into system and user parts, and filled with data.

Text that several agents share is in one file, which their own files include at the start (``{{>name}}``). The
shared file also holds all the data. So the prompts are identical up to the agent's own part, and a server that
caches prompt prefixes reads the data only once. ``[[full:…]]`` is included for full answers, not for terse ones.

The text of a review is data. It is put between delimiter lines, and sequences inside it that look like
delimiters are broken up, so that nothing in the text can close its own frame.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from samsim.engines.interface import Message
from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import AnswerForm

_SHARED = re.compile(r"^\{\{>(\w+)\}\}$", re.MULTILINE)
_IN_FULL = re.compile(r"\[\[full:(.*?)\]\]", re.DOTALL)
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
        """Fill the placeholders; each one needs a value, and values are never parsed as templates."""
        return Message("system", self._fill(self.system, values)), Message("user", self._fill(self.user, values))

    def _fill(self, template: str, values: Mapping[str, str]) -> str:
        pieces = list(_pieces(template))
        names = pieces[1::2]
        if not names:
            return template
        try:
            pieces[1::2] = [values[name] for name in names]
        except KeyError:
            missing = sorted(set(names).difference(values))
            raise ConfigError(f"Prompt {self.name} needs a value for: {', '.join(missing)}.") from None
        return "".join(pieces)


@lru_cache(maxsize=128)
def _pieces(template: str) -> tuple[str, ...]:
    """Return text and placeholder names in turn; cached, so a template is parsed once and not for every call."""
    return tuple(_PLACEHOLDER.split(template))


def guard_frame(text: str) -> str:
    """Break up every run of angle brackets that could form a delimiter line; the text looks the same."""
    if "<<<" not in text and ">>>" not in text:
        return text
    return _FRAME.sub(lambda match: _WORD_JOINER.join(match.group(0)), text)


@cache
def load_prompt(name: str, answer: AnswerForm = "full") -> PromptFile:
    """Load ``agents/prompts/{name}.md`` for this form of answer."""
    return parse_prompt(name, _put_together(name, answer))


def prompt_hashes(answer: AnswerForm = "full") -> dict[str, str]:
    """Return the digests of all prompts for this form of answer, by name."""
    names = (entry.name for entry in files("samsim.agents").joinpath("prompts").iterdir())
    prompts = sorted(name.removesuffix(".md") for name in names if name.endswith(".md"))
    return {name: _digest(_put_together(name, answer)) for name in prompts}


def _put_together(name: str, answer: AnswerForm) -> str:
    content = files("samsim.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    whole = _SHARED.sub(lambda match: _put_together(match.group(1), answer).rstrip("\n"), content)
    return _IN_FULL.sub(r"\1" if answer == "full" else "", whole)


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def parse_prompt(name: str, content: str) -> PromptFile:
    """Split a prompt file at its ``# system`` and ``# user`` headings; comments before them are dropped."""
    pieces = _PART.split(content)
    if pieces[1::2] != ["system", "user"] or _COMMENT.sub("", pieces[0]).strip():
        raise ConfigError(f"Prompt {name} needs exactly the two parts '# system' and '# user', in this order.")
    return PromptFile(name=name, system=pieces[2].strip(), user=pieces[4].strip(), digest=_digest(content))
