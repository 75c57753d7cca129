"""Write measured settings into an engine file or an experiment, wherever it names the measured server."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from samsim.durable_files import PARTIAL, beside
from samsim.engines.factory import EnginePlan, Role, Seat, roles_of, seats_of
from samsim.engines.pacing.measuring import Suggestion
from samsim.engines.settings import EngineSettings
from samsim.errors import ConfigError
from samsim.experiments.config.mistakes import Keys, dotted
from samsim.experiments.config.yaml_edits import with_values
from samsim.validation_words import in_words
from samsim.yaml_text import YamlError, read_yaml

# Kind, address and model.
Server = tuple[str, str, str]
# A role with one of these settings decides which server is called, or how.
_DECIDING = frozenset({"kind", "model", "base_url", "concurrency", "timeout_s"})


def measured_server(settings: EngineSettings) -> Server:
    """Return what a measurement is about: a model on a server, whatever the other settings."""
    return settings.kind, settings.url, settings.model


def places_in(path: Path, servers: Collection[Server]) -> dict[Keys, Server]:
    """Return the places of a file that use these servers; raise a ``ConfigError`` if there are none."""
    _, content = _read(path)
    places = {
        (*keys, role): server
        for keys, plan in _plans(path, content)
        for role, server in _homes(plan).items()
        if server in servers
    }
    if not places:
        raise ConfigError(f"Cannot write to {path}: {_why_nowhere(content)}, or set concurrency and timeout_s by hand.")
    return places


def write_settings(path: Path, places: Mapping[Keys, Server], suggested: Mapping[Server, Suggestion]) -> list[str]:
    """Set concurrency and timeout_s at these places, leave the rest of the file as it is, and return what was set."""
    edits: dict[Keys, dict[str, int | float]] = {
        keys: {"concurrency": suggested[server].concurrency, "timeout_s": suggested[server].timeout_s}
        for keys, server in places.items()
        if server in suggested
    }
    if edits:
        text, _ = _read(path)
        _replace(path, _checked(path, with_values(text, edits)))
    return [
        f"{dotted(keys)}: {', '.join(f'{name} {value}' for name, value in values.items())}"
        for keys, values in edits.items()
    ]


def _read(path: Path) -> tuple[str, Any]:
    """Return the text of a file with its original line ends, and its parsed content."""
    try:
        text = path.read_bytes().decode("utf-8")
        return text, read_yaml(text)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read {path}: {error}. Check the path and its encoding.") from error
    except YamlError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}. Fix that place.") from error


def _plans(path: Path, content: Any) -> Iterator[tuple[Keys, EnginePlan]]:
    """Yield every plan that an engine file or an experiment spells out, with its place."""
    top = content if isinstance(content, dict) else {}
    matrix = top.get("matrix")
    named = matrix.get("engine") if isinstance(matrix, dict) else None
    places: list[tuple[Keys, Any]] = [(("engines",), top.get("engines"))]
    if isinstance(named, dict):
        places += [(("matrix", "engine", name), plan) for name, plan in named.items()]
    for keys, value in places:
        if not isinstance(value, dict):
            continue
        inner = value.get("engines")
        roles, at = (inner, (*keys, "engines")) if isinstance(inner, dict) else (value, keys)
        try:
            yield at, EnginePlan.model_validate({"engines": roles})
        except ValidationError as error:
            wrong = in_words(error, "plan")
            raise ConfigError(f"{path}: {dotted(at)} is not an engine plan: {wrong}. Correct it first.") from error


def _homes(plan: EnginePlan) -> dict[Role, Server]:
    """Return the roles that name a server or its limits; for each seat, the most specific one."""
    homes: dict[Role, Server] = {}
    for seat in seats_of():
        server = measured_server(_settings(plan, seat))
        home = next((role for role in reversed(roles_of(seat)) if _DECIDING & plan.engines.get(role, {}).keys()), None)
        if home is not None:
            homes[home] = server
    return homes


def _settings(plan: EnginePlan, seat: Seat) -> EngineSettings:
    agent, reviewing = seat
    return plan.settings_for(agent, reviewing=reviewing)


def _why_nowhere(content: Any) -> str:
    engines = content.get("engines") if isinstance(content, dict) else None
    if isinstance(engines, str) and engines.endswith((".yaml", ".yml")):
        return f"its engines are in {engines}. Write to that file"
    if isinstance(engines, str):
        return f"it only has engines: {engines}. Spell that out as default: {{kind: …, model: …}}"
    return "no engine in it uses the model and server to be measured. Check the engine (--engine, --base-url)"


def _checked(path: Path, text: str) -> str:
    """Return the new text if its engines are still valid; the new timeout_s may exceed a max_timeout_s."""
    for _, plan in _plans(path, read_yaml(text)):
        for seat in seats_of():
            _settings(plan, seat)
    return text


def _replace(path: Path, text: str) -> None:
    place = path.resolve()
    partial = beside(place, PARTIAL)
    try:
        partial.write_bytes(text.encode("utf-8"))
        shutil.copymode(place, partial)
        partial.replace(place)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ConfigError(
            f"Cannot write {path}: {error.strerror}. Check its folder, or set the values by hand."
        ) from error
