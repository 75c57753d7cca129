"""Turning similar episodes into advice (seeds 003 §3 and 004 §1.1).

There is one advisory per principle, with no label, no text and no hit count. Its words come from the catalog: an
episode whose principle is not in it is dropped and counted, and an episode's own words are never shown.

OPFB (Opposite Polarity Failed Block): an episode that ended with an (aspect, polarity) pair that has failed
before is either left out (``prohibit_dangerous``), or its advice carries a warning. If the pairs that the current
sample could have are given, only those are dangerous; other failures become warnings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import pvariance
from types import MappingProxyType

from samsim.memory.episode_builder import aspect_norm
from samsim.memory.principles import Principle, find_principle
from samsim.schemas.analysis import Language
from samsim.schemas.memory_v1_1 import (
    AdvisoryEvidenceV1_1,
    AdvisoryType,
    AdvisoryV1_1,
    EpisodicMemoryEntryV1_1,
    RiskTag,
    Strength,
)
from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import Candidate

OPFB_REASON = "opfb_same_aspect_polarity_failed"
DANGER_WARNING: Mapping[Language, str] = MappingProxyType(
    {
        # The seed's sentence, word for word (003 §3.5).
        "ko": (
            "[경고: 이 조언과 동일한 aspect·polarity 조합으로 과거 실패/리스크 악화 사례가 있습니다. 증거 확인 권장.]"
        ),
        "en": (
            "[Warning: the same combination of aspect and polarity failed or raised the risk in a past case."
            " Check the evidence.]"
        ),
    }
)
_SUMMARY: Mapping[Language, str] = MappingProxyType(
    {
        "ko": "(유사 사례: 위험 {risk_type}, 조치 {action_taken}, 위험 점수 변화 {change})",
        "en": "(Similar case: risk {risk_type}, action {action_taken}, change in risk score {change})",
    }
)
_FAILED: Mapping[Language, str] = MappingProxyType(
    {
        "ko": "주의: 비슷한 사례에서 이 조치로 위험이 줄지 않았거나 새 문제가 생겼습니다.",
        "en": "Caution: in a similar case this action did not lower the risk, or raised a new problem.",
    }
)
_LEFT_OUT: Mapping[Language, str] = MappingProxyType(
    {
        "ko": "[경고: 과거에 실패했거나 위험이 커진 aspect·polarity 조합과 같은 조언 {n}건은 뺐습니다.]",
        "en": (
            "[Warning: {n} of the advisories were left out: the same combination of aspect and polarity failed or"
            " raised the risk in a past case.]"
        ),
    }
)
_STRONG_N, _STRONG_CONSISTENCY, _MODERATE_N = 3, 0.8, 2

_FLIPS: Mapping[PolarityName, tuple[PolarityName, ...]] = MappingProxyType(
    {
        "positive": ("negative",),
        "negative": ("positive",),
        "neutral": ("positive", "negative"),
        "mixed": ("positive", "negative"),
    }
)

Scored = tuple[EpisodicMemoryEntryV1_1, float]
Pairs = frozenset[tuple[str, PolarityName]]


@dataclass(frozen=True, slots=True)
class BlockStatistics:
    """What OPFB did: episodes left out, advisories that disappeared with them, advisories that got the warning.

    ``memory_unknown_principle_n`` counts the episodes that were dropped because of an unknown principle.
    """

    memory_blocked_episode_n: int = 0
    memory_blocked_advisory_n: int = 0
    memory_downgraded_advisory_n: int = 0
    memory_block_reason: str | None = None
    memory_unknown_principle_n: int = 0


@dataclass(frozen=True, slots=True)
class _Group:
    """The retrieved episodes of one principle, best first; ``usable`` are those that OPFB did not block."""

    principle: Principle
    everyone: tuple[Scored, ...]
    usable: tuple[Scored, ...]
    dangerous: bool

    @property
    def consistency(self) -> float:
        """The share that succeeded. Blocked episodes count too: without the failures, the share would be too high."""
        succeeded = sum(entry.episode_type == "success" and not entry.failed for entry, _ in self.everyone)
        return succeeded / len(self.everyone)

    @property
    def failures(self) -> tuple[Scored, ...]:
        """The usable episodes that must not be repeated."""
        return tuple(scored for scored in self.usable if scored[0].failed)


def build_from_episodes(
    episodes_with_scores: Sequence[Scored],
    *,
    language: Language,
    prohibit_dangerous: bool = False,
    opfb_scope_episodes: Iterable[EpisodicMemoryEntryV1_1] | None = None,
    current_pairs: Pairs | None = None,
) -> tuple[list[AdvisoryV1_1], BlockStatistics]:
    """Return the advisories of the retrieved episodes, best first, and what OPFB did.

    ``opfb_scope_episodes`` are the episodes whose failures count; None means the retrieved ones.
    ``current_pairs`` are the pairs that the current sample could have (``possible_pairs``): a failure with any
    other pair is not dangerous here. None means that every failure is.
    """
    scope = (entry for entry, _ in episodes_with_scores) if opfb_scope_episodes is None else opfb_scope_episodes
    dangerous = dangerous_pairs(scope)
    if current_pairs is not None:
        dangerous &= current_pairs
    groups, unknown = _by_principle(episodes_with_scores, dangerous, prohibit_dangerous)
    kept = [group for group in groups if group.usable]
    advisories = [_advisory(number, group, language) for number, group in enumerate(kept, start=1)]
    blocked = sum(len(group.everyone) - len(group.usable) for group in groups)
    return advisories, BlockStatistics(
        memory_blocked_episode_n=blocked,
        memory_blocked_advisory_n=len(groups) - len(kept),
        memory_downgraded_advisory_n=sum(group.dangerous for group in kept),
        memory_block_reason=OPFB_REASON if blocked else None,
        memory_unknown_principle_n=unknown,
    )


def warnings_of(advisories: Iterable[AdvisoryV1_1], blocked: BlockStatistics, language: Language) -> list[str]:
    """Return the slot's ``warnings``: which advisories carry the seed's sentence, and how many OPFB left out."""
    warnings = [
        f"{advisory.advisory_id}: {DANGER_WARNING[language]}"
        for advisory in advisories
        if is_downgraded(advisory.message)
    ]
    if blocked.memory_blocked_advisory_n:
        warnings.append(_LEFT_OUT[language].format(n=blocked.memory_blocked_advisory_n))
    return warnings


def is_downgraded(message: str) -> bool:
    """Return whether a message ends with the seed's warning in either language."""
    return message.endswith(tuple(DANGER_WARNING.values()))


