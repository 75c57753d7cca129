"""The switch that forbids requests."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from samsim.engines.transport.guard import FORBID_VARIABLE, check_allowed, forbid_requests, forbidden
from samsim.errors import EngineError

ELSEWHERE = "https://api.example.com/v1/chat/completions?key=canary-123"
HERE = (
    "http://127.0.0.1:8080/v1",
    "http://localhost/v1",
    "http://LOCALHOST:1/",
    "http://[::1]:9/x",
    "http://127.9.9.9/",
)
DISGUISED = (
    "http://127.0.0.1@evil.example/",
    "http://localhost.evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://0.0.0.0/",
    "http://evil.example/127.0.0.1",
    "http://evil.example/?localhost",
    "localhost:80",
    "",
)


@pytest.mark.parametrize("url", [ELSEWHERE, *HERE])
def test_every_test_starts_with_requests_forbidden(url: str) -> None:
    assert forbidden()
    with pytest.raises(EngineError, match=FORBID_VARIABLE):
        check_allowed(url)


@pytest.mark.loopback
@pytest.mark.parametrize("url", HERE)
def test_a_loopback_test_may_ask_this_machine(url: str) -> None:
    check_allowed(url)


@pytest.mark.loopback
@pytest.mark.parametrize("url", [ELSEWHERE, *DISGUISED])
def test_a_loopback_test_may_ask_no_other(url: str) -> None:
    with pytest.raises(EngineError):
        check_allowed(url)


def test_the_error_names_the_host_and_nothing_else_of_the_address() -> None:
    with pytest.raises(EngineError) as caught:
        check_allowed("https://user:pass-word@api.example.com/v1?key=canary-123")
    assert "api.example.com" in str(caught.value)
    assert "canary-123" not in str(caught.value)
    assert "pass-word" not in str(caught.value)


@pytest.mark.parametrize("value", ["", "0"])
def test_off(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(FORBID_VARIABLE, value)
    assert not forbidden()
    check_allowed(ELSEWHERE)


@pytest.mark.parametrize("value", ["1", "true", "no", "LOOPBACK", "127.0.0.1"])
def test_any_other_value_forbids_everything(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(FORBID_VARIABLE, value)
    with pytest.raises(EngineError):
        check_allowed(HERE[0])


def test_the_block_ends_as_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FORBID_VARIABLE)
    with pytest.raises(EngineError), forbid_requests():
        check_allowed(ELSEWHERE)
    assert FORBID_VARIABLE not in os.environ
    monkeypatch.setenv(FORBID_VARIABLE, "0")
    with forbid_requests(allow_loopback=True):
        check_allowed(HERE[0])
    assert os.environ[FORBID_VARIABLE] == "0"


def test_an_inner_block_cannot_allow_what_an_outer_one_forbids() -> None:
    with forbid_requests(), forbid_requests(allow_loopback=True), pytest.raises(EngineError):
        check_allowed(HERE[0])


@pytest.mark.loopback
def test_an_inner_block_may_forbid_more() -> None:
    with forbid_requests(), pytest.raises(EngineError):
        check_allowed(HERE[0])
    check_allowed(HERE[0])


def test_other_threads_are_bound_too() -> None:
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(forbidden).result()


@pytest.mark.parametrize("turn", ["first", "second"])
def test_what_one_test_sets_is_not_left_to_the_next(turn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.environ[FORBID_VARIABLE] == "1", "the tests' own guard, whichever turn it is"
    monkeypatch.setenv(FORBID_VARIABLE, f"set by the {turn} test")


@pytest.fixture(scope="module")
def outside_of_any_test() -> str | None:
    """Fixtures of a module are made before the guard of its first test."""
    return os.environ.get(FORBID_VARIABLE)


def test_nothing_is_left_for_the_fixtures_of_a_module(outside_of_any_test: str | None) -> None:
    assert outside_of_any_test is None
