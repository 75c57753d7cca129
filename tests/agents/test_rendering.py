"""What a model reads, word for word.

The expected messages are the files in ``golden``. After a wanted change of a prompt, write them anew with
``SAMSIM_UPDATE_GOLDEN=1 pytest tests/agents/test_rendering.py`` and read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from samsim.agents.debate_agents import slot_text
from samsim.agents.perspective_agents import describe_taxonomy
from samsim.engines.interface import Message
from samsim.schemas.protocol_conflict_review import ConflictFlag
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import candidate, risk, span_of
from tests.support.debate import edit, patch_op, turn
from tests.support.prompt_examples import DEBATE_PROMPTS, PROMPTS, REVIEW_PROMPTS, STAGE1_PROMPTS
from tests.support.requests import rendered, user_part

GOLDEN = Path(__file__).parent / "golden"
TEXT = "사용감은 좋지만 가격은 비싸요."
CANDIDATES = [
    candidate("t0", "사용감", "본품#품질", evidence="좋지만", opinion_term="좋다", span=span_of(TEXT, "사용감")),
    candidate("t1", "사용감", "본품#품질", "negative", evidence="별로", origin_agent="B", confidence=0.4),
    # Nothing is doubtful here, so no reviewer is shown it.
    candidate("t2", "가격", "제품 전체#가격", "negative", evidence="비싸요", origin_agent="C"),
]
SHOWN = {"tuple_id", "aspect_term", "aspect_ref", "polarity", "opinion_term", "evidence"}
FLAGS = [
    ConflictFlag(
        aspect_ref="본품#품질", aspect_term="사용감", tuple_ids=["t0", "t1"], conflict_type="ref_polarity_mismatch"
    )
]
RISKS = [risk("t1", "EVIDENCE_NOT_IN_TEXT")]
MEMORY = "Memory advisory (from similar past cases):\n- 부정 대비 시 절대 극성 우선."

SLOT = {"memory_on": True, "retrieved": [{"message": "부정 대비 시 절대 극성 우선."}]}
TURNS = [turn("EPM", edit("set_polarity", "t1", "positive", evidence="좋지만", confidence=0.9))]
PATCH = [patch_op("set_polarity", "t1", "positive", evidence="좋지만", confidence=0.9)]
TERSE = [f"{name}_terse" for name in (*STAGE1_PROMPTS, *REVIEW_PROMPTS)]
RENDERED = [*PROMPTS, "perspective_pneg_stage1_en", *TERSE]
IN_DEBATE = [name for name, agent in DEBATE_PROMPTS.items() if agent in ("EPM", "TAN", "CJ", "JUDGE")]


def messages_of(name: str) -> tuple[Message, ...]:
    if name.endswith("_en"):
        return rendered(name.removesuffix("_en"), "Light, but the strap isn't comfortable.", language="en")
    return rendered(
        name.removesuffix("_terse"),
        TEXT,
        candidates=CANDIDATES,
        flags=FLAGS,
        risks=RISKS,
        memory_context=MEMORY,
        memory_slot=SLOT,
        turns=TURNS,
        patch=PATCH,
        answer="terse" if name.endswith("_terse") else "full",
    )


@pytest.mark.parametrize("name", RENDERED)
def test_the_rendered_prompt_is_the_golden_one(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    found = "".join(f"=== {message.role}\n{message.content}\n" for message in messages_of(name))
    if os.environ.get("SAMSIM_UPDATE_GOLDEN"):
        path.write_text(found, encoding="utf-8")
        # Writing is not checking: the run that rewrites the files must not count as a pass.
        pytest.skip("golden file written")
    assert found == path.read_text(encoding="utf-8")


def test_there_is_no_golden_file_without_a_prompt() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(RENDERED)


@pytest.mark.parametrize("name", RENDERED)
def test_a_prompt_is_a_system_and_a_user_message_with_every_placeholder_filled(name: str) -> None:
    messages = messages_of(name)
    assert [message.role for message in messages] == ["system", "user"]
    assert not any(re.search(r"\{\{\w*\}\}", message.content) for message in messages)


def rows_of(table: str) -> list[dict[str, Any]]:
    """A table of a review: names of columns first, one row a line."""
    columns, *rows = json.loads(table)
    assert len(table.strip().splitlines()) == 1 + len(rows)
    return [dict(zip(columns, row, strict=True)) for row in rows]


@pytest.mark.parametrize("name", REVIEW_PROMPTS)
def test_a_review_shows_the_five_inputs_under_their_names(name: str) -> None:
    user = user_part(messages_of(name))
    blocks = dict(block.split("\n", 1) for block in user.removeprefix("## ").split("\n\n## "))
    assert list(blocks) == [
        "text",
        "candidates_json",
        "conflict_flags_json",
        "validator_risks_json",
        "memory_context",
        "Who you are",
        "Your rules",
        "Reason codes",
        "Examples (id, term, ref, polarity, evidence)",
        "Task",
    ]
    assert blocks["text"].strip() == f"<<<TEXT\n{TEXT}\nTEXT>>>"
    assert rows_of(blocks["candidates_json"]) == [each.model_dump(include=SHOWN) for each in CANDIDATES[:2]]
    assert json.loads(blocks["conflict_flags_json"]) == [each.model_dump() for each in FLAGS]
    assert rows_of(blocks["validator_risks_json"]) == [each.model_dump(exclude={"description"}) for each in RISKS]
    assert blocks["memory_context"].strip() == MEMORY


@pytest.mark.parametrize("names", [list(STAGE1_PROMPTS), list(REVIEW_PROMPTS)])
@pytest.mark.parametrize("answer", ["", "_terse"])
def test_agents_of_one_stage_read_the_same_up_to_the_end_of_the_data(names: list[str], answer: str) -> None:
    """A server that keeps the prefix of a prompt reads rules and data once for all of them."""
    read = [[message.content for message in messages_of(f"{name}{answer}")] for name in names]
    beginnings = {(system, user.partition("\n## Who you are\n")[0]) for system, user in read}
    assert len(beginnings) == 1
    ((_, data),) = beginnings
    assert TEXT in data
    assert ("사용감" in data.partition("## candidates_json")[2]) == (names[0] in REVIEW_PROMPTS)


@pytest.mark.parametrize("name", TERSE)
def test_a_terse_prompt_asks_for_nothing_that_is_left_out(name: str) -> None:
    words = ("span", "confidence", "rationale") if name.removesuffix("_terse") in STAGE1_PROMPTS else ("actor",)
    full, terse = ("\n".join(one.content for one in messages_of(each)) for each in (name.removesuffix("_terse"), name))
    assert all(word in full for word in words)
    assert not any(word in terse for word in words)


@pytest.mark.parametrize("name", REVIEW_PROMPTS)
def test_json_is_readable_korean_and_empty_lists_are_shown_as_such(name: str) -> None:
    assert "\\u" not in user_part(messages_of(name))
    empty = user_part(rendered(name, TEXT))
    assert empty.count("\n[]\n") == 3


@pytest.mark.parametrize("name", STAGE1_PROMPTS)
def test_a_perspective_is_told_the_allowed_refs_and_the_language(name: str) -> None:
    korean = user_part(messages_of(name))
    assert all(f"- {ref}\n" in korean for ref in load_taxonomy("nikl2022").refs)
    assert "한국어" in korean
    english = user_part(rendered(name, "Light.", language="en"))
    assert "Refs are free" in english
    assert "English" in english


@pytest.mark.parametrize("name", IN_DEBATE)
def test_a_debater_sees_the_shared_context_with_the_slot_and_the_turns_before(name: str) -> None:
    user = user_part(messages_of(name))
    blocks = dict(block.split("\n", 1) for block in user.split("## ")[1:])
    context = json.loads(blocks["debate_context"])
    assert list(context) == [
        "candidates",
        "conflict_flags",
        "validator_risks",
        "structural_risks",
        "correction_proposals",
        "dropped_aspects",
        "DEBATE_CONTEXT__MEMORY",
    ]
    assert context["candidates"] == [each.model_dump() for each in CANDIDATES]
    assert context["DEBATE_CONTEXT__MEMORY"] == SLOT
    assert json.loads(blocks["turns"]) == [each.model_dump() for each in TURNS]
    assert slot_text(SLOT) in user


@pytest.mark.parametrize("name", IN_DEBATE)
def test_a_slot_that_was_not_merged_is_nowhere(name: str) -> None:
    user = user_part(rendered(name, TEXT, candidates=CANDIDATES))
    assert "DEBATE_CONTEXT__MEMORY" not in user


def test_stage_2_sees_the_patch_and_no_memory() -> None:
    user = user_part(messages_of("debate_stage2"))
    blocks = dict(block.split("\n", 1) for block in user.split("## ")[1:])
    assert json.loads(blocks["patch_json"]) == [each.model_dump() for each in PATCH]
    assert "DEBATE_CONTEXT__MEMORY" not in user


def test_a_taxonomy_is_described_by_its_own_refs() -> None:
    described = describe_taxonomy(load_taxonomy("nikl2022"))
    assert [line.removeprefix("- ") for line in described.splitlines()[1:]] == list(load_taxonomy("nikl2022").refs)


def test_a_flat_taxonomy_says_what_its_general_category_is_for() -> None:
    shop = load_taxonomy("shop", "en")
    first, *refs, last = describe_taxonomy(shop).splitlines()
    assert first == "Use exactly one of these refs:"
    assert [line.removeprefix("- ") for line in refs] == list(shop.refs)
    assert last == "`general` is for the whole, and for what fits no other ref."
