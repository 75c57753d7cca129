"""The sections in which each configuration key belongs, to correct keys written in the wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from samsim.engines.factory import EnginePlan, Role
from samsim.engines.settings import EngineSettings
from samsim.experiments.config.mistakes import Homes, Keys
from samsim.experiments.config.model import ExperimentConfig
from samsim.experiments.config.repairs import fields_of, model_in

# The long form of a plan; in an experiment its limits are in ``run``.
_NO_SECTIONS: tuple[type[Any], ...] = (EnginePlan,)
_DEFAULT_ENGINE: Keys = ("engines", "default")


@cache
def known_homes() -> Homes:
    """Return the sections that have each key, in the order of the file; the empty path is the top level."""
    found: dict[str, dict[Keys, Keys]] = {}
    for keys, name in _names(ExperimentConfig, ()):
        # Of subsections, name only the first: data.evaluation, but not the other roles.
        found.setdefault(name, {}).setdefault(keys[:1], keys)
    return {name: tuple(sections.values()) for name, sections in found.items()}


def _names(model: type[Any], around: Keys) -> Iterator[tuple[Keys, str]]:
    hidden: frozenset[str] = getattr(model, "hidden_names", frozenset())
    for name, field in fields_of(model).items():
        if name in hidden:
            continue
        yield around, name
        inner = model_in(field.annotation)
        if inner is not None and inner not in _NO_SECTIONS:
            yield from _names(inner, (*around, name))
        elif (*around, name) == ("engines",):
            yield from (((*around, name), role) for role in get_args(Role))
            yield from ((_DEFAULT_ENGINE, setting) for setting in EngineSettings.model_fields)
