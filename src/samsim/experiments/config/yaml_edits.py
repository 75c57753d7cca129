"""Set a few values in a YAML file and keep its comments, order and everything else as they are."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping

import yaml

from samsim.errors import ConfigError
from samsim.experiments.config.mistakes import Keys, dotted, value_at

Number = int | float


def with_values(text: str, edits: Mapping[Keys, Mapping[str, Number]]) -> str:
    """Return the text with these values set in the mappings at these places; raise ``ConfigError`` if impossible.

    The new text is read again and compared with the expected content, so nothing else can have changed.
    """
    wanted = copy.deepcopy(yaml.safe_load(text))
    for keys, values in edits.items():
        value_at(wanted, keys).update(values)
        text = _edited(text, keys, values)
    try:
        got = yaml.safe_load(text)
    except yaml.YAMLError:
        got = None
    if got != wanted:
        places = ", ".join(dotted(keys) for keys in edits)
        raise ConfigError(f"{places} cannot be changed without changing something else. Set the values by hand.")
    return text


def _edited(text: str, keys: Keys, values: Mapping[str, Number]) -> str:
    root = yaml.compose(text, yaml.SafeLoader)
    node = _node_at(root, keys)
    if sum(other is node for other in _nodes(root, set())) != 1:
        raise ConfigError(f"{dotted(keys)} is used in several places (&, *). Set the values there by hand.")
    known = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    changes = [_replacement(known[name], value) for name, value in values.items() if name in known]
    new = {name: value for name, value in values.items() if name not in known}
    if new:
        changes.append(_addition(text, node, new))
    for start, end, replacement in sorted(changes, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def _replacement(node: yaml.Node, value: Number) -> tuple[int, int, str]:
    start, end = node.start_mark.index, node.end_mark.index
    # A key without a value ends in its colon.
    return start, end, f" {value}" if start == end else str(value)


def _addition(text: str, node: yaml.MappingNode, new: Mapping[str, Number]) -> tuple[int, int, str]:
    """Return the edit that adds the keys: first in a mapping in braces, else after the last one-line entry."""
    entries = [f"{name}: {value}" for name, value in new.items()]
    if node.flow_style:
        at = node.start_mark.index + 1
        return at, at, ", ".join(entries) + (", " if node.value else "")
    line_end = "\r\n" if "\r\n" in text else "\n"
    indent = " " * node.start_mark.column
    one_liners = [value for key, value in node.value if value.end_mark.line == key.start_mark.line]
    if not one_liners:
        at = node.start_mark.index
        return at, at, "".join(f"{entry}{line_end}{indent}" for entry in entries)
    end = text.find("\n", one_liners[-1].end_mark.index)
    at = len(text) if end < 0 else end + 1
    before = line_end if end < 0 else ""
    return at, at, before + "".join(f"{indent}{entry}{line_end}" for entry in entries)


def _node_at(root: yaml.Node | None, keys: Keys) -> yaml.MappingNode:
    node = root
    for key in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for name, value in pairs if name.value == key), None)
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(f"{dotted(keys)} is not a mapping in the file. Set the values by hand.")
    return node


def _nodes(node: yaml.Node | None, entered: set[int]) -> Iterator[yaml.Node]:
    """Yield every node of the document, aliases included; the children of each node are visited once."""
    if node is None:
        return
    yield node
    if id(node) in entered or not isinstance(node, yaml.CollectionNode):
        return
    entered.add(id(node))
    for item in node.value:
        for part in item if isinstance(item, tuple) else (item,):
            yield from _nodes(part, entered)
