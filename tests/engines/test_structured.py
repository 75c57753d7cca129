from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from samsim.engines.answers.structured import (
    MAX_ITEMS,
    MAX_LENGTH,
    MAX_QUOTED_CHARACTERS,
    read_object,
    repair_messages,
    stated_in_prompt,
    strict_schema,
)
from samsim.engines.interface import Message
from samsim.engines.wire.base import BOUND_KEYWORDS
from samsim.errors import ContractError
from samsim.schemas.protocol_conflict_review import PerspectiveASTEStage1Schema, ReviewOutputSchema


class Tree(BaseModel):
    children: list[Tree]


class Titled(BaseModel):
    """A docstring is no instruction."""

    title: str
    default: int = 3


def nodes(schema: object) -> list[dict[str, Any]]:
    """Every schema node, the root included."""
    if not isinstance(schema, dict):
        return []
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), schema.get("items")]
    return [schema, *(node for child in children for node in nodes(child))]


def test_the_review_schema_is_exactly_this() -> None:
    short = {"type": "string", "maxLength": MAX_LENGTH}
    schema = strict_schema(ReviewOutputSchema)
    action = schema["properties"]["review_actions"]["items"]
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["review_actions"]
    assert schema["properties"]["review_actions"]["maxItems"] == MAX_ITEMS
    assert action["required"] == ["action_type", "target_tuple_ids", "new_value", "reason_code", "actor"]
    assert action["properties"]["action_type"] == {"type": "string", "enum": ["KEEP", "DROP", "FLIP", "MERGE", "FLAG"]}
    assert action["properties"]["target_tuple_ids"] == {"type": "array", "items": short, "maxItems": MAX_ITEMS}
    assert action["properties"]["new_value"] == {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    "polarity": {"anyOf": [short, {"type": "null"}]},
                    "normalized_ref": {"anyOf": [short, {"type": "null"}]},
                },
                "required": ["polarity", "normalized_ref"],
                "additionalProperties": False,
            },
            {"type": "null"},
        ]
    }


@pytest.mark.parametrize("model", [PerspectiveASTEStage1Schema, ReviewOutputSchema])
@pytest.mark.parametrize("refused", [frozenset(), BOUND_KEYWORDS])
def test_strict_everywhere(model: type[BaseModel], refused: frozenset[str]) -> None:
    for node in nodes(strict_schema(model, refused)):
        assert not set(node) & ({"$ref", "$defs", "title", "default"} | refused)
        if node.get("type") == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False
        if not refused and node.get("type") == "array":
            assert node["maxItems"] == MAX_ITEMS
        if not refused and node.get("type") == "string" and "enum" not in node:
            assert node["maxLength"] == MAX_LENGTH


def test_what_the_schema_demands_the_model_accepts() -> None:
    required = strict_schema(PerspectiveASTEStage1Schema)["properties"]["triplets"]["items"]["required"]
    nothing: dict[str, Any] = {"span": None, "confidence": 0, "polarity": "neutral"}
    PerspectiveASTEStage1Schema.model_validate({"triplets": [{name: nothing.get(name, "") for name in required}]})


def test_properties_named_like_keywords_stay() -> None:
    schema = strict_schema(Titled)
    assert schema["required"] == ["title", "default"]
    assert "description" not in schema


def test_the_schema_is_built_once() -> None:
    assert strict_schema(ReviewOutputSchema) is strict_schema(ReviewOutputSchema)


def test_a_schema_that_contains_itself_is_refused() -> None:
    with pytest.raises(ContractError, match="contains itself"):
        strict_schema(Tree)


