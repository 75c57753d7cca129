"""Refs of a free taxonomy: each agent picks its own names, but one finding must stay one finding.

Tuples on the same term with the same opinion or the same ref belong together, directly or through another
tuple. They are compared and collapsed under their most frequent ref, the first one on a tie. If no term is
named, the opinion must come from the same evidence, because "good" may be said of two things. Each agent's
tuples keep their own refs, so a single perspective is measured by its own refs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from samsim.rules.candidates import normalise_term
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.taxonomy import Taxonomy

CandidateT = TypeVar("CandidateT", bound=Candidate)
_Mark = tuple[str, ...]


def under_shared_refs(candidates: Sequence[CandidateT], taxonomy: Taxonomy) -> Sequence[CandidateT]:
    """Return the candidates, with one ref per finding if refs are free; unchanged for a closed taxonomy."""
    if not taxonomy.is_free:
        return candidates
    shared: dict[int, str] = {}
    for group in _findings(candidates):
        refs = Counter(ref for number in group if (ref := candidates[number].aspect_ref))
        if refs:
            shared.update(dict.fromkeys(group, refs.most_common(1)[0][0]))
    return [
        candidate
        if shared.get(number, candidate.aspect_ref) == candidate.aspect_ref
        else candidate.model_copy(update={"aspect_ref": shared[number]})
        for number, candidate in enumerate(candidates)
    ]


def _findings(candidates: Sequence[Candidate]) -> list[list[int]]:
    """Return the indices of candidates that share a mark with one another, each group in order."""
    group_of: list[list[int]] = []
    by_mark: dict[_Mark, int] = {}
    for number, candidate in enumerate(candidates):
        group_of.append([number])
        for mark in _marks(candidate):
            _join(group_of, by_mark.setdefault(mark, number), number)
    return [sorted(group) for group in {id(group): group for group in group_of}.values()]


def _join(group_of: list[list[int]], left: int, right: int) -> None:
    """Merge two groups; the smaller one is moved, which keeps many equal candidates cheap."""
    larger, smaller = sorted((group_of[left], group_of[right]), key=len, reverse=True)
    if larger is not smaller:
        larger += smaller
        for member in smaller:
            group_of[member] = larger


def _marks(candidate: Candidate) -> Iterator[_Mark]:
    """Yield the marks of a candidate; candidates that share any of them belong to one finding."""
    term, opinion = normalise_term(candidate.aspect_term), normalise_term(candidate.opinion_term)
    if term and candidate.aspect_ref:
        yield "ref", term, candidate.aspect_ref
    if opinion and term:
        yield "opinion", term, opinion
    elif opinion and candidate.evidence:
        yield "evidence", normalise_term(candidate.evidence), opinion
