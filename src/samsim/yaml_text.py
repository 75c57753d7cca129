"""The one reader of YAML: experiment, engine, taxonomy and condition files, ``--set``, and shipped files.

Any text is read in bounded time, or a ``YamlError`` says where it is wrong. Aliases count as if they were written
out, so a short text cannot expand into a huge value.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from samsim.value_limits import LONE_SURROGATE, MOST_INTEGER, MOST_NUMBER

MOST_CHARACTERS = 1_000_000
# Counted with every alias written out.
MOST_PLACES = 20_000
MOST_DEPTH = 50
# Longer than any sensible number, and short enough for Python to read.
_MOST_DIGITS = 100
# Forced tags (!!bool maybe) make PyYAML fail with a different exception for each tag.
_STUMBLES = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


class YamlError(ValueError):
    """The reason why a YAML text cannot be used; ``line`` and ``column`` count from 1, and are None if unknown."""

    def __init__(self, problem: str, line: int | None = None, column: int | None = None) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        super().__init__(problem if line is None else f"{problem} (line {line}, column {column})")


def read_yaml(text: str) -> Any:
    """Return the value of a YAML text."""
    loader, root = compose(text)
    return None if root is None else construct(loader, root)


def read_yaml_file(path: Path) -> Any:
    """Return the value of a UTF-8 file; raises ``OSError`` and ``UnicodeDecodeError`` like any reading of a file."""
    return read_yaml(file_text(path))


def file_text(path: Path) -> str:
    """Return the text of a YAML file; of a huge one only the beginning, which the reader then refuses as too long."""
    with path.open(encoding="utf-8-sig") as file:
        return file.read(MOST_CHARACTERS + 1)


def compose(text: str) -> tuple[yaml.SafeLoader, yaml.Node | None]:
    """Return the loader, which can ``construct`` values, and the root node of a text with all places in it."""
    if len(text) > MOST_CHARACTERS:
        raise YamlError(f"longer than {MOST_CHARACTERS:,} characters")
    try:
        loader = _Loader(text)
        return loader, loader.get_single_node()
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position)
        raise YamlError(
            f"a character that YAML does not allow (U+{ord(text[error.position]):04X})", line, column
        ) from error
    except yaml.YAMLError as error:
        raise _explained(error) from error
    except _STUMBLES as error:
        raise YamlError(f"an escape that is not a valid character ({error})") from error


def construct(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    """Return the value of a composed document."""
    try:
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        raise _explained(error) from error
    except _STUMBLES as error:
        raise YamlError(f"a value does not fit its tag ({type(error).__name__}: {error})") from error


class _Loader(yaml.SafeLoader):
    """A loader that refuses documents that are too deep or, with their aliases written out, too large."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._nesting = 0
        self._nodes = 0
        # For each finished node: how many values it contains, and how deep it is.
        self._measured: dict[yaml.Node, tuple[int, int]] = {}

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:  # noqa: N803 - PyYAML's name
        # The scanner looks a line ahead, and is slow if many brackets are open.
        if self.flow_level >= MOST_DEPTH:
            raise _Refused(f"nested more than {MOST_DEPTH} deep", self.get_mark())
        super().fetch_flow_collection_start(TokenClass)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        self._nesting += 1
        self._nodes += 1
        if self._nesting > MOST_DEPTH:
            raise _Refused(f"nested more than {MOST_DEPTH} deep", event.start_mark)
        if self._nodes > MOST_PLACES:
            raise _Refused(f"more than {MOST_PLACES:,} values", event.start_mark)
        node = super().compose_node(parent, index)
        self._nesting -= 1
        if node is None:
            return None
        if isinstance(node, yaml.ScalarNode) and LONE_SURROGATE.search(node.value):
            raise _Refused("half of a surrogate pair, which is not valid text", event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            if node not in self._measured:
                raise _Refused("an alias (*name) inside the value it refers to", event.start_mark)
        else:
            self._measured[node] = self._measure(node)
        places, depth = self._measured[node]
        if places > MOST_PLACES:
            raise _Refused("its aliases (*name) repeat each other too often", event.start_mark)
        if self._nesting + depth > MOST_DEPTH:
            raise _Refused(f"nested more than {MOST_DEPTH} deep by its aliases (*name)", event.start_mark)
        return node

    def _measure(self, node: yaml.Node) -> tuple[int, int]:
        inner = node.value if isinstance(node, yaml.CollectionNode) else ()
        parts = [self._measured[part] for item in inner for part in (item if isinstance(item, tuple) else (item,))]
        return 1 + sum(places for places, _ in parts), 1 + max((depth for _, depth in parts), default=0)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        value = super().construct_yaml_int(_short(node))
        if abs(value) > MOST_INTEGER:
            raise _Refused("an integer beyond 64 bits; put an id in quotes", node.start_mark)
        return value

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        value = super().construct_yaml_float(_short(node))
        if not abs(value) <= MOST_NUMBER:
            raise _Refused(f"not a number, or beyond {MOST_NUMBER:g}; put a name in quotes", node.start_mark)
        return value


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_yaml_float)


class _Refused(yaml.MarkedYAMLError):
    """Valid YAML that this reader refuses."""

    def __init__(self, problem: str, mark: Any) -> None:
        super().__init__(problem=problem, problem_mark=mark)


def _short(node: yaml.ScalarNode) -> yaml.ScalarNode:
    if len(node.value) > _MOST_DIGITS:
        raise _Refused(f"a number of {len(node.value):,} characters; put an id in quotes", node.start_mark)
    return node


def _explained(error: yaml.YAMLError) -> YamlError:
    if not isinstance(error, yaml.MarkedYAMLError):
        return YamlError(" ".join(str(error).split()))
    mark = error.problem_mark or error.context_mark
    problem = error.problem or "cannot be read"
    return YamlError(problem) if mark is None else YamlError(problem, mark.line + 1, mark.column + 1)
