"""A YAML file that remembers on which line everything was said, and what the command line set over it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from samsim.errors import ConfigError
from samsim.experiments.mistakes import ConfigMistakes, Keys, Mistake, Place

_MOST_PLACES = 100_000
_MERGE = "tag:yaml.org,2002:merge"


@dataclass(slots=True)
class Document:
    """The content of a file and the place of every key in it."""

    source: str
    content: dict[str, Any] = field(default_factory=dict)
    lines: dict[Keys, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    set_by_option: dict[Keys, Place] = field(default_factory=dict)

    def place(self, keys: Keys) -> Place:
        """Where a key was said, or else the nearest thing around it."""
        for length in range(len(keys), -1, -1):
            start = keys[:length]
            if start in self.set_by_option:
                return self.set_by_option[start]
            if start in self.lines:
                return self.at_line(self.lines[start])
            under = next((one for one in self.set_by_option if start and one[:length] == start), None)
            if under is not None:
                return self.set_by_option[under]
        return self.at_line(1)

    def at_line(self, line: int, column: int | None = None) -> Place:
        """A place in the file."""
        suffix = "" if column is None else f":{column}"
        return Place(f"{self.source}:{line}{suffix}", (0, line))


def read_document(path: Path) -> Document:
    """Read a YAML mapping; what is not YAML at all is an error at once, since nothing else can be checked."""
    document = Document(str(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read the configuration {path}: {error}. Check the path and its encoding.") from error
    try:
        _read(document, yaml.SafeLoader(text))
    except yaml.MarkedYAMLError as error:
        raise ConfigMistakes(document.source, [_syntax_mistake(document, error)]) from error
    # PyYAML lets a ValueError through for an impossible date, and a TypeError for some impossible keys.
    except (yaml.YAMLError, ValueError, TypeError) as error:
        wrong = Mistake(document.at_line(1), (), f"not valid YAML: {error}. Correct it.")
        raise ConfigMistakes(document.source, [wrong]) from error
    return document


def _read(document: Document, loader: yaml.SafeLoader) -> None:
    root = loader.get_single_node()
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("the file must be a mapping, such as 'name: my-experiment'")
    if _places(root, {}) > _MOST_PLACES:
        raise ValueError("its aliases (*name) repeat each other too often")
    document.mistakes.extend(_repeated_keys(document, loader, root, (), frozenset()))
    # Building the content also writes merged keys (<<) into the nodes, so the lines are taken after it.
    document.content = loader.construct_document(root)
    document.lines.update(_lines(loader, root, (), frozenset()))


def _places(node: yaml.Node, known: dict[int, int]) -> int:
    """How many places there are once every alias is written out; each node is looked at once."""
    if id(node) not in known:
        known[id(node)] = 1  # an alias to something it is in
        inner = node.value if isinstance(node, yaml.CollectionNode) else ()
        parts = [part for item in inner for part in (item if isinstance(item, tuple) else (item,))]
        known[id(node)] = 1 + sum(_places(part, known) for part in parts)
    return known[id(node)]


def _children(loader: yaml.SafeLoader, node: yaml.Node, keys: Keys) -> Iterator[tuple[Keys, yaml.Node, yaml.Node]]:
    """Each child of a node: its path, the node that places it, and itself."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                yield (*keys, loader.construct_object(key)), key, value
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield (*keys, index), item, item


def _lines(
    loader: yaml.SafeLoader, node: yaml.Node, keys: Keys, around: frozenset[yaml.Node]
) -> Iterator[tuple[Keys, int]]:
    if node in around:  # an alias to something it is in
        return
    for path, placed, child in _children(loader, node, keys):
        yield path, placed.start_mark.line + 1
        yield from _lines(loader, child, path, around | {node})


def _repeated_keys(
    document: Document, loader: yaml.SafeLoader, node: yaml.Node, keys: Keys, around: frozenset[yaml.Node]
) -> Iterator[Mistake]:
    if node in around:
        return
    first: dict[Keys, int] = {}
    for path, placed, child in _children(loader, node, keys):
        line = placed.start_mark.line + 1
        if path in first:
            yield Mistake(
                document.at_line(line), path, f"given twice, first on line {first[path]}. Remove one of them."
            )
        first.setdefault(path, line)
        yield from _repeated_keys(document, loader, child, path, around | {node})


def _syntax_mistake(document: Document, error: yaml.MarkedYAMLError) -> Mistake:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    problem = error.problem or "cannot be read"
    hint = "Indent with spaces, not tabs." if "\\t" in problem else "Correct this place."
    return Mistake(document.at_line(line, column), (), f"not valid YAML: {problem}. {hint}")
