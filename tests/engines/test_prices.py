"""Prices and costs: known exactly, or not at all."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.prices import cost_of, exact_decimal, price_of, price_table, unknown_prices
from samsim.engines.settings import EngineSettings, PricePerMillion
from samsim.schemas.calls import Usage
from tests.support.strategies import steady


def _price(input_price: float, output_price: float) -> PricePerMillion:
    return PricePerMillion(input=input_price, output=output_price)


def test_the_table_is_dated_and_sensible() -> None:
    table = price_table()
    assert isinstance(table.as_of, date)
    assert len(table.prices) >= 12
    for model, price in table.prices.items():
        assert model == model.lower().strip()
        assert 0 < price.input < price.output, model
        assert price_of(model) == price


@pytest.mark.parametrize(
    ("spelling", "model"),
    [
        ("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"),
        ("openai/gpt-4.1-mini", "gpt-4.1-mini"),
        ("GPT-4.1-mini", "gpt-4.1-mini"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic/claude-haiku-4.5", "claude-haiku-4-5"),
        ("models/gemini-2.5-flash", "gemini-2.5-flash"),
        ("google/gemini-2.5-flash", "gemini-2.5-flash"),
    ],
)
def test_the_same_model_under_another_spelling(spelling: str, model: str) -> None:
    assert price_of(spelling) == price_table().prices[model]


def test_a_snapshot_with_a_price_of_its_own_keeps_it() -> None:
    assert price_of("gpt-4o-2024-05-13") != price_of("gpt-4o-2024-08-06") == price_of("gpt-4o")


@pytest.mark.parametrize(
    "model", ["", "gpt-4.1-mini-tuned", "gpt-4", "my-gpt-4.1", "openai/gpt-oss-20b", "ft:gpt-4.1-mini:me", "llama"]
)
def test_an_unknown_model_has_no_price(model: str) -> None:
    assert price_of(model) is None


def test_a_price_of_ones_own_wins() -> None:
    own = _price(0, 0)
    assert price_of("gpt-4.1", own) == own
    assert price_of("unknown", own) == own


def test_costs_are_exact() -> None:
    assert cost_of(Usage(input_tokens=1000, output_tokens=500), _price(0.15, 0.6)) == 0.00045
    assert cost_of(Usage(input_tokens=3, output_tokens=0), _price(0.1, 0.4)) == 3e-7
    assert cost_of(Usage(input_tokens=10, output_tokens=10), _price(0, 0)) == 0.0


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_an_unknown_count_has_no_cost(usage: Usage) -> None:
    assert cost_of(usage, _price(1, 2)) is None


def test_an_unknown_price_gives_no_cost() -> None:
    assert cost_of(Usage(input_tokens=0, output_tokens=0), None) is None


@steady
@given(
    tokens=st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)),
    prices=st.tuples(*[st.integers(0, 10**5).map(lambda thousandths: thousandths / 1000)] * 2),
)
def test_a_cost_is_the_decimal_one(tokens: tuple[int, int], prices: tuple[float, float]) -> None:
    cost = cost_of(Usage(input_tokens=tokens[0], output_tokens=tokens[1]), _price(*prices))
    exact = sum((count * Decimal(str(price)) for count, price in zip(tokens, prices, strict=True)), Decimal(0))
    assert cost is not None
    assert exact_decimal(cost) == exact / 1_000_000


def test_an_unknown_price_is_said_once_and_not_of_a_server_on_this_machine() -> None:
    def asked(model: str, **more: Any) -> EngineSettings:
        return EngineSettings(kind="openai_compatible", model=model, **more)

    local, own = asked("qwen", base_url="http://127.0.0.1:8080/v1"), asked("mine", price_per_million=_price(0, 0))
    strange = [asked("strange"), asked("strange", temperature=0)]
    (note,) = unknown_prices([EngineSettings(), asked("gpt-4.1"), local, own, *strange])
    assert note.startswith("the price of strange is unknown: tokens are counted, dollars are not")
