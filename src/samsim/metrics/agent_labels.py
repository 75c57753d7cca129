"""The answers of A, B and C as labels, for measuring their agreement (RQ2).

- ``process``: the action each agent voted for each decided tuple; no proposal is an implicit KEEP, as the
  arbiter counts it. ``process_explicit`` has no label in that case, which keeps silence from counting
  as agreement.
- ``measurement``: the polarity each agent gave in Stage 1 to each aspect (normalized term and ref) that at
  least two of them found; ``negative+positive`` if one gave both. ``measurement_absent`` has the label
  ``absent`` for an agent that missed an aspect, so it also measures who found what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from samsim.metrics.agreement import Agreement, Unit, agreement_of
from samsim.metrics.tuples import ComparableTuple
from samsim.schemas.protocol_conflict_review import AGENTS, ArbiterDecision, Written
from samsim.schemas.results import SampleResult

ABSENT = "absent"
Aspect = tuple[str, str]


class AgentAgreement(Written):
    """Agreement of A, B and C on actions and on findings; None if they said nothing."""

    process: Agreement | None
    process_explicit: Agreement | None
    measurement: Agreement | None
    measurement_absent: Agreement | None


def process_unit(decision: ArbiterDecision) -> Unit:
    """Return the three votes; MERGE is a separate label although the arbiter counts it as KEEP."""
    return tuple(decision.votes[agent].action if agent in decision.votes else None for agent in AGENTS)


def explicit_unit(decision: ArbiterDecision) -> Unit:
    """Return the three votes with None for implicit ones."""
    return tuple(
        None if agent in decision.implicit else label
        for agent, label in zip(AGENTS, process_unit(decision), strict=True)
    )


def polarity_labels(items: Iterable[ComparableTuple]) -> dict[Aspect, str]:
    """Return the polarity given to each aspect; several are joined into one label."""
    found: dict[Aspect, set[str]] = {}
    for item in items:
        found.setdefault((item.term, item.ref), set()).add(item.polarity)
    return {aspect: "+".join(sorted(polarities)) for aspect, polarities in found.items()}


def measurement_units(result: SampleResult) -> Iterator[Unit]:
    """Yield, per aspect of Stage 1, the polarity each agent gave it; None for an agent that did not find it."""
    said = [
        polarity_labels(
            ComparableTuple.of(candidate) for candidate in result.stage1_tuples if candidate.origin_agent == agent
        )
        for agent in AGENTS
    ]
    for aspect in sorted(set().union(*said)):
        yield tuple(labels.get(aspect) for labels in said)


@dataclass(slots=True)
class AgentTally:
    """Counts how often each combination of labels occurs."""

    process: Counter[Unit] = field(default_factory=Counter)
    process_explicit: Counter[Unit] = field(default_factory=Counter)
    measurement: Counter[Unit] = field(default_factory=Counter)

    def add(self, result: SampleResult) -> None:
        """Count one sample."""
        self.process.update(map(process_unit, result.arbiter_decisions))
        self.process_explicit.update(map(explicit_unit, result.arbiter_decisions))
        self.measurement.update(measurement_units(result))

    def agreement(self) -> AgentAgreement:
        """Return the agreement over the samples counted so far."""
        with_absent: Counter[Unit] = Counter()
        for unit, times in self.measurement.items():
            with_absent[tuple(ABSENT if label is None else label for label in unit)] += times
        return AgentAgreement(
            process=_agreement(self.process),
            process_explicit=_agreement(self.process_explicit),
            measurement=_agreement(self.measurement),
            measurement_absent=_agreement(with_absent),
        )


def _agreement(units: Counter[Unit]) -> Agreement | None:
    return agreement_of(units, AGENTS) if units else None
