"""What may be analysed: checked before any engine is asked."""

from __future__ import annotations

import re

from samsim.errors import InputError

MAX_CHARACTERS = 1_000_000
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def check_text(text: object) -> str:
    """Return the text unchanged if it can be analysed, else say what to do about it."""
    if not isinstance(text, str):
        raise InputError(f"A text is needed, not {type(text).__name__}. Pass the review as a string.")
    if not text.strip():
        raise InputError("The text is empty. Give at least one character that is not white space.")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(text):,} characters, more than {MAX_CHARACTERS:,}. Split it into single reviews."
        )
    if _LONE_SURROGATE.search(text):
        raise InputError("The text has broken characters (lone surrogates). Read the file with its real encoding.")
    return text
