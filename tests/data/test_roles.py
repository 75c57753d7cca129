"""A text has one role: the leak guard, and duplicates inside one role."""

from __future__ import annotations

import unicodedata

import pytest

from samsim.data.roles import ROLES, check_roles, duplicates_within
from samsim.data.samples import Sample
from samsim.errors import InputError


def texts(prefix: str, *contents: str) -> list[Sample]:
    return [Sample(f"{prefix}{number}", "ko", content) for number, content in enumerate(contents, 1)]


def test_different_texts_pass() -> None:
    check_roles(
        {
            "evaluation": texts("e", "맛있어요.", "Good soup"),
            "memory": texts("m", "맛없어요.", "Good soup!"),
            "demonstrations": [],
        }
    )
    check_roles({})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("맛있어요.", "맛있어요."),
        ("맛있어요.", unicodedata.normalize("NFD", "맛있어요.")),
        ("Good soup", " good\u00a0SOUP\n"),
        ("Straße", "STRASSE"),
    ],
)
def test_a_text_in_two_roles_stops_with_the_ids(one: str, other: str) -> None:
    with pytest.raises(InputError, match="evaluation:e2 = memory:m1"):
        check_roles({"evaluation": texts("e", "x", one), "memory": texts("m", other)})


def test_every_pair_of_roles_is_guarded() -> None:
    for first in ROLES:
        for second in ROLES:
            if first != second:
                with pytest.raises(InputError, match=f"{first}:a1 = {second}:b1"):
                    check_roles({first: texts("a", "same"), second: texts("b", "same")})


def test_the_first_ten_are_named_and_all_are_counted() -> None:
    contents = [f"text {number}" for number in range(13)]
    with pytest.raises(InputError) as caught:
        check_roles({"evaluation": texts("e", *contents), "demonstrations": texts("d", *contents)})
    message = str(caught.value)
    assert "13 pairs" in message
    assert "evaluation:e10 = demonstrations:d10" in message
    assert "evaluation:e11" not in message
    assert "and 3 more" in message


def test_the_same_text_twice_in_one_role_is_allowed_and_reported() -> None:
    samples = texts("e", "one", "two", " ONE", "one")
    check_roles({"evaluation": samples})
    assert duplicates_within(samples) == (("e1", "e3"), ("e1", "e4"))
    assert duplicates_within(samples[:2]) == ()
