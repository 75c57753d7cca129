"""Memory impact, by risk and never by gold (seed 003 §3.4).

A sample is *exposed* if an advisory reached a prompt. It *followed* if a decision is of the kind that
the principle of a shown advisory names: its action (any change for ``*``), its reason code, on a tuple
with its risk type; else it *ignored* the advice. If only warnings were shown (``failed_override_warning``),
it followed if no decision is of the kind they warn of. If no shown principle is in the catalog, neither can
be said. A sample is *masked* if something was retrieved and the gate was open, but the condition shows nothing
in the prompts (``C2_silent``, ``C2_eval_only``, which compose no advice either).

follow_rate = followed / (followed + ignored); mean_delta_risk = mean of severity after - before;
harm_rate = share with a harmful override; coverage = exposed / samples with a memory record.

A decision may be of that kind without any advice: the review knows the same risks. If a placebo was shown, no
agent saw the advice, and the same share is the chance level (``chance_rate``; ``follow_rate`` then has no
cases). A follow rate is meaningful only against the chance rate of the placebo run over the same samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest

from samsim.memory.principles import Principle, find_principle
from samsim.metrics.statistics import Interval, Share, bootstrap_mean
from samsim.rules.decided import CHANGING, Decided, decisions_of
from samsim.schemas.memory_v1_1 import AdvisoryType, EvaluationV1_1, InjectionSource
from samsim.schemas.protocol_conflict_review import Written
from samsim.schemas.results import MemoryRecord, SampleResult

_ANY = "*"
_NO_RISK = "none"
_UNREVIEWED = "NONE"
_WARNING: AdvisoryType = "failed_override_warning"


class MemoryGroup(Written):
    """Risk and harm in one group of samples."""

    samples: int
    mean_delta_risk: float | None
    mean_delta_risk_interval: Interval | None
    harm: Share


class MemoryImpactAnalysis(Written):
    """Whether advice reached the prompts and was followed, and the effect on risk and harm.

    ``source`` says what was shown. With a placebo nothing could be followed: ``followed`` and ``ignored`` then
    count the samples that would have followed or ignored the hidden advice, ``follow_rate`` has no cases and
    ``chance_rate`` is their share; otherwise ``chance_rate`` is None.
    """

    samples: int
    source: InjectionSource = "retrieved"
    retrieved: Share
    advised: Share
    gate_open: Share
    coverage: Share
    follow_rate: Share
    chance_rate: Share | None = None
    followed: MemoryGroup
    ignored: MemoryGroup
    masked: MemoryGroup
    unknown_principles: int
    prompt_injection_chars: int
    blocked_episodes: int
    blocked_advisories: int
    downgraded_advisories: int = 0


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
    """Counts the effects of the memory, sample by sample."""

    samples: int = 0
    source: InjectionSource = "retrieved"
    retrieved: int = 0
    advised: int = 0
    gate_open: int = 0
    exposed: int = 0
    unknown: int = 0
    chars: int = 0
    blocked_episodes: int = 0
    blocked_advisories: int = 0
    downgraded_advisories: int = 0
    followed: _Group = field(default_factory=_Group)
    ignored: _Group = field(default_factory=_Group)
    masked: _Group = field(default_factory=_Group)

    def add(self, result: SampleResult, record: MemoryRecord, evaluation: EvaluationV1_1) -> None:
        """Count one sample."""
        reaches_gate = record.retrieved_k > 0 and not record.advisory_injection_gated
        self.samples += 1
        # A run has one condition, so every record has the same source.
        self.source = record.injection_source
        self.retrieved += record.retrieved_k > 0
        self.advised += bool(record.advisory_ids)
        self.gate_open += reaches_gate
        self.chars += record.prompt_injection_chars
        self.blocked_episodes += record.memory_blocked_episode_n
        self.blocked_advisories += record.memory_blocked_advisory_n
        self.downgraded_advisories += record.memory_downgraded_advisory_n
        self.unknown += record.memory_unknown_principle_n
        if record.advisories_present:
            shown = shown_principles(record)
            known = {name: found for name in shown if (found := find_principle(name)) is not None}
            self.unknown += len(shown) - len(known)
            self.exposed += 1
            if known:
                advice = [known[name] for name, kind in shown.items() if name in known and kind != _WARNING]
                followed = follows(result, advice) if advice else not follows(result, known.values())
                (self.followed if followed else self.ignored).add(evaluation)
        elif reaches_gate and not record.exposed_to_debate:
            self.masked.add(evaluation)

    def metrics(self, *, resamples: int, seed: int) -> MemoryImpactAnalysis | None:
        """Return the analysis of the samples counted so far; None without a memory record."""
        if not self.samples:
            return None
        followed, ignored = len(self.followed.deltas), len(self.ignored.deltas)
        of_kind = Share.of_cases(followed, followed + ignored)
        is_placebo = self.source == "placebo"
        return MemoryImpactAnalysis(
            samples=self.samples,
            source=self.source,
            retrieved=Share.of_cases(self.retrieved, self.samples),
            advised=Share.of_cases(self.advised, self.samples),
            gate_open=Share.of_cases(self.gate_open, self.retrieved),
            coverage=Share.of_cases(self.exposed, self.samples),
            follow_rate=Share.of_cases(0, 0) if is_placebo else of_kind,
            chance_rate=of_kind if is_placebo else None,
            followed=self.followed.metrics(resamples, seed),
            ignored=self.ignored.metrics(resamples, seed),
            masked=self.masked.metrics(resamples, seed),
            unknown_principles=self.unknown,
            prompt_injection_chars=self.chars,
            blocked_episodes=self.blocked_episodes,
            blocked_advisories=self.blocked_advisories,
            downgraded_advisories=self.downgraded_advisories,
        )


def shown_principles(record: MemoryRecord) -> dict[str, AdvisoryType | None]:
    """Return the principles of the advisories in the prompts with their types, which old records lack."""
    shown = set(record.advisories_ids)
    # Records older than principle_ids have none: following cannot be measured for them.
    advised = zip_longest(record.principle_ids, record.advisory_ids, record.advisory_types)
    return {name: kind for name, advisory, kind in advised if name is not None and advisory in shown}


def follows(result: SampleResult, principles: Iterable[Principle]) -> bool:
    """Return whether any decision is of the kind that any of the principles names."""
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
