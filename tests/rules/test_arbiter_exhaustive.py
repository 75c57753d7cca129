"""The arbiter against the decision table, over the whole vote space."""

from __future__ import annotations

from itertools import combinations_with_replacement, groupby
from typing import Any

import pytest

from samsim.rules.arbiter import arbiter_vote
from tests.rules.arbiter_table import (
    AGENTS,
    BALLOTS,
    POLARITIES,
    SETTINGS,
    VOTE_TABLE,
    Ballots,
    Version,
    all_ballots,
    expanded_vote_table,
    expected_decision,
)

MAX_MISMATCHES_SHOWN = 10


def flags_of(types: tuple[str, ...], tuple_ids: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "aspect_ref": "제품 전체#품질",
            "aspect_term": "품질",
            "tuple_ids": tuple_ids,
            "conflict_type": conflict_type,
        }
        for conflict_type in types
    ]


def decide(version: Version, types: tuple[str, ...], points: dict[str, Ballots]) -> dict[str, Any]:
    """One arbiter call over many tuples, which also shows that tuples do not influence each other."""
    actions = {
        tuple_id: {agent: vote.as_action(agent, tuple_id) for agent, vote in zip(AGENTS, ballots, strict=True)}
        for tuple_id, ballots in points.items()
    }
    decisions = arbiter_vote(actions, flags_of(types, list(points)), version=version)
    assert len(decisions) == len(points), "one decision per reviewed tuple"
    return {decision.tuple_id: decision for decision in decisions}


def mismatches(version: Version, types: tuple[str, ...], points: dict[str, Ballots]) -> list[str]:
    decisions = decide(version, types, points)
    found = []
    for tuple_id, ballots in points.items():
        expected = expected_decision(version, types, ballots)
        decision = decisions[tuple_id]
        want = (expected.action, expected.reason_code, expected.new_value, expected.rule)
        got = (decision.action, decision.reason_code, decision.new_value, decision.rule)
        if want != got:
            point = ", ".join(f"{agent}={vote}" for agent, vote in zip(AGENTS, ballots, strict=True))
            found.append(f"{version} {'+'.join(types) or 'risk only'}: {point}\n  want {want}\n  got  {got}")
    return found


@pytest.mark.parametrize(
    ("version", "types"),
    SETTINGS,
    ids=lambda value: value if isinstance(value, str) else "+".join(value) or "risk_only",
)
def test_every_vote_is_decided_as_the_table_says(version: Version, types: tuple[str, ...]) -> None:
    found: list[str] = []
    # One batch per ballot of A keeps a batch small and still mixes very different tuples.
    for _, batch in groupby(all_ballots(), key=lambda ballots: ballots[0]):
        points = {f"t{index}": ballots for index, ballots in enumerate(batch)}
        found += mismatches(version, types, points)
    shown = "\n".join(found[:MAX_MISMATCHES_SHOWN])
    assert not found, f"{len(found)} of {len(BALLOTS) ** 3} points differ, the first ones:\n{shown}"


def test_the_table_answers_every_multiset_of_counted_votes() -> None:
    letters = ("K", "D", "G", *POLARITIES)
    every = {tuple(sorted(votes)) for votes in combinations_with_replacement(letters, 3)}
    assert set(expanded_vote_table()) == every


def test_the_table_has_no_row_twice_under_another_spelling() -> None:
    assert len({"".join(sorted(row)) for row in VOTE_TABLE}) == len(VOTE_TABLE)


def test_the_ballots_hold_every_kind_of_vote() -> None:
    kinds = {(vote.kind, vote.polarity) for vote in BALLOTS}
    plain = {(kind, None) for kind in ("none", "KEEP", "DROP", "MERGE", "FLAG")}
    assert kinds == plain | {("FLIP", polarity) for polarity in POLARITIES}
