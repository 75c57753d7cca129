"""Mistakes in a configuration: reported all at once, each with its place and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pydantic_core import ErrorDetails

from samsim.errors import ConfigError
from samsim.plurals import how_many
from samsim.spelling import closest
from samsim.validation_words import KEY_MARK, reason_of

Keys = tuple[str | int, ...]
# The sections that have each key.
Homes = Mapping[str, tuple[Keys, ...]]
NO_HOMES: Homes = MappingProxyType({})

UNKNOWN_KEY_TYPES = frozenset({"extra_forbidden", "unexpected_keyword_argument"})
# How similar two names must be for one to count as a typo of the other.
_MISSPELT = 0.85
_NAMED_HOMES = 2
_QUOTED = re.compile(r"'([^']*)'")
_WHAT_TO_GIVE: Mapping[str, str] = MappingProxyType(
    {
        "bool": "Give true or false.",
        "int": "Give a whole number.",
        "float": "Give a number.",
        "string": "Give a text; put it in quotes if YAML reads it as something else.",
        "tuple": "Give a list: [a, b].",
        "dict": "Give a mapping with one key per line.",
        "model": "Give a mapping with one key per line.",
        "dataclass": "Give a mapping with one key per line.",
        "greater": "Give a larger number, or leave it out for the default.",
        "less": "Give a smaller number, or leave it out for the default.",
        "too": "Give at least one value, or leave it out for the default.",
        "missing": "Add it.",
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a setting was given: a line of the file, or an option of the command line."""

    label: str
    order: tuple[int, int]
    said_as: str = ""
    """The key that the label already names, so that it is not repeated."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake, with what to do about it."""

    place: Place
    keys: Keys
    text: str

    def __str__(self) -> str:
        name = dotted(self.keys)
        named = f"{name}: " if name and name != self.place.said_as else ""
        return f"{self.place.label}: {named}{self.text}"


class ConfigMistakes(ConfigError):  # noqa: N818 - it reports several
    """All mistakes in a configuration, in the order of its lines."""

    def __init__(self, source: str, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda mistake: mistake.place.order))
        in_file = any(mistake.place.order[0] == 0 for mistake in self.mistakes)
        ending = f"{how_many(len(self.mistakes), 'mistake')}{f' in {source}' if in_file else ''}; nothing was run."
        super().__init__("\n".join([*map(str, self.mistakes), ending]))


def dotted(keys: Keys) -> str:
    """Return a path as written on the command line: ``matrix.seed.0``."""
    return ".".join(map(str, keys))


def value_at(content: Any, keys: Keys) -> Any:
    """Return the value at a place."""
    for key in keys:
        content = content[key]
    return content


def unknown_setting(wrong: object, known: Sequence[str]) -> str:
    """Return the message about an unknown key, with a suggestion."""
    meant = closest(wrong, known)
    return f"unknown key. Did you mean {meant}?" if meant else f"unknown key. Use {_one_of(known)}."


def belongs_elsewhere(wrong: object, known: Sequence[str], homes: Homes) -> str | None:
    """Return the message about a key that belongs in another section; None if it is unknown or only misspelled."""
    sections = homes.get(str(wrong), ())
    if not sections or closest(wrong, known, alike=_MISSPELT) is not None:
        return None
    return f"unknown key here. Put it {' or '.join(_place_of(keys, str(wrong)) for keys in sections[:_NAMED_HOMES])}."


def _place_of(section: Keys, key: str) -> str:
    return f"under {dotted(section)} ({dotted((*section, key))})" if section else f"at the top of the file ({key})"


def explain(problem: ErrorDetails, known: Sequence[str]) -> str:
    """Return one pydantic error in words, with what to do; ``known`` are the keys allowed there."""
    kind = problem["type"]
    if kind in UNKNOWN_KEY_TYPES or problem["loc"][-1:] == (KEY_MARK,):
        wrong = next(part for part in reversed(problem["loc"]) if part != KEY_MARK)
        return unknown_setting(wrong, expected_names(problem) or known)
    if kind == "literal_error":
        return _explain_choice(problem["input"], expected_names(problem))
    if kind == "value_error":
        return _sentence(reason_of(problem))
    if kind == "missing":
        return "is missing. Add it."
    hint = _WHAT_TO_GIVE.get(kind.split("_")[0], "Correct it, or leave it out for the default.")
    return f"{_sentence(problem['msg'].replace('Input should', 'should').replace('a valid tuple', 'a list'))} {hint}"


def expected_names(problem: ErrorDetails) -> list[str]:
    """Return the values that a pydantic error lists as valid."""
    context: dict[str, Any] = problem.get("ctx", {})
    return _QUOTED.findall(str(context.get("expected", "")))


def _explain_choice(value: object, known: Sequence[str]) -> str:
    meant = closest(value, known)
    hint = f"Did you mean {meant}?" if meant else f"Use {_one_of(known)}."
    # A value may be a secret in the wrong place, so it is only repeated if it resembles a valid one.
    return f"{value!r} is not valid here. {hint}" if meant else f"this value is not valid here. {hint}"


def _one_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."
