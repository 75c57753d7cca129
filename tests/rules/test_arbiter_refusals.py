"""What the arbiter refuses to decide: every one of these would be a mistake of whoever calls it."""

from __future__ import annotations

from typing import Any

import pytest

from samsim.errors import ContractError
from samsim.rules.arbiter import arbiter_vote
from tests.support.builders import action


@pytest.mark.parametrize(
    ("vote", "flags", "version", "said"),
    [
        (None, [], "v3", "Unknown arbiter version 'v3'"),
        (None, [{"tuple_ids": ["t0"], "conflict_type": "banana"}], "v2", "Not a conflict flag"),
        (action("ABSTAIN", "t0"), [], "v2", "Unknown action 'ABSTAIN'"),
        (action("FLIP", "t0"), [], "v2", "needs new_value.polarity"),
        (action("FLIP", "t0", polarity="banana"), [], "v2", "needs new_value.polarity"),
    ],
)
def test_what_breaks_the_contract_is_an_error(vote: Any, flags: list[Any], version: Any, said: str) -> None:
    with pytest.raises(ContractError, match=said):
        arbiter_vote({"t0": {"A": vote}}, flags, version=version)
