"""Everything that a reviewer needs to know about a flagged tuple, gathered once per review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from samsim.engines.interface import DebateInputs, ReviewInputs, Stage2Inputs
from samsim.rules.candidates import normalise_term
from samsim.rules.evidence import EvidenceReader
from samsim.schemas.analysis import PolarityWord
from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import Candidate, ConflictType, RiskType, Severity

_OPPOSITES: Mapping[PolarityName, PolarityName] = {"positive": "negative", "negative": "positive"}


@dataclass(frozen=True, slots=True)
class Case:
    """One tuple under review: its risks, its evidence and its rivals.

    ``said`` is what the words of its evidence say in their sentence. ``conflicts`` are the kinds of flags it
    is in, ``rivals`` the other tuples of its polarity conflicts, ``lower`` the tuples of lower entities in
    the same granularity flag (empty unless this is the upper tuple). ``term_stands`` says that its term
    occurs in the text as whole words, or that it has no term.
    """

    candidate: Candidate
    risks: dict[RiskType, Severity]
    words: Sequence[PolarityWord]
    said: frozenset[PolarityName]
    stands_in_negation: bool
    rivals: Sequence[Candidate]
    lower: Sequence[Candidate]
    conflicts: frozenset[ConflictType] = frozenset()
    term_stands: bool = True

    @property
    def is_implicit(self) -> bool:
        """Whether the text does not name the aspect."""
        return not self.candidate.aspect_term

    @property
    def reading(self) -> PolarityName | None:
        """The polarity that the evaluating words of the evidence express, or None if they are silent or disagree."""
        return next(iter(self.said)) if len(self.said) == 1 else None

    @property
    def contradiction(self) -> PolarityName | None:
        """The opposite polarity if all evaluating words of the evidence express it, else None."""
        opposite = _OPPOSITES.get(self.candidate.polarity)
        return opposite if self.reading == opposite else None

    @property
    def is_disputed_neutral(self) -> bool:
        """Whether the tuple is neutral, but a rival on the same words is not, and the words support the rival."""
        decided = self.reading is not None and self.reading != "neutral"
        return self.candidate.polarity == "neutral" and decided and bool(self.rivals_on_same_target)

    @property
    def is_negated(self) -> bool:
        """Whether a negation governs a word of the evidence."""
        return any(word.negated for word in self.words)

    @property
    def doubts(self) -> frozenset[str]:
        """All kinds of risks and flags about the tuple."""
        return self.conflicts | self.risks.keys()

    @property
    def rivals_on_same_target(self) -> list[Candidate]:
        """The rivals about the same words, not just the same ref."""
        return [
            rival
            for rival in self.rivals
            if rival.span == self.candidate.span
            and normalise_term(rival.aspect_term) == normalise_term(self.candidate.aspect_term)
        ]


def gather_cases(inputs: ReviewInputs) -> Iterator[Case]:
    """Yield one case per tuple that has a flag or a risk, in candidate order."""
    for case, doubted in _gather(inputs):
        if doubted:
            yield case


def gather_all_cases(inputs: DebateInputs | Stage2Inputs) -> Iterator[Case]:
    """Yield one case per tuple, with or without risks, in candidate order."""
    for case, _ in _gather(inputs):
        yield case


def _gather(inputs: ReviewInputs | DebateInputs | Stage2Inputs) -> Iterator[tuple[Case, bool]]:
    evidence = EvidenceReader(inputs.analysis)
    by_id = {candidate.tuple_id: candidate for candidate in inputs.candidates}
    risks: dict[str, dict[RiskType, Severity]] = {}
    for risk in inputs.validator_risks:
        risks.setdefault(risk.tuple_id, {})[risk.risk_type] = risk.severity
    flags_of: dict[str, list[int]] = {}
    for number, flag in enumerate(inputs.conflict_flags):
        for tuple_id in flag.tuple_ids:
            flags_of.setdefault(tuple_id, []).append(number)
    members = [[by_id[i] for i in flag.tuple_ids if i in by_id] for flag in inputs.conflict_flags]
    for candidate in inputs.candidates:
        numbers = flags_of.get(candidate.tuple_id, [])
        flags = [(inputs.conflict_flags[number], members[number]) for number in numbers]
        rivals = [
            other
            for flag, group in flags
            if flag.conflict_type != "granularity_overlap_candidate"
            for other in group
            if other.polarity != candidate.polarity
        ]
        lower = [
            other
            for flag, group in flags
            if flag.conflict_type == "granularity_overlap_candidate" and flag.aspect_ref == candidate.aspect_ref
            for other in group
            if other.aspect_ref != candidate.aspect_ref
        ]
        words = evidence.words_of(candidate)
        case = Case(
            candidate=candidate,
            risks=risks.get(candidate.tuple_id, {}),
            words=words,
            said=frozenset(map(evidence.said_by, words)),
            stands_in_negation=evidence.stands_in_negation(candidate),
            rivals=rivals,
            lower=lower,
            conflicts=frozenset(flag.conflict_type for flag, _ in flags),
            term_stands=not candidate.aspect_term or evidence.stands_as_words(candidate.span),
        )
        yield case, bool(numbers) or candidate.tuple_id in risks
