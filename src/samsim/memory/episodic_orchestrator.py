"""Memory around one sample: advice before the review, an episode after it (seed 004 §2 and §3.2).

Only the condition's flags matter: no code checks the name of a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

from samsim.errors import ConfigError, ContractError
from samsim.memory.advisory_builder import BlockStatistics, build_from_episodes, possible_pairs, warnings_of
from samsim.memory.advisory_injection_gate import has_polarity_conflict, should_inject_advisory_with_reason
from samsim.memory.conditions import MemoryCondition
from samsim.memory.episode_builder import build_episode, quotes
from samsim.memory.injection_controller import (
    DEFAULT_TOPK,
    advisories_to_show,
    build_slot_payload,
    format_memory_context,
)
from samsim.memory.signature_builder import build_signature, count_aspects, symptoms_of
from samsim.memory.store import MemoryStore, Retrieved
from samsim.rules.risk import RiskFindings
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.memory_v1_1 import AdvisoryV1_1, EpisodeDraftV1_1, InputSignatureV1_1, MemoryMode
from samsim.schemas.protocol_conflict_review import Candidate, ConflictFlag, ValidatorRisk
from samsim.schemas.results import MemoryRecord, SampleResult
from samsim.schemas.taxonomy import Taxonomy

OpfbScope = Literal["current", "retrieved", "store"]
# No run has that many samples, and Python refuses to parse thousands of digits.
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The settings of a memory besides its condition.

    ``opfb_scope`` says which failures make advice dangerous: those of the retrieved episodes with an (aspect,
    polarity) that the current sample has or could get (``current``, seed 003 §3.5), all of theirs
    (``retrieved``), or all in the store (``store``). The two ``require_`` settings filter what is retrieved.
    """

    topk: int = DEFAULT_TOPK
    gate: bool = True
    prohibit_dangerous: bool = True
    opfb_scope: OpfbScope = "current"
    require_same_language: bool = True
    require_structure_overlap: bool = True
    created_from_split: str = "unknown"
    visibility: str = "sequential"

    @property
    def epoch_size(self) -> int | None:
        """How many samples see the same store (``epoch:N``); None if each sees all before it."""
        if self.visibility == "sequential":
            return None
        kind, _, size = self.visibility.partition(":")
        if kind != "epoch" or not size.isdecimal() or len(size) > _MOST_DIGITS or int(size) < 1:
            raise ConfigError(f"Unknown memory visibility {self.visibility!r}. Use sequential or epoch:N.")
        return int(size)


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """What memory may know about the sample before its review or debate.

    In a debate, Stage 1 also has the aspects it dropped, with reasons, and the risks of the validating
    engine; the gate reads them.
    """

    uid: str
    analysis: TextAnalysis
    taxonomy: Taxonomy
    candidates: Sequence[Candidate]
    risks: Sequence[ValidatorRisk]
    flags: Sequence[ConflictFlag]
    drop_reasons: tuple[str, ...] = ()
    explicit_aspects: int = 0
    structural_risk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemorySlot:
    """What memory offers: the slot, the text for prompts ("" unless exposed and let through), and the record.

    ``exposed`` says that the slot itself may be merged into the context of a debate.
    """

    slot_dict: dict[str, Any]
    context: str
    record: MemoryRecord
    exposed: bool

    @property
    def merged(self) -> dict[str, Any] | None:
        """The slot that an engine may see, or None."""
        return self.slot_dict if self.exposed else None

    def recorded(self, injected_chars: int) -> MemoryRecord:
        """Return the record of what memory did, given how many characters of the slot reached the prompts."""
        shown = self.record.advisories_present and injected_chars > 0
        return self.record.model_copy(
            update={
                "shown": self.slot_dict if injected_chars > 0 else None,
                "prompt_injection_chars": injected_chars,
                "advisories_present": shown,
                "advisories_ids": self.record.advisories_ids if shown else [],
            }
        )


@dataclass(frozen=True, slots=True)
class _Query:
    """What a sample asked memory."""

    uid: str
    signature: InputSignatureV1_1
    symptoms: str

    @property
    def kind(self) -> tuple[str, tuple[str, ...]]:
        """The kind of sample; samples of one kind may be given each other's advice."""
        return self.signature.language, self.signature.detected_structure


_Latest = dict[tuple[str, tuple[str, ...]], _Query]


