"""What the review changed, measured against gold.

Every tuple in the gold, in Stage 1 or in the final result is one case. It is right if it is claimed
exactly when it is in the gold:

=========  ==================================  ==========================================
           over gold tuples                    over spurious ones (not in the gold)
=========  ==================================  ==========================================
fix        missed by Stage 1, found in the end  claimed by Stage 1, gone in the end
break      found by Stage 1, lost in the end    not in Stage 1, claimed in the end
still      missed both times                    claimed both times
keep       found both times                     (never claimed: cannot be counted, always 0)
=========  ==================================  ==========================================

net gain = fix - break; CDA (correction decision accuracy) = fix / (fix + break), None without a
change. A FLIP from wrong to right is two fixes: a gold tuple found and a spurious one gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from samsim.metrics.samples import JudgedSample
from samsim.metrics.scoring import FamilyKeys
from samsim.metrics.statistics import Interval, wilson
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.scorecards import Family

Change = Literal["fix", "break", "still", "keep"]
_CHANGES: dict[tuple[bool, bool], Change] = {
    (False, True): "fix",
    (True, False): "break",
    (False, False): "still",
    (True, True): "keep",
}


class ChangeCounts(Written):
    """How cases changed from Stage 1 to the final result."""

    fixed: int = 0
    broken: int = 0
    still: int = 0
    kept: int = 0
    net_gain: int = 0
    cda: float | None = None
    cda_interval: Interval | None = None


class Correction(Written):
    """One family: over gold tuples, over spurious ones, both together, and over samples (all tuples right)."""

    gold: ChangeCounts
    spurious: ChangeCounts
    tuples: ChangeCounts
    samples: ChangeCounts


def change_counts(changes: Counter[Change]) -> ChangeCounts:
    """Return the counts with the rates derived from them."""
    fixed, broken = changes["fix"], changes["break"]
    return ChangeCounts(
        fixed=fixed,
        broken=broken,
        still=changes["still"],
        kept=changes["keep"],
        net_gain=fixed - broken,
        cda=fixed / (fixed + broken) if fixed + broken else None,
        cda_interval=wilson(fixed, fixed + broken),
    )


def gold_changes(keys: FamilyKeys) -> Iterable[Change]:
    """Return the change of each gold tuple: it is right if claimed."""
    return (_CHANGES[key in keys.stage1, key in keys.final] for key in keys.gold)


def spurious_changes(keys: FamilyKeys) -> Iterable[Change]:
    """Return the change of each tuple that is not in the gold: it is right if not claimed."""
    return (_CHANGES[key not in keys.stage1, key not in keys.final] for key in (keys.stage1 | keys.final) - keys.gold)


@dataclass(slots=True)
class CorrectionTally:
    """Counts the changes of one family."""

    family: Family
    gold: Counter[Change] = field(default_factory=Counter)
    spurious: Counter[Change] = field(default_factory=Counter)
    samples: Counter[Change] = field(default_factory=Counter)

    def add(self, sample: JudgedSample) -> None:
        """Count one sample."""
        keys = sample.keys[self.family]
        self.gold.update(gold_changes(keys))
        self.spurious.update(spurious_changes(keys))
        self.samples[_CHANGES[keys.stage1 == keys.gold, keys.final == keys.gold]] += 1

    def correction(self) -> Correction:
        """Return the correction over the samples counted so far."""
        return Correction(
            gold=change_counts(self.gold),
            spurious=change_counts(self.spurious),
            tuples=change_counts(self.gold + self.spurious),
            samples=change_counts(self.samples),
        )
