"""What tokens cost: a dated table of list prices, which a price of one's own overrides.

Unknown is unknown: a model that is not in the table has no price, and what has no price or no token
count has no cost; neither is ever 0.
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

from samsim.engines.guard import is_loopback
from samsim.engines.settings import EngineSettings, PricePerMillion
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
    """List prices in US dollars per million tokens, as they were on a day."""

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
    """Return the price of a model: the user's own, else the table's, else None."""
    if override is not None:
        return override
    prices = price_table().prices
    named = _DOTTED_CLAUDE.sub(r"\1-\2", _VENDOR_PREFIX.sub("", model.strip().lower()))
    return prices.get(named) or prices.get(_SNAPSHOT_DATE.sub("", named))


def unknown_prices(engines: Iterable[EngineSettings]) -> list[str]:
    """Return a note for every model whose costs nobody will know; what a server on this machine costs nobody asks."""
    unknown = dict.fromkeys(
        settings.model
        for settings in engines
        if settings.kind != "embedded"
        and price_of(settings.model, settings.price_per_million) is None
        and not is_loopback(urlsplit(settings.url).hostname or "")
    )
    return [
        f"the price of {model} is not known: tokens are counted, dollars are not"
        " (give price_per_million, 0 for a server of your own)"
        for model in unknown
    ]


def cost_of(usage: Usage, price: PricePerMillion | None) -> float | None:
    """US dollars for these tokens; None if the price or a token count is not known."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    dollars = usage.input_tokens * exact_decimal(price.input) + usage.output_tokens * exact_decimal(price.output)
    return float(dollars / _MILLION)


def exact_decimal(amount: float) -> Decimal:
    """Return the decimal a float stands for: 0.1 and not 0.1000000000000000055."""
    return Decimal(repr(amount))
