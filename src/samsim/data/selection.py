"""Selecting which of the loaded texts are used; texts and gold share the same rule."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from samsim.data.samples import Sample
from samsim.data.sources import DataSource


def select(samples: Sequence[Sample], source: DataSource) -> tuple[Sample, ...]:
    """Return the samples that the source selects, in file order.

    A draw takes the ``sample`` uids with the smallest sha256 of (seed, uid): it is the same everywhere,
    and a larger draw with the same seed contains the smaller one.
    """
    chosen = [sample for sample in samples if source.language in ("auto", sample.language)]
    if source.limit is not None:
        return tuple(chosen[: source.limit])
    if source.sample is not None:
        ranked = sorted(chosen, key=lambda sample: _rank(source.sample_seed, sample.uid))
        drawn = {sample.uid for sample in ranked[: source.sample]}
        return tuple(sample for sample in chosen if sample.uid in drawn)
    return tuple(chosen)


def fingerprint(samples: Iterable[Sample]) -> str:
    """Return the sha256 of uids and texts, in order."""
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(json.dumps([sample.uid, sample.text]).encode("ascii") + b"\n")
    return digest.hexdigest()


def _rank(seed: int, uid: str) -> str:
    return hashlib.sha256(json.dumps([seed, uid]).encode("ascii")).hexdigest()
