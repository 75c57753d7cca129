"""JSON without characters that control a terminal or that an editor takes for a line break."""

from __future__ import annotations

import re

# U+200C and U+200D stay: emoji and several scripts are joined by them.
INVISIBLE = (
    r"\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\ud800-\udfff"
)
# JSON already escapes everything below U+0020, and a line break can only be formatting.
_UNSAFE = re.compile(rf"[\x7f-\x9f{INVISIBLE}]")


def safe_json(document: str) -> str:
    """Return the same JSON with terminal controls and unusual line separators written as ``\\uXXXX``."""
    return _UNSAFE.sub(_escape, document)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
