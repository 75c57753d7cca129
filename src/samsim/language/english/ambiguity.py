"""Adjectives whose polarity depends on the noun: a long battery life is good, a long wait is not."""

from __future__ import annotations

from functools import cache

from samsim.language.english.sentence import NOMINAL, Sentence

_FOOD = (
    "food pizza soup coffee dish dishes meal meat fries plate plates entree entrees steak pasta bread tea rice chicken"
)
_DRINKS = "beer beers drink drinks water soda sake cocktail cocktails wine juice lemonade smoothie"
_MACHINES = "laptop computer machine battery case bottom it notebook adapter charger base unit phone"
_PRICES = "price prices cost costs pricing fee fees tag bill noise"

# word: (default, {polarity: nouns})
_BY_NOUN: dict[str, tuple[float, dict[float, str]]] = {
    "long": (
        0.0,
        {0.5: "life battery range warranty cord cable", -0.5: "wait waits line lines queue time delay delays hour"},
    ),
    "longer": (0.3, {0.5: "life battery warranty", -0.5: "wait line lines"}),
    "short": (-0.3, {-0.5: "life battery", 0.4: "wait time line"}),
    "high": (
        0.0,
        {-0.5: _PRICES, 0.5: "quality resolution speed performance definition standards praise ratings"},
    ),
    "higher": (0.0, {-0.5: _PRICES, 0.5: "quality resolution"}),
    "low": (0.0, {0.5: _PRICES + " weight", -0.5: "quality volume resolution performance power speed"}),
    "lower": (0.0, {0.5: _PRICES, -0.5: "quality"}),
    "cold": (-0.5, {0.5: _DRINKS + " ice"}),
    "hot": (0.0, {0.4: _FOOD, -0.5: _MACHINES + " place room temperature"}),
    "warm": (0.5, {-0.4: _DRINKS + " laptop battery", 0.5: "bread atmosphere welcome service staff"}),
    "small": (-0.3, {0.3: "size footprint price laptop netbook", -0.4: "portion portions screen keyboard keys"}),
    "smaller": (-0.3, {0.3: "size footprint"}),
    "big": (
        0.0,
        {
            0.4: "portion portions screen plus serving servings space menu selection bang keys",
            -0.5: "problem problems issue issues disappointment complaint mistake downside minus letdown",
        },
    ),
    "large": (0.4, {-0.5: "problem issue"}),
    "huge": (0.5, {-0.5: "problem issue disappointment pain mistake hassle"}),
    "cheap": (
        0.3,
        {
            -0.5: "plastic feel build construction quality materials material look keyboard case parts zipper zippers "
            "strap buttons fabric"
        },
    ),
    "cheaper": (0.4, {-0.3: "plastic feel build"}),
    "fast": (0.6, {-0.3: "drains"}),
    "thin": (0.3, {-0.3: "portion portions broth blanket soup"}),
    "light": (0.4, {0.5: "weight lightweight"}),
    "heavy": (-0.4, {0.1: "duty rain"}),
    "loud": (-0.4, {0.4: "speakers speaker volume sound"}),
    "dark": (-0.3, {0.0: "chocolate beer meat"}),
    "older": (0.0, {}),
    "newer": (0.1, {}),
    "louder": (0.3, {0.4: "speaker speakers volume sound", -0.4: "fan music"}),
    "old": (0.0, {0.3: "school"}),
    "new": (0.0, {}),
    "spicy": (0.3, {}),
    "rare": (0.0, {}),
    "unpredictable": (-0.3, {}),
    "sweet": (0.3, {}),
    "simple": (0.4, {}),
    "different": (0.3, {}),
    "few": (0.0, {}),
    "top": (0.0, {0.5: "quality service notch"}),
    "full": (0.0, {0.3: "flavor"}),
    "regular": (0.0, {}),
    "available": (0.0, {}),
    "sharp": (0.5, {-0.4: "edge edges corner corners"}),
    "quiet": (0.5, {-0.4: "sound volume speakers speaker"}),
    "strong": (0.4, {-0.4: "smell odor scent scents"}),
    "substantial": (0.4, {-0.4: "wait"}),
    "incredible": (0.9, {-0.5: "wait"}),
    "busy": (-0.2, {}),
    "hard": (-0.3, {0.0: "drive drives disk disc rock cider liquor"}),
    "frozen": (-0.3, {0.0: "yogurt margarita margaritas drink drinks"}),
    "raw": (-0.3, {0.0: "fish bar oysters tuna"}),
    "sour": (-0.3, {0.0: "cream soup"}),
}  # fmt: skip

_IMPRESSIONS = frozenset("look feel sound".split())
_HEDGES = frozenset("a bit little kind of kinda".split())
_LOOKS_CHEAP = -0.5
_REACH = 6


@cache
def _scores() -> dict[str, tuple[float, dict[str, float]]]:
    """Return each adjective's default polarity and its polarity by noun."""
    return {
        word: (default, {noun: score for score, nouns in groups.items() for noun in nouns.split()})
        for word, (default, groups) in _BY_NOUN.items()
    }


def polarity_by_noun(sentence: Sentence, index: int) -> float | None:
    """Return the polarity an ambiguous adjective takes from the noun it describes; None for any other word."""
    entry = _scores().get(sentence.lows[index])
    if entry is None:
        return None
    if sentence.lows[index] == "cheap" and _is_impression(sentence, index):
        return _LOOKS_CHEAP
    default, by_noun = entry
    for noun in _described_nouns(sentence, index):
        if noun in by_noun:
            return by_noun[noun]
    return default


def _is_impression(sentence: Sentence, index: int) -> bool:
    """Return whether the adjective describes an impression: "looks cheap" is about the make, not the price."""
    position = index - 1
    while position > index - _REACH and (sentence.tag(position) == "ADV" or sentence.low(position) in _HEDGES):
        position -= 1
    return position >= 0 and sentence.lemmas[position] in _IMPRESSIONS and sentence.tags[position] != "NOUN"


def _described_nouns(sentence: Sentence, index: int) -> list[str]:
    """Return the nouns right after the adjective, else the nouns before the verb of which it is the predicate."""
    nouns: list[str] = []
    position = index + 1
    while sentence.tag(position) in ("NOUN", "PROPN", "ADJ"):
        nouns.append(sentence.lows[position])
        position += 1
    if any(sentence.tag(i) in NOMINAL for i in range(index + 1, position)):
        return nouns[::-1]
    nouns = []
    for position in range(index - 1, max(-1, index - 10), -1):
        tag, low = sentence.tags[position], sentence.lows[position]
        if tag in NOMINAL or (low == "it" and not nouns):
            nouns.append(low)
        elif tag in ("PUNCT", "CCONJ", "SCONJ") or (nouns and tag in ("VERB", "AUX")):
            break
    return nouns