def test_plain_json_is_not_salvaged() -> None:
    reading = read_object(' {"a": {"b": 1}}\n')
    assert reading.value == {"a": {"b": 1}}
    assert not reading.salvaged


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"triplets": []}\n```',
        'Sure! Here is the answer:\n{"triplets": []}\nAnything else?',
        'The set {x} is meant: {"triplets": []}',
        'An open { and then {"triplets": []}',
        'He said "hi {" and then {"triplets": []}',
        '<think>maybe {"triplets": [1]}</think>{"triplets": []}',
        'An example is {"other": 1}. The answer: {"triplets": []}',
        '{"triplets": []}{"triplets": [1]}',
    ],
)
def test_an_object_with_something_around_it_is_salvaged(text: str) -> None:
    reading = read_object(text, ["triplets"])
    assert reading.value == {"triplets": []}
    assert reading.salvaged


def test_braces_and_quotes_inside_strings_do_not_count() -> None:
    value = {"triplets": ['}{"', "\\", '\\"}']}
    assert read_object(f"Well: {json.dumps(value)}!").value == value


def test_only_whole_objects_are_taken_and_never_a_part_of_one() -> None:
    assert read_object('so {"a": {"triplets": []}}', ["triplets"]).value == {"a": {"triplets": []}}


def test_without_the_expected_keys_the_first_object_is_taken() -> None:
    assert read_object('so {"a": 1} or {"b": 2}', ["triplets"]).value == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        '{"triplets": [',
        '{"triplets": [}',
        '{"triplets": [{"aspect_term": "맛"}]',
        "{'triplets': []}",
        '{"a": 1, "a": 2}',
        'So: {"triplets": [{"a": 1, "a": 2}]}',
        "[" * 100_000,
        '{"a":' * 100_000,
        "{" * 100_000,
        '{"a": ' + "9" * 5_000 + "}",
    ],
)
def test_what_cannot_be_read_is_invalid_json(text: str) -> None:
    reading = read_object(text)
    assert reading.value is None
    assert reading.failure == "invalid_json"
    assert reading.problem


@pytest.mark.parametrize("text", ["[]", '"x"', "null", "3"])
def test_json_that_is_no_object_breaks_the_schema(text: str) -> None:
    assert read_object(text).failure == "schema"


@pytest.mark.parametrize(
    "unit", ["{", '{"', '{"a":', "{}", "{x}", '"', '{"a": {', '{"\\', "```{", '\\"', '{\\"', '{"" ', '{}"']
)
def test_salvaging_five_megabytes_of_one_piece_ends(unit: str) -> None:
    # A quadratic search would take hours; that this ends is the point.
    text = "!" + unit * (5_000_000 // len(unit))
    reading = read_object(text, ["triplets"])
    assert reading.failure is not None or reading.value == {}


def test_a_large_object_in_prose_is_salvaged() -> None:
    value = {"triplets": [{"evidence": 'He said \\"{no}\\"', "n": number} for number in range(100_000)]}
    reading = read_object(f"Here: {json.dumps(value)} Done.", ["triplets"])
    assert reading.salvaged
    assert reading.value == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    st.text(alphabet=st.characters(blacklist_characters="{", blacklist_categories=["Cs"])),
    st.text(alphabet=st.characters(blacklist_categories=["Cs"])),
)
def test_any_object_survives_prose_around_it(value: object, before: str, after: str) -> None:
    wrapped = {"triplets": value}
    assert read_object(before + json.dumps(wrapped, ensure_ascii=False) + after, ["triplets"]).value == wrapped


@given(st.text())
def test_reading_never_raises(text: str) -> None:
    reading = read_object(text)
    assert (reading.value is None) == (reading.failure is not None)


def test_the_repair_quotes_the_answer_and_says_what_is_wrong() -> None:
    asked = (Message("system", "s"), Message("user", "u"))
    repaired = repair_messages(asked, "x" * 9_000, "triplets.0.polarity: unknown")
    assert repaired[:2] == asked
    assert repaired[2] == Message("assistant", "x" * MAX_QUOTED_CHARACTERS)
    assert repaired[3].role == "user"
    assert "triplets.0.polarity: unknown" in repaired[3].content


def test_the_schema_is_added_to_the_system_message_or_becomes_one() -> None:
    schema = {"type": "object"}
    with_system = stated_in_prompt((Message("system", "Be exact."), Message("user", "u")), schema)
    without = stated_in_prompt((Message("user", "u"),), schema)
    assert [message.role for message in with_system] == [message.role for message in without] == ["system", "user"]
    assert with_system[0].content.startswith("Be exact.\n\n")
    assert all("JSON" in sent[0].content and '{"type": "object"}' in sent[0].content for sent in (with_system, without))
