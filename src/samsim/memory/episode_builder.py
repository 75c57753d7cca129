"""A finished sample becomes an episode: codes, numbers and templates, judged by risk and never by gold.

Nothing of the text goes in but the normalised aspect terms, cut to ``MAX_TERM_CHARS``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType
from typing import get_args

from samsim.errors import ContractError
from samsim.memory.decided import Decided, decided_in
from samsim.memory.leaks import LeakFinder
from samsim.memory.principles import principle_for
from samsim.memory.signature_builder import build_signature, count_aspects, symptoms_of
from samsim.rules.candidates import normalise_term
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.memory_v1_1 import (
    MAX_STATEMENTS,
    MAX_TERM_CHARS,
    ActionTaken,
    CaseSummaryV1_1,
    CorrectionV1_1,
    EpisodeDraftV1_1,
    EpisodeRisk,
    EpisodeType,
    EvaluationV1_1,
    InputSignatureV1_1,
    ProvenanceV1_1,
    RiskSnapshotV1_1,
    RiskTag,
    StageSnapshotPairV1_1,
    StageSnapshotV1_1,
    TargetAspectType,
)
from samsim.schemas.protocol_conflict_review import (
    REASON_CODES,
    ArbiterDecision,
    Candidate,
    ConflictFlag,
    ConflictType,
    DecidedAction,
    RiskType,
    Severity,
    ValidatorRisk,
)
from samsim.schemas.results import FinalTuple, SampleResult

SEVERITY_POINTS: Mapping[Severity, int] = MappingProxyType({"high": 3, "mid": 2, "low": 1})
# A flag carries no severity of its own: contradicting polarities weigh most, a mere overlap least.
FLAG_SEVERITY: Mapping[ConflictType, Severity] = MappingProxyType(
    {
        "ref_polarity_mismatch": "high",
        "term_polarity_mismatch": "high",
        "semantic_conflict_candidate": "mid",
        "granularity_overlap_candidate": "low",
        "REDUNDANT_UPPER_REF": "low",
    }
)
CHANGING_ACTIONS: frozenset[DecidedAction] = frozenset({"FLIP", "DROP"})
_TAG_ORDER: tuple[str, ...] = (*get_args(RiskType), *get_args(ConflictType))


@dataclass(frozen=True, slots=True)
class RiskFindings:
    """Validator risks and conflict flags of one stage; tuple ids mean the same before and after review."""

    risks: tuple[ValidatorRisk, ...]
    flags: tuple[ConflictFlag, ...]

    @classmethod
    def of(cls, risks: Iterable[ValidatorRisk], flags: Iterable[ConflictFlag]) -> RiskFindings:
        """The findings of any iterables."""
        return cls(tuple(risks), tuple(flags))

    def points(self) -> list[tuple[RiskTag, int, frozenset[str]]]:
        """Each finding as its tag, its weight and the tuples it is about."""
        found: list[tuple[RiskTag, int, frozenset[str]]] = [
            (risk.risk_type, SEVERITY_POINTS[risk.severity], frozenset({risk.tuple_id})) for risk in self.risks
        ]
        for flag in self.flags:
            severity = FLAG_SEVERITY[flag.conflict_type]
            found.append((flag.conflict_type, SEVERITY_POINTS[severity], frozenset(flag.tuple_ids)))
        return found

    def snapshot(self) -> RiskSnapshotV1_1:
        """What an episode keeps of it: the tags, each once, and the sum of the weights."""
        points = self.points()
        tags = tuple(sorted({tag for tag, _, _ in points}, key=_TAG_ORDER.index))
        return RiskSnapshotV1_1(tags=tags, severity_sum=sum(weight for _, weight, _ in points))

    def new_since(self, before: RiskFindings) -> frozenset[RiskTag]:
        """The tags of findings that no finding of the same kind, on at least the same tuples, announced."""
        announced: dict[tuple[RiskTag, str], list[frozenset[str]]] = {}
        for tag, _, seen in before.points():
            for tuple_id in (*seen, ""):
                announced.setdefault((tag, tuple_id), []).append(seen)
        # A finding on at least the same tuples is on any one of them (one on none is on ""): only those are compared.
        return frozenset(
            tag
            for tag, _, ids in self.points()
            if not any(ids <= seen for seen in announced.get((tag, min(ids, default="")), ()))
        )


@dataclass(frozen=True, slots=True)
class _Lead:
    """What the episode is chiefly about."""

    risk_type: EpisodeRisk
    action: ActionTaken
    reason_code: str | None


def build_episode(
    result: SampleResult,
    analysis: TextAnalysis,
    risk_before: RiskFindings,
    *,
    timestamp: str,
    version: str,
    created_from_split: str,
    moderator_summary: str = "",
) -> EpisodeDraftV1_1:
    """The episode of a finished sample, still without an id.

    The result's own evaluation is taken over. ``moderator_summary`` must be a template with
    codes; one that quotes the text is a ``ContractError``.
    """
    _refuse_quotes(moderator_summary, analysis.text)
    evaluation = result.evaluation
    if evaluation is None:
        raise ContractError("A result without its evaluation cannot become an episode; evaluate it first.")
    signature = build_signature(analysis, count_aspects(result.stage1_tuples))
    decisions = decided_in(result)
    lead = _lead(risk_before, decisions)
    delta = evaluation.risk_after.severity_sum - evaluation.risk_before.severity_sum
    return EpisodeDraftV1_1(
        episode_type=episode_type_of(evaluation),
        input_signature=signature,
        case_summary=CaseSummaryV1_1(
            target_aspect_type=_target_type(result, decisions),
            symptom=symptoms_of(risk_before.risks, risk_before.flags, analysis),
            rationale_summary=_rationale(lead, delta),
        ),
        stage_snapshot=StageSnapshotPairV1_1(
            stage1=snapshot_of(result.stage1_tuples), final=snapshot_of(result.final_tuples)
        ),
        correction=_correction(lead, signature),
        evaluation=evaluation,
        provenance=ProvenanceV1_1(created_from_split=created_from_split, timestamp=timestamp, version=version),
        risk_type=lead.risk_type,
        action_taken=lead.action,
        outcome_delta=delta,
        moderator_summary=moderator_summary,
    )


def changes_a_tuple(decisions: Iterable[ArbiterDecision]) -> bool:
    """Whether the arbiter changed a tuple (FLIP, DROP)."""
    return any(decision.action in CHANGING_ACTIONS for decision in decisions)


def evaluate(before: RiskFindings, after: RiskFindings, *, applied: bool) -> EvaluationV1_1:
    """How an override turned out, by risk and safety.

    Applied: the protocol changed a tuple. Success: severity fell and nothing new appeared. Harm:
    severity rose or a new conflict appeared. Without an override there is neither.
    """
    was, now = before.snapshot(), after.snapshot()
    new = after.new_since(before)
    return EvaluationV1_1(
        risk_before=was,
        risk_after=now,
        override_applied=applied,
        override_success=applied and now.severity_sum < was.severity_sum and not new,
        override_harm=applied and (now.severity_sum > was.severity_sum or not new.isdisjoint(FLAG_SEVERITY)),
    )


def episode_type_of(evaluation: EvaluationV1_1) -> EpisodeType:
    """Harm if the override harmed or severity rose; success if there was risk and it fell; else neutral."""
    was, now = evaluation.risk_before.severity_sum, evaluation.risk_after.severity_sum
    if evaluation.override_harm or now > was:
        return "harm"
    return "success" if now < was else "neutral"


def snapshot_of(tuples: Sequence[Candidate] | Sequence[FinalTuple]) -> StageSnapshotV1_1:
    """The first different (aspect, polarity) pairs in order of appearance, and the tuples' mean confidence."""
    different = dict.fromkeys((aspect_norm(candidate.aspect_term), candidate.polarity) for candidate in tuples)
    pairs = list(different)[:MAX_STATEMENTS]
    return StageSnapshotV1_1(
        aspects_norm=tuple(aspect for aspect, _ in pairs),
        polarities=tuple(polarity for _, polarity in pairs),
        confidence=round(fmean(candidate.confidence for candidate in tuples), 6) if tuples else 0.0,
    )


