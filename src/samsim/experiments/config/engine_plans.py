"""Engine plans in a configuration: short forms, engine files, and their mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError, ValidationInfo

from samsim.engines.factory import EnginePlan, Seat, distinct_settings, read_plan, seats_of
from samsim.engines.settings import EngineKind, EngineSettings
from samsim.errors import ConfigError
from samsim.experiments.config.found_paths import found_path
from samsim.experiments.config.mistakes import NO_HOMES, Homes, Keys
from samsim.experiments.config.repairs import repaired
from samsim.validation_words import mistakes_in, reason_of

# Neither the embedded engine nor Anthropic's messages format has a seed.
_WITHOUT_SEED: frozenset[EngineKind] = frozenset({"embedded", "anthropic"})
_PLAN_FILES = (".yaml", ".yml")
_KEY_LIKE = re.compile(
    r"\b(?:sk|rk|gsk|xai)-[\w-]{6,}|\bAIza[\w-]{16,}|^Bearer\s"
    r"|(?:^|:)(?:[0-9a-fA-F]{32,}|(?=\w*\d)(?=\w*[A-Za-z])\w{40,})$"
)
_VARIABLE = re.compile(r"^\$(\w+|\{\w+\})$")


def plan_from(value: Any, info: ValidationInfo) -> Any:
    """Return a plan from its short form (``openai:MODEL``), the path of an engine file, or a mapping by role."""
    if isinstance(value, str):
        try:
            is_file = value.endswith(_PLAN_FILES)
            return read_plan(str(found_path(value, info.context, "engine file")) if is_file else value)
        except ConfigError as error:
            raise ValueError(str(error)) from error
    if isinstance(value, Mapping) and "engines" not in value:
        return {"engines": value}
    return value


def plans_from(value: Any) -> Any:
    """Return plans by name; an item of a list is named by its short form, or by the stem of its file."""
    if not isinstance(value, list | tuple):
        return value
    named: dict[str, Any] = {}
    for item in value:
        if not isinstance(item, str):
            raise ValueError("a list of engines holds short forms such as openai:MODEL; name other plans in a mapping")
        name = Path(item).stem if item.endswith(_PLAN_FILES) else item
        if name in named:
            raise ValueError(f"{name} is given twice; remove one of them")
        named[name] = item
    return named


def plan_name(plan: EnginePlan) -> str:
    """Return a name for a plan without one, made of the names of its engines."""
    return "+".join(dict.fromkeys(settings.name for settings in distinct_settings(plan)))


def has_no_seed(plan: EnginePlan) -> bool:
    """Return whether no engine of the plan takes a seed."""
    return all(settings.kind in _WITHOUT_SEED for settings in distinct_settings(plan))


def is_embedded(plan: EnginePlan) -> bool:
    """Return whether every engine of the plan is the embedded one, which always gives the same answer."""
    return all(settings.kind == "embedded" for settings in distinct_settings(plan))


def plan_mistakes(plan: EnginePlan, homes: Homes = NO_HOMES) -> Iterator[tuple[Keys, str]]:
    """Yield what is wrong with the settings of each role, and with the merged settings of each agent."""
    mended: dict[Any, dict[str, Any]] = {}
    is_open = False
    for role, settings in plan.engines.items():
        result = repaired(EngineSettings, settings, homes=homes, whole=False)
        mended[role] = result.content
        is_open = is_open or any(result.is_left_out((name,)) for name in ("kind", "model", "base_url"))
        yield from (((role, *keys), text) for keys, text in result.mistakes)
    if is_open:
        return
    whole = plan.model_copy(update={"engines": mended})
    yield from dict.fromkeys(found for seat in seats_of() for found in _merged_mistakes(whole, seat))


def _merged_mistakes(plan: EnginePlan, seat: Seat) -> Iterator[tuple[Keys, str]]:
    """Yield what is wrong with the merged settings of a seat; single settings are reported with their role."""
    for message in _wrong_as_a_whole(plan, seat):
        yield _cause(plan, seat), f"{message}. Add or correct it here."


def _wrong_as_a_whole(plan: EnginePlan, seat: Seat) -> list[str]:
    agent, reviewing = seat
    try:
        plan.settings_for(agent, reviewing=reviewing)
    except ConfigError as error:
        cause = error.__cause__
        problems = mistakes_in(cause) if isinstance(cause, ValidationError) else []
        return [reason_of(problem) for problem in problems if not problem["loc"]]
    return []


def _cause(plan: EnginePlan, seat: Seat) -> Keys:
    """Return the role whose removal makes the settings valid, trying the most specific one first."""
    for role in reversed(plan.engines):
        others = {name: settings for name, settings in plan.engines.items() if name != role}
        if not _wrong_as_a_whole(plan.model_copy(update={"engines": others}), seat):
            return (role,)
    return ()


def secret_mistakes(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, str]]:
    """Yield values that look like an API key (without repeating them) or like an environment variable."""
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from secret_mistakes(child, (*keys, key))
    elif isinstance(value, list | tuple):
        for index, child in enumerate(value):
            yield from secret_mistakes(child, (*keys, index))
    elif isinstance(value, str) and _KEY_LIKE.search(value):
        yield (
            keys,
            (
                "this looks like an API key. Take it out of the file, set it as an environment variable,"
                " and give that variable's name as api_key_env."
            ),
        )
    elif isinstance(value, str) and _VARIABLE.match(value):
        yield (
            keys,
            (
                "environment variables are not expanded in a configuration. Write the value, or give it with --set (in"
                " Python: sets); for a key, give the variable's name as api_key_env."
            ),
        )
