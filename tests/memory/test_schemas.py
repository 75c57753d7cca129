"""The memory records: what they refuse, on the way in and on the way out."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from samsim.errors import ContractError
from samsim.memory.advisory_builder import build_from_episodes
from samsim.memory.store import canonical_line, parse_line
from samsim.schemas.generate_json import FOLDER, RECORDS, file_name, schema_text, write_schemas
from samsim.schemas.memory_v1_1 import (
    FORBIDDEN_FIELDS,
    AdvisoryBundleV1_1,
    AdvisoryV1_1,
    EpisodeDraftV1_1,
    EpisodicMemoryEntryV1_1,
    InputSignatureV1_1,
    check_forbidden,
    dump_entry,
    parse_entry,
)
from tests.memory import SUCCESS, UNTOUCHED, episode

SEED_FORBIDDEN = ["raw_text", "raw_text_hash", "gold", "gold_label", "gold_polarity", "cot", "chain_of_thought"]


def record() -> dict[str, Any]:
    return dump_entry(episode())


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all objects inside a record, at any depth."""
    if not isinstance(data, dict):
        return []
    return [path, *(place for key, value in data.items() for place in places(value, (*path, key)))]


def planted(data: dict[str, Any], path: tuple[Any, ...], name: str) -> dict[str, Any]:
    copy = deepcopy(data)
    inner = copy
    for key in path:
        inner = inner[key]
    inner[name] = "x"
    return copy


def test_the_forbidden_fields_are_the_seeds() -> None:
    assert sorted(FORBIDDEN_FIELDS) == sorted(SEED_FORBIDDEN)


@pytest.mark.parametrize("name", [*SEED_FORBIDDEN, "Gold", "RAW_TEXT", "gold-label"])
def test_forbidden_fields_are_refused_on_read_at_any_depth(name: str) -> None:
    whole = record()
    for path in places(whole):
        with pytest.raises(ContractError, match="may not be remembered"):
            parse_entry(planted(whole, path, name))
        with pytest.raises(ContractError):
            parse_line(json.dumps(planted(whole, path, name)))


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
@pytest.mark.parametrize("name", SEED_FORBIDDEN)
def test_forbidden_fields_are_refused_on_write_at_any_depth(name: str) -> None:
    """A record that got past the models, by whatever way, is stopped at the door."""
    whole = episode()
    smuggled = whole.model_copy(update={"input_signature": {name: "x"}})
    with pytest.raises(ContractError, match="may not be remembered"):
        dump_entry(smuggled)
    with pytest.raises(ContractError, match="may not be remembered"):
        canonical_line(smuggled)
    with pytest.raises(ContractError):
        EpisodeDraftV1_1(**{**{key: value for key, value in whole if key != "episode_id"}, name: "x"})


nested = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=12,
)


@given(nested, st.sampled_from(SEED_FORBIDDEN), st.lists(st.sampled_from(["list", "dict"]), max_size=6))
def test_check_forbidden_finds_a_key_under_any_nesting(data: Any, name: str, wrappers: list[str]) -> None:
    check_forbidden(data)
    hidden: Any = {"a": data, name: data}
    for wrapper in wrappers:
        hidden = [data, hidden] if wrapper == "list" else {"b": hidden, "c": data}
    with pytest.raises(ContractError):
        check_forbidden(hidden)


def test_a_bundle_refuses_forbidden_fields() -> None:
    meta = {"memory_mode": "on", "topk": 3, "masked_injection": False, "retrieval_executed": True}
    AdvisoryBundleV1_1.model_validate({"memory_on": True, "meta": meta})
    with pytest.raises(ContractError):
        AdvisoryBundleV1_1.model_validate({"memory_on": True, "meta": {**meta, "cot": ""}})


def advisory(**fields: Any) -> AdvisoryV1_1:
    (built,), _ = build_from_episodes([(episode(), 0.5)], language="ko")
    return AdvisoryV1_1.model_validate({**built.model_dump(), **fields})


# Seed 000 §2.1, as printed.
SEED_BUNDLE = """
{
  "schema_version": "1.1",
  "memory_on": true,
  "retrieved": [
    {
      "advisory_id": "adv_000001",
      "advisory_type": "successful_override|failed_override_warning|consistency_anchor",
      "message": "조언 본문 (최대 800자)",
      "strength": "weak|moderate|strong",
      "relevance_score": 0.0~1.0,
      "evidence": { "source_episode_ids", "risk_tags", "principle_id" },
      "constraints": { "no_label_hint": true, "no_forcing": true, "no_confidence_boost": true }
    }
  ],
  "warnings": [],
  "meta": { "memory_mode", "topk", "masked_injection", "retrieval_executed" }
}
"""


