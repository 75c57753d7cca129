"""What every protocol does around its own decisions: look at Stage 1, ask memory, judge the outcome, remember."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from samsim.errors import EngineError
from samsim.language.opinions import OpinionReader, opinions_of
from samsim.memory.episode_builder import RiskFindings, evaluate
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, MemorySlot, SampleFacts
from samsim.memory.signature_builder import detect_structure
from samsim.pipeline.config import PipelineConfig
from samsim.rules.apply import finalize
from samsim.rules.candidates import Stage1Triplets, build_candidates, claimed_spans
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.free_refs import under_shared_refs
from samsim.rules.majority import first_of_equals
from samsim.rules.validator import compute_validator_risks
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.memory_v1_1 import EvaluationV1_1
from samsim.schemas.protocol_conflict_review import ASTETripletItem, Candidate, ConflictFlag, Span, ValidatorRisk
from samsim.schemas.results import CallRecord, MemoryRecord, ReviewedTuple, SampleResult, missing_among, missing_words
from samsim.schemas.taxonomy import Taxonomy

_SHOWN_OF_AN_ANSWER = 200


@dataclass(frozen=True, slots=True)
class Examined:
    """Stage 1 as the code sees it: the candidates, and every doubt about them.

    ``equals_once``: what several draws of one question say alike is doubted once, as in a single reading.
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
        """What memory may know."""
        return SampleFacts(self.uid, self.analysis, self.taxonomy, self.candidates, self.risks, self.flags)

    def findings_after(self, surviving: Sequence[Candidate]) -> RiskFindings:
        """Risks and flags of what is left, found in the same way as before.

        What an engine claimed about the place of a term says nothing about another one, as after a merge.
        """
        left = first_of_equals(surviving) if self.equals_once else surviving
        terms = {candidate.tuple_id: candidate.aspect_term for candidate in self.candidates}
        same = {candidate.tuple_id for candidate in left if candidate.aspect_term == terms.get(candidate.tuple_id)}
        spans = {tuple_id: span for tuple_id, span in self.spans.items() if tuple_id in same}
        states = self.opinions.states
        risks = compute_validator_risks(left, self.analysis, self.taxonomy, claimed_spans=spans, states=states)
        return RiskFindings.of(risks, flags_of(left, self.taxonomy, self.config))

    def evaluation(self, surviving: Sequence[Candidate], *, applied: bool) -> EvaluationV1_1:
        """The risk before and after."""
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
    """Number, normalise and anchor what Stage 1 found, and compute every doubt about it."""
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
    """The triplets with their opinions as our convention has them; what was said stays in the record of the call."""
    return {
        origin: [
            item.model_copy(update={"opinion_term": opinions.normal(item.opinion_term)}) if item.opinion_term else item
            for item in items
        ]
        for origin, items in stage1.items()
    }


def flags_of(candidates: Sequence[Candidate], taxonomy: Taxonomy, config: PipelineConfig) -> list[ConflictFlag]:
    """The conflict flags as configured."""
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


def plain_result(
    examined: Examined, surviving: Sequence[ReviewedTuple], calls: Sequence[CallRecord], *, applied: bool
) -> SampleResult:
    """The result of a protocol without review: what was found and what is left of it.

    All calls are made by now: where the configuration wants no partial sample, a missing one is an error here,
    before memory learns of the sample.
    """
    if examined.config.on_partial == "fail":
        _require_all_answers(examined.uid, calls)
    return SampleResult(
        uid=examined.uid,
        text=examined.analysis.text,
        language=examined.analysis.language,
        protocol=examined.config.protocol,
        taxonomy=examined.taxonomy.name,
        stage1_tuples=list(examined.candidates),
        conflict_flags=list(examined.flags),
        validator_risks=list(examined.risks),
        review_actions=[],
        refusals=[],
        arbiter_decisions=[],
        final_tuples_post_review=list(surviving),
        final_tuples=finalize(under_shared_refs(surviving, examined.taxonomy)),
        structure=list(detect_structure(examined.analysis)),
        evaluation=examined.evaluation(surviving, applied=applied),
        calls=list(calls),
    )


def as_reviewed(candidates: Sequence[Candidate]) -> list[ReviewedTuple]:
    """Candidates that nothing was said about."""
    return [ReviewedTuple(**dict(candidate)) for candidate in candidates]


def ask_memory(memory: EpisodicOrchestrator | None, facts: SampleFacts) -> MemorySlot | None:
    """The slot of the sample, if there is a memory."""
    return None if memory is None else memory.get_slot_payload_for_current_sample(facts)


def remember(
    memory: EpisodicOrchestrator | None,
    slot: MemorySlot | None,
    facts: SampleFacts,
    result: SampleResult,
    *,
    injected_chars: int,
) -> SampleResult:
    """Write the episode if the condition says so, and record what memory did.

    ``injected_chars`` are the characters of the slot that reached the prompts, in all of them together.
    """
    if memory is None or slot is None:
        return result
    record: MemoryRecord = slot.record
    shown = record.advisories_present and injected_chars > 0
    changes = {
        "shown": slot.slot_dict if injected_chars > 0 else None,
        "prompt_injection_chars": injected_chars,
        "advisories_present": shown,
        "advisories_ids": record.advisories_ids if shown else [],
        "episode_id": memory.append_episode_if_needed(facts, result),
    }
    return result.model_copy(update={"memory": record.model_copy(update=changes)})


def require_an_answer(who: str, uid: str, calls: Sequence[CallRecord]) -> None:
    """Raise if none of the calls got an answer: without one there is nothing to continue with."""
    if all(call.problem for call in calls):
        raise EngineError(
            f"{who} got an answer for sample {uid} from {calls[0].engine}: {_what_happened(calls[0])}. "
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
    """The typed failure and the beginning of what the server said."""
    said = " ".join(call.attempts[-1].raw.split())[:_SHOWN_OF_AN_ANSWER] if call.attempts else ""
    return f"{call.problem} ({said})" if said else str(call.problem)
