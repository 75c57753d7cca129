"""Write docs/api.md from the docstrings of everything public, and docs/ko/api.md from tools/api_ko.yaml.

python tools/write_api_docs.py
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from rich.cells import cell_len

import samsim
from samsim.yaml_text import read_yaml

DOCS = Path(__file__).parent.parent / "docs"
KOREAN = Path(__file__).parent / "api_ko.yaml"
INTRODUCTION = """# The library

Everything below is `samsim.NAME`, and nothing else is public. What may change when is in [versions](versions.md). A
notebook that goes through it: [quickstart.ipynb](../examples/quickstart.ipynb).

`import samsim` loads nothing heavy: every name is imported when it is first used. In a notebook, results, runs,
comparisons and reports show themselves.

This page is written by `python tools/write_api_docs.py` from the docstrings."""
# By task; together they are `samsim.__all__`.
GROUPS: Mapping[str, str] = {
    "Analyze texts": "analyze Pipeline PipelineConfig SampleResult FinalTuple SampleError",
    "Engines": """open_engine OpenEngine check_engine EngineCheck CheckedEngine EngineFinding Engine EngineRequest
        EngineReply Message ResponseCache""",
    "Memory": "open_memory EpisodicOrchestrator open_store MemoryStore EpisodicMemoryEntryV1_1 find_leaks Leak",
    "Run experiments": "load_config ExperimentConfig plan_experiment ExperimentPlan run_experiment",
    "Read runs": "load_run load_experiment Run RunSample Experiment Manifest Scorecard",
    "Compare and report": "compare Comparison Contrast build_report ReportFiles",
    "Data": """load_samples LoadedSamples Sample load_gold gold_fields GoldSample GoldTuple DataSource
        convert_data ConvertedData""",
    "Taxonomies": "load_taxonomy Taxonomy",
    "What a result holds": """Candidate Span ConflictFlag ValidatorRisk ReviewActionItem ArbiterDecision DebateRecord
        MemoryRecord CallRecord ASTETripletItem PerspectiveASTEStage1Schema ReviewOutputSchema""",
    "Errors": "SamsimError InputError UnknownKeyError ConfigError ContractError EngineError StoreError",
}
# Shown although their names begin with an underscore, as what they do is part of the contract.
_OPERATORS = {"__getitem__": "[name]", "__len__": "len()", "__contains__": "in"}
# What a caller may use of classes that others work with too.
_ONLY = {
    "EpisodicOrchestrator": {"close"},
    "ResponseCache": {"stats", "clear", "entries", "import_lines", "close"},
    "Experiment": {"run", "stopped", "errors", "partial", "bad_rows", "to_rows", "to_dataframe", *_OPERATORS},
}
_CONSTRUCTED = {"Pipeline"}
_WIDTH = 120


@dataclass(frozen=True)
class Words:
    """The texts of a page in one language; `described` gives the paragraphs of a name or of NAME.member."""

    page: Path
    introduction: str
    fields: str
    title: Callable[[str], str]
    described: Callable[[str, Any], list[str]]


def english() -> Words:
    """Return the English texts, taken from the docstrings."""
    return Words(DOCS / "api.md", INTRODUCTION, "Fields", lambda title: title, lambda _, item: _paragraphs(item))


def korean() -> Words:
    """Return the Korean texts, taken from the table."""
    table = korean_table()
    return Words(
        DOCS / "ko" / "api.md",
        table["introduction"].strip(),
        "필드",
        lambda title: table["groups"][title],
        lambda name, _: table["names"][name].split("\n"),
    )


@cache
def korean_table() -> dict[str, Any]:
    """Return the introduction, the titles of the groups and the description of every name, in Korean."""
    table: dict[str, Any] = read_yaml(KOREAN.read_text(encoding="utf-8"))
    return table


def korean_mistakes() -> list[str]:
    """Return what is missing from the Korean table, and what it has that is not on the page."""
    found = []
    on_page = {"groups": set(GROUPS), "names": set(described_names())}
    for section, expected in on_page.items():
        given = set(korean_table()[section])
        found += [f"{KOREAN.name}: {section} has no Korean for {name}" for name in sorted(expected - given)]
        found += [f"{KOREAN.name}: {section} has {name}, which is not on the page" for name in sorted(given - expected)]
    return found


def described_names() -> Iterator[str]:
    """Yield the described names in the order of the page: NAME, then NAME.member."""
    for name in " ".join(GROUPS.values()).split():
        yield name
        item = getattr(samsim, name)
        if inspect.isclass(item):
            yield from (f"{name}.{member}" for member, _, _ in _members(name, item))


def page(words: Words) -> str:
    """Return the whole page in one language."""
    parts = [words.introduction]
    for title, names in GROUPS.items():
        parts.append(f"## {words.title(title)}")
        parts += ["\n\n".join(_entry(name, getattr(samsim, name), words)) for name in names.split()]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, item: Any, words: Words) -> Iterator[str]:
    yield f"### {name}"
    if name in _CONSTRUCTED or not inspect.isclass(item):
        yield f"```python\n{_signature(name, item)}\n```"
    yield from map(_wrapped, words.described(name, item))
    if inspect.isclass(item):
        names = list(_fields(item))
        if names:
            yield _wrapped(f"{words.fields}: " + ", ".join(f"`{field}`" for field in names) + ".")
        members = [
            _wrapped(f"- `{called}`: {words.described(f'{name}.{member}', function)[0]}", indent="  ")
            for member, called, function in _members(name, item)
        ]
        if members:
            yield "\n".join(members)


def _fields(item: type) -> Iterator[str]:
    if issubclass(item, BaseModel):
        yield from item.model_fields
    elif is_dataclass(item):
        yield from (field.name for field in fields(item))


class _Bare(str):
    """An annotation that is shown as written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(name: str, item: Any) -> str:
    """Return a signature on one line, or with one line per parameter if that is too long."""
    found = inspect.signature(item)
    given = [one.replace(annotation=_Bare(one.annotation)) for one in found.parameters.values()]
    returned = inspect.Signature.empty if inspect.isclass(item) else _Bare(found.return_annotation)
    shown = str(found.replace(parameters=given, return_annotation=returned))
    if len(name + shown) <= _WIDTH - 20:
        return name + shown
    inside, _, ending = shown[1:].rpartition(")")
    return f"{name}(\n    " + ",\n    ".join(_split(inside)) + f",\n){ending}"


