"""Short texts that stand for more than a reader can hold."""

from __future__ import annotations

import json

# 9 to the 7th places once it is written out: enough for minutes, and small enough to fail with.
ALIAS_BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 8)
)
# Each level is one deep, the last one three hundred.
ALIAS_TOWER = "a0: &a0 [x]\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 300))
DEEP_YAML = "deep: " + "[" * 1000 + "]" * 1000
DEEP_JSON = "[" * 100_000 + "]" * 100_000


def with_number(record: dict[str, object], number: str) -> str:
    """The record as JSON, a number that Python would not write in the place of ``"HERE"``."""
    written = json.dumps(record, ensure_ascii=False)
    assert '"HERE"' in written
    return written.replace('"HERE"', number)
