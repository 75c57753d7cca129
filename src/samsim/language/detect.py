"""Language detection: Korean or English."""

from __future__ import annotations

import re

from samsim.schemas.analysis import Language

_HANGUL = re.compile(r"[\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff]")
_LATIN_WORD = re.compile(r"[^\W\d_]{2,}")
# A Korean review may be full of Latin brand names: one Hangul character weighs as much as a Latin word.
_HANGUL_SHARE = 0.3


def detect_language(text: str) -> Language:
    """Return "ko" if Hangul makes up a fair share of the text, else "en"."""
    hangul = len(_HANGUL.findall(text))
    if hangul == 0:
        return "en"
    latin_words = sum(1 for word in _LATIN_WORD.findall(text) if not _HANGUL.search(word))
    return "ko" if hangul / (hangul + latin_words) >= _HANGUL_SHARE else "en"
