"""Mistakes across sections: unknown names, settings given twice, combinations that cannot run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from samsim.engines.factory import EnginePlan
from samsim.errors import ConfigError
from samsim.experiments.config.engine_plans import plan_mistakes, secret_mistakes
from samsim.experiments.config.homes import known_homes
from samsim.experiments.config.matrix import has_memory_reader, uses_memory, with_protocol
from samsim.experiments.config.mistakes import Keys
from samsim.experiments.config.model import ExperimentConfig
from samsim.memory.conditions import MemoryCondition, load_conditions
from samsim.validation_words import mistakes_in, reason_of

Finding = tuple[Keys, str]
_ENGINES: Keys = ("engines",)
_PLANS: Keys = ("matrix", "engine")
_CONDITION: Keys = ("episodic_memory", "condition")
_CONDITIONS: Keys = ("matrix", "condition")


def secrets_in(content: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield engine settings that look like secrets; check this before any message repeats a value."""
    yield from secret_mistakes(content.get("engines"), _ENGINES)
    matrix = content.get("matrix")
    if isinstance(matrix, Mapping):
        yield from secret_mistakes(matrix.get("engine"), _PLANS)


def inconsistencies(config: ExperimentConfig, is_known: Callable[[Keys], bool]) -> Iterator[Finding]:
    """Yield everything that does not fit together; ``is_known`` says where a mistake was already found."""
    yield from _engine_findings(config)
    # If the conditions file cannot be read, the names it would have defined are not mistakes.
    if not is_known(("episodic_memory", "conditions")):
        yield from _condition_findings(config)
    yield from _pipeline_findings(config)
    # Last, since a finding about a whole section hides those inside it.
    yield from _said_twice(config)


def _said_twice(config: ExperimentConfig) -> Iterator[Finding]:
    matrix, given = config.matrix, config.model_fields_set
    pairs: list[tuple[bool, Any, Keys, Keys]] = [
        ("protocol" in given, matrix.protocol, ("protocol",), ("matrix", "protocol")),
        ("engines" in given, matrix.engine, _ENGINES, _PLANS),
        (config.seeds is not None, matrix.seed, ("seeds",), ("matrix", "seed")),
        (config.episodic_memory.condition is not None, matrix.condition, _CONDITION, _CONDITIONS),
        (config.memory is not None, matrix.condition, ("memory",), _CONDITIONS),
    ]
    for is_given, factor, alone, swept in pairs:
        if is_given and factor is not None:
            first, second = ".".join(map(str, alone)), ".".join(map(str, swept))
            yield alone, f"also given as {second}. Remove {first}, or {second}."


def _engine_findings(config: ExperimentConfig) -> Iterator[Finding]:
    yield from _findings_in(config.engines, _ENGINES)
    for name, plan in (config.matrix.engine or {}).items():
        yield from _findings_in(plan, (*_PLANS, name))


def _findings_in(plan: EnginePlan, around: Keys) -> Iterator[Finding]:
    secrets = dict(secret_mistakes(plan.engines))
    yield from (((*around, *keys), text) for keys, text in secrets.items())
    yield from (((*around, *keys), text) for keys, text in plan_mistakes(plan, known_homes()) if keys not in secrets)


def _condition_findings(config: ExperimentConfig) -> Iterator[Finding]:
    try:
        load_conditions(config.episodic_memory.conditions)
    except ConfigError as error:
        yield ("episodic_memory", "conditions"), str(error)
        return
    found: dict[Keys, MemoryCondition] = {}
    for keys, chosen in _named_conditions(config):
        try:
            found[keys] = config.resolve(chosen)
        except ConfigError as error:
            yield keys, str(error)
    yield from _fitting(config, found)


def _named_conditions(config: ExperimentConfig) -> Iterator[tuple[Keys, str | Mapping[str, object]]]:
    memory = config.episodic_memory
    if memory.condition is not None:
        yield _CONDITION, memory.condition
    if config.memory is not None:
        yield ("memory",), config.memory.model_dump()
    for index, name in enumerate(config.matrix.condition or ()):
        yield (*_CONDITIONS, index), name
    if config.data.memory is not None:
        yield ("episodic_memory", "build_condition"), memory.build_condition


def _fitting(config: ExperimentConfig, found: Mapping[Keys, MemoryCondition]) -> Iterator[Finding]:
    alone, by_mode = found.get(_CONDITION), found.get(("memory",))
    if alone is not None and by_mode is not None and alone != by_mode:
        yield (
            ("memory",),
            f"means condition {by_mode.name}, but episodic_memory.condition is {alone.name}. Remove one of them.",
        )
    builds = found.get(("episodic_memory", "build_condition"))
    if builds is not None and not builds.store_write:
        yield (
            ("episodic_memory", "build_condition"),
            f"{builds.name} writes no episode, so no memory would be built. Use a condition that writes, such as C2.",
        )
    swept = {keys: condition for keys, condition in found.items() if keys[:2] == _CONDITIONS}
    yield from _same_conditions(config, swept)
    if not swept and config.matrix.condition is not None:
        return
    yield from _protocols_without_cells(
        config, list(swept.values()) or [condition for condition in (alone, by_mode) if condition]
    )


def _same_conditions(config: ExperimentConfig, swept: Mapping[Keys, MemoryCondition]) -> Iterator[Finding]:
    first: dict[str, Keys] = {}
    for keys, condition in swept.items():
        known = first.setdefault(condition.name, keys)
        if known != keys and config.matrix.condition is not None:
            earlier = config.matrix.condition[int(known[-1])]
            yield keys, f"the same condition as {earlier}. Remove one of them."


def _protocols_without_cells(config: ExperimentConfig, conditions: list[MemoryCondition]) -> Iterator[Finding]:
    if not conditions or not all(uses_memory(condition) for condition in conditions):
        return
    swept = config.matrix.protocol
    for index, protocol in enumerate(swept or config.protocol):
        if not has_memory_reader(protocol):
            keys: Keys = ("matrix", "protocol", index) if swept else ("protocol", index)
            names = ", ".join(condition.name for condition in conditions)
            yield (
                keys,
                (
                    f"protocol {protocol} never reads the memory, so nothing is left to run with {names}."
                    " Add condition C1 (memory off) to matrix.condition, or remove the protocol."
                ),
            )


def _pipeline_findings(config: ExperimentConfig) -> Iterator[Finding]:
    for protocol in config.matrix.protocol or config.protocol:
        try:
            with_protocol(config.pipeline, protocol)
        except ValidationError as error:
            for problem in mistakes_in(error):
                reason = f"with protocol {protocol}: {reason_of(problem)}. Correct one of them."
                yield ("pipeline", *problem["loc"]), reason
