"""Make untrusted text safe to print: a review must not be able to control the terminal.

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
    """Return the text on one line, with everything that controls a terminal escaped."""
    return _UNSAFE.sub(_escape, text.replace("\t", " "))


def shown_lines(text: str) -> str:
    """Return the text as ``shown`` does, but keep its line breaks."""
    return _UNSAFE_BUT_LINES.sub(_escape, text.replace("\r\n", "\n").replace("\t", _TAB_AS_SPACES))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
