from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.factory import EnginePlan
from samsim.engines.pacing.timeouts import AdaptiveTimeout
from samsim.engines.settings import EngineSettings
from samsim.errors import ConfigError
from tests.support.strategies import steady

SECONDS = st.floats(0, 10_000)


def test_the_first_call_has_what_the_user_says_and_so_have_all_on_a_fast_server() -> None:
    timeout = AdaptiveTimeout(60, 600)
    for _ in range(100):
        assert timeout.current == 60
        timeout.answered(15)


def test_a_slow_answer_gives_the_next_ones_more_time() -> None:
    timeout = AdaptiveTimeout(60, 600)
    timeout.answered(50)
    assert timeout.current == 200


def test_after_each_timeout_the_next_call_has_twice_as_long() -> None:
    timeout = AdaptiveTimeout(60, 600)
    allowed = []
    for _ in range(6):
        allowed.append(timeout.current)
        timeout.given_up(timeout.current)
    assert allowed == [60, 120, 240, 480, 600, 600]


def test_one_wave_of_timeouts_doubles_once() -> None:
    timeout = AdaptiveTimeout(60, 600)
    for _ in range(16):
        timeout.given_up(60)
    assert timeout.current == 120


def test_what_was_slow_long_ago_is_forgotten() -> None:
    timeout = AdaptiveTimeout(60, 600)
    timeout.given_up(300)
    for _ in range(32):
        timeout.answered(1)
    assert timeout.current == 60


@steady
@given(st.floats(0.1, 1000), st.floats(0.1, 1000), st.lists(st.tuples(st.booleans(), SECONDS), max_size=50))
def test_it_stays_between_the_first_and_the_most(first: float, most: float, seen: list[tuple[bool, float]]) -> None:
    timeout = AdaptiveTimeout(first, most)
    for is_answer, seconds in seen:
        (timeout.answered if is_answer else timeout.given_up)(seconds)
        assert first <= timeout.current <= max(first, most)


def settings(**given: object) -> EngineSettings:
    return EngineSettings.model_validate({"kind": "openai_compatible", "model": "m", **given})


@pytest.mark.parametrize(
    ("given", "first", "most"),
    [
        ({}, 60, 600),
        ({"base_url": "http://gpu-box.example/v1"}, 60, 600),
        ({"base_url": "http://127.0.0.1:8080/v1"}, 300, 900),
        ({"base_url": "http://localhost:8080/v1"}, 300, 900),
        ({"base_url": "http://[::1]:8080/v1"}, 300, 900),
        ({"base_url": "http://localhost:8080/v1", "timeout_s": 6}, 6, 60),
        ({"timeout_s": 200}, 200, 900),
        ({"timeout_s": 2000}, 2000, 2000),
        ({"timeout_s": 20, "max_timeout_s": 20}, 20, 20),
    ],
)
def test_a_server_on_this_machine_has_more_time_unless_the_user_says_otherwise(
    given: dict[str, object], first: float, most: float
) -> None:
    assert (settings(**given).timeout_s, settings(**given).max_timeout_s) == (first, most)


def test_how_long_is_waited_is_no_part_of_the_identity() -> None:
    assert settings(timeout_s=5, max_timeout_s=7, concurrency=2).identity == settings().identity


def test_a_longest_timeout_below_the_first_is_refused() -> None:
    plan = EnginePlan(engines={"default": {"timeout_s": 60, "max_timeout_s": 30}})
    with pytest.raises(ConfigError, match="max_timeout_s must be at least timeout_s"):
        plan.settings_for("A")