def _split(parameters: str) -> list[str]:
    """Split the parameters of a signature at the commas outside brackets."""
    found, depth, start = [], 0, 0
    for place, character in enumerate(parameters):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            found.append(parameters[start:place].strip())
            start = place + 1
    return [*found, parameters[start:].strip()]


def _paragraphs(item: Any) -> list[str]:
    paragraphs = re.split(r"\n\s*\n", inspect.getdoc(item) or "")
    return [paragraph.replace("``", "`") for paragraph in paragraphs if paragraph.strip()]


def _members(owner: str, item: type) -> Iterator[tuple[str, str, Any]]:
    """Yield name, call and function of every public method and property with its own docstring."""
    for name, member in vars(item).items():
        shown = name in _ONLY[owner] if owner in _ONLY else name in _OPERATORS or not name.startswith("_")
        found = getattr(member, "wrapped", member)
        is_value = isinstance(found, property | cached_property)
        function = (
            found.fget if isinstance(found, property) else getattr(found, "func", getattr(found, "__func__", found))
        )
        if shown and inspect.isfunction(function) and function.__doc__:
            yield name, _OPERATORS.get(name) or (name if is_value else name + _parameters(function)), function


def _parameters(function: Any) -> str:
    """Return the parameters of a method, by name only."""
    found = inspect.signature(function)
    given = [one.replace(annotation=one.empty) for one in found.parameters.values() if one.name not in ("self", "cls")]
    return str(found.replace(parameters=given, return_annotation=found.empty))


def _wrapped(text: str, indent: str = "") -> str:
    """Wrap a text by its width on the screen, where Hangul takes two columns."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cell_len(longer) <= _WIDTH or not lines[-1].strip():
            lines[-1] = longer
        else:
            lines.append(indent + word)
    return "\n".join(lines)


def main() -> int:
    """Write both pages, or say what is missing from the Korean table and write neither."""
    mistakes = korean_mistakes()
    if mistakes:
        print("\n".join(mistakes), file=sys.stderr)
        return 1
    for words in (english(), korean()):
        words.page.write_text(page(words), encoding="utf-8")
        print(words.page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
