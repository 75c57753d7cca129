"""The schema a server is told: narrowed by what one request allows, within what servers accept."""

from __future__ import annotations

from typing import Any

import pytest

from samsim.agents.perspective_agents import stage1_shape
from samsim.agents.review_agents import review_shape
from samsim.engines.answers.shape import as_stated, stated_schema
from samsim.engines.answers.structured import MAX_ITEMS, strict_schema
from samsim.engines.interface import WHOLE_ANSWER, AnswerShape, Message, ReviewInputs
from samsim.engines.settings import EngineKind, EngineSettings
from samsim.engines.wire.base import BOUND_KEYWORDS
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import PerspectiveASTEStage1Schema, ReviewOutputSchema
from samsim.schemas.taxonomy import Taxonomy, load_taxonomy
from tests.support.builders import analysis, candidate, conflict, risk

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from samsim.engines.model_engine import build_counting_engine
from samsim.engines.sending import Sender

NIKL, FREE, FLAT = load_taxonomy("nikl2022"), load_taxonomy("none"), load_taxonomy("food")
CANDIDATES = [candidate(f"t{number}") for number in range(5)]
HOSTED = {
    "openai_compatible": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com/v1beta",
}


def review_inputs(taxonomy: Taxonomy = NIKL, *, flagged: bool = True) -> ReviewInputs:
    flags, risks = ([conflict("t0", "t3")], [risk("t4")]) if flagged else ([], [])
    return ReviewInputs(analysis("보통이에요"), taxonomy, CANDIDATES, flags, risks, memory_context="")


def refs(count: int, length: int) -> tuple[str, ...]:
    return tuple(f"{number:0{length}d}" for number in range(count))


def triplet(schema: dict[str, Any]) -> dict[str, Any]:
    return dict(schema["properties"]["triplets"]["items"]["properties"])


def action(schema: dict[str, Any]) -> dict[str, Any]:
    return dict(schema["properties"]["review_actions"]["items"]["properties"])


@pytest.mark.parametrize("refused", [frozenset(), BOUND_KEYWORDS])
def test_a_closed_taxonomy_is_an_enum_and_a_free_one_is_not(refused: frozenset[str]) -> None:
    closed = stated_schema(PerspectiveASTEStage1Schema, refused, stage1_shape(NIKL, "full"))
    assert triplet(closed)["aspect_ref"] == {"type": "string", "enum": list(NIKL.refs)}
    flat = stated_schema(PerspectiveASTEStage1Schema, refused, stage1_shape(FLAT, "full"))
    assert triplet(flat)["aspect_ref"] == {"type": "string", "enum": list(FLAT.refs)}
    free = stated_schema(PerspectiveASTEStage1Schema, refused, stage1_shape(FREE, "full"))
    assert free == strict_schema(PerspectiveASTEStage1Schema, refused)


def test_a_terse_triplet_has_no_span_confidence_or_rationale() -> None:
    schema = stated_schema(PerspectiveASTEStage1Schema, shape=stage1_shape(NIKL, "terse"))
    assert list(triplet(schema)) == ["aspect_term", "aspect_ref", "polarity", "opinion_term", "evidence"]
    assert schema["properties"]["triplets"]["items"]["required"] == list(triplet(schema))


@pytest.mark.parametrize("refused", [frozenset(), BOUND_KEYWORDS])
def test_a_reviewer_can_only_name_flagged_tuples_and_refs_of_the_taxonomy(refused: frozenset[str]) -> None:
    schema = stated_schema(ReviewOutputSchema, refused, review_shape(review_inputs(), "full"))
    ids = action(schema)["target_tuple_ids"]
    assert ids["items"] == {"type": "string", "enum": ["t0", "t3", "t4"]}
    new_value = action(schema)["new_value"]["anyOf"][0]["properties"]
    assert new_value["normalized_ref"] == {"anyOf": [{"type": "string", "enum": list(NIKL.refs)}, {"type": "null"}]}
    assert new_value["polarity"] == {"anyOf": [{"type": "string", "enum": list(POLARITIES)}, {"type": "null"}]}
    limits = [ids.get("maxItems"), schema["properties"]["review_actions"].get("maxItems")]
    assert limits == ([None, None] if refused else [3, 3])


def test_a_terse_action_has_no_actor() -> None:
    schema = stated_schema(ReviewOutputSchema, shape=review_shape(review_inputs(), "terse"))
    assert list(action(schema)) == ["action_type", "target_tuple_ids", "new_value", "reason_code"]


