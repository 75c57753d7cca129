"""One sample of one run as the page's browser needs it: short lists without names, in a fixed order.

``templates/detail.js`` reads these lists by position; empty ones are left out. Everything that does not
depend on the run (text, gold) is kept once, as a *base*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from samsim.experiments.artefacts import RunSample
from samsim.metrics.family_scores import sample_f1
from samsim.metrics.samples import JudgedSample, judged
from samsim.metrics.systems import final_triplets
from samsim.metrics.tuples import Key, comparable, count, key_of, primary_family
from samsim.rules.decided import CHANGING, decisions_of, was_reviewed
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import ArbiterDecision, Candidate, Span
from samsim.schemas.protocol_debate import DebateRecord
from samsim.schemas.results import FinalTuple, MemoryRecord, SampleResult
from samsim.schemas.scorecards import Family, GoldRecord, Scorecard

NO_MATCH, PART_MATCH, MATCH = 0, 1, 2
_POLARITY_NUMBER = {name: number for number, name in enumerate(POLARITIES)}


class BrowsedSample:
    """A sample with its gold, if there is any, in the form the page shows."""

    def __init__(self, sample: RunSample, gold_fields: Collection[str]) -> None:
        self.sample = sample
        self.judged: JudgedSample | None = judged(sample, gold_fields)
        self.family: Family | None = None if self.judged is None else primary_family(self.judged.keys)

    @property
    def text(self) -> str | None:
        """The text; None if the sample failed."""
        return None if self.sample.result is None else self.sample.result.text

    def base(self) -> list[Any]:
        """Return the data that does not depend on the run: language, gold (None without any), tags."""
        card, result = self.sample.card, self.sample.result
        gold = None if card is None or card.gold is None else [_gold(item) for item in card.gold]
        return ["" if result is None else result.language, gold, [] if card is None else list(card.tags)]

    def labels(self) -> list[str]:
        """Return the labels for filtering, as ``kind:value``."""
        return [*self._states(), *self._facets()]

    def detail(self) -> dict[str, Any]:
        """Return everything that was found, voted on and decided."""
        result, card = self.sample.result, self.sample.card
        if result is None:
            return _filled({"x": self.sample.error, "u": _usage(card)})
        right = self._right()
        return _filled(
            {
                "st": [name for name in result.structure if name != "none"],
                "s1": list(self._stage1(result, right)),
                "cf": [[f.conflict_type, f.aspect_ref, f.aspect_term, f.tuple_ids] for f in result.conflict_flags],
                "vr": [[risk.tuple_id, risk.risk_type, risk.severity] for risk in result.validator_risks],
                "v": [_decision(decision) for decision in result.arbiter_decisions],
                "rf": [[r.actor, r.tuple_id, r.reason, r.claimed_action] for r in result.refusals],
                "f": [_final(item, right, self.family) for item in result.final_tuples],
                "g": self._found_gold(),
                "e": _evaluation(result),
                "m": None if result.memory is None else _memory(result.memory),
                "c": [[c.agent, c.stage, c.problem, len(c.rejected)] for c in result.calls if c.problem or c.rejected],
                "d": None if result.debate is None else _debate(result.debate),
                "u": _usage(card),
            }
        )

    def _right(self) -> frozenset[Key] | None:
        if self.judged is None or self.family is None:
            return None
        return self.judged.keys[self.family].gold

    def _stage1(self, result: SampleResult, right: frozenset[Key] | None) -> Iterator[list[Any]]:
        marks: Sequence[int | None] = [None] * len(result.stage1_tuples)
        if right is not None and self.judged is not None and self.family is not None:
            family = self.family
            marks = [MATCH if key_of(item, family) in right else NO_MATCH for item in self.judged.tuples.stage1]
        for candidate, mark in zip(result.stage1_tuples, marks, strict=True):
            yield _candidate(candidate, mark)

    def _found_gold(self) -> list[int] | None:
        """Return a number per gold tuple: 1 found by Stage 1, 2 found finally, 3 both, 0 neither."""
        if self.judged is None or self.family is None:
            return None
        keys = self.judged.keys[self.family]
        found = [key_of(item, self.family) for item in self.judged.tuples.gold]
        return [(key in keys.stage1) + 2 * (key in keys.final) for key in found]

    def _states(self) -> Iterator[str]:
        result = self.sample.result
        if result is None:
            yield "state:error"
            return
        if result.completeness == "partial":
            yield "state:partial"
        if result.conflict_flags or result.validator_risks:
            yield "state:flagged"
        if was_reviewed(result):
            yield "state:reviewed"
        changed = any(decision.effect in CHANGING for decision in decisions_of(result))
        if changed:
            yield "state:changed"
        if result.memory is not None and result.memory.advisories_present:
            yield "state:advised"
        if self.judged is not None and self.family is not None:
            keys = self.judged.keys[self.family]
            before, after = (sample_f1(count(keys.of(stage), keys.gold)) for stage in ("stage1", "final"))
            yield "state:right" if keys.final == keys.gold else "state:wrong"
            if changed and before != after:
                yield "state:helped" if after > before else "state:harmed"

    def _facets(self) -> Iterator[str]:
        result, card = self.sample.result, self.sample.card
        gold = card.gold if card is not None and card.gold is not None else []
        found = result.final_tuples if result is not None else []
        polarities = {item.polarity for item in gold} | {item.polarity for item in found}
        yield from (f"polarity:{name}" for name in POLARITIES if name in polarities)
        if not all([*(item.aspect_term for item in gold), *(item.aspect_term for item in found)]):
            yield "subset:implicit"
        if len({(item.aspect_term, item.aspect_ref) for item in gold or found}) > 1:
            yield "subset:multi"
        if len({item.polarity for item in gold or found}) > 1:
            yield "subset:polarities"
        if result is None:
            return
        if result.conflict_flags:
            yield "subset:conflict"
        yield from (f"subset:{name}" for name in result.structure if name != "none")
        yield f"language:{result.language}"
        yield from (f"rule:{rule}" for rule in dict.fromkeys(decision.rule for decision in decisions_of(result)))


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [], {}, "")}


def _span(span: Span | None) -> list[int]:
    return [-1, -1] if span is None else [span.start, span.end]


def _gold(item: GoldRecord) -> list[Any]:
    polarity = _POLARITY_NUMBER[item.polarity]
    return [item.aspect_term, item.aspect_ref, item.opinion_term, polarity, *_span(item.span)]


def _candidate(item: Candidate, mark: int | None) -> list[Any]:
    polarity, sure = _POLARITY_NUMBER[item.polarity], round(item.confidence, 2)
    named = [item.tuple_id, item.origin_agent, item.aspect_term, item.aspect_ref, item.opinion_term, polarity]
    return [*named, *_span(item.span), item.evidence, sure, mark]


def _final(item: FinalTuple, right: frozenset[Key] | None, family: Family | None) -> list[Any]:
    mark = None
    if right is not None and family is not None:
        hits = [key_of(triplet, family) in right for triplet in comparable(final_triplets([item]))]
        mark = MATCH if all(hits) else PART_MATCH if any(hits) else NO_MATCH
    opinions = item.opinion_terms or [item.opinion_term]
    named = [item.aspect_term, item.aspect_ref, opinions, _POLARITY_NUMBER[item.polarity], *_span(item.span)]
    reasons = item.flag_reasons if item.flagged else None
    return [*named, item.evidence, round(item.confidence, 2), mark, item.tuple_ids, item.support, reasons]


def _decision(decision: ArbiterDecision) -> list[Any]:
    votes = {
        agent: [vote.action, vote.reason_code or "", vote.polarity or "", int(vote.counted_as != vote.action)]
        for agent, vote in decision.votes.items()
    }
    value = (decision.new_value or {}).get("polarity") or (decision.new_value or {}).get("normalized_ref") or ""
    decided = [decision.tuple_id, decision.action, decision.reason_code or "", value, decision.rule]
    return [*decided, votes, decision.implicit, decision.dissent, decision.conflict_types]


def _evaluation(result: SampleResult) -> list[Any] | None:
    found = result.evaluation
    if found is None:
        return None
    was, now = found.risk_before, found.risk_after
    overridden = (found.override_applied, found.override_success, found.override_harm)
    return [was.severity_sum, now.severity_sum, list(was.tags), list(now.tags), *map(int, overridden)]


def _memory(record: MemoryRecord) -> list[Any]:
    return [
        record.condition,
        record.retrieved_ids,
        [[advisory, principle] for advisory, principle in _advice(record)],
        record.advisories_ids,
        int(record.advisory_injection_gated),
        record.injection_trigger_reason,
        record.prompt_injection_chars,
        record.episode_id,
        record.memory_block_reason,
        record.injection_source,
    ]


def _advice(record: MemoryRecord) -> Iterator[tuple[str, str]]:
    """Return the advisories with their principles, which old records lack."""
    known = dict(zip(record.advisory_ids, record.principle_ids, strict=False))
    return ((advisory, known.get(advisory, "")) for advisory in record.advisory_ids)


def _usage(card: Scorecard | None) -> list[Any] | None:
    if card is None:
        return None
    used = card.usage
    counts = [used.calls, used.cached_calls, used.failed_calls, used.input_tokens, used.output_tokens]
    return [*counts, used.cost, round(used.seconds, 3)]


def _debate(record: DebateRecord) -> dict[str, Any]:
    judge, stage2, ev = record.judge, record.stage2, record.ev
    return _filled(
        {
            "as": [[aspect.term, *_span(aspect.span)] for aspect in record.aspects],
            "dr": [[drop.agent, drop.aspect_term, drop.reason] for drop in record.drops],
            "sr": [
                [risk.tuple_id, risk.risk_type, risk.severity, risk.description] for risk in record.structural_risks
            ],
            "cp": [
                [proposal.tuple_id, proposal.op, proposal.value, proposal.rationale]
                for proposal in record.correction_proposals
            ],
            "t": [
                [turn.persona, turn.round, int(turn.answered), [_edit(edit) for edit in turn.proposed_edits]]
                for turn in record.turns
            ],
            "j": None
            if judge is None
            else [
                int(judge.answered),
                [[patch.change_id, *_edit(patch)] for patch in judge.final_patch],
                [[conflict.tuple_ids, conflict.issue] for conflict in judge.unresolved_conflicts],
                judge.rationale,
            ],
            "s2": None
            if stage2 is None
            else [
                int(stage2.answered),
                [[change.change_id, change.reasoning] for change in stage2.accepted_changes],
                [[change.change_id, change.reason, change.reasoning] for change in stage2.rejected_changes],
            ],
            "rf": [[refusal.actor, refusal.target_tuple_id, refusal.reason, refusal.op] for refusal in record.refusals],
            "o": [
                [
                    override.change_id,
                    override.op,
                    override.target_tuple_id,
                    override.value,
                    int(override.applied),
                    override.skip_reason or "",
                    round(override.signal.support, 3),
                    round(override.signal.against, 3),
                ]
                for override in record.overrides
            ],
            "op": record.override_profile,
            "ev": None if ev is None else [round(ev.total, 3), ev.threshold, int(ev.passed)],
            "mo": [
                record.moderator.label,
                round(record.moderator.confidence, 3),
                record.moderator.stage,
                record.moderator.rules,
            ],
        }
    )


def _edit(edit: Any) -> list[Any]:
    return [edit.op, edit.target_tuple_id, edit.value, edit.evidence, round(edit.confidence, 2)]
