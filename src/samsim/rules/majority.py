"""Majority vote over several draws of the same question: a statement stays if more than half of them made it.

Only draws that answered count: a failed call is not a vote against anything. Exactly half is not enough,
so if an even number of draws is split, neither side stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from samsim.rules.candidates import normalise_term
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.results import FinalTuple

CandidateT = TypeVar("CandidateT", bound=Candidate)
_Statement = tuple[str, str, str]


def keep_majority(candidates: Sequence[Candidate], draws: int) -> list[Candidate]:
    """Return the candidates of statements (ref, term, polarity) that more than half of the answered draws made.

    A statement keeps the opinion terms that more than half of the draws gave, or, if there are none, the most
    frequent one (the first on a tie).
    """
    by_statement: dict[_Statement, list[Candidate]] = {}
    for candidate in candidates:
        by_statement.setdefault(_statement(candidate), []).append(candidate)
    opinions = {
        statement: _opinions(members, draws)
        for statement, members in by_statement.items()
        if 2 * _draws_among(members) > draws
    }
    return [
        candidate
        for candidate in candidates
        if normalise_term(candidate.opinion_term) in opinions.get(_statement(candidate), frozenset())
    ]


def voters_of(candidates: Sequence[Candidate], finals: Sequence[FinalTuple]) -> list[list[str]]:
    """Return, for each final statement, the draws that made it, in order, whatever opinion they gave for it."""
    voters: dict[_Statement, dict[str, None]] = {}
    for candidate in candidates:
        voters.setdefault(_statement(candidate), {})[candidate.origin_agent] = None
    return [list(voters.get(_statement(final), ())) for final in finals]


def first_of_equals(candidates: Sequence[CandidateT]) -> list[CandidateT]:
    """Return each statement with each of its opinions once, however many draws gave it."""
    seen: dict[tuple[_Statement, str], CandidateT] = {}
    for candidate in candidates:
        seen.setdefault((_statement(candidate), normalise_term(candidate.opinion_term)), candidate)
    return list(seen.values())


def _statement(claim: Candidate | FinalTuple) -> _Statement:
    return claim.aspect_ref, normalise_term(claim.aspect_term), claim.polarity


def _draws_among(members: Sequence[Candidate]) -> int:
    return len({member.origin_agent for member in members})


def _opinions(members: Sequence[Candidate], draws: int) -> frozenset[str]:
    by_opinion: dict[str, list[Candidate]] = {}
    for member in members:
        by_opinion.setdefault(normalise_term(member.opinion_term), []).append(member)
    counts = {opinion: _draws_among(those) for opinion, those in by_opinion.items()}
    usual = frozenset(opinion for opinion, count in counts.items() if 2 * count > draws)
    return usual or frozenset({max(counts, key=counts.__getitem__)})
