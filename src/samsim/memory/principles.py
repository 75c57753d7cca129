"""The catalog of corrective principles: general advice by risk type, action and reason code.

A principle never names a polarity and never says how often something was right; it says what to look at.
Some name a ``check`` that the embedded reviewers perform.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import Field

from samsim.schemas.analysis import Language
from samsim.schemas.memory_v1_1 import ActionTaken, EpisodeRisk, PrincipleId
from samsim.schemas.protocol_conflict_review import ReasonCode, Written
from samsim.yaml_text import read_yaml

Check = Literal[
    "negation_scope",
    "contrast_sides",
    "literal_evidence",
    "redundant_upper_ref",
    "implicit_justified",
    "ref_in_taxonomy",
    "term_in_text",
]
Anything = Literal["*"]
_ANY: Anything = "*"


class Principle(Written):
    """One piece of general advice; ``*`` in its key matches anything."""

    principle_id: PrincipleId
    risk_type: EpisodeRisk | Anything
    action: ActionTaken | Anything
    reason_code: ReasonCode | Anything
    check: Check | None = None
    ko: str = Field(min_length=1, max_length=300)
    en: str = Field(min_length=1, max_length=300)

    def text(self, language: Language) -> str:
        """Return the advice in a language."""
        return self.ko if language == "ko" else self.en


@cache
def all_principles() -> tuple[Principle, ...]:
    """Return the whole catalog in its own order."""
    content = files("samsim.memory").joinpath("data", "principles.yaml").read_text(encoding="utf-8")
    return tuple(Principle.model_validate(entry) for entry in read_yaml(content))


def principle_for(risk_type: EpisodeRisk, action: ActionTaken, reason_code: str | None) -> Principle:
    """Return the most specific principle: all keys, risk and action, action and reason, risk alone, action alone."""
    by_key = _by_key()
    keys: list[tuple[str, str, str]] = [(risk_type, action, _ANY), (risk_type, _ANY, _ANY), (_ANY, action, _ANY)]
    if reason_code is not None:
        keys.insert(0, (risk_type, action, reason_code))
        keys.insert(2, (_ANY, action, reason_code))
    return next(by_key[key] for key in keys if key in by_key)


def find_principle(principle_id: str) -> Principle | None:
    """Return the principle with that id, or None if this version of the catalog does not have it."""
    return _by_id().get(principle_id)


@cache
def _by_key() -> dict[tuple[str, str, str], Principle]:
    return {(principle.risk_type, principle.action, principle.reason_code): principle for principle in all_principles()}


@cache
def _by_id() -> dict[str, Principle]:
    return {principle.principle_id: principle for principle in all_principles()}
