"""``samsim.__all__`` is the contract: what is in it, how it is described, and what importing it costs."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from benchmarks.startup import PLAIN, least
from tools.write_api_docs import GROUPS, Words, english, korean, korean_mistakes, page

import samsim
from samsim import errors
from samsim.data import format_table

# What a user calls, one for each task of the documentation.
FUNCTIONS = """
    analyze build_report check_engine compare convert_data find_leaks gold_fields load_config load_experiment load_gold
    load_run load_samples load_taxonomy open_engine open_memory open_store plan_experiment run_experiment
""".split()
VERBS = "Analyze Check Compare Estimate Load Measure Open Read Return Run Search Write".split()


def test_the_functions_are_these() -> None:
    assert sorted(name for name in samsim.__all__ if inspect.isfunction(getattr(samsim, name))) == FUNCTIONS


@pytest.mark.parametrize("name", samsim.__all__)
def test_a_public_name_is_itself_and_says_what_it_is(name: str) -> None:
    item = getattr(samsim, name)
    assert item.__name__ == name
    assert inspect.getdoc(item)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_words_of_a_function_begin_with_what_it_does(name: str) -> None:
    first = (inspect.getdoc(getattr(samsim, name)) or "").split()[0]
    assert first in VERBS


@pytest.mark.parametrize("name", [*FUNCTIONS, "Pipeline"])
def test_a_signature_has_public_types_or_says_what_they_are(name: str) -> None:
    item = getattr(samsim, name)
    said = inspect.getdoc(item) or ""
    signature = " ".join(str(parameter.annotation) for parameter in inspect.signature(item).parameters.values())
    types = set(re.findall(r"\b[A-Z]\w+", re.sub(r"Literal\[.*?\]", "", signature)))
    known = {*samsim.__all__, "Any", "Callable", "Iterable", "Mapping", "None", "Path", "Sequence"}
    assert [found for found in types - known if f"``{found}``" not in said] == []


def test_the_reference_names_nothing_that_is_not_public() -> None:
    words = set(re.findall(r"`([A-Z][A-Z_]+)`", english().page.read_text(encoding="utf-8")))
    assert [word for word in words if hasattr(format_table, word)] == []


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = samsim.no_such_name


def test_every_error_of_the_tree_is_public() -> None:
    tree = [name for name, item in vars(errors).items() if isinstance(item, type) and issubclass(item, Exception)]
    assert set(tree) <= set(samsim.__all__)
    assert all(issubclass(getattr(samsim, name), samsim.SamsimError) for name in tree)


def test_the_reference_has_everything_once() -> None:
    assert sorted(name for names in GROUPS.values() for name in names.split()) == sorted(samsim.__all__)


def test_every_public_name_is_described_in_korean() -> None:
    assert korean_mistakes() == []


@pytest.mark.parametrize("language", [english, korean])
def test_the_reference_is_what_the_tool_writes(language: Callable[[], Words]) -> None:
    words = language()
    assert words.page.read_text(encoding="utf-8") == page(words), "run python tools/write_api_docs.py"


def test_importing_samsim_imports_nothing_heavy() -> None:
    heavy = ("pydantic", "numpy", "kiwipiepy", "yaml", "pandas", "click", "asyncio")
    code = f"import sys, samsim; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_starting_is_fast() -> None:
    """CPU time, the least of a few starts; the bounds are those of docs/performance.md."""
    found = least(3)
    assert found["import samsim"] - found[PLAIN] <= 0.050
    assert found["samsim --help"] <= 0.150
