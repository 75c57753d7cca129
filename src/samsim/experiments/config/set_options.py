"""Settings that the command line overrides: ``--set a.b=c``, and options such as ``--out``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samsim.data.shipped import SHIPPED
from samsim.experiments.config.mistakes import Keys, Mistake, Place, dotted
from samsim.experiments.config.yaml_places import Document
from samsim.yaml_text import MOST_DEPTH, YamlError, read_yaml


class _CannotSet(Exception):  # noqa: N818 - becomes a mistake and never leaves this module
    """The reason why a setting cannot be overridden."""


@dataclass(frozen=True, slots=True)
class OptionValue:
    """The value of an option such as ``--out``, which is set as it is, without parsing YAML."""

    option: str
    keys: Keys
    value: Any


def apply_overrides(
    document: Document, arguments: Sequence[str], values: Sequence[OptionValue] = (), *, said_with: str = "--set"
) -> None:
    """Set each ``path=value`` in the document, with the value read as YAML, and then the values of options.

    Anything that cannot be set becomes a mistake; ``said_with`` starts the description of its place.
    """
    for index, argument in enumerate(arguments):
        name, separator, written = argument.partition("=")
        keys: Keys = tuple(name.strip().split("."))
        place = Place(f"{said_with} {name.strip()}", (1, index), name.strip())
        document.set_by_option.setdefault(keys, place)
        try:
            if not separator or not all(keys):
                raise _CannotSet("not a setting. Write it as path.to.key=value.")
            if len(keys) > MOST_DEPTH:
                raise _CannotSet(f"no setting is {len(keys):,} keys deep. Write it as path.to.key=value.")
            _put(document.content, keys, _parse(written))
        except _CannotSet as problem:
            document.mistakes.append(Mistake(place, keys, str(problem)))
    for index, given in enumerate(values, start=len(arguments)):
        place = document.set_by_option[given.keys] = Place(given.option, (1, index), dotted(given.keys))
        try:
            _put(document.content, given.keys, given.value)
        except _CannotSet as problem:
            document.mistakes.append(Mistake(place, given.keys, str(problem)))


def _parse(written: str) -> Any:
    try:
        return read_yaml(written)
    except YamlError as error:
        advice = "Put it in quotes, or write a list as [a, b]"
        raise _CannotSet(f"the value is not valid YAML. {advice} ({error}).") from error


def _put(content: dict[str, Any], keys: Keys, value: Any) -> None:
    node: Any = content
    for index, key in enumerate(keys[:-1]):
        child = _child(node, key)
        if not isinstance(child, dict | list):
            child = _as_mapping(child, keys[: index + 1])
            _assign(node, key, child)
        node = child
    _assign(node, keys[-1], value)


def _child(node: Any, key: str | int) -> Any:
    return node[_position(node, key)] if isinstance(node, list) else node.get(key)


def _assign(node: Any, key: str | int, value: Any) -> None:
    node[_position(node, key) if isinstance(node, list) else key] = value


def _position(items: list[Any], key: str | int) -> int:
    position = next((number for number in range(len(items)) if str(number) == str(key)), None)
    if position is None:
        raise _CannotSet(f"{key} is not an item of this list of {len(items)}. Set the whole list: path=[a, b].")
    return position


def _as_mapping(value: Any, keys: Keys) -> dict[str, Any]:
    """Return a mapping to set a key in: a new one, or the long form of a short value."""
    if value is None:
        return {}
    if keys[0] == "data" and len(keys) == 2 and isinstance(value, str):
        return {"name" if value in SHIPPED else "path": value}
    raise _CannotSet(f"{'.'.join(map(str, keys))} is a single value without keys. Set it as a whole.")
