"""Text from outside, made safe to show: a review must not be able to steer the terminal.

Control characters (ESC, and the C1 range that 8-bit terminals obey), bidirectional marks, invisible
format characters and lone surrogates are shown as visible escapes such as ``\\x1b``.
"""

from __future__ import annotations

import re

from samsim.safe_json import INVISIBLE

_UNSAFE = re.compile(rf"[\x00-\x1f\x7f-\x9f{INVISIBLE}]")
_UNSAFE_BUT_LINES = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f{INVISIBLE}]")
_TAB_AS_SPACES = "    "


def shown(text: str) -> str:
    """Return the text on one line, with nothing in it that a terminal obeys."""
    return _UNSAFE.sub(_escape, text.replace("\t", " "))


def shown_lines(text: str) -> str:
    """Like ``shown``, but line breaks stay line breaks."""
    return _UNSAFE_BUT_LINES.sub(_escape, text.replace("\r\n", "\n").replace("\t", _TAB_AS_SPACES))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
