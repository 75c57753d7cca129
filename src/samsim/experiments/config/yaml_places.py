"""A YAML document with the line of every key, and the settings that the command line overrides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from samsim.errors import ConfigError
from samsim.experiments.config.mistakes import ConfigMistakes, Keys, Mistake, Place
from samsim.yaml_text import YamlError, compose, construct, file_text

_MERGE = "tag:yaml.org,2002:merge"


@dataclass(slots=True)
class Document:
    """The content of a file, and the place of every key in it."""

    source: str
    content: dict[str, Any] = field(default_factory=dict)
    lines: dict[Keys, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    set_by_option: dict[Keys, Place] = field(default_factory=dict)
    has_lines: bool = True

    def place(self, keys: Keys) -> Place:
        """Return where a key was set, or the nearest place around it."""
        for length in range(len(keys), -1, -1):
            start = keys[:length]
            if start in self.set_by_option:
                return self.set_by_option[start]
            if start in self.lines:
                return self.at_line(self.lines[start])
            under = next((path for path in self.set_by_option if start and path[:length] == start), None)
            if under is not None:
                return self.set_by_option[under]
        return self.at_line(1)

    def at_line(self, line: int, column: int | None = None) -> Place:
        """Return a place in the file; a mapping given in Python has no lines."""
        if not self.has_lines:
            return Place(self.source, (0, line))
        suffix = "" if column is None else f":{column}"
        return Place(f"{self.source}:{line}{suffix}", (0, line))


def read_document(path: Path) -> Document:
    """Read a YAML mapping; invalid YAML raises at once, since nothing else can be checked."""
    document = Document(str(path))
    try:
        text = file_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read the configuration {path}: {error}. Check the path and its encoding.") from error
    try:
        _read(document, text)
    except YamlError as error:
        raise ConfigMistakes(document.source, [_syntax_mistake(document, error)]) from error
    return document


def mapping_document(content: Mapping[str, Any]) -> Document:
    """Return a document for a mapping given in Python; overrides do not change the mapping itself."""
    return Document("the configuration", deepcopy(dict(content)), has_lines=False)


def _read(document: Document, text: str) -> None:
    loader, root = compose(text)
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise YamlError("the file must be a mapping, such as 'name: my-experiment'")
    document.mistakes.extend(_repeated_keys(document, loader, root, ()))
    # Constructing the content also merges keys (<<) into the nodes, so collect the lines afterwards.
    document.content = construct(loader, root)
    document.lines.update(_lines(loader, root, ()))


def _children(loader: yaml.SafeLoader, node: yaml.Node, keys: Keys) -> Iterator[tuple[Keys, yaml.Node, yaml.Node]]:
    """Yield each child of a node: its path, the node that marks its place, and the child itself."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                yield (*keys, construct(loader, key)), key, value
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield (*keys, index), item, item


def _lines(loader: yaml.SafeLoader, node: yaml.Node, keys: Keys) -> Iterator[tuple[Keys, int]]:
    for path, placed, child in _children(loader, node, keys):
        yield path, placed.start_mark.line + 1
        yield from _lines(loader, child, path)


def _repeated_keys(document: Document, loader: yaml.SafeLoader, node: yaml.Node, keys: Keys) -> Iterator[Mistake]:
    first: dict[Keys, int] = {}
    for path, placed, child in _children(loader, node, keys):
        line = placed.start_mark.line + 1
        if path in first:
            yield Mistake(
                document.at_line(line), path, f"given twice, first on line {first[path]}. Remove one of them."
            )
        first.setdefault(path, line)
        yield from _repeated_keys(document, loader, child, path)


def _syntax_mistake(document: Document, error: YamlError) -> Mistake:
    hint = "Indent with spaces, not tabs." if "\\t" in error.problem else "Correct this place."
    place = document.at_line(error.line or 1, error.column)
    return Mistake(place, (), f"not valid YAML: {error.problem}. {hint}")
