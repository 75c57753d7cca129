"""What pydantic found wrong, in words."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError, field_validator

from samsim.schemas.protocol_conflict_review import PerspectiveASTEStage1Schema
from samsim.validation_words import in_words, listed


class _Plan(BaseModel):
    roles: dict[int, str] = {}
    name: str = ""

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        if name == "secret":
            raise ValueError("this name is taken")
        return name


def _error(model: type[BaseModel], value: object) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)
    return caught.value


def test_every_mistake_has_its_place_and_none_repeats_the_value() -> None:
    words = in_words(_error(_Plan, {"name": "secret", "roles": {"one": 1}}), "file")
    assert words.split("; ") == [
        "roles.one: Input should be a valid integer, unable to parse string as an integer",
        "roles.one: Input should be a valid string",
        "name: this name is taken",
    ]


def test_what_is_wrong_as_a_whole_is_named_so() -> None:
    assert in_words(_error(_Plan, []), "file").startswith("file: Input should be a valid dictionary")


def test_the_list_names_places_and_is_bounded() -> None:
    broken = {"triplets": [{"polarity": "x" * 10_000} for _ in range(40)]}
    found = listed(_error(PerspectiveASTEStage1Schema, broken), "answer")
    assert found[0].startswith("triplets.0.polarity: ")
    assert found[-1] == "and 28 more"
    assert sum(map(len, found)) < 3_000
