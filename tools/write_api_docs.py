"""Write docs/api.md from the docstrings of everything public.

python tools/write_api_docs.py
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import samsim

PAGE = Path(__file__).parent.parent / "docs" / "api.md"
INTRODUCTION = """# The library

Everything below is `samsim.NAME`. It is all that is public; what may change when is in [versions](versions.md). Errors
are `SamsimError` and its kinds, and each says what to do next. `import samsim` loads nothing heavy: every name is imported
when it is first used. A notebook that goes through all of it: [quickstart.ipynb](../examples/quickstart.ipynb).

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
_OPERATORS = {"__getitem__": "[…]", "__len__": "len()", "__iter__": "iteration"}


def page() -> str:
    """Return the whole page."""
    parts = [INTRODUCTION]
    for title, names in GROUPS.items():
        parts.append(f"## {title}")
        parts += ["\n\n".join(_entry(name, getattr(samsim, name))) for name in names.split()]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, item: Any) -> Iterator[str]:
    yield f"### {name}"
    if inspect.isclass(item):
        is_model = issubclass(item, BaseModel)
        if not is_model and not issubclass(item, BaseException) and "__init__" in vars(item):
            yield f"```python\n{_signature(name, item)}\n```"
        yield from _paragraphs(item)
        if is_model:
            yield "Fields: " + ", ".join(f"`{field}`" for field in item.model_fields) + "."
        members = list(_members(item))
        if members:
            yield "\n".join(members)
    else:
        yield f"```python\n{_signature(name, item)}\n```"
        yield from _paragraphs(item)


def _signature(name: str, item: Any) -> str:
    """Return a signature on one line, or with a line per parameter where that is too long."""
    found = inspect.signature(item)
    given = [one for one in found.parameters.values() if one.name != "self"]
    shown = str(found.replace(parameters=given))
    if inspect.isclass(item):
        shown = shown.removesuffix(" -> None")
    shown = shown.replace("'", "") if "'" in shown else shown
    if len(name + shown) <= 100:
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
    text = inspect.getdoc(item) or ""
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.strip():
            yield _markdown(" ".join(line.strip() for line in paragraph.splitlines()))


def _members(item: type) -> Iterator[str]:
    """Yield a line for every public method and property with words of its own."""
    for name, member in vars(item).items():
        if name.startswith("_") and name not in _OPERATORS:
            continue
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or getattr(member, "func", member)
        if not inspect.isfunction(function) or not function.__doc__:
            continue
        called = _OPERATORS.get(name, name)
        is_value = (
            isinstance(member, property | cached_property)
            or not isinstance(member, classmethod | staticmethod)
            and not inspect.isfunction(member)
        )
        shown = called if is_value or name in _OPERATORS else f"{called}()"
        first = next(_paragraphs(function))
        yield f"- `{shown}`: {first}"


def _markdown(text: str) -> str:
    return text.replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
