"""Text from outside, made safe to show: a review must not be able to steer the terminal.

Control characters (ESC, and the C1 range that 8-bit terminals obey), bidirectional marks, invisible
format characters and lone surrogates are shown as visible escapes such as ``\\x1b``.
"""

from __future__ import annotations

import re

# U+200C and U+200D stay: emoji and several scripts are joined by them.
_INVISIBLE = (
    r"\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\ud800-\udfff"
)
_UNSAFE = re.compile(rf"[\x00-\x1f\x7f-\x9f{_INVISIBLE}]")
_UNSAFE_BUT_LINES = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f{_INVISIBLE}]")
# Inside JSON everything below U+0020 is escaped already, and a line break can only be layout.
_UNSAFE_IN_JSON = re.compile(rf"[\x7f-\x9f{_INVISIBLE}]")
_TAB_AS_SPACES = "    "


def shown(text: str) -> str:
    """The text on one line, with nothing in it that a terminal obeys."""
    return _UNSAFE.sub(_escape, text.replace("\t", " "))


def shown_lines(text: str) -> str:
    """Like ``shown``, but line breaks stay line breaks."""
    return _UNSAFE_BUT_LINES.sub(_escape, text.replace("\r\n", "\n").replace("\t", _TAB_AS_SPACES))


def safe_json(document: str) -> str:
    """The same JSON with terminal controls and odd line separators written as ``\\uXXXX``."""
    return _UNSAFE_IN_JSON.sub(_escape_in_json, document)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _escape_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
