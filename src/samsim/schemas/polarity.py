"""The four polarities, and the exact table of alternative spellings an engine may use for them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, WithJsonSchema

PolarityName = Literal["positive", "negative", "neutral", "mixed"]
POLARITIES: tuple[PolarityName, ...] = get_args(PolarityName)
# Used in place of color.
SIGNS: Mapping[PolarityName, str] = MappingProxyType({"positive": "+", "negative": "−", "neutral": "0", "mixed": "±"})

_SPELLINGS: Mapping[PolarityName, tuple[str, ...]] = MappingProxyType(
    {
        "positive": ("positive", "pos", "+", "긍정", "긍정적", "긍정적임"),
        "negative": ("negative", "neg", "-", "부정", "부정적", "부정적임"),
        "neutral": ("neutral", "neu", "0", "중립", "중립적", "보통"),
        "mixed": ("mixed", "conflict", "both", "혼합", "복합", "양가", "양가적"),
    }
)
_CANONICAL: Mapping[str, PolarityName] = MappingProxyType(
    {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings}
)


def canonical_polarity(value: object) -> PolarityName | None:
    """Return the canonical polarity of an exactly known spelling, else None; nothing is guessed."""
    if not isinstance(value, str):
        return None
    return _CANONICAL.get(unicodedata.normalize("NFC", value).strip().casefold())


def _require_polarity(value: object) -> PolarityName:
    polarity = canonical_polarity(value)
    if polarity is None:
        raise ValueError(f"unknown polarity {value!r}: use one of {', '.join(POLARITIES)}")
    return polarity


Polarity = Annotated[
    PolarityName,
    BeforeValidator(_require_polarity),
    WithJsonSchema({"type": "string", "enum": list(POLARITIES)}),
]
