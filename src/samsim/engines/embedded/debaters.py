"""The three personas of the debate, each with its own focus, and the judge who closes it (spec 3 §3).

EPM reads the evidence again and maps it to a polarity; TAN checks targets and refs; CJ checks whether
the tuples are consistent with each other and with the proposals. As with the reviewers, advice from memory
makes them look where they otherwise would not, and leave open what failed in similar cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from samsim.engines.embedded.case import Case, gather_all_cases
from samsim.engines.embedded.extraction import Extraction
from samsim.engines.embedded.refs import assign_ref
from samsim.engines.embedded.reviewers import (
    has_doubtful_term,
    has_no_place,
    holds_back,
    repeats_lower,
    seems_to_repeat_lower,
)
from samsim.engines.interface import DebateInputs
from samsim.memory.advice import advice_in
from samsim.rules.candidates import normalise_term
from samsim.rules.debate_signals import LastWords
from samsim.rules.evidence import EvidenceReader
from samsim.rules.validator import WORDS_ABSENT
from samsim.schemas.analysis import Language
from samsim.schemas.protocol_conflict_review import Candidate, RiskType
from samsim.schemas.protocol_debate import (
    DebateTurnSchema,
    Edit,
    JudgeSchema,
    Persona,
    ProposedEditItem,
    UnresolvedItem,
)

# A persona's confidence in its own field, in another persona's field, and in a mere confirmation.
_OWN_FIELD = 0.9
_OTHER_FIELD = 0.7
_CONFIRMED = 0.6
REASONS_TO_DROP: frozenset[RiskType] = WORDS_ABSENT | {"OPINION_AS_TARGET"}
# What an edit changes, in the terms of an episode.
_CHANGES: Mapping[str, Literal["FLIP", "DROP"]] = {
    "set_polarity": "FLIP",
    "drop_tuple": "DROP",
    "merge_tuples": "DROP",
}
_OPEN_ISSUES: Mapping[Language, str] = {
    "ko": "본문만으로는 정해지지 않음",
    "en": "the text alone does not settle it",
}
_RATIONALES: Mapping[Language, str] = {
    "ko": "근거가 본문에 있고 반대보다 찬성이 큰 수정만 반영함.",
    "en": "Only edits with evidence in the text and more support than opposition are accepted.",
}


def take_turn(persona: Persona, inputs: DebateInputs) -> DebateTurnSchema:
    """Return the edits that one persona proposes."""
    debater = _Debater(inputs)
    lens = _LENSES[persona]
    edits = [
        edit for case in gather_all_cases(inputs) for edit in lens(debater, case) if not debater.holds_back(case, edit)
    ]
    return DebateTurnSchema(proposed_edits=edits)


class _Debater:
    """What all personas of one turn share."""

    def __init__(self, inputs: DebateInputs) -> None:
        self._inputs = inputs
        self._evidence = EvidenceReader(inputs.analysis)
        self._advice = advice_in(inputs.memory_slot)
        self._proposed: dict[str, list[Edit]] = {}
        for edit in LastWords(inputs.turns).edits:
            self._proposed.setdefault(edit.target_tuple_id, []).append(edit)
        self._ironic = {risk.tuple_id for risk in inputs.structural_risks if risk.risk_type == "irony"}
        self._originals: dict[tuple[object, ...], Candidate] = {}
        for candidate in inputs.candidates:
            self._originals.setdefault(_words_and_place(candidate), candidate)

    def map_evidence(self, case: Case) -> Iterator[ProposedEditItem]:
        """Yield EPM's edits: do the words, read in their sentence, express this polarity?"""
        if case.contradiction:
            yield self._edit(case, "set_polarity", case.contradiction, _OWN_FIELD)
        elif case.is_disputed_neutral and case.reading is not None:
            yield self._edit(case, "set_polarity", case.reading, _OTHER_FIELD)
        elif case.reading == case.candidate.polarity:
            yield self._edit(case, "confirm_tuple", "", _CONFIRMED)

    def normalise_target(self, case: Case) -> Iterator[ProposedEditItem]:
        """Yield TAN's edits: is this the thing being evaluated, under the right ref, and only once?"""
        if case.risks.keys() & REASONS_TO_DROP:
            yield self._edit(case, "drop_tuple", "", _OWN_FIELD)
        elif "INVALID_REF" in case.risks:
            yield from self._another_ref(case)
        elif repeats_lower(case, self._advice):
            yield self._edit(case, "merge_tuples", case.lower[0].tuple_id, _OWN_FIELD)
        elif (original := self._repeated_by(case.candidate)) is not None:
            yield self._edit(case, "merge_tuples", original.tuple_id, _OWN_FIELD)

    def judge_consistency(self, case: Case) -> Iterator[ProposedEditItem]:
        """Yield CJ's edits: is it consistent with the other tuples, its sentence and the proposals?"""
        ironic = case.candidate.tuple_id in self._ironic
        if case.contradiction and (case.rivals or case.is_negated or case.risks or ironic):
            yield self._edit(case, "set_polarity", case.contradiction, _OTHER_FIELD)
            return
        proposed = self._proposed.get(case.candidate.tuple_id, ())
        seconded = next((edit for edit in proposed if _agrees(edit, case)), None)
        if seconded is not None:
            yield self._edit(case, seconded.op, seconded.value, _OTHER_FIELD)
        elif not self._is_open(case) and not case.contradiction:
            yield self._edit(case, "confirm_tuple", "", _CONFIRMED)

    def holds_back(self, case: Case, edit: ProposedEditItem) -> bool:
        """Return whether advice warns against such an edit."""
        change = _CHANGES.get(edit.op)
        return change is not None and holds_back(self._advice, change, case)

    def open_issues(self) -> list[UnresolvedItem]:
        """Return what the judge leaves open: one-sided contrasts, and checked advice that the text cannot settle."""
        issue = _OPEN_ISSUES[self._inputs.analysis.language]
        changed = {name for name, edits in self._proposed.items() if any(edit.op != "confirm_tuple" for edit in edits)}
        return [
            UnresolvedItem(tuple_ids=[case.candidate.tuple_id], issue=issue)
            for case in gather_all_cases(self._inputs)
            if self._is_open(case) and case.candidate.tuple_id not in changed
        ]

    def _is_open(self, case: Case) -> bool:
        looks = self._advice.looks
        return (
            case.risks.get("CONTRAST_SCOPE") == "mid"
            or ("contrast_sides" in looks and "CONTRAST_SCOPE" in case.risks)
            or ("negation_scope" in looks and case.stands_in_negation and not case.words)
            or ("implicit_justified" in looks and case.is_implicit and not case.words)
            or ("literal_evidence" in looks and not case.is_implicit and not case.words and bool(case.risks))
            or ("term_in_text" in looks and bool(case.risks) and has_doubtful_term(case))
            or seems_to_repeat_lower(case, self._advice)
            or self._is_held_back(case)
        )

    def _is_held_back(self, case: Case) -> bool:
        """Return whether a persona would change the tuple if there were no warning."""
        if not self._advice.failures:
            return False
        edits = (*self.map_evidence(case), *self.normalise_target(case))
        return any(self.holds_back(case, edit) for edit in edits)

    def _another_ref(self, case: Case) -> Iterator[ProposedEditItem]:
        candidate = case.candidate
        region = self._evidence.region_of(candidate)
        opinion = (region.start, region.end) if region is not None else (0, 0)
        target = (candidate.span.start, candidate.span.end) if candidate.span is not None else None
        found = Extraction(
            target, opinion, candidate.opinion_term, candidate.polarity, candidate.confidence, "", attribute="general"
        )
        ref = assign_ref(found, self._inputs.analysis, self._inputs.taxonomy)
        if ref and target is not None:
            yield self._edit(case, "set_aspect_ref", ref, _OWN_FIELD)
        elif has_no_place(case, self._advice):
            yield self._edit(case, "drop_tuple", "", _OTHER_FIELD)

    def _repeated_by(self, candidate: Candidate) -> Candidate | None:
        """Return the first tuple with the same words, position and polarity under any ref, unless it is this one."""
        original = self._originals[_words_and_place(candidate)]
        return None if original.tuple_id == candidate.tuple_id else original

    def _edit(self, case: Case, op: str, value: str, confidence: float) -> ProposedEditItem:
        return ProposedEditItem(
            op=op,
            target_tuple_id=case.candidate.tuple_id,
            value=value,
            evidence=self._quote(case.candidate),
            confidence=confidence,
        )

    def _quote(self, candidate: Candidate) -> str:
        """Return the tuple's words as they occur in the text, or nothing if they do not."""
        region = self._evidence.region_of(candidate)
        return self._inputs.analysis.text[region.start : region.end] if region is not None else ""