def aspect_norm(term: str) -> str:
    """A normalised aspect term, cut to what may be remembered."""
    return normalise_term(term)[:MAX_TERM_CHARS].rstrip()


def _lead(before: RiskFindings, decisions: Sequence[Decided]) -> _Lead:
    """The weightiest action, the gravest risk of the tuples it touched, and the reason most given for it there."""
    action = _leading_action(decisions)
    touched = {decision.tuple_id for decision in decisions if decision.action == action}
    points = before.points()
    concerned = [point for point in points if not touched.isdisjoint(point[2])] or points
    if not concerned:
        return _Lead("none", action, _most_given(decisions, action, touched))
    tag, _, ids = min(concerned, key=lambda point: (-point[1], _TAG_ORDER.index(point[0])))
    return _Lead(tag, action, _most_given(decisions, action, touched & ids or touched))


def _leading_action(decisions: Sequence[Decided]) -> ActionTaken:
    """A change before a mark before nothing; the more frequent change, FLIP where both are equal."""
    counts = Counter(decision.action for decision in decisions)
    order: tuple[DecidedAction, ...] = ("DROP", "FLIP") if counts["DROP"] > counts["FLIP"] else ("FLIP", "DROP")
    return next((action for action in (*order, "FLAG", "KEEP") if counts[action]), "NONE")


def _most_given(decisions: Sequence[Decided], action: ActionTaken, ids: Iterable[str]) -> str | None:
    wanted = frozenset(ids)
    given = Counter(
        decision.reason_code
        for decision in decisions
        if decision.action == action and decision.tuple_id in wanted and decision.reason_code in REASON_CODES
    )
    return min(given, key=lambda code: (-given[code], REASON_CODES.index(code)), default=None)


def _rationale(lead: _Lead, delta: int) -> str:
    outcome = "risk_down" if delta < 0 else "risk_up" if delta > 0 else "risk_unchanged"
    return f"{lead.action} {lead.reason_code or 'no_reason'} {outcome}"


def _correction(lead: _Lead, signature: InputSignatureV1_1) -> CorrectionV1_1:
    principle = principle_for(lead.risk_type, lead.action, lead.reason_code)
    return CorrectionV1_1(
        principle_id=principle.principle_id,
        corrective_principle=principle.text(signature.language),
        applicable_conditions=(
            f"language:{signature.language}",
            *(f"structure:{name}" for name in signature.detected_structure),
            f"risk:{lead.risk_type}",
        ),
    )


def _target_type(result: SampleResult, decisions: Sequence[Decided]) -> TargetAspectType:
    """Whether the reviewed tuples (all of them where none was reviewed) name their aspect."""
    reviewed = {decision.tuple_id for decision in decisions}
    named = {
        bool(candidate.aspect_term)
        for candidate in result.stage1_tuples
        if not reviewed or candidate.tuple_id in reviewed
    }
    if len(named) == 2:
        return "mixed"
    if not named:
        return "none"
    return "explicit" if True in named else "implicit"


def quotes(summary: str, text: str) -> bool:
    """Whether a summary has a run of the text in it."""
    return any(LeakFinder([{"moderator_summary": summary}]).leaks("text", text))


def _refuse_quotes(summary: str, text: str) -> None:
    if quotes(summary, text):
        raise ContractError("The moderator_summary quotes the text; give a template with codes instead.")
