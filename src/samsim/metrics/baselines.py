"""Trivial answers that a system must beat: the same answer for every sample.

They know the gold's frequencies, so they are as strong as an answer can be without reading a text:

- ``constant_pair``: the most frequent tuple of the gold (in ``ref_pol`` the (ref, polarity) pair);
- ``constant_pairs``: the most frequent ones, as many (ten at most) as give the best micro F1;
- ``majority_target``: the most frequent target (ref, term or attribute; in ``triplet`` term and opinion)
  with the polarity it has most often.

Ties go to the first in sorting order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from samsim.metrics.tuples import Key, Score

BaselineName = Literal["constant_pair", "constant_pairs", "majority_target"]
BASELINES: tuple[BaselineName, ...] = get_args(BaselineName)
_MOST_PAIRS = 10


def trivial_answers(gold: Sequence[frozenset[Key]]) -> dict[BaselineName, frozenset[Key]]:
    """Return the answer of each baseline to every sample; empty if the gold is empty."""
    frequent = _ranked(Counter(key for keys in gold for key in keys))
    if not frequent:
        return {}
    targets = Counter(key[:-1] for keys in gold for key in keys)
    target = _ranked(targets)[0][0]
    return {
        "constant_pair": frozenset({frequent[0][0]}),
        "constant_pairs": _best_constant(frequent, len(gold), sum(map(len, gold))),
        "majority_target": frozenset({next(key for key, _ in frequent if key[:-1] == target)}),
    }


def _best_constant(frequent: Sequence[tuple[Key, int]], samples: int, total: int) -> frozenset[Key]:
    """Return the best prefix of ``frequent``: a key in n samples is matched n times and claimed once per sample."""
    best, best_f1, matched = 1, -1.0, 0
    for size, (_, times) in enumerate(frequent[:_MOST_PAIRS], start=1):
        matched += times
        f1 = Score(matched, size * samples, total).f1
        if f1 > best_f1:
            best, best_f1 = size, f1
    return frozenset(key for key, _ in frequent[:best])


def _ranked(counted: Mapping[Key, int]) -> list[tuple[Key, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
