"""Generated inputs for property tests: small pools, so that generated tuples really meet each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from samsim.rules.conflicts import compute_conflict_flags
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import (
    ACTION_TYPES,
    AGENTS,
    REASON_CODES,
    Agent,
    ArbiterVersion,
    Candidate,
    ConflictFlag,
    ReviewActionItem,
    ValidatorRisk,
)
from tests.support.builders import action, candidate, risk

# The same examples on every machine, and no time limit that a busy one could miss.
steady = settings(deadline=None, derandomize=True, max_examples=150)

Proposals = Mapping[Agent, Sequence[ReviewActionItem]]

_TERMS = ("", "사용감", "사용 감", "Screen")
_REFS = ("", "제품 전체#품질", "본품#품질", "사용감")
_OPINIONS = ("", "좋다", "soft")
_GARBAGE = st.sampled_from(("", "DELETE", "flip ", "T0", "t99", "🙂", "t0; DROP", "{{text}}"))
_MOST_CANDIDATES = 4


@dataclass(frozen=True)
class Case:
    """Everything the rules get to see about one sample between Stage 1 and the result."""

    candidates: list[Candidate]
    flags: list[ConflictFlag]
    risks: list[ValidatorRisk]
    proposals: Proposals
    version: ArbiterVersion


def _mostly(usual: st.SearchStrategy[str], garbage: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(usual, usual, usual, garbage)


_IDS = _mostly(st.integers(0, _MOST_CANDIDATES).map("t{}".format), _GARBAGE)
_NEW_VALUES: st.SearchStrategy[dict[str, Any] | None] = st.one_of(
    st.none(),
    st.sampled_from(POLARITIES).map(lambda name: {"polarity": name}),
    st.sampled_from(("긍정", "NEG", "banana", "", None)).map(lambda name: {"polarity": name}),
    st.sampled_from((*_REFS, "본품 # 품질", None)).map(lambda ref: {"normalized_ref": ref}),
)


def review_items() -> st.SearchStrategy[ReviewActionItem]:
    """Proposals, sensible and not: unknown ids, actions and reasons, incomplete FLIPs and MERGEs."""
    return st.builds(
        lambda kind, ids, new_value, reason, actor: ReviewActionItem.model_validate(
            {
                "action_type": kind,
                "target_tuple_ids": ids,
                "new_value": new_value,
                "reason_code": reason,
                "actor": actor,
            }
        ),
        _mostly(st.sampled_from(ACTION_TYPES), _GARBAGE),
        st.lists(_IDS, max_size=4),
        _NEW_VALUES,
        _mostly(st.sampled_from(REASON_CODES), _GARBAGE),
        st.sampled_from((None, *AGENTS)),
    )


def _candidates() -> st.SearchStrategy[list[Candidate]]:
    row = st.tuples(
        st.sampled_from(_TERMS),
        st.sampled_from(_REFS),
        st.sampled_from(POLARITIES),
        st.sampled_from(AGENTS),
        st.floats(0, 1),
        st.sampled_from(_OPINIONS),
    )
    return st.lists(row, max_size=_MOST_CANDIDATES).map(
        lambda rows: [
            candidate(
                f"t{number}", term, ref, polarity, origin_agent=agent, confidence=confidence, opinion_term=opinion
            )
            for number, (term, ref, polarity, agent, confidence, opinion) in enumerate(rows)
        ]
    )


_BALLOTS: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("KEEP", "KEEP_BEST_SUPPORTED", None),
    ("DROP", "WEAK_EVIDENCE", None),
    ("DROP", "DUPLICATE_TUPLE", None),
    ("FLIP", "NEGATION_SCOPE", {"polarity": "negative"}),
    ("FLIP", "IMPLICIT_ASPECT", {"polarity": "negative"}),
    ("FLIP", "NEGATION_SCOPE", {"polarity": "positive"}),
    ("MERGE", "ASPECT_REF_MISMATCH", {"normalized_ref": "본품#품질"}),
    ("FLAG", "WEAK_INFERENCE", None),
)


def _ballot(candidates: Sequence[Candidate]) -> st.SearchStrategy[list[ReviewActionItem]]:
    """One well-formed action, or none, on each tuple: without these, generated votes would hardly ever agree."""
    choices = st.lists(st.sampled_from((*_BALLOTS, None)), min_size=len(candidates), max_size=len(candidates))
    return choices.map(
        lambda chosen: [
            action(choice[0], each.tuple_id, reason=choice[1], **(choice[2] or {}))
            for each, choice in zip(candidates, chosen, strict=True)
            if choice is not None
        ]
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A sample with flags as the code computes them, some risks, and proposals from sound to absurd."""
    candidates = draw(_candidates())
    version: ArbiterVersion = draw(st.sampled_from(("v1", "v2")))
    flags = compute_conflict_flags(
        candidates, semantic_conflict_enabled=draw(st.booleans()), granularity=version == "v2"
    )
    doubted = draw(st.lists(st.sampled_from(candidates), max_size=3)) if candidates else []
    noise = st.lists(review_items(), max_size=draw(st.sampled_from((0, 0, 3))))
    answers = st.tuples(_ballot(candidates), noise).map(lambda parts: parts[0] + parts[1])
    proposals = draw(st.dictionaries(st.sampled_from(AGENTS), answers, min_size=draw(st.sampled_from((0, 3)))))
    return Case(candidates, flags, [risk(each.tuple_id) for each in doubted], proposals, version)
