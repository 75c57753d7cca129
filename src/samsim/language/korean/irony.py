"""Korean irony, detected conservatively: fixed sarcastic phrases, and praise next to an emoticon that undercuts it."""

from __future__ import annotations

import re
from bisect import bisect_left

from samsim.schemas.analysis import Cue, Offsets, PolarityWord

_PHRASES = re.compile(
    r"참\s*잘도|잘도\s*(?=[가-힣]+겠)|퍽이나|어련하시겠|잘나셨(?:네|어)|자알\s*한다|참\s*잘\s*(?:한다|하는\s*짓이다)"
    r"|돈이\s*남아도(?:나|는가)\s*(?:봐|보)|뭐\s*하자는|행복회로"
)
_SOUR_FACES = re.compile(r"\^\^;+|ㅡ[ㅡ.,_]*ㅡ;*|-_-;*|;;+|=_=")
_STRONG_PRAISE = 0.6


def find_irony(text: str, sentences: tuple[Offsets, ...], words: list[PolarityWord]) -> list[Cue]:
    """Return the irony cues of a text; the scope is the sentence."""
    cues: list[Cue] = []
    for sentence in sentences:
        match = _PHRASES.search(text, *sentence) or _soured_praise(text, sentence, words)
        if match is not None:
            cues.append(Cue("irony", match.group(), match.start(), match.end(), (sentence,)))
    return cues


def _soured_praise(text: str, sentence: Offsets, words: list[PolarityWord]) -> re.Match[str] | None:
    face = _SOUR_FACES.search(text, sentence[0], min(len(text), sentence[1] + 6))
    if face is None:
        return None
    first, last = (bisect_left(words, place, key=lambda word: word.start) for place in sentence)
    here = [word.in_context for word in words[first:last]]
    praised = any(score >= _STRONG_PRAISE for score in here) and all(score > 0 for score in here)
    return face if praised else None
