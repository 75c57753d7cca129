"""No test talks to another machine: requests are forbidden, and allowed to this machine only where a test says so."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from samsim.engines.transport.guard import FORBID_VARIABLE, forbid_requests

# A property says what holds, not how fast: a busy machine must not fail it.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "loopback: talks to a server on this machine, and to no other")
    # Whatever the shell says, tests and the fixtures of their modules start from the same state.
    os.environ.pop(FORBID_VARIABLE, None)
    # Commands print in the language of the locale: a test that wants Korean says so.
    os.environ["LC_ALL"] = "C.UTF-8"


@pytest.fixture(autouse=True)
def _no_requests(request: pytest.FixtureRequest) -> Iterator[None]:
    # Not by monkeypatch: what a test sets by it would be restored after this fixture has ended, and stay for others.
    with forbid_requests(allow_loopback=request.node.get_closest_marker("loopback") is not None):
        yield
