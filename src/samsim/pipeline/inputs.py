"""The texts that can be analyzed, one or many, checked before any engine is called."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from samsim.data.samples import Sample
from samsim.errors import InputError
from samsim.value_limits import LONE_SURROGATE

MAX_CHARACTERS = 1_000_000
_ACCEPTED = (
    'texts, samples, (uid, text) pairs or records with "text" and "uid" in a list or another iterable, '
    "a mapping of uid to text, or a pandas Series"
)
_RECORD_KEYS = frozenset({"uid", "text"})


class Labelled(Protocol):
    """Texts with uids, such as a mapping or a pandas Series."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Return the uids with their texts."""


Texts = Iterable[str | Sample | tuple[Any, Any] | Mapping[str, Any]] | Labelled
"""The texts that ``Pipeline.stream`` accepts; see ``as_samples``."""


def check_text(text: object) -> str:
    """Return the text unchanged if it can be analyzed; raise ``InputError`` otherwise."""
    if not isinstance(text, str):
        raise InputError(
            f"The text must be a string, not {type(text).__name__}. Pass one review, or pass many to Pipeline.stream."
        )
    if not text.strip():
        raise InputError("The text is empty. Give at least one character that is not whitespace.")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(text):,} characters, more than {MAX_CHARACTERS:,}. Split it into single reviews."
        )
    if LONE_SURROGATE.search(text):
        raise InputError("The text has broken characters (lone surrogates). Read the file with its actual encoding.")
    return text


def as_samples(texts: object, advice: str = "Put it in a list.") -> Iterator[tuple[str, Any]]:
    """Return the uid and the text of each sample, read lazily; the collection itself is checked immediately.

    Texts without a uid are numbered by their position, from 0. A missing text (None, NaN) keeps its position:
    it becomes a bad sample and does not stop the rest. ``advice`` ends the error about a single text.
    """
    if isinstance(texts, str | bytes):
        raise InputError(f"A single text was given, but many are expected. {advice}")
    if isinstance(texts, set | frozenset):
        raise InputError("A set has no order, so its texts cannot be numbered. Sort it into a list.")
    if hasattr(texts, "columns"):
        raise InputError(f"This {type(texts).__name__} is a whole table. Pass only its text column: frame['text'].")
    if isinstance(texts, Mapping):
        if "text" in texts and _RECORD_KEYS.issuperset(texts):
            raise InputError("A single record was given, but many are expected. Put it in a list.")
        return _labelled(texts)
    if hasattr(texts, "index") and hasattr(texts, "items"):
        return _labelled(texts)
    if not isinstance(texts, Iterable):
        raise InputError(f"Texts are expected, not {type(texts).__name__}. Pass {_ACCEPTED}.")
    return (_as_sample(place, item) for place, item in enumerate(texts))


def _labelled(texts: Labelled) -> Iterator[tuple[str, Any]]:
    return ((str(uid), text) for uid, text in texts.items())


def _as_sample(place: int, item: object) -> tuple[str, Any]:
    if isinstance(item, str) or item is None or (isinstance(item, float) and math.isnan(item)):
        return str(place), item
    if isinstance(item, Sample):
        return item.uid, item.text
    if isinstance(item, tuple | list) and len(item) == 2:
        return str(item[0]), item[1]
    if isinstance(item, Mapping) and "text" in item:
        return str(item.get("uid", place)), item["text"]
    if isinstance(item, Mapping):
        keys = ", ".join(repr(key) for key in item) or "none"
        raise InputError(f'Record {place} has no "text"; its keys are {keys}. Pass {_ACCEPTED}.')
    size = f" with {len(item)} items" if isinstance(item, tuple | list) else ""
    raise InputError(f"Item {place} is of type {type(item).__name__}{size}, not a text or a pair. Pass {_ACCEPTED}.")
