"""The similarity of a past episode to the current sample: pure arithmetic that all store backends share.

score = 0.6 · signature similarity + 0.4 · lexical similarity, in [0, 1], rounded to 12 digits so that
backends agree on ties whatever order they add in.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from math import fsum, log

from samsim.memory.lexical import tokens
from samsim.schemas.memory_v1_1 import CaseSummaryV1_1, InputSignatureV1_1, LengthBucket

SIGNATURE_WEIGHT = 0.6
LEXICAL_WEIGHT = 0.4
# The structure decides which lesson applies; length and number of aspects only say how alike the cases are.
STRUCTURE_WEIGHT = 0.5
LENGTH_WEIGHT = 0.25
ASPECTS_WEIGHT = 0.25
SCORE_DIGITS = 12
_LENGTH_RANK: dict[LengthBucket, int] = {"short": 0, "medium": 1, "long": 2}

Idf = Callable[[str], float]


def passes_filters(
    query: InputSignatureV1_1,
    entry: InputSignatureV1_1,
    *,
    require_same_language: bool = True,
    require_structure_overlap: bool = True,
) -> bool:
    """Return whether an episode may be retrieved at all; the structure ``none`` overlaps only with ``none``."""
    if require_same_language and query.language != entry.language:
        return False
    return not require_structure_overlap or not set(query.detected_structure).isdisjoint(entry.detected_structure)


def signature_similarity(query: InputSignatureV1_1, entry: InputSignatureV1_1) -> float:
    """Return 0.5 · Jaccard of structures + 0.25 · length (1 equal, 0.5 adjacent, 0 far) + 0.25 / (1 + |Δ aspects|)."""
    left, right = set(query.detected_structure), set(entry.detected_structure)
    structure = len(left & right) / len(left | right)
    steps = abs(_LENGTH_RANK[query.length_bucket] - _LENGTH_RANK[entry.length_bucket])
    aspects = 1.0 / (1 + abs(query.num_aspects - entry.num_aspects))
    return STRUCTURE_WEIGHT * structure + LENGTH_WEIGHT * (1.0 - steps / 2) + ASPECTS_WEIGHT * aspects


def idf(visible: int, containing: int) -> float:
    """Return log(1 + N / df) over the visible episodes; an unknown token counts as if one episode had it."""
    return log(1.0 + visible / max(containing, 1))


def lexical_similarity(query_tokens: AbstractSet[str], entry_tokens: AbstractSet[str], weight: Idf) -> float:
    """Return the IDF-weighted Jaccard similarity: the weight of shared tokens over that of all; 0 without tokens."""
    total = fsum(weight(token) for token in query_tokens | entry_tokens)
    if total <= 0.0:
        return 0.0
    return fsum(weight(token) for token in query_tokens & entry_tokens) / total


def combined_score(signature: float, lexical: float) -> float:
    """Return the retrieval score for the two similarities."""
    return round(SIGNATURE_WEIGHT * signature + LEXICAL_WEIGHT * lexical, SCORE_DIGITS)


def case_tokens(case: CaseSummaryV1_1) -> frozenset[str]:
    """Return the tokens by which an episode is found: those of ``symptom`` and ``rationale_summary``."""
    return tokens(f"{case.symptom} {case.rationale_summary}")
