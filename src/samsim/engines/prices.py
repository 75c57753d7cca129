"""Token prices: a dated table of list prices, which the user's own price overrides.

A model that is not in the table has no price, and without a price or a token count there is no cost.
An unknown price or cost is None, never 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from samsim.engines.settings import EngineSettings, PricePerMillion
from samsim.engines.transport.guard import is_loopback
from samsim.schemas.calls import Usage
from samsim.yaml_text import read_yaml

_MILLION = Decimal(1_000_000)
# The same model under another spelling: a router's vendor prefix, a dated snapshot.
_VENDOR_PREFIX = re.compile(r"^(?:openai|anthropic|google|models)/")
_SNAPSHOT_DATE = re.compile(r"-20\d{2}-?\d{2}-?\d{2}$")
# Routers write claude-sonnet-4.5 where the vendor writes claude-sonnet-4-5.
_DOTTED_CLAUDE = re.compile(r"^(claude-.*\d)\.(\d.*)$")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """List prices in US dollars per million tokens, as of a given day."""

    as_of: date
    prices: dict[str, PricePerMillion]


@cache
def price_table() -> PriceTable:
    """Return the shipped table."""
    content = files("samsim.engines").joinpath("data", "prices.yaml").read_text(encoding="utf-8")
    table = read_yaml(content)
    prices = {model: PricePerMillion(input=row[0], output=row[1]) for model, row in table["models"].items()}
    return PriceTable(as_of=table["as_of"], prices=prices)


def price_of(model: str, override: PricePerMillion | None = None) -> PricePerMillion | None:
    """Return the price of a model: the user's, else the table's, else None."""
    if override is not None:
        return override
    prices = price_table().prices
    named = _DOTTED_CLAUDE.sub(r"\1-\2", _VENDOR_PREFIX.sub("", model.strip().lower()))
    return prices.get(named) or prices.get(_SNAPSHOT_DATE.sub("", named))


def unknown_prices(engines: Iterable[EngineSettings]) -> list[str]:
    """Return a note for every model with an unknown price, except on this machine, where it costs nothing."""
    unknown = dict.fromkeys(
        settings.model
        for settings in engines
        if settings.kind != "embedded"
        and price_of(settings.model, settings.price_per_million) is None
        and not is_loopback(urlsplit(settings.url).hostname or "")
    )
    return [
        f"the price of {model} is unknown: tokens are counted, dollars are not"
        " (set price_per_million; use 0 for your own server)"
        for model in unknown
    ]


def cost_of(usage: Usage, price: PricePerMillion | None) -> float | None:
    """Return the cost of these tokens in US dollars, or None if the price or a token count is unknown."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    dollars = usage.input_tokens * exact_decimal(price.input) + usage.output_tokens * exact_decimal(price.output)
    return float(dollars / _MILLION)


def exact_decimal(amount: float) -> Decimal:
    """Return the decimal that a float was written as: 0.1, not 0.1000000000000000055."""
    return Decimal(repr(amount))