@dataclass(slots=True)
class _Ledger:
    """The episodes of each sample, and the latest query of each language and structure; lives as long as a run.

    ``held`` are the episodes of the current epoch, by sample; None if episodes are written immediately.
    A query becomes ``latest`` when its sample is committed, and ``visible`` when the next epoch begins,
    so neither depends on the concurrency.
    """

    held: dict[str, EpisodeDraftV1_1] | None = None
    seen_up_to: int | None = None
    own: dict[str, frozenset[str]] = field(default_factory=dict)
    asked: dict[str, _Query] = field(default_factory=dict)
    latest: _Latest = field(default_factory=dict)
    visible: _Latest = field(default_factory=dict)


class EpisodicOrchestrator:
    """An open memory: it reads from and writes to one store under one condition. See ``open_memory``."""

    def __init__(
        self,
        store: MemoryStore | None,
        condition: MemoryCondition,
        *,
        now: Callable[[], str],
        version: str,
        settings: MemorySettings | None = None,
    ) -> None:
        self.condition = condition
        if store is None and condition.uses_store:
            raise ContractError(f"The memory condition {condition.name} reads or writes a store. Give it one.")
        self._opened = store
        self._now = now
        self._version = version
        self._settings = settings or MemorySettings()
        _ = self._settings.epoch_size  # raise for a wrong visibility right away
        self._ledger = _Ledger()

    @classmethod
    def without_store(cls, condition: MemoryCondition) -> EpisodicOrchestrator:
        """Return a memory that is off: it reads and writes nothing, but records what the gate would have done."""
        return cls(None, condition, now=str, version="")

    @property
    def _store(self) -> MemoryStore:
        if self._opened is None:
            raise ContractError(f"The memory condition {self.condition.name} has no store.")
        return self._opened

    def begin_epoch(self, as_of: int | None = None) -> None:
        """Start an epoch: samples see the store as it is now (or was at ``as_of``); episodes wait for ``commit``."""
        self._ledger.held = {}
        self._ledger.asked.clear()
        self._ledger.seen_up_to = self._store.last_seq() if as_of is None else as_of
        if as_of is None:
            self._ledger.visible = dict(self._ledger.latest)

    def commit(self, uid: str) -> str | None:
        """Write the waiting episode of a sample, in the order of the samples; return its id, or None."""
        self._publish(uid)
        draft = (self._ledger.held or {}).pop(uid, None)
        return None if draft is None else self._write(uid, draft)

    def discard(self, uid: str) -> None:
        """Forget a sample that failed after asking memory, because a resumed run does not know it either."""
        self._ledger.asked.pop(uid, None)
        (self._ledger.held or {}).pop(uid, None)

    def end_epoch(self) -> None:
        """End the epoch: samples see everything again, and episodes are written immediately."""
        self._ledger.held, self._ledger.seen_up_to = None, None

    @property
    def needs_history(self) -> bool:
        """Whether a resumed run must be told about the samples before it (``restore``)."""
        return self.condition.injection_source == "shuffled"

    def restore(self, facts: SampleFacts, *, visible: bool) -> None:
        """Register a sample that an interrupted run finished.

        ``visible`` says that it belongs to an earlier epoch than the one in which the run resumes.
        """
        self._ledger.asked[facts.uid] = _query_of(facts)
        self._publish(facts.uid)
        if visible:
            self._ledger.visible = dict(self._ledger.latest)

    def get_slot_payload_for_current_sample(self, facts: SampleFacts, as_of: int | None = None) -> MemorySlot:
        """Return what memory offers for a sample that is about to be reviewed; ``as_of`` limits what it may see."""
        as_of = self._ledger.seen_up_to if as_of is None else as_of
        language = facts.analysis.language
        retrieved = self._retrieve(facts, as_of) if self.condition.retrieval_execute else []
        advisories, blocked = self._advise(retrieved, facts, as_of)
        opened, reason = should_inject_advisory_with_reason(
            polarity_conflict_raw=has_polarity_conflict(facts.candidates, facts.taxonomy),
            validator_s1_risk_ids=[*(risk.tuple_id for risk in facts.risks), *facts.structural_risk_ids],
            drop_reasons=facts.drop_reasons,
            explicit_aspect_count=facts.explicit_aspects,
        )
        shown = advisories_to_show(self.condition, advisories, language)[: self._settings.topk]
        exposed = self.condition.exposed_to_debate and (opened or not self._settings.gate)
        slot = build_slot_payload(
            self.condition,
            advisories,
            language=language,
            topk=self._settings.topk,
            warnings=warnings_of(advisories, blocked, language),
        )
        context = format_memory_context(shown) if exposed else ""
        record = self._record(retrieved, advisories, blocked, context, opened, reason)
        return MemorySlot(slot, context, record, exposed=exposed and bool(slot))

    def append_episode_if_needed(self, facts: SampleFacts, result: SampleResult) -> str | None:
        """Write the sample's episode if the condition allows it; return its id, or None."""
        if not self.condition.store_write:
            return None
        draft = build_episode(
            result,
            facts.analysis,
            RiskFindings.of(facts.risks, facts.flags),
            timestamp=self._now(),
            version=self._version,
            created_from_split=self._settings.created_from_split,
            moderator_summary=_moderator_summary(result),
        )
        if self._ledger.held is not None:
            self._ledger.held[facts.uid] = draft
            return None
        return self._write(facts.uid, draft)

    def _write(self, uid: str, draft: EpisodeDraftV1_1) -> str:
        episode_id = self._store.append(draft)
        self._ledger.own[uid] = self._ledger.own.get(uid, frozenset()) | {episode_id}
        return episode_id

    @property
    def epoch_size(self) -> int | None:
        """See ``MemorySettings.epoch_size``."""
        return self._settings.epoch_size

    def close(self) -> None:
        """Close the store."""
        if self._opened is not None:
            self._opened.close()

    def __enter__(self) -> EpisodicOrchestrator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _retrieve(self, facts: SampleFacts, as_of: int | None) -> list[Retrieved]:
        query = _query_of(facts)
        if self.condition.injection_source == "shuffled":
            other = self._ledger.visible.get(query.kind)
            self._ledger.asked[facts.uid] = query
            if self._ledger.held is None:
                self._publish(facts.uid)
                self._ledger.visible = self._ledger.latest
            if other is None or other.uid == facts.uid:
                return []
            query = other
        own = self._ledger.own.get(facts.uid, frozenset())
        return self._store.query(
            query.signature,
            query.symptoms,
            self._settings.topk,
            as_of,
            own,
            require_same_language=self._settings.require_same_language,
            require_structure_overlap=self._settings.require_structure_overlap,
        )

    def _publish(self, uid: str) -> None:
        query = self._ledger.asked.pop(uid, None)
        if query is not None:
            self._ledger.latest[query.kind] = query

    def _advise(
        self, retrieved: Sequence[Retrieved], facts: SampleFacts, as_of: int | None
    ) -> tuple[list[AdvisoryV1_1], BlockStatistics]:
        if self.condition.injection_mask:
            return [], BlockStatistics()
        scope = self._settings.opfb_scope
        return build_from_episodes(
            retrieved,
            language=facts.analysis.language,
            prohibit_dangerous=self._settings.prohibit_dangerous,
            opfb_scope_episodes=self._store.iterate(as_of) if scope == "store" else None,
            current_pairs=possible_pairs(facts.candidates) if scope == "current" else None,
        )

    def _record(
        self,
        retrieved: Sequence[Retrieved],
        advisories: Sequence[AdvisoryV1_1],
        blocked: BlockStatistics,
        context: str,
        opened: bool,
        reason: str,
    ) -> MemoryRecord:
        mode: MemoryMode = self.condition.memory_mode
        ids = [advisory.advisory_id for advisory in advisories]
        return MemoryRecord(
            condition=self.condition.name,
            memory_mode=mode,
            exposed_to_debate=self.condition.exposed_to_debate,
            prompt_injection_chars=len(context),
            retrieved_k=len(retrieved),
            retrieved_ids=[found.entry.episode_id for found in retrieved],
            advisory_ids=ids,
            principle_ids=[advisory.evidence.principle_id for advisory in advisories],
            advisory_types=[advisory.advisory_type for advisory in advisories],
            advisory_injection_gated=self._settings.gate and not opened,
            injection_trigger_reason=reason,
            injection_source=self.condition.injection_source,
            memory_blocked_episode_n=blocked.memory_blocked_episode_n,
            memory_blocked_advisory_n=blocked.memory_blocked_advisory_n,
            memory_downgraded_advisory_n=blocked.memory_downgraded_advisory_n,
            memory_unknown_principle_n=blocked.memory_unknown_principle_n,
            memory_block_reason=blocked.memory_block_reason,
            advisories_present=bool(context),
            advisories_ids=ids if context else [],
        )


def _moderator_summary(result: SampleResult) -> str:
    """Return the moderator's codes, or nothing if the text happens to contain the same words."""
    summary = "" if result.debate is None else result.debate.moderator.summary
    return "" if quotes(summary, result.text) else summary


def _query_of(facts: SampleFacts) -> _Query:
    signature = build_signature(facts.analysis, count_aspects(facts.candidates))
    return _Query(facts.uid, signature, symptoms_of(facts.risks, facts.flags, facts.analysis))
