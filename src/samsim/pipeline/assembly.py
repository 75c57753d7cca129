"""The steps that all protocols share: examine Stage 1, ask memory, evaluate the outcome, write the episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samsim.errors import EngineError
from samsim.language.opinions import OpinionReader, opinions_of
from samsim.language.structure import detect_structure
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySlot, SampleFacts
from samsim.pipeline.config import PipelineConfig
from samsim.rules.apply import finalize
from samsim.rules.candidates import Stage1Triplets, build_candidates, claimed_spans
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.free_refs import under_shared_refs
from samsim.rules.majority import first_of_equals
from samsim.rules.risk import RiskFindings, evaluate
from samsim.rules.validator import compute_validator_risks
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.memory_v1_1 import EvaluationV1_1
from samsim.schemas.protocol_conflict_review import (
    ArbiterDecision,
    ASTETripletItem,
    Candidate,
    ConflictFlag,
    Refusal,
    ReviewActionItem,
    Span,
    ValidatorRisk,
)
from samsim.schemas.protocol_debate import DebateRecord
from samsim.schemas.results import (
    CallRecord,
    FinalTuple,
    MemoryRecord,
    ReviewedTuple,
    SampleResult,
    missing_among,
    missing_words,
)
from samsim.schemas.taxonomy import Taxonomy

_SHOWN_OF_AN_ANSWER = 200


@dataclass(frozen=True, slots=True)
class Examined:
    """The candidates of Stage 1, and every risk and conflict found in them.

    ``equals_once``: what several draws of one question say alike is examined only once, as in a single reading.
    """

    uid: str
    analysis: TextAnalysis
    taxonomy: Taxonomy
    config: PipelineConfig
    candidates: Sequence[Candidate]
    spans: Mapping[str, Span]
    opinions: OpinionReader
    risks: Sequence[ValidatorRisk]
    flags: Sequence[ConflictFlag]
    equals_once: bool = False

    def facts(self) -> SampleFacts:
        """Return the facts that memory may know."""
        return SampleFacts(self.uid, self.analysis, self.taxonomy, self.candidates, self.risks, self.flags)

    def findings_after(self, surviving: Sequence[Candidate]) -> RiskFindings:
        """Return the risks and flags of the surviving tuples, computed in the same way as before.

        A span that an engine claimed for a term says nothing about another term, for example after a merge.
        """
        left = first_of_equals(surviving) if self.equals_once else surviving
        terms = {candidate.tuple_id: candidate.aspect_term for candidate in self.candidates}
        same = {candidate.tuple_id for candidate in left if candidate.aspect_term == terms.get(candidate.tuple_id)}
        spans = {tuple_id: span for tuple_id, span in self.spans.items() if tuple_id in same}
        states = self.opinions.states
        risks = compute_validator_risks(left, self.analysis, self.taxonomy, claimed_spans=spans, states=states)
        return RiskFindings.of(risks, flags_of(left, self.taxonomy, self.config))

    def evaluation(self, surviving: Sequence[Candidate], *, applied: bool) -> EvaluationV1_1:
        """Return the risk before and after."""
        before = RiskFindings.of(self.risks, self.flags)
        return evaluate(before, self.findings_after(surviving), applied=applied)


def examine(
    uid: str,
    analysis: TextAnalysis,
    taxonomy: Taxonomy,
    stage1: Stage1Triplets,
    config: PipelineConfig,
    *,
    equals_once: bool = False,
) -> Examined:
    """Number, normalize and anchor what Stage 1 found, and compute all risks and conflict flags."""
    opinions = opinions_of(analysis)
    candidates = build_candidates(with_normal_opinions(stage1, opinions), analysis.text, taxonomy)
    if equals_once:
        candidates = list(under_shared_refs(candidates, taxonomy))
    spans = claimed_spans(stage1)
    doubted = first_of_equals(candidates) if equals_once else candidates
    risks = compute_validator_risks(doubted, analysis, taxonomy, claimed_spans=spans, states=opinions.states)
    flags = flags_of(doubted, taxonomy, config)
    return Examined(uid, analysis, taxonomy, config, candidates, spans, opinions, risks, flags, equals_once)


def with_normal_opinions(stage1: Stage1Triplets, opinions: OpinionReader) -> Mapping[str, Sequence[ASTETripletItem]]:
    """Return the triplets with normalized opinions; the record of the call keeps the original words."""
    return {
        origin: [
            item.model_copy(update={"opinion_term": opinions.normal(item.opinion_term)}) if item.opinion_term else item
            for item in items
        ]
        for origin, items in stage1.items()
    }


def flags_of(candidates: Sequence[Candidate], taxonomy: Taxonomy, config: PipelineConfig) -> list[ConflictFlag]:
    """Return the conflict flags, computed as configured."""
    if not config.compute_conflict_flags:
        return []
    return compute_conflict_flags(
        under_shared_refs(candidates, taxonomy),
        conflict_mode=config.conflict_mode,
        semantic_conflict_enabled=config.semantic_conflict_enabled,
        semantic_theta=config.semantic_theta,
        granularity=config.granularity,
        taxonomy=taxonomy,
    )


@dataclass(frozen=True, slots=True)
class Advice:
    """What memory offers for a sample, if there is a memory, and a way to write back to it."""

    memory: EpisodicOrchestrator | None
    facts: SampleFacts
    slot: MemorySlot | None

    @property
    def context(self) -> str:
        """The advice as text for a prompt; "" if there is none to show."""
        return "" if self.slot is None else self.slot.context

    @property
    def merged(self) -> dict[str, Any] | None:
        """The slot that an engine may see, or None."""
        return None if self.slot is None else self.slot.merged

    def record_of(self, injected_chars: int) -> MemoryRecord | None:
        """Return what memory did for the sample, except for the episode, which is written last."""
        return None if self.slot is None else self.slot.recorded(injected_chars)

    def remember(self, result: SampleResult) -> SampleResult:
        """Write the episode if the condition allows it, and return the result with the episode's id."""
        if self.memory is None or self.slot is None:
            return result
        return with_episode(result, self.memory.append_episode_if_needed(self.facts, result))