def test_where_refs_are_free_or_nothing_is_flagged_the_schema_stays_open() -> None:
    free = stated_schema(ReviewOutputSchema, shape=review_shape(review_inputs(FREE), "full"))
    assert "enum" not in action(free)["new_value"]["anyOf"][0]["properties"]["normalized_ref"]["anyOf"][0]
    nothing = stated_schema(ReviewOutputSchema, shape=review_shape(review_inputs(flagged=False), "full"))
    assert action(nothing)["target_tuple_ids"] == action(strict_schema(ReviewOutputSchema))["target_tuple_ids"]
    assert nothing["properties"]["review_actions"]["maxItems"] == MAX_ITEMS


@pytest.mark.parametrize(
    ("values", "fits"),
    [
        ((), False),
        (refs(250, 100), True),
        (refs(300, 50), True),
        (refs(301, 50), False),
        # The polarities of a triplet are an enum of the same schema.
        (refs(1_000 - len(POLARITIES), 10), True),
        (refs(1_001 - len(POLARITIES), 10), False),
        (refs(1, 119_000), True),
        (refs(1, 120_000), False),
    ],
    ids=lambda given: f"{len(given)} of {len(given[0])}" if given and isinstance(given, tuple) else str(given),
)
def test_a_list_that_servers_would_refuse_is_left_to_the_prompt(values: tuple[str, ...], fits: bool) -> None:
    schema = stated_schema(PerspectiveASTEStage1Schema, shape=AnswerShape(allowed=(("aspect_ref", values),)))
    assert ("enum" in triplet(schema)["aspect_ref"]) == fits


def test_where_two_lists_are_too_much_together_the_longer_one_is_left_to_the_prompt() -> None:
    few, many = refs(300, 5), refs(900, 10)
    schema = stated_schema(
        PerspectiveASTEStage1Schema, shape=AnswerShape(allowed=(("aspect_ref", many), ("aspect_term", few)))
    )
    assert "enum" not in triplet(schema)["aspect_ref"]
    assert triplet(schema)["aspect_term"] == {"type": "string", "enum": list(few)}


def test_narrowing_leaves_the_whole_schema_as_it_was_and_is_done_once() -> None:
    before = repr(strict_schema(ReviewOutputSchema))
    shape = review_shape(review_inputs(), "terse")
    assert stated_schema(ReviewOutputSchema, shape=shape) is stated_schema(ReviewOutputSchema, shape=shape)
    assert repr(strict_schema(ReviewOutputSchema)) == before
    assert stated_schema(ReviewOutputSchema, shape=WHOLE_ANSWER) == strict_schema(ReviewOutputSchema)


def sender_of(kind: EngineKind, **settings: Any) -> Sender:
    engine = build_counting_engine(EngineSettings(kind=kind, model="m", **settings))
    return engine._sender


@pytest.mark.parametrize("kind", HOSTED)
@pytest.mark.parametrize("mode", ["json_schema", "tool", "prompted"])
def test_every_provider_is_told_the_narrowed_schema_in_every_mode(kind: EngineKind, mode: Any) -> None:
    sender = sender_of(kind)
    shape = review_shape(review_inputs(), "terse")
    question = sender.prepare((Message("user", "?"),), ReviewOutputSchema, mode, None, shape)
    sent = repr(question.wire.body)
    assert all(f"'{one}'" in sent or f'"{one}"' in sent for one in ("t0", "t3", "t4", NIKL.refs[-1]))
    assert "t1" not in sent
    # Anthropic has a field of this name around the schema.
    assert not any(f"'{keyword}'" in sent for keyword in BOUND_KEYWORDS - {"format"})
    again = sender.rephrase(question, question.messages, None)
    assert again.wire.body == question.wire.body


def test_what_a_server_lets_through_has_the_fields_of_its_schema_only() -> None:
    schema = stated_schema(ReviewOutputSchema, shape=review_shape(review_inputs(), "terse"))
    full = {
        "action_type": "KEEP",
        "target_tuple_ids": ["t0"],
        "new_value": {"polarity": "neutral", "x": 1},
        "actor": "A",
    }
    stated = {"action_type": "KEEP", "target_tuple_ids": ["t0"], "new_value": {"polarity": "neutral"}}
    assert as_stated({"review_actions": [full], "more": 1}, schema) == {"review_actions": [stated]}
    assert as_stated({"a": [{"b": 1}]}, {}) == {"a": [{"b": 1}]}
