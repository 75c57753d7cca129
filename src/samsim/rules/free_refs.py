"""Refs of a free taxonomy: each agent names them as it likes, and one finding is still one finding.

Tuples on the same term that give the same opinion or the same ref speak of the same thing, directly or by way
of another tuple. They are compared and collapsed under one ref: the one that most of them have, the first of
several. Without a named term the opinion must stand in the same evidence: "good" may be said of two things.
What each agent said stays in its own tuple, so a perspective alone is measured by its own refs.
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
    """The candidates, those of one finding under one ref where refs are free; as they are in a closed taxonomy."""
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
    """Return the places of candidates that share a mark with one another, each group in order."""
    group_of: list[list[int]] = []
    by_mark: dict[_Mark, int] = {}
    for number, candidate in enumerate(candidates):
        group_of.append([number])
        for mark in _marks(candidate):
            _join(group_of, by_mark.setdefault(mark, number), number)
    return [sorted(group) for group in {id(group): group for group in group_of}.values()]


def _join(group_of: list[list[int]], left: int, right: int) -> None:
    """Make one group of two; the smaller one moves, so that many equal candidates stay cheap."""
    larger, smaller = sorted((group_of[left], group_of[right]), key=len, reverse=True)
    if larger is not smaller:
        larger += smaller
        for member in smaller:
            group_of[member] = larger


def _marks(candidate: Candidate) -> Iterator[_Mark]:
    """Yield what the tuples of one finding have in common: any of these."""
    term, opinion = normalise_term(candidate.aspect_term), normalise_term(candidate.opinion_term)
    if term and candidate.aspect_ref:
        yield "ref", term, candidate.aspect_ref
    if opinion and term:
        yield "opinion", term, opinion
    elif opinion and candidate.evidence:
        yield "evidence", normalise_term(candidate.evidence), opinion