@pytest.mark.parametrize("strength", ["weak", "moderate", "strong"])
@pytest.mark.parametrize("kind", ["successful_override", "failed_override_warning", "consistency_anchor"])
def test_the_seeds_bundle_is_valid_as_printed_for_every_type(kind: str, strength: str) -> None:
    written = SEED_BUNDLE.replace("successful_override|failed_override_warning|consistency_anchor", kind)
    written = written.replace("weak|moderate|strong", strength)
    for score in ("0.0", "1.0"):
        filled = (
            written.replace("0.0~1.0", score)
            .replace('"source_episode_ids"', '"source_episode_ids": ["epi_000001"]')
            .replace('"risk_tags"', '"risk_tags": ["NEGATION_SCOPE"]')
            .replace('"principle_id"', '"principle_id": "negation_scope_flip"')
            .replace('"memory_mode"', '"memory_mode": "on"')
            .replace('"topk"', '"topk": 3')
            .replace('"masked_injection"', '"masked_injection": false')
            .replace('"retrieval_executed"', '"retrieval_executed": true')
        )
        bundle = AdvisoryBundleV1_1.model_validate_json(filled)
        assert bundle.model_dump(mode="json", exclude_none=True) == json.loads(filled)


def test_a_message_has_at_most_800_characters() -> None:
    assert len(advisory(message="가" * 800).message) == 800
    with pytest.raises(ValidationError):
        advisory(message="가" * 801)


@pytest.mark.parametrize("name", ["no_label_hint", "no_forcing", "no_confidence_boost"])
def test_constraints_cannot_be_anything_but_true(name: str) -> None:
    assert set(advisory().constraints.model_dump().values()) == {True}
    with pytest.raises(ValidationError):
        advisory(constraints={name: False})


def test_an_advisory_has_no_mode_decision() -> None:
    with pytest.raises(ValidationError):
        advisory(evidence={**advisory().evidence.model_dump(), "mode_decision": "negative"})
    for model in RECORDS:
        assert "mode_decision" not in schema_text(model)


def test_evidence_must_fit_the_type() -> None:
    with pytest.raises(ValidationError, match="does not fit"):
        advisory(advisory_type="consistency_anchor")


@pytest.mark.parametrize("wrong", ["epi_00001", "epi_", "000001", "epi_0000a1", "EPI_000001"])
def test_episode_ids_have_the_seeds_pattern(wrong: str) -> None:
    assert parse_entry({**record(), "episode_id": "epi_1234567"}).episode_id == "epi_1234567"
    with pytest.raises(ContractError):
        parse_entry({**record(), "episode_id": wrong})


def test_terms_are_at_most_30_characters() -> None:
    assert episode(pairs=(("가" * 30, "positive"),))
    with pytest.raises(ValidationError):
        episode(pairs=(("가" * 31, "positive"),))


@pytest.mark.parametrize(
    "change",
    [
        {"detected_structure": []},
        {"detected_structure": ["none", "negation"]},
        {"detected_structure": ["contrast", "negation"]},
        {"detected_structure": ["contrast"], "has_negation": True},
        {"num_aspects": -1},
        {"length_bucket": "huge"},
        {"language": "fr"},
    ],
)
def test_a_signature_that_contradicts_itself_is_refused(change: dict[str, Any]) -> None:
    whole = episode().input_signature.model_dump()
    with pytest.raises(ValidationError):
        InputSignatureV1_1.model_validate({**whole, **change})


def test_signatures_are_hashable() -> None:
    assert len({episode(1).input_signature, episode(2).input_signature}) == 1


def test_a_draft_becomes_an_entry_under_its_id() -> None:
    whole = episode(7)
    draft = EpisodeDraftV1_1(**{name: value for name, value in whole if name != "episode_id"})
    assert draft.with_id("epi_000007") == whole
    assert type(draft.with_id("epi_000007")) is EpisodicMemoryEntryV1_1


def test_json_round_trip() -> None:
    assert parse_entry(json.loads(json.dumps(record()))) == episode()


@pytest.mark.parametrize("kind", ["success", "harm", "neutral"])
@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("succeeded", [True, False])
@pytest.mark.parametrize("harmed", [True, False])
@pytest.mark.parametrize("after", [2, 3, 4])
def test_failure_is_what_seed_003_says(kind: str, applied: bool, succeeded: bool, harmed: bool, after: int) -> None:
    outcome = {"override_applied": applied, "override_success": succeeded, "override_harm": harmed}
    entry = episode(episode_type=kind, outcome=outcome, before=3, after=after)
    failed_override = applied and (harmed or not succeeded)
    assert entry.failed is any([kind == "harm", failed_override, after > 3])


def test_an_untouched_episode_and_a_success_are_no_failures() -> None:
    assert not episode(outcome=SUCCESS).failed
    assert not episode(outcome=UNTOUCHED, after=3).failed


@pytest.mark.parametrize("model", RECORDS, ids=lambda model: model.__name__)
def test_shipped_json_schemas_are_current(model: Any) -> None:
    assert (FOLDER / file_name(model)).read_text(encoding="utf-8") == schema_text(model)


def test_no_stale_json_schema_is_shipped(tmp_path: Any) -> None:
    written = {path.name for path in write_schemas(tmp_path)}
    assert written == {path.name for path in FOLDER.iterdir()}
    assert "episodic_memory_entry_v1_1.json" in written


def test_json_schemas_allow_nothing_unknown() -> None:
    for model in RECORDS:
        schema = json.loads(schema_text(model))
        objects = [schema, *schema.get("$defs", {}).values()]
        assert all(one["additionalProperties"] is False for one in objects if one.get("type") == "object")
