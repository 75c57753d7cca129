"""From all samples to those that were helped or harmed.

flagged: a conflict flag or a validator risk was raised; reviewed: something was put to a decision;
changed: a tuple was dropped or altered. Helped and harmed are over the
changed ones, by the sample's F1 in the primary family (higher, lower in the end than in Stage 1);
None without gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from samsim.metrics.decided import CHANGING, decisions_of, was_reviewed
from samsim.metrics.family_scores import sample_f1
from samsim.metrics.samples import JudgedSample
from samsim.metrics.scoring import FamilyKeys
from samsim.metrics.tuples import count, primary_family
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.results import SampleResult
from samsim.schemas.scorecards import Family


class Funnel(Written):
    """How many samples got how far; ``judged`` are the changed ones that have gold."""

    samples: int
    failed: int
    flagged: int
    reviewed: int
    changed: int
    judged: int
    helped: int | None
    harmed: int | None
    unaffected: int | None
    family: Family | None


@dataclass(slots=True)
class FunnelTally:
    """Counts how far samples got."""

    counts: Counter[str] = field(default_factory=Counter)
    family: Family | None = None

    def add_failed(self) -> None:
        """Count a sample without a result."""
        self.counts["samples"] += 1
        self.counts["failed"] += 1

    def add(self, result: SampleResult, gold: JudgedSample | None) -> None:
        """Count one sample."""
        changed = any(decision.effect in CHANGING for decision in decisions_of(result))
        self.counts["samples"] += 1
        self.counts["flagged"] += bool(result.conflict_flags or result.validator_risks)
        self.counts["reviewed"] += was_reviewed(result)
        self.counts["changed"] += changed
        if changed and gold is not None:
            self._judge(gold.keys)

    def _judge(self, keys: Mapping[Family, FamilyKeys]) -> None:
        family = primary_family(keys)
        if family is None:
            return
        self.family = family
        before, after = (sample_f1(count(keys[family].of(stage), keys[family].gold)) for stage in ("stage1", "final"))
        self.counts["judged"] += 1
        self.counts["helped"] += after > before
        self.counts["harmed"] += after < before

    def funnel(self) -> Funnel:
        """What was counted."""
        judged = self.counts["judged"]
        helped, harmed = self.counts["helped"], self.counts["harmed"]
        return Funnel(
            samples=self.counts["samples"],
            failed=self.counts["failed"],
            flagged=self.counts["flagged"],
            reviewed=self.counts["reviewed"],
            changed=self.counts["changed"],
            judged=judged,
            helped=helped if judged else None,
            harmed=harmed if judged else None,
            unaffected=judged - helped - harmed if judged else None,
            family=self.family,
        )