def possible_pairs(candidates: Iterable[Candidate]) -> Pairs:
    """Return the (aspect_term_norm, polarity) pairs of the candidates, and those that a flip would produce."""
    return frozenset(
        (term, polarity)
        for candidate in candidates
        if (term := aspect_norm(candidate.aspect_term))
        for polarity in (candidate.polarity, *_FLIPS[candidate.polarity])
    )


def dangerous_pairs(episodes: Iterable[EpisodicMemoryEntryV1_1]) -> Pairs:
    """Return the (aspect_term_norm, polarity) pairs with which failed episodes ended."""
    return frozenset(pair for entry in episodes if entry.failed for pair in entry.stage_snapshot.final.pairs())


def _by_principle(episodes: Sequence[Scored], dangerous: Pairs, prohibit: bool) -> tuple[list[_Group], int]:
    """Return the groups, best first, and how many episodes have an unknown principle."""
    members: dict[str, list[Scored]] = {}
    for scored in sorted(episodes, key=lambda scored: -scored[1]):
        members.setdefault(scored[0].correction.principle_id, []).append(scored)
    groups, unknown = [], 0
    for name, everyone in members.items():
        principle = find_principle(name)
        if principle is None:
            unknown += len(everyone)
            continue
        risky = [not dangerous.isdisjoint(entry.stage_snapshot.final.pairs()) for entry, _ in everyone]
        usable = tuple(scored for scored, is_risky in zip(everyone, risky, strict=True) if not (prohibit and is_risky))
        groups.append(_Group(principle, tuple(everyone), usable, dangerous=any(risky) and not prohibit))
    return groups, unknown


def _advisory(number: int, group: _Group, language: Language) -> AdvisoryV1_1:
    kind = _type_of(group)
    best, score = (group.failures if kind == "failed_override_warning" else group.usable)[0]
    return AdvisoryV1_1(
        advisory_id=f"adv_{number:06d}",
        advisory_type=kind,
        message=_message(group, best, kind, language),
        strength=_strength(group),
        relevance_score=score,
        evidence=_evidence(group, kind),
    )


def _type_of(group: _Group) -> AdvisoryType:
    """Return a warning if at least half failed, ``successful_override`` for a single success, else an anchor."""
    entries = [entry for entry, _ in group.usable]
    if 2 * len(group.failures) >= len(entries):
        return "failed_override_warning"
    if len(entries) == 1 and entries[0].evaluation.override_applied and entries[0].evaluation.override_success:
        return "successful_override"
    return "consistency_anchor"


def _strength(group: _Group) -> Strength:
    n = len(group.everyone)
    if n >= _STRONG_N and group.consistency >= _STRONG_CONSISTENCY:
        return "strong"
    return "moderate" if n >= _MODERATE_N else "weak"


def _evidence(group: _Group, kind: AdvisoryType) -> AdvisoryEvidenceV1_1:
    entries = [entry for entry, _ in group.usable]
    before = _tags(tag for entry in entries for tag in entry.evaluation.risk_before.tags)
    after = _tags(tag for entry in entries for tag in entry.evaluation.risk_after.tags)
    common = AdvisoryEvidenceV1_1(
        source_episode_ids=tuple(entry.episode_id for entry in entries),
        risk_tags=before,
        principle_id=group.principle.principle_id,
    )
    if kind != "consistency_anchor":
        return common.model_copy(update={"risk_before_tags": before, "risk_after_tags": after})
    deltas = [entry.outcome_delta for entry, _ in group.everyone]
    measured = {"consistency": round(group.consistency, 6), "variance": round(pvariance(deltas), 6), "n": len(deltas)}
    return common.model_copy(update=measured)


def _tags(tags: Iterable[RiskTag]) -> tuple[RiskTag, ...]:
    return tuple(sorted(set(tags)))


def _message(group: _Group, episode: EpisodicMemoryEntryV1_1, kind: AdvisoryType, language: Language) -> str:
    """Return the catalog's sentence, the codes of the case and the warnings, on one line."""
    summary = _SUMMARY[language].format(
        risk_type=episode.risk_type,
        action_taken=episode.action_taken,
        change=f"{episode.outcome_delta:+d}" if episode.outcome_delta else "0",
    )
    parts = [group.principle.text(language), summary]
    if kind == "failed_override_warning":
        parts.append(_FAILED[language])
    if group.dangerous:
        parts.append(DANGER_WARNING[language])
    return " ".join(parts)
