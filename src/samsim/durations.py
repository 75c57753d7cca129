"""Lengths of time in words."""

from __future__ import annotations

_MINUTE = 60
_HOUR = 3600


def duration(seconds: float) -> str:
    """Return a duration in hours and minutes, minutes, or seconds, whichever is precise enough."""
    if round(seconds) < _MINUTE:
        return f"{round(seconds)} s"
    minutes = round(seconds / _MINUTE)
    if minutes < _HOUR // _MINUTE:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, _HOUR // _MINUTE)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