def _agrees(edit: Edit, case: Case) -> bool:
    """Return whether CJ supports another persona's proposal for this tuple."""
    if edit.op == "merge_tuples":
        return True
    if edit.op == "drop_tuple":
        return bool(case.risks.keys() & (REASONS_TO_DROP | {"INVALID_REF"}))
    return edit.op == "set_aspect_ref" and "INVALID_REF" in case.risks


def _words_and_place(candidate: Candidate) -> tuple[object, ...]:
    return (
        candidate.span,
        normalise_term(candidate.aspect_term),
        normalise_term(candidate.opinion_term),
        candidate.evidence,
        candidate.polarity,
    )


_LENSES: Mapping[Persona, Callable[[_Debater, Case], Iterator[ProposedEditItem]]] = {
    "EPM": _Debater.map_evidence,
    "TAN": _Debater.normalise_target,
    "CJ": _Debater.judge_consistency,
}


def close_debate(inputs: DebateInputs) -> JudgeSchema:
    """Return the judge's verdict: per tuple, the change with the most support, if more speaks for it than against."""
    words = LastWords(inputs.turns)
    best: dict[str, tuple[float, ProposedEditItem]] = {}
    for edit in words.edits:
        signal = words.signal_of(edit)
        known = best.get(edit.target_tuple_id)
        if edit.op != "confirm_tuple" and signal.margin > (known[0] if known is not None else 0.0):
            item = ProposedEditItem(**{**dict(edit), "confidence": signal.mean_support})
            best[edit.target_tuple_id] = signal.margin, item
    patch = [item for _, item in best.values()]
    unresolved = _Debater(inputs).open_issues()
    rationale = _RATIONALES[inputs.analysis.language] if patch or unresolved else ""
    return JudgeSchema(final_patch=patch, unresolved_conflicts=unresolved, rationale=rationale)
