"""Turning a finished sample into an episode: codes, numbers and templates, judged by risk and never by gold.

Of the text, only normalized aspect terms go in, cut to ``MAX_TERM_CHARS``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from samsim.errors import ContractError
from samsim.memory.leaks import LeakFinder
from samsim.memory.principles import principle_for
from samsim.memory.signature_builder import build_signature, count_aspects, symptoms_of
from samsim.rules.candidates import normalise_term
from samsim.rules.decided import Decided, leading_decisions
from samsim.rules.risk import TAG_ORDER, RiskFindings
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
    StageSnapshotPairV1_1,
    StageSnapshotV1_1,
    TargetAspectType,
)
from samsim.schemas.protocol_conflict_review import (
    REASON_CODES,
    Candidate,
    DecidedAction,
)
from samsim.schemas.results import FinalTuple, SampleResult


@dataclass(frozen=True, slots=True)
class _Lead:
    """What the episode is mainly about."""

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
    """Return the episode of a finished sample, still without an id.

    It takes its evaluation from the result. ``moderator_summary`` must be a template with codes; a
    summary that quotes the text raises a ``ContractError``.
    """
    _refuse_quotes(moderator_summary, analysis.text)
    evaluation = result.evaluation
    if evaluation is None:
        raise ContractError("A result without its evaluation cannot become an episode; evaluate it first.")
    signature = build_signature(analysis, count_aspects(result.stage1_tuples))
    decisions = leading_decisions(result)
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


def episode_type_of(evaluation: EvaluationV1_1) -> EpisodeType:
    """Return harm if the override harmed or severity rose, success if it fell, else neutral."""
    was, now = evaluation.risk_before.severity_sum, evaluation.risk_after.severity_sum
    if evaluation.override_harm or now > was:
        return "harm"
    return "success" if now < was else "neutral"


def snapshot_of(tuples: Sequence[Candidate] | Sequence[FinalTuple]) -> StageSnapshotV1_1:
    """Return the first distinct (aspect, polarity) pairs in order of appearance, and the mean confidence."""
    different = dict.fromkeys((aspect_norm(candidate.aspect_term), candidate.polarity) for candidate in tuples)
    pairs = list(different)[:MAX_STATEMENTS]
    return StageSnapshotV1_1(
        aspects_norm=tuple(aspect for aspect, _ in pairs),
        polarities=tuple(polarity for _, polarity in pairs),
        confidence=round(fmean(candidate.confidence for candidate in tuples), 6) if tuples else 0.0,
    )


def aspect_norm(term: str) -> str:
    """Return a normalized aspect term, cut to the length that may be stored."""
    return normalise_term(term)[:MAX_TERM_CHARS].rstrip()


def _lead(before: RiskFindings, decisions: Sequence[Decided]) -> _Lead:
    """Return the leading action, the most severe risk of the tuples it touched, and its most frequent reason there."""
    action = _leading_action(decisions)
    touched = {decision.tuple_id for decision in decisions if decision.action == action}
    points = before.points()
    concerned = [point for point in points if not touched.isdisjoint(point[2])] or points
    if not concerned:
        return _Lead("none", action, _most_given(decisions, action, touched))
    tag, _, ids = min(concerned, key=lambda point: (-point[1], TAG_ORDER.index(point[0])))
    return _Lead(tag, action, _most_given(decisions, action, touched & ids or touched))


def _leading_action(decisions: Sequence[Decided]) -> ActionTaken:
    """Return a change before a flag before nothing; of the changes the more frequent one, FLIP if they are tied."""
    counts = Counter(decision.action for decision in decisions)
    order: tuple[DecidedAction, ...] = ("DROP", "FLIP") if counts["DROP"] > counts["FLIP"] else ("FLIP", "DROP")
    return next((action for action in (*order, "FLAG", "KEEP") if counts[action]), "NONE")


def _most_given(decisions: Sequence[Decided], action: ActionTaken, ids: Iterable[str]) -> str | None:
    wanted = frozenset(ids)
    given = Counter(
        decision.reason
        for decision in decisions
        if decision.action == action and decision.tuple_id in wanted and decision.reason in REASON_CODES
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
    """Return whether the reviewed tuples (or all tuples if none was reviewed) name their aspect."""
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
    """Return whether a summary repeats a run of the text."""
    return any(LeakFinder([{"moderator_summary": summary}]).leaks("text", text))


def _refuse_quotes(summary: str, text: str) -> None:
    if quotes(summary, text):
        raise ContractError("The moderator_summary quotes the text; give a template with codes instead.")
