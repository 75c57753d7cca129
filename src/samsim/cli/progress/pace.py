"""How fast samples finish and how long the rest may take. Pure: the caller passes the time."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import sqrt
from statistics import stdev

from samsim.durations import duration

# The speed is that of the last _RECENT samples; fewer than _ENOUGH say nothing about the spread.
_RECENT = 50
_ENOUGH = 4
# A range of about 95 %, if the remaining samples are like those so far.
_STANDARD_DEVIATIONS = 2.0


class Pace:
    """The times at which the latest samples finished; ``started`` is when the first one started."""

    def __init__(self, started: float) -> None:
        self._moments: deque[float] = deque([started], maxlen=_RECENT + 1)

    def add(self, now: float) -> None:
        """Add a sample that has just finished."""
        self._moments.append(now)

    def seconds_per_sample(self, now: float) -> float | None:
        """Return the mean time of the latest samples, or None before the first. A long wait for the next one counts."""
        moments = list(self._moments)
        ended = len(moments) - 1
        if not ended:
            return None
        return max((moments[-1] - moments[0]) / ended, (now - moments[0]) / (ended + 1))

    def describe(self, now: float) -> str | None:
        """Return seconds per sample, or samples per second if that is more than one."""
        seconds = self.seconds_per_sample(now)
        if not seconds:
            return None
        return f"{1 / seconds:,.1f}/s" if seconds < 1 else f"{seconds:,.1f} s/sample"

    def left(self, samples: int, now: float) -> tuple[float, float] | None:
        """Return the least and most seconds that the remaining samples may take; None while too little is known."""
        mean, moments = self.seconds_per_sample(now), list(self._moments)
        known = len(moments) - 1
        if mean is None or known < _ENOUGH or samples < 1:
            return None
        spread = stdev(later - earlier for earlier, later in pairwise(moments))
        # Each sample differs from the mean, and the mean itself is an estimate from a few samples.
        doubt = _STANDARD_DEVIATIONS * spread * samples * sqrt(1 / samples + 1 / known)
        return max(0.0, samples * mean - doubt), samples * mean + doubt

    def describe_left(self, samples: int, now: float) -> str | None:
        """Return the remaining time in words; None while too little is known."""
        bounds = self.left(samples, now)
        if bounds is None:
            return None
        low, high = map(duration, bounds)
        return f"about {high} left" if low == high else f"{low} to {high} left"
