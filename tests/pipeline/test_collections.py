"""Many texts, however they are kept: strings, pairs, records, mappings, Series; anything else is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pandas
import pytest

from samsim.data.registry import load_samples
from samsim.errors import InputError
from samsim.memory.conditions import resolve_condition
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator
from samsim.memory.store import open_store
from samsim.pipeline.api import Pipeline
from samsim.pipeline.epochs import SampleError
from samsim.schemas.results import SampleResult

SOUP, BREAD = "The soup was cold.", "The bread was great."
PIPELINE = Pipeline()


def read(samples: Any) -> list[tuple[str, str | None]]:
    """The uid and text of each answer; no text where there is only an error."""
    answers = PIPELINE.stream(samples)
    return [(answer.uid, answer.text if isinstance(answer, SampleResult) else None) for answer in answers]


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        pytest.param([SOUP, BREAD], [("0", SOUP), ("1", BREAD)], id="strings"),
        pytest.param((SOUP, BREAD), [("0", SOUP), ("1", BREAD)], id="tuple_of_strings"),
        pytest.param([("a", SOUP), ["b", BREAD]], [("a", SOUP), ("b", BREAD)], id="pairs"),
        pytest.param({"a": SOUP, 7: BREAD}, [("a", SOUP), ("7", BREAD)], id="mapping"),
        pytest.param(
            [{"uid": "a", "text": SOUP}, {"text": BREAD, "stars": 5}], [("a", SOUP), ("1", BREAD)], id="records"
        ),
        pytest.param([SOUP, ("b", BREAD)], [("0", SOUP), ("b", BREAD)], id="mixed"),
        pytest.param(pandas.Series([SOUP, BREAD]), [("0", SOUP), ("1", BREAD)], id="series"),
        pytest.param(pandas.Series([SOUP, BREAD], index=["x", "y"]), [("x", SOUP), ("y", BREAD)], id="named_series"),
        pytest.param(pandas.Series([SOUP, BREAD]).to_numpy(), [("0", SOUP), ("1", BREAD)], id="array"),
        pytest.param([], [], id="nothing"),
        pytest.param({}, [], id="empty_mapping"),
    ],
)
def test_texts_are_taken_as_people_keep_them(samples: Any, expected: list[tuple[str, str]]) -> None:
    assert read(samples) == expected


def test_a_generator_of_strings_is_read_one_by_one() -> None:
    assert read(text for text in (SOUP, BREAD)) == [("0", SOUP), ("1", BREAD)]


@pytest.mark.parametrize(
    ("samples", "uids"),
    [
        ([SOUP, None, float("nan"), BREAD], ["0", "1", "2", "3"]),
        (pandas.Series([SOUP, None, float("nan"), BREAD], index=list("abcd")), list("abcd")),
        ({"a": SOUP, "b": None, "c": 5, "d": BREAD}, list("abcd")),
    ],
    ids=["list", "series", "mapping"],
)
def test_a_missing_text_costs_its_own_sample_only(samples: Any, uids: list[str]) -> None:
    answers = list(PIPELINE.stream(samples))
    assert [answer.uid for answer in answers] == uids
    assert [isinstance(answer, SampleError) for answer in answers] == [False, True, True, False]


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        pytest.param(SOUP, r"(?i)put it in a list", id="one_text"),
        pytest.param(SOUP.encode(), r"(?i)put it in a list", id="bytes"),
        pytest.param({"uid": "a", "text": SOUP}, "A single record.*Put it in a list", id="one_record"),
        pytest.param(7, "not int.*uid to text, or a pandas Series", id="number"),
        pytest.param(None, "not NoneType", id="none"),
        pytest.param({SOUP, BREAD}, "no order.*Sort it", id="set"),
        pytest.param(
            pandas.DataFrame({"text": [SOUP]}), r"This DataFrame is a whole table.*frame\['text'\]", id="frame"
        ),
    ],
)
def test_what_is_no_collection_of_texts_is_refused_by_the_call(samples: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        PIPELINE.stream(samples)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (7, "Item 1 is of type int, not a text or a pair"),
        (("a", SOUP, "en"), "Item 1 is of type tuple with 3 items"),
        ({"id": "a", "review": SOUP}, "Record 1 has no \"text\"; its keys are 'id', 'review'"),
        (object(), "Item 1 is of type object"),
    ],
)
def test_an_item_of_another_kind_is_refused_after_those_before_it(item: Any, said: str) -> None:
    delivered: list[str] = []
    with pytest.raises(InputError, match=said):
        delivered.extend(answer.uid for answer in PIPELINE.stream([SOUP, item]))
    assert delivered == ["0"]


def test_loaded_samples_are_texts() -> None:
    samples = load_samples("reviews", limit=2).samples
    answers = PIPELINE.stream(samples)
    assert [answer.uid for answer in answers] == [sample.uid for sample in samples]


def test_the_asynchronous_stream_takes_the_same() -> None:
    async def collect(samples: Any) -> list[str]:
        return [answer.uid async for answer in Pipeline().astream(samples)]

    assert asyncio.run(collect({"a": SOUP, "b": BREAD})) == ["a", "b"]
    assert asyncio.run(collect([SOUP])) == ["0"]
    with pytest.raises(InputError, match="A single text was given"):
        asyncio.run(collect(SOUP))


def test_with_a_memory_the_same_is_taken(tmp_path: Any) -> None:
    store = open_store(str(tmp_path / "store.jsonl"))
    memory = EpisodicOrchestrator(store, resolve_condition("C2"), now=lambda: "2024-01-01T00:00:00+00:00", version="0")
    try:
        answers = list(Pipeline(memory=memory).stream({"a": SOUP, "b": BREAD}))
    finally:
        memory.close()
    assert [answer.uid for answer in answers] == ["a", "b"]
    assert all(isinstance(answer, SampleResult) for answer in answers)
