"""Find every mistake in one pass: each one is reported and repaired just enough to check the rest.

An unknown key that resembles a known one is read as that one, a wrong value is left out, a missing one is made up. So
one mistake neither hides nor causes another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from samsim.experiments.config.mistakes import (
    NO_HOMES,
    UNKNOWN_KEY_TYPES,
    Homes,
    Keys,
    belongs_elsewhere,
    expected_names,
    explain,
    value_at,
)
from samsim.spelling import closest
from samsim.validation_words import KEY_MARK, mistakes_in

Model = TypeVar("Model", bound=BaseModel)
# Every round repairs something; a file with more layers of mistakes than this needs a second run.
_ROUNDS = 25
_NOTHING: Mapping[Keys, Any] = MappingProxyType({})


@dataclass(slots=True)
class Repaired(Generic[Model]):
    """The outcome of a check: the model if there is one, the repaired content, and the mistakes."""

    content: dict[str, Any]
    model: Model | None = None
    mistakes: list[tuple[Keys, str]] = field(default_factory=list)
    _written: dict[Keys, Keys] = field(default_factory=dict)
    _left_out: set[Keys] = field(default_factory=set)

    def is_known(self, keys: Keys) -> bool:
        """Return whether a mistake at this place, or in what contains it, was already reported."""
        written = self.as_written(keys)
        return any(_starts(written, known) for known, _ in self.mistakes)

    def is_left_out(self, keys: Keys) -> bool:
        """Return whether the value at this place was wrong and was removed, so its absence means nothing."""
        return self.as_written(keys) in self._left_out

    def as_written(self, keys: Keys) -> Keys:
        """Return the path as the user spelled it."""
        for length in range(len(keys), 0, -1):
            if keys[:length] in self._written:
                return (*self.as_written(self._written[keys[:length]]), *keys[length:])
        return keys

    def report(self, keys: Keys, text: str) -> None:
        """Add a mistake, unless it follows from one that is known."""
        written = self.as_written(keys)
        follows = any(_starts(left_out, written) for left_out in self._left_out)
        if not follows and all(known != written for known, _ in self.mistakes):
            self.mistakes.append((written, text))

    def rename(self, keys: Keys, name: str) -> None:
        """Treat a key as another one."""
        parent = value_at(self.content, keys[:-1])
        parent[name] = parent.pop(keys[-1])
        self._written[(*keys[:-1], name)] = self.as_written(keys)

    def leave_out(self, keys: Keys) -> None:
        """Remove a value; later mistakes about what contains it follow from that."""
        self._left_out.add(self.as_written(keys))
        parent = value_at(self.content, keys[:-1])
        if isinstance(parent, dict):
            parent.pop(keys[-1], None)
        else:
            # Removing a single item would shift the others, so remove the list.
            self.leave_out(keys[:-1])


def repaired(
    model: type[Model],
    content: Mapping[str, Any],
    *,
    context: Mapping[str, Any] | None = None,
    made_up: Mapping[Keys, Any] = _NOTHING,
    known: Sequence[tuple[Keys, str]] = (),
    homes: Homes = NO_HOMES,
    whole: bool = True,
) -> Repaired[Model]:
    """Validate and repair until nothing new is wrong; without ``whole``, check single settings only.

    ``known`` mistakes are kept, and their values are not checked again. ``homes`` says where misplaced keys belong;
    those are not treated as typos.
    """
    result: Repaired[Model] = Repaired(deepcopy(dict(content)), mistakes=list(known))
    for keys, _ in known:
        if _existing(result.content, keys) == keys:
            result.leave_out(keys)
    for _ in range(_ROUNDS):
        try:
            result.model = model.model_validate(result.content, context=context)
            break
        except ValidationError as error:
            problems = [mistake for mistake in mistakes_in(error) if whole or mistake["loc"]]
            if not problems:
                break
            findings = _independent([_find(result.content, problem, model, homes) for problem in problems])
            for finding in findings:
                result.report(finding.keys, _words(finding, made_up))
            for finding in findings:
                _repair(result, finding, made_up)
    return result


@dataclass(frozen=True, slots=True)
class _Finding:
    """One error and where it is in the content."""

    problem: ErrorDetails
    keys: Keys
    names: Sequence[str]
    homes: Homes

    @property
    def is_missing(self) -> bool:
        return self.problem["type"] == "missing"

    @property
    def is_key(self) -> bool:
        return self.problem["type"] in UNKNOWN_KEY_TYPES or self.problem["loc"][-1:] == (KEY_MARK,)

    @property
    def meant(self) -> str | None:
        """The known key that an unknown one resembles; None if it belongs elsewhere."""
        if not self.is_key or self.elsewhere is not None:
            return None
        return closest(self.keys[-1], expected_names(self.problem) or self.names)

    @property
    def elsewhere(self) -> str | None:
        """Where an unknown key belongs, in words."""
        if not self.is_key or not self.keys:
            return None
        return belongs_elsewhere(self.keys[-1], expected_names(self.problem) or self.names, self.homes)


def _find(content: Any, problem: ErrorDetails, model: type[Any], homes: Homes) -> _Finding:
    keys = _existing(content, problem["loc"])
    if problem["type"] == "missing":
        keys = (*keys, problem["loc"][-1])
    return _Finding(problem, keys, names_at(model, problem["loc"]), homes)


def _independent(findings: Sequence[_Finding]) -> list[_Finding]:
    """Return the findings that do not follow from another one.

    A key is not missing if it is only misspelled, and a list is not too short because its items are wrong.
    """
    meant = {(*finding.keys[:-1], finding.meant) for finding in findings if finding.meant is not None}
    around = {finding.keys[:length] for finding in findings for length in range(len(finding.keys))}
    follows = {"missing": meant, "too_short": around}
    return [finding for finding in findings if finding.keys not in follows.get(finding.problem["type"], ())]


def _words(finding: _Finding, made_up: Mapping[Keys, Any]) -> str:
    if finding.is_missing and finding.keys in made_up:
        example = yaml.safe_dump({finding.keys[-1]: made_up[finding.keys]}, default_flow_style=True).strip()
        return f"is missing. Add it, for example {example[1:-1]}."
    return finding.elsewhere or explain(finding.problem, finding.names)


def _repair(result: Repaired[Any], finding: _Finding, made_up: Mapping[Keys, Any]) -> None:
    keys = finding.keys
    if finding.is_missing:
        if keys in made_up:
            value_at(result.content, keys[:-1])[keys[-1]] = deepcopy(made_up[keys])
        return
    # An earlier repair may have removed it with what contained it.
    if not keys or _existing(result.content, keys) != keys:
        return
    beside = value_at(result.content, keys[:-1])
    meant = finding.meant
    if meant is not None and meant not in beside:
        result.rename(keys, meant)
    elif finding.is_key:
        beside.pop(keys[-1])
    else:
        result.leave_out(keys)


def names_at(model: type[Any], location: Sequence[str | int]) -> list[str]:
    """Return the valid keys at the place of a pydantic error."""
    current: type[Any] | None = model
    for part in location[:-1]:
        fields = fields_of(current)
        if part in fields:
            current = model_in(fields[str(part)].annotation)
    hidden: frozenset[str] = getattr(current, "hidden_names", frozenset())
    return [name for name in fields_of(current) if name not in hidden]


def fields_of(model: type[Any] | None) -> dict[str, Any]:
    """Return the fields of a pydantic model or dataclass; empty for anything else."""
    return getattr(model, "__pydantic_fields__", {})


def model_in(annotation: Any) -> type[Any] | None:
    """Return the first model in a type annotation, or None."""
    if fields_of(annotation):
        return annotation  # type: ignore[no-any-return]
    return next((found for argument in get_args(annotation) if (found := model_in(argument))), None)


def _existing(content: Any, location: Sequence[str | int]) -> Keys:
    """Return the part of an error's location that exists in the content; pydantic adds names of its own."""
    keys: list[str | int] = []
    node = content
    for part in location:
        inside = isinstance(node, Mapping) and part in node
        if inside or (isinstance(node, list) and isinstance(part, int) and part < len(node)):
            keys.append(part)
            node = node[part]
    return tuple(keys)


def _starts(longer: Keys, shorter: Keys) -> bool:
    return longer[: len(shorter)] == shorter
