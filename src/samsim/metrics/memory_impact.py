"""Memory impact, by risk and never by gold (seed 003 §3.4).

A sample is *exposed* if an advisory reached a prompt. It *followed* if a decision is of the kind that
the principle of a shown advisory names: its action (any change for ``*``), its reason code, on a tuple
with its risk type; else it *ignored* the advice. If no shown principle is in the catalogue, nobody can
say. A sample is *masked* if advice was there and the gate was open, but the condition did not show it:
the control group of the same kind of samples.

follow_rate = followed / (followed + ignored); mean_delta_risk = mean of severity after - before;
harm_rate = share with a harmful override; coverage = exposed / samples with a memory record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from samsim.memory.principles import Principle, find_principle
from samsim.metrics.decided import CHANGING, Decided, decisions_of
from samsim.metrics.statistics import Interval, Share, bootstrap_mean
from samsim.schemas.memory_v1_1 import EvaluationV1_1
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.results import MemoryRecord, SampleResult

_ANY = "*"
_NO_RISK = "none"
_UNREVIEWED = "NONE"


class MemoryGroup(Written):
    """What became of one group of samples."""

    samples: int
    mean_delta_risk: float | None
    mean_delta_risk_interval: Interval | None
    harm: Share


class MemoryImpact(Written):
    """Did advice reach the prompts, was it followed, and what became of risk and harm."""

    samples: int
    retrieved: Share
    advised: Share
    gate_open: Share
    coverage: Share
    follow_rate: Share
    followed: MemoryGroup
    ignored: MemoryGroup
    masked: MemoryGroup
    unknown_principles: int
    prompt_injection_chars: int
    blocked_episodes: int
    blocked_advisories: int


@dataclass(slots=True)
class _Group:
    deltas: list[int] = field(default_factory=list)
    harmed: int = 0

    def add(self, evaluation: EvaluationV1_1) -> None:
        self.deltas.append(evaluation.risk_after.severity_sum - evaluation.risk_before.severity_sum)
        self.harmed += evaluation.override_harm

    def metrics(self, resamples: int, seed: int) -> MemoryGroup:
        total = len(self.deltas)
        return MemoryGroup(
            samples=total,
            mean_delta_risk=sum(self.deltas) / total if total else None,
            mean_delta_risk_interval=bootstrap_mean(self.deltas, resamples=resamples, seed=seed),
            harm=Share.of_cases(self.harmed, total),
        )


@dataclass(slots=True)
class MemoryTally:
    """Counts what memory did, sample by sample."""

    samples: int = 0
    retrieved: int = 0
    advised: int = 0
    gate_open: int = 0
    exposed: int = 0
    unknown: int = 0
    chars: int = 0
    blocked_episodes: int = 0
    blocked_advisories: int = 0
    followed: _Group = field(default_factory=_Group)
    ignored: _Group = field(default_factory=_Group)
    masked: _Group = field(default_factory=_Group)

    def add(self, result: SampleResult, record: MemoryRecord, evaluation: EvaluationV1_1) -> None:
        """Count one sample."""
        self.samples += 1
        self.retrieved += record.retrieved_k > 0
        self.advised += bool(record.advisory_ids)
        self.gate_open += bool(record.advisory_ids) and not record.advisory_injection_gated
        self.chars += record.prompt_injection_chars
        self.blocked_episodes += record.memory_blocked_episode_n
        self.blocked_advisories += record.memory_blocked_advisory_n
        if record.advisories_present:
            names = shown_principles(record)
            known = [found for name in names if (found := find_principle(name)) is not None]
            self.unknown += len(names) - len(known)
            self.exposed += 1
            if known:
                (self.followed if follows(result, known) else self.ignored).add(evaluation)
        elif record.advisory_ids and not record.advisory_injection_gated:
            self.masked.add(evaluation)

    def metrics(self, *, resamples: int, seed: int) -> MemoryImpact | None:
        """What was counted; None without a memory record."""
        if not self.samples:
            return None
        followed, ignored = len(self.followed.deltas), len(self.ignored.deltas)
        return MemoryImpact(
            samples=self.samples,
            retrieved=Share.of_cases(self.retrieved, self.samples),
            advised=Share.of_cases(self.advised, self.samples),
            gate_open=Share.of_cases(self.gate_open, self.advised),
            coverage=Share.of_cases(self.exposed, self.samples),
            follow_rate=Share.of_cases(followed, followed + ignored),
            followed=self.followed.metrics(resamples, seed),
            ignored=self.ignored.metrics(resamples, seed),
            masked=self.masked.metrics(resamples, seed),
            unknown_principles=self.unknown,
            prompt_injection_chars=self.chars,
            blocked_episodes=self.blocked_episodes,
            blocked_advisories=self.blocked_advisories,
        )


def shown_principles(record: MemoryRecord) -> list[str]:
    """The principles of the advisories that reached a prompt."""
    shown = set(record.advisories_ids)
    # Records of before principle_ids have none: nothing can be said about following then.
    return [
        name for name, advisory in zip(record.principle_ids, record.advisory_ids, strict=False) if advisory in shown
    ]


def follows(result: SampleResult, principles: Iterable[Principle]) -> bool:
    """Whether any decision is of the kind that any of the principles names."""
    decisions = list(decisions_of(result))
    risks = _risks_by_tuple(result)
    return any(
        _is_of_kind(decision, principle, risks.get(decision.tuple_id, frozenset()))
        for principle in principles
        for decision in decisions
    ) or (not decisions and any(principle.action == _UNREVIEWED for principle in principles))


def _is_of_kind(decision: Decided, principle: Principle, risks: frozenset[str]) -> bool:
    action_fits = decision.effect in CHANGING if principle.action == _ANY else decision.effect == principle.action
    reason_fits = principle.reason_code in (_ANY, decision.reason)
    risk_fits = principle.risk_type in risks or principle.risk_type == _ANY
    if principle.risk_type == _NO_RISK:
        risk_fits = not risks
    return action_fits and reason_fits and risk_fits


def _risks_by_tuple(result: SampleResult) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for risk in result.validator_risks:
        found.setdefault(risk.tuple_id, set()).add(risk.risk_type)
    for flag in result.conflict_flags:
        for tuple_id in flag.tuple_ids:
            found.setdefault(tuple_id, set()).add(flag.conflict_type)
    return {tuple_id: frozenset(kinds) for tuple_id, kinds in found.items()}
