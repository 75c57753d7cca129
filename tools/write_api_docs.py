"""Write docs/api.md from the docstrings of everything public.

python tools/write_api_docs.py
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from textwrap import fill
from typing import Any

from pydantic import BaseModel

import samsim

PAGE = Path(__file__).parent.parent / "docs" / "api.md"
INTRODUCTION = """# The library

Everything below is `samsim.NAME`, and nothing else is public. What may change when is in [versions](versions.md). A
notebook that goes through it: [quickstart.ipynb](../examples/quickstart.ipynb).

`import samsim` loads nothing heavy: every name is imported when it is first used. In a notebook, results, runs,
comparisons and reports show themselves.

This page is written by `python tools/write_api_docs.py` from the docstrings."""
# By task; together they are `samsim.__all__`.
GROUPS: Mapping[str, str] = {
    "Analyse texts": "analyze Pipeline PipelineConfig SampleResult FinalTuple SampleError",
    "Engines": "open_engine OpenEngine Engine EngineRequest EngineReply Message ResponseCache",
    "Memory": "open_memory EpisodicOrchestrator open_store MemoryStore EpisodicMemoryEntryV1_1",
    "Run experiments": "load_config ExperimentConfig plan_experiment ExperimentPlan run_experiment",
    "Read runs": "load_run Run RunSample Experiment Manifest Scorecard",
    "Compare and report": "compare Comparison Contrast build_report ReportFiles",
    "Data": "load_samples LoadedSamples Sample load_gold gold_fields GoldSample GoldTuple DataSource",
    "Taxonomies": "load_taxonomy Taxonomy",
    "What a result holds": """Candidate Span ConflictFlag ValidatorRisk ReviewActionItem ArbiterDecision DebateRecord
        MemoryRecord CallRecord ASTETripletItem PerspectiveASTEStage1Schema ReviewOutputSchema""",
    "Errors": "SamsimError InputError UnknownKeyError ConfigError ContractError EngineError StoreError",
}
# Shown although their names begin with an underscore, as what they do is part of the contract.
_OPERATORS = {"__getitem__": "[name]", "__len__": "len()"}
# What a caller may use of classes that others work with too.
_ONLY = {
    "EpisodicOrchestrator": {"close"},
    "ResponseCache": {"stats", "clear", "entries", "import_lines", "close"},
    "Experiment": {"stopped", "errors", "partial", "bad_rows", "to_rows", "to_dataframe", *_OPERATORS},
}
_CONSTRUCTED = {"Pipeline"}
_WIDTH = 120


def page() -> str:
    """Return the whole page."""
    parts = [INTRODUCTION]
    for title, names in GROUPS.items():
        parts.append(f"## {title}")
        parts += ["\n\n".join(_entry(name, getattr(samsim, name))) for name in names.split()]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, item: Any) -> Iterator[str]:
    yield f"### {name}"
    if name in _CONSTRUCTED or not inspect.isclass(item):
        yield f"```python\n{_signature(name, item)}\n```"
    yield from _paragraphs(item)
    if inspect.isclass(item):
        names = list(_fields(item))
        if names:
            yield _wrapped("Fields: " + ", ".join(f"`{field}`" for field in names) + ".")
        members = list(_members(name, item))
        if members:
            yield "\n".join(members)


def _fields(item: type) -> Iterator[str]:
    if issubclass(item, BaseModel):
        yield from item.model_fields
    elif is_dataclass(item):
        yield from (field.name for field in fields(item))


class _Bare(str):
    """An annotation that is shown as it is written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(name: str, item: Any) -> str:
    """Return a signature on one line, or with a line per parameter where that is too long."""
    found = inspect.signature(item)
    given = [one.replace(annotation=_Bare(one.annotation)) for one in found.parameters.values()]
    returned = inspect.Signature.empty if inspect.isclass(item) else _Bare(found.return_annotation)
    shown = str(found.replace(parameters=given, return_annotation=returned))
    if len(name + shown) <= _WIDTH - 20:
        return name + shown
    inside, _, ending = shown[1:].rpartition(")")
    return f"{name}(\n    " + ",\n    ".join(_split(inside)) + f",\n){ending}"


def _split(parameters: str) -> list[str]:
    """Return the parameters of a signature, cut at the commas outside brackets."""
    found, depth, start = [], 0, 0
    for place, character in enumerate(parameters):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            found.append(parameters[start:place].strip())
            start = place + 1
    return [*found, parameters[start:].strip()]


def _paragraphs(item: Any) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(item) or ""):
        if paragraph.strip():
            yield _wrapped(paragraph.replace("``", "`"))


def _members(owner: str, item: type) -> Iterator[str]:
    """Yield a line for every public method and property with words of its own."""
    for name, member in vars(item).items():
        shown = name in _ONLY[owner] if owner in _ONLY else name in _OPERATORS or not name.startswith("_")
        words = _member(name, member) if shown else None
        if words is not None:
            yield words


def _member(name: str, member: Any) -> str | None:
    found = getattr(member, "wrapped", member)
    is_value = isinstance(found, property | cached_property)
    function = found.fget if isinstance(found, property) else getattr(found, "func", getattr(found, "__func__", found))
    if not inspect.isfunction(function) or not function.__doc__:
        return None
    called = _OPERATORS.get(name) or (name if is_value else name + _parameters(function))
    return _wrapped(f"- `{called}`: {next(_paragraphs(function))}", indent="  ")


def _parameters(function: Any) -> str:
    """Return the parameters of a method by name only."""
    found = inspect.signature(function)
    given = [one.replace(annotation=one.empty) for one in found.parameters.values() if one.name not in ("self", "cls")]
    return str(found.replace(parameters=given, return_annotation=found.empty))


def _wrapped(text: str, indent: str = "") -> str:
    joined = " ".join(text.split())
    return fill(joined, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