def ask_memory(memory: EpisodicOrchestrator | None, facts: SampleFacts) -> Advice:
    """Return what memory advises for a sample, if there is a memory."""
    return Advice(memory, facts, None if memory is None else memory.get_slot_payload_for_current_sample(facts))


def with_episode(result: SampleResult, episode_id: str | None) -> SampleResult:
    """Add the episode's id to a result; the store assigns it only after the result exists."""
    if result.memory is None or episode_id is None:
        return result
    return result.model_copy(update={"memory": result.memory.model_copy(update={"episode_id": episode_id})})


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The conclusion of a protocol: the surviving tuples, how they were decided, and whether any was changed."""

    surviving: Sequence[ReviewedTuple]
    final_tuples: Sequence[FinalTuple]
    applied: bool
    review_actions: Sequence[ReviewActionItem] = ()
    refusals: Sequence[Refusal] = ()
    arbiter_decisions: Sequence[ArbiterDecision] = ()
    debate: DebateRecord | None = None


def final_tuples_of(
    examined: Examined, surviving: Sequence[ReviewedTuple], new_refs: Mapping[str, str] | None = None
) -> list[FinalTuple]:
    """Merge tuples that say the same; under a free taxonomy, unify their refs first."""
    return finalize(under_shared_refs(surviving, examined.taxonomy), new_refs)


def conclude(
    examined: Examined,
    conclusion: Conclusion,
    calls: Sequence[CallRecord],
    advice: Advice,
    *,
    injected_chars: int,
) -> SampleResult:
    """Build the result of a sample, and let memory learn from it.

    All calls have been made by now. If the configuration allows no partial samples, a missing answer raises an
    error here, before memory learns of the sample. ``injected_chars`` is the number of characters of the memory
    slot in all prompts together.
    """
    if examined.config.on_partial == "fail":
        _require_all_answers(examined.uid, calls)
    result = SampleResult(
        uid=examined.uid,
        text=examined.analysis.text,
        language=examined.analysis.language,
        protocol=examined.config.protocol,
        taxonomy=examined.taxonomy.name,
        stage1_tuples=list(examined.candidates),
        conflict_flags=list(examined.flags),
        validator_risks=list(examined.risks),
        review_actions=list(conclusion.review_actions),
        refusals=list(conclusion.refusals),
        arbiter_decisions=list(conclusion.arbiter_decisions),
        final_tuples_post_review=list(conclusion.surviving),
        final_tuples=list(conclusion.final_tuples),
        structure=list(detect_structure(examined.analysis)),
        evaluation=examined.evaluation(conclusion.surviving, applied=conclusion.applied),
        debate=conclusion.debate,
        memory=advice.record_of(injected_chars),
        calls=list(calls),
    )
    return advice.remember(result)


def as_reviewed(candidates: Sequence[Candidate]) -> list[ReviewedTuple]:
    """Return the candidates as tuples that no one has reviewed."""
    return [ReviewedTuple(**dict(candidate)) for candidate in candidates]


def require_an_answer(who: str, uid: str, calls: Sequence[CallRecord]) -> None:
    """Raise ``EngineError`` if none of the calls was answered, because there is nothing to continue with."""
    if all(call.problem for call in calls):
        raise EngineError(
            f"{who} received an answer for sample {uid} from {calls[0].engine}: {_what_happened(calls[0])}. "
            "Check the engine (samsim doctor) and run it again."
        )


def _require_all_answers(uid: str, calls: Sequence[CallRecord]) -> None:
    missing = missing_among(calls)
    if missing:
        raise EngineError(
            f"Sample {uid} is partial ({missing_words(missing)}), and on_partial is fail. "
            "Check the engine (samsim doctor) and run it again."
        )


def _what_happened(call: CallRecord) -> str:
    """Return the typed failure and the start of the server's reply."""
    said = " ".join(call.attempts[-1].raw.split())[:_SHOWN_OF_AN_ANSWER] if call.attempts else ""
    return f"{call.problem} ({said})" if said else str(call.problem)
