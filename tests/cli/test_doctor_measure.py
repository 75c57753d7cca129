"""What ``samsim doctor`` says about slow servers, in virtual time, and what it suggests for them."""

from __future__ import annotations

from typing import get_args

import pytest

from samsim.checking.findings import EngineFinding, Note
from samsim.checking.measuring import measure
from samsim.checking.server import check_server
from samsim.engines.advice import ADVICE
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.measuring import Round, Suggestion, suggestion
from samsim.schemas.calls import FailureKind
from tests.support.lanes import Lanes
from tests.support.virtual_time import simulate


def said_to(lines: list[str]) -> Note:
    """Whoever notes findings as ``samsim doctor`` prints them."""

    def note(finding: EngineFinding) -> None:
        assert finding.status != "failed"
        lines.extend(str(finding).splitlines())

    return note


def measured(lanes: Lanes, **settings: object) -> tuple[Suggestion | None, list[str]]:
    found: list[Suggestion | None] = []
    said: list[str] = []

    async def use(engine: ModelEngine) -> None:
        found.append(await measure(engine, said_to(said), 16))

    # As many connections as are tried at once; a limit that adapts would hide what the server bears.
    simulate(lambda: lanes.serve(use, output_mode="json_schema", is_adapting=False, concurrency=16, **settings))
    return found[0], said


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("lanes", "seconds", "concurrency", "timeout_s"),
    [(1, 1.5, 1, 60), (1, 12.34, 1, 130), (4, 1.5, 4, 60), (64, 8.0, 16, 80)],
)
def test_concurrency_and_timeout_are_what_the_server_bears(
    lanes: int, seconds: float, concurrency: int, timeout_s: int
) -> None:
    found, said = measured(Lanes(lanes, seconds))
    assert found is not None
    assert (found.concurrency, found.timeout_s) == (concurrency, timeout_s)
    assert said[0] == f"      1 at once: {1 / seconds:.2f} answers/s, slowest {seconds:.1f} s"
    assert found.why_concurrency in said[-2]
    assert found.why_timeout in said[-1]


@pytest.mark.loopback
def test_more_than_the_server_answers_in_time_is_not_suggested() -> None:
    found, said = measured(Lanes(2, 4.0), timeout_s=6.0, max_timeout_s=6.0)
    assert found is not None
    assert found.concurrency == 2
    assert found.why_concurrency == "4 at once was too many: timeout"
    assert "failed: timeout" in said[2]


def test_nothing_is_suggested_for_a_server_that_fails_alone() -> None:
    assert suggestion([Round(1, 0, 120.0, 60.0, ("timeout", "timeout"))]) is None


def test_every_kind_of_failure_has_advice_of_its_own() -> None:
    assert set(ADVICE) == set(get_args(FailureKind))
    assert len(set(ADVICE.values())) == len(ADVICE)


@pytest.mark.loopback
def test_three_timeouts_are_not_hidden() -> None:
    said: list[str] = []

    async def use(engine: ModelEngine) -> None:
        await check_server(engine, said_to(said))

    # The first to ask meets a cold model.
    slow_at_first = Lanes(64, lambda number: 500.0 if number < 3 else 0.2)
    simulate(lambda: slow_at_first.serve(use, timeout_s=60.0, output_mode="json_schema"))
    assert "only after 3 failed attempts (3 × timeout)" in said[1]
    assert said[1].startswith("WARN  one tiny call")
    assert [line.split(" after ")[0].strip() for line in said[2:4]] == [
        "attempts 1–3: timeout × 3 within 7 min, each",
        "attempt 4: ok (200)",
    ]
    assert "timeout_s" in said[4]


@pytest.mark.loopback
def test_timeouts_of_the_probe_are_not_hidden_either() -> None:
    said: list[str] = []

    async def use(engine: ModelEngine) -> None:
        await check_server(engine, said_to(said))

    simulate(lambda: Lanes(64, lambda number: 100.0 if number < 1 else 0.2).serve(use, timeout_s=60.0))
    assert said[0].startswith("WARN  server answers, output mode: json_schema, but only after 1 failed attempt")
    assert said[-1].startswith("ok    one tiny call")
