"""Part-of-speech tags (Universal Dependencies names) by a small averaged perceptron.

Most running words have only one tag in the training data and are looked up; the perceptron decides
the rest, left to right. How the weights were made is in ``docs/data-cards/english-tagger.md``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_START = "<s>"
_END = "</s>"
_UNKNOWN = "?"
_PUNCTUATION = frozenset("()[]{}.,;:!?\"'`-–—…/\\*~_“”‘’«»|<>&+=#@^")
_FIXED = {
    "n't": "PART",
    "not": "PART",
    "'ll": "AUX",
    "'re": "AUX",
    "'ve": "AUX",
    "'m": "AUX",
    "'d": "AUX",
    "tho": "SCONJ",
    "outdoors": "ADV",
    "indoors": "ADV",
}


@dataclass(frozen=True, slots=True)
class TaggerModel:
    """``certain``: words with one tag; ``usual``: the most common tag of the others; ``weights``: by feature."""

    certain: dict[str, str]
    usual: dict[str, str]
    weights: dict[str, dict[str, float]]


@cache
def load_tagger() -> TaggerModel:
    """Read the shipped weights once."""
    packed = files("samsim.language").joinpath("data", "tagger_en.json.gz").read_bytes()
    raw = json.loads(gzip.decompress(packed))
    certain = {word: tag for tag, words in raw["certain"].items() for word in words.split()}
    usual = {word: tag for tag, words in raw["usual"].items() for word in words.split()}
    certain.update(_FIXED)
    return TaggerModel(certain, usual, raw["weights"])


def known_tag(low: str, certain: dict[str, str]) -> str | None:
    """Return the tag of a word that needs no context: from the dictionary, or by its shape."""
    tag = certain.get(low)
    if tag is not None:
        return tag
    if low == "'s":  # "is" or the possessive: only the context tells
        return None
    first = low[0]
    if first in _PUNCTUATION or (len(low) == 1 and not first.isalnum()):
        return "PUNCT"
    if first.isdigit() or (first in "$€£¥₩" and len(low) > 1):
        return "NUM"
    if not first.isascii() and not first.isalpha():
        return "SYM"
    return None


def context_features(
    index: int, lows: Sequence[str], shapes: Sequence[str], hints: Sequence[str], tags: Sequence[str]
) -> tuple[str, ...]:
    """Return the perceptron's features for one word; the training tool uses the same function."""
    low = lows[index]
    before = tags[index - 1] if index else _START
    before_two = tags[index - 2] if index > 1 else _START
    word_before = lows[index - 1] if index else _START
    word_after = lows[index + 1] if index + 1 < len(lows) else _END
    hint_after = hints[index + 1] if index + 1 < len(lows) else _END
    hint_after_two = hints[index + 2] if index + 2 < len(lows) else _END
    hint = hints[index]
    suffix = low[-3:]
    return (
        "w" + low,
        "s" + suffix,
        "t" + low[-2:] + before,
        "c" + shapes[index] + hint,
        "p" + before + "|" + hint,
        "q" + before_two + "|" + before,
        "b" + word_before,
        "a" + word_after,
        "n" + hint_after + "|" + hint,
        "m" + hint_after + "|" + hint_after_two,
        "x" + before + "|" + hint_after,
        "y" + low + "|" + before,
    )


def best_tag(features: Sequence[str], weights: dict[str, dict[str, float]], fallback: str) -> str:
    """Return the tag with the highest score; ties go to the alphabetically first, so the result is stable."""
    scores: dict[str, float] = {}
    for feature in features:
        found = weights.get(feature)
        if found is not None:
            for tag, weight in found.items():
                scores[tag] = scores.get(tag, 0.0) + weight
    if not scores:
        return fallback
    return min(scores, key=lambda tag: (-scores[tag], tag))


def shape_of(form: str, is_first: bool) -> str:
    """Return a word's capitalization; a sentence's first word is a case of its own, being always capitalized."""
    if form[0].isupper():
        if is_first:
            return "f"
        return "C" if len(form) > 1 and form.isupper() else "c"
    return "h" if "-" in form else "l"


def hint_of(low: str, model: TaggerModel) -> str:
    """Return what the dictionary alone says about a word."""
    tag = known_tag(low, model.certain)
    if tag is not None:
        return tag
    usual = model.usual.get(low)
    return usual.lower() if usual else _UNKNOWN


def tag_words(forms: Sequence[str], lows: Sequence[str]) -> list[str]:
    """Return one tag for each word of a sentence."""
    model = load_tagger()
    certain, usual, weights = model.certain, model.usual, model.weights
    known = [known_tag(low, certain) for low in lows]
    hints = [tag or (usual[low].lower() if low in usual else _UNKNOWN) for tag, low in zip(known, lows, strict=True)]
    shapes = [shape_of(form, not position) for position, form in enumerate(forms)]
    tags: list[str] = []
    for index, tag in enumerate(known):
        if tag is None:
            features = context_features(index, lows, shapes, hints, tags)
            tag = best_tag(features, weights, usual.get(lows[index], "NOUN"))
        tags.append(tag)
    return tags
