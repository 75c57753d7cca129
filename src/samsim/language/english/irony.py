"""English irony, detected conservatively: only phrases that hardly anyone means literally."""

from __future__ import annotations

from collections.abc import Collection

from samsim.language.english.sentence import Sentence
from samsim.schemas.analysis import Cue

_PHRASES = (
    ("yeah", "right"), ("yeah", ",", "right"), ("thanks", "for", "nothing"), ("/s",), ("🙄",), ("🙃",),
    ("as", "if", "!"),
    ("big", "whoop"), ("just", "what", "i", "needed", ",", "another"), ("oh", "joy"), ("so-called",),
    ("gee", "thanks"), ("gee", ",", "thanks"),
    ("what", "a", "surprise"), ("because", "who", "does", "n't", "love"), ("who", "does", "n't", "love"),
)  # fmt: skip
_PRAISE = frozenset("great wonderful fantastic perfect brilliant lovely awesome nice super excellent".split())
_AFTER_PRAISE = frozenset("another yet".split())
_LIKING = frozenset("like love enjoy fancy".split())
_SUFFERING = frozenset("waiting being paying getting sitting standing eating".split())
_QUOTES = frozenset("\" “ ” ' '' ``".split())
_LONGEST_QUOTE = 2


def irony_cues(text: str, sentence: Sentence, praising: Collection[int], blaming: Collection[int]) -> list[Cue]:
    """Return the irony cues of a sentence; ``praising`` and ``blaming`` are the indices of polarity words."""
    whole = (sentence.words[0].start, sentence.words[-1].end)
    cues: list[Cue] = []
    index = 0
    while index < len(sentence.lows):
        last = _irony_at(sentence, index, praising, blaming)
        if last > index:
            start, end = sentence.words[index].start, sentence.words[last - 1].end
            cues.append(Cue("irony", text[start:end].lower(), start, end, (whole,)))
            index = last
        else:
            index += 1
    return cues


def _irony_at(sentence: Sentence, index: int, praising: Collection[int], blaming: Collection[int]) -> int:
    """Return the end of the irony marker that begins at this word; the index itself if there is none."""
    low = sentence.lows[index]
    for phrase in _PHRASES:
        if low == phrase[0] and tuple(sentence.lows[index : index + len(phrase)]) == phrase:
            return index + len(phrase)
    opening = index == 0 or sentence.low(index - 1) in ("oh", "well", "just", ",")
    if low in _PRAISE and opening and sentence.low(index + 1) in (",", "...", "…"):
        if sentence.low(index + 2) in _AFTER_PRAISE:
            return index + 3
    elif low == "if" and sentence.low(index + 1) == "you" and sentence.low(index + 2) in _LIKING:
        nearby = range(index + 3, min(index + 7, len(sentence.lows)))
        if sentence.low(index + 3) in _SUFFERING or any(position in blaming for position in nearby):
            return index + 3
    elif low in _QUOTES:
        return _quoted_praise(sentence, index, praising)
    return index


def _quoted_praise(sentence: Sentence, index: int, praising: Collection[int]) -> int:
    """Return the end of praise in scare quotes ("fresh", alone or before its noun); the index if there is none."""
    for closing in range(index + 2, min(index + 2 + _LONGEST_QUOTE, len(sentence.lows))):
        if sentence.lows[closing] in _QUOTES:
            inside = range(index + 1, closing)
            praised = any(position in praising and sentence.tags[position] == "ADJ" for position in inside)
            said = sentence.low(index - 1) in ("said", "says", "say", ",", "called", ":", "reads", "read")
            return closing + 1 if praised and not said and closing - index == 2 else index
    return index
