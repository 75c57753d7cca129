"""The library's front door: analyze, Pipeline, streams."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

import samsim
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.pipeline.api import Pipeline
from samsim.pipeline.epochs import SampleError
from samsim.pipeline.streaming import STREAM_THREAD
from samsim.schemas.results import SampleResult

REVIEWS = [(f"r{number}", f"The soup was {word}.") for number, word in enumerate(["cold", "great", "bland"] * 7)]


def test_settings_can_be_given_by_name() -> None:
    assert samsim.analyze("가격이 비싸요", protocol="cr_v1", taxonomy="none").final_tuples[0].aspect_ref == "가격"


def test_an_unknown_setting_names_the_known_ones() -> None:
    with pytest.raises(samsim.ConfigError, match=r"protocl.*Known settings: protocol"):
        samsim.analyze("good", protocl="cr_v1")


def test_the_same_text_gives_the_same_bytes() -> None:
    text = "음질은 나쁘지 않은데 배터리가 오래가지 않네요. I don't think the keyboard is comfortable."
    assert len({Pipeline().analyze(text).model_dump_json() for _ in range(3)}) == 1


def test_analyze_works_inside_a_running_loop() -> None:
    async def inside() -> SampleResult:
        return Pipeline().analyze("The soup was cold.")

    assert asyncio.run(inside()).final_tuples[0].polarity == "negative"


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_stream_keeps_the_order_and_the_results(concurrency: int) -> None:
    pipeline = Pipeline()
    one_by_one = [pipeline.analyze(text, uid=uid) for uid, text in REVIEWS]
    assert list(pipeline.stream(REVIEWS, concurrency=concurrency)) == one_by_one


def test_a_stream_reads_no_further_than_its_window() -> None:
    read: list[int] = []

    def endless() -> Iterator[tuple[str, str]]:
        for number in range(1_000_000):
            read.append(number)
            yield str(number), "The soup was cold."

    for answer in Pipeline().stream(endless()):
        if answer.uid == "3":
            break
    assert len(read) < 1_000
    assert STREAM_THREAD not in {thread.name for thread in threading.enumerate()}


def test_what_was_started_before_the_source_broke_is_delivered() -> None:
    def breaking() -> Iterator[tuple[str, str]]:
        yield "a", "The soup was cold."
        raise OSError("the disk is gone")

    delivered: list[str] = []
    with pytest.raises(OSError, match="the disk is gone"):
        delivered.extend(answer.uid for answer in Pipeline().stream(breaking()))
    assert delivered == ["a"]


class RaisingEngine:
    name = "raising"

    async def complete(self, request: EngineRequest) -> EngineReply:
        raise ZeroDivisionError(f"a bug in a foreign engine, asked by {request.agent}")


def test_an_engine_that_raises_costs_its_sample_only() -> None:
    (answer,) = Pipeline(engine=RaisingEngine()).stream([("a", "good food")])
    assert isinstance(answer, SampleError)
    assert "ZeroDivisionError" in answer.message


@pytest.mark.parametrize("concurrency", [0, -1])
def test_a_concurrency_below_one_is_an_error_not_a_standstill(concurrency: int) -> None:
    with pytest.raises(samsim.ConfigError, match="of 1 or more"):
        list(Pipeline().stream([("a", "good food")], concurrency=concurrency))


def test_a_uid_of_any_type_is_recorded_as_text() -> None:
    (answer,) = Pipeline().stream([(1, "The soup was cold.")])
    assert isinstance(answer, SampleResult)
    assert answer.uid == "1"
