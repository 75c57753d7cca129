"""Writing what was measured into an engine file or an experiment, where it speaks of the measured server."""

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
# A role that says one of these decides which server is asked, or how.
_DECIDING = frozenset({"kind", "model", "base_url", "concurrency", "timeout_s"})


def measured_server(settings: EngineSettings) -> Server:
    """Return what is measured: a model on a server, whatever the other settings."""
    return settings.kind, settings.url, settings.model


def places_in(path: Path, servers: Collection[Server]) -> dict[Keys, Server]:
    """Return where a file speaks of these servers; raises ``ConfigError`` if nowhere, before anything is measured."""
    _, content = _read(path)
    places = {
        (*keys, role): server
        for keys, plan in _plans(path, content)
        for role, server in _homes(plan).items()
        if server in servers
    }
    if not places:
        raise ConfigError(f"{path} cannot be written: {_why_nowhere(content)}, or set concurrency and timeout_s there.")
    return places


def write_settings(path: Path, places: Mapping[Keys, Server], suggested: Mapping[Server, Suggestion]) -> list[str]:
    """Set concurrency and timeout_s at these places; all else in the file stays. Returns what was set."""
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
    """Return the text of a file as it is, line ends included, and what it says."""
    try:
        text = path.read_bytes().decode("utf-8")
        return text, read_yaml(text)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read {path}: {error}. Check the path and its encoding.") from error
    except YamlError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}. Fix that place.") from error


def _plans(path: Path, content: Any) -> Iterator[tuple[Keys, EnginePlan]]:
    """Yield every plan that is written out in an engine file or an experiment, with its place."""
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
    """Return the roles that name a server or its limits: for each seat the most particular one."""
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
        return f"its engines stand in {engines}. Write to that file"
    if isinstance(engines, str):
        return f"it says only engines: {engines}. Write that out as default: {{kind: …, model: …}}"
    return "no engine in it asks the model on the server that is to be measured. Check --engine and --base-url"


def _checked(path: Path, text: str) -> str:
    """Return the new text, if the engines in it are still right: a max_timeout_s may be below the new timeout_s."""
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
        raise ConfigError(f"Cannot write {path}: {error.strerror}. Check its folder, or set them by hand.") from error
