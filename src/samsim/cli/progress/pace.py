"""How fast samples end and how long the rest may take. Pure: whoever asks says what time it is."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import sqrt
from statistics import stdev

from samsim.durations import duration

# So many samples say how fast it goes now; fewer than the second number say nothing about the spread.
_RECENT = 50
_ENOUGH = 4
# A range that holds the truth nineteen times out of twenty, if the rest is like what was seen.
_STANDARD_DEVIATIONS = 2.0


class Pace:
    """The moments at which the latest samples ended; ``started`` is when the first one started."""

    def __init__(self, started: float) -> None:
        self._moments: deque[float] = deque([started], maxlen=_RECENT + 1)

    def add(self, now: float) -> None:
        """One more sample ended."""
        self._moments.append(now)

    def seconds_per_sample(self, now: float) -> float | None:
        """Return how long the latest samples took each; None before the first. A long wait for the next one counts."""
        moments = list(self._moments)
        ended = len(moments) - 1
        if not ended:
            return None
        return max((moments[-1] - moments[0]) / ended, (now - moments[0]) / (ended + 1))

    def describe(self, now: float) -> str | None:
        """Seconds per sample, or samples per second where it is fast."""
        seconds = self.seconds_per_sample(now)
        if not seconds:
            return None
        return f"{1 / seconds:,.1f}/s" if seconds < 1 else f"{seconds:,.1f} s/sample"

    def left(self, samples: int, now: float) -> tuple[float, float] | None:
        """Between how many seconds so many more samples will take; None while too little is known."""
        mean, moments = self.seconds_per_sample(now), list(self._moments)
        known = len(moments) - 1
        if mean is None or known < _ENOUGH or samples < 1:
            return None
        spread = stdev(later - earlier for earlier, later in pairwise(moments))
        # Each sample differs from the mean, and the mean itself is known from a few samples only.
        doubt = _STANDARD_DEVIATIONS * spread * samples * sqrt(1 / samples + 1 / known)
        return max(0.0, samples * mean - doubt), samples * mean + doubt

    def describe_left(self, samples: int, now: float) -> str | None:
        """Return the same in words; None while too little is known."""
        bounds = self.left(samples, now)
        if bounds is None:
            return None
        low, high = map(duration, bounds)
        return f"about {high} left" if low == high else f"{low} to {high} left"
