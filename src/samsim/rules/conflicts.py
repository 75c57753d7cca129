"""Conflict flags: which tuples contradict or duplicate each other (seed 000 §4, seed 002, spec 1).

There are four types, always in this order: polarity mismatch on a ref, polarity mismatch on a term
without a ref, semantic candidates, granularity overlaps. Within a type, flags come by first appearance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from typing import Any, Literal, get_args

from samsim.errors import ContractError
from samsim.rules.candidates import normalise_term
from samsim.schemas.polarity import POLARITIES, PolarityName, canonical_polarity
from samsim.schemas.protocol_conflict_review import Candidate, ConflictFlag
from samsim.schemas.taxonomy import Taxonomy, as_taxonomy

ConflictMode = Literal["primary_secondary", "primary"]
Similarity = Callable[[str, str], float]
SEMANTIC_THETA = 0.6
_OPPOSITE = frozenset({"positive", "negative"})


@dataclass(frozen=True, slots=True)
class _Row:
    """The fields of a candidate that conflicts depend on."""

    tuple_id: str
    term: str
    ref: str
    polarity: PolarityName


def compute_conflict_flags(
    candidates: Iterable[Candidate | Mapping[str, Any]],
    conflict_mode: ConflictMode = "primary_secondary",
    semantic_conflict_enabled: bool = False,
    *,
    granularity: bool = True,
    taxonomy: Taxonomy | str | None = None,
    semantic_theta: float = SEMANTIC_THETA,
    similarity: Similarity | None = None,
) -> list[ConflictFlag]:
    """Return a flag for every conflict among the candidates; plain dicts of the same shape are accepted.

    ``taxonomy`` normalizes refs and names the upper entity; None is the default one (NIKL 2022).
    ``similarity`` replaces the built-in measure of how similarly two terms are written.
    """
    if conflict_mode not in get_args(ConflictMode):
        raise ContractError(f"Unknown conflict_mode {conflict_mode!r}: use one of {', '.join(get_args(ConflictMode))}.")
    known = as_taxonomy(taxonomy)
    rows = [_as_row(candidate, known) for candidate in candidates]
    flags = _ref_mismatches(rows)
    if conflict_mode == "primary_secondary":
        flags += _term_mismatches(rows)
    if semantic_conflict_enabled:
        flags += _semantic_candidates(rows, semantic_theta, similarity)
    if granularity and known.upper_entity is not None:
        flags += _granularity_overlaps(rows, known)
    return flags


def surface_similarity(left: str, right: str) -> float:
    """Return how similarly two terms are written, from 0 to 1: 2 · matching characters / all characters."""
    a, b = sorted((normalise_term(left), normalise_term(right)))  # the matcher is not symmetric
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _as_row(candidate: Candidate | Mapping[str, Any], taxonomy: Taxonomy) -> _Row:
    def read(name: str) -> Any:
        return candidate.get(name) if isinstance(candidate, Mapping) else getattr(candidate, name)

    polarity = canonical_polarity(read("polarity"))
    if polarity is None:
        raise ContractError(f"Unknown polarity {read('polarity')!r}: use one of {', '.join(POLARITIES)}.")
    return _Row(
        tuple_id=read("tuple_id"),
        term=(read("aspect_term") or "").strip(),
        ref=taxonomy.normalise(read("aspect_ref") or ""),
        polarity=polarity,
    )


def _group(rows: Iterable[_Row], key: Callable[[_Row], Any]) -> dict[Any, list[_Row]]:
    groups: dict[Any, list[_Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _ids(rows: Iterable[_Row]) -> list[str]:
    return [row.tuple_id for row in rows]


def _disagree(rows: Sequence[_Row]) -> bool:
    return len({row.polarity for row in rows}) >= 2


def _ref_mismatches(rows: Sequence[_Row]) -> list[ConflictFlag]:
    groups = _group((row for row in rows if row.ref), lambda row: row.ref)
    return [
        ConflictFlag(
            aspect_ref=ref, aspect_term=group[0].term, tuple_ids=_ids(group), conflict_type="ref_polarity_mismatch"
        )
        for ref, group in groups.items()
        if _disagree(group)
    ]


def _term_mismatches(rows: Sequence[_Row]) -> list[ConflictFlag]:
    groups = _group((row for row in rows if not row.ref and row.term), lambda row: normalise_term(row.term))
    return [
        ConflictFlag(aspect_term=group[0].term, tuple_ids=_ids(group), conflict_type="term_polarity_mismatch")
        for group in groups.values()
        if _disagree(group)
    ]


def _semantic_candidates(rows: Sequence[_Row], theta: float, similarity: Similarity | None) -> list[ConflictFlag]:
    flags = []
    opposed = (row for row in rows if row.ref and row.term and row.polarity in _OPPOSITE)
    for ref, group in _group(opposed, lambda row: row.ref).items():
        place = {id(row): number for number, row in enumerate(group)}
        for left, right in combinations(_terms_of(group), 2):
            if len(left.polarities | right.polarities) < len(_OPPOSITE) or not left.is_like(right, theta, similarity):
                continue
            members = sorted((*left.rows, *right.rows), key=lambda row: place[id(row)])
            flags.append(
                ConflictFlag(
                    aspect_ref=ref,
                    aspect_term=f"{left.rows[0].term}|{right.rows[0].term}",
                    tuple_ids=_ids(members),
                    conflict_type="semantic_conflict_candidate",
                )
            )
    return flags


@dataclass(frozen=True, slots=True)
class _Term:
    """One term of a ref, with the data that comparing it with the others needs."""

    normalised: str
    rows: Sequence[_Row]
    polarities: frozenset[str]
    characters: Counter[str]

    def is_like(self, other: _Term, theta: float, similarity: Similarity | None) -> bool:
        """Return whether the two are written alike; the built-in measure is skipped if it cannot reach ``theta``."""
        if similarity is not None:
            return similarity(self.normalised, other.normalised) >= theta
        shared = (self.characters & other.characters).total()
        most = 2.0 * shared / (len(self.normalised) + len(other.normalised))
        return most >= theta and surface_similarity(self.normalised, other.normalised) >= theta


def _terms_of(group: Iterable[_Row]) -> list[_Term]:
    return [
        _Term(normalised, rows, frozenset(row.polarity for row in rows), Counter(normalised))
        for normalised, rows in _group(group, lambda row: normalise_term(row.term)).items()
    ]


def _granularity_overlaps(rows: Sequence[_Row], taxonomy: Taxonomy) -> list[ConflictFlag]:
    """Return one flag per attribute and polarity claimed by both the upper entity and a lower one."""
    flags = []
    split = {row.ref: taxonomy.split(row.ref) for row in rows if taxonomy.is_valid(row.ref)}
    groups = _group((row for row in rows if row.ref in split), lambda row: (split[row.ref][1], row.polarity))
    for group in groups.values():
        upper = [row for row in group if split[row.ref][0] == taxonomy.upper_entity]
        if upper and len(upper) < len(group):
            flags.append(
                ConflictFlag(
                    aspect_ref=upper[0].ref,
                    aspect_term=upper[0].term,
                    tuple_ids=_ids(group),
                    conflict_type="granularity_overlap_candidate",
                )
            )
    return flags
