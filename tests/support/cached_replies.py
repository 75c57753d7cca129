"""Replies to keep and a look into the cache that does not go through its code."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from samsim.engines.cache import CachedReply
from samsim.schemas.calls import Usage

REPLY = CachedReply(
    text='{"triplets": [{"aspect_term": "배터리 🔋"}]}',
    finish="stop",
    mode="json_schema",
    usage=Usage(input_tokens=900, output_tokens=None),
)


def key(number: int) -> str:
    return f"{number:064x}"


def committed(path: Path) -> dict[str, Any]:
    """What any other program finds in the file: replies by key."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT key, reply FROM replies").fetchall()
    connection.close()
    return {found: json.loads(reply) for found, reply in rows}


def export_line(number: int, **changes: object) -> bytes:
    reply: dict[str, object] = {
        "text": f"reply {number}",
        "finish": "stop",
        "mode": "tool",
        "refusal": None,
        "usage": {},
    }
    entry = {"key": key(number), "created": 1000.0 + number, "reply": reply, **changes}
    return json.dumps(entry).encode() + b"\n"


def no_bad_line(number: int, reason: str) -> None:
    raise AssertionError(f"line {number}: {reason}")
