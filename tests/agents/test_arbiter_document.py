"""``review_arbiter_action.md`` says exactly what the arbiter does: its constants, codes and worked examples."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import pytest

from samsim.rules import arbiter
from samsim.schemas.protocol_conflict_review import AGENTS, REASON_CODES, Agent, ArbiterVersion
from tests.support.prompt_examples import REVIEW_PROMPTS, listed_reason_codes

Row = dict[str, str]
POLARITY_OF_SIGN = {"+": "positive", "−": "negative"}


@cache
def document() -> str:
    return files("samsim.agents").joinpath("prompts", "review_arbiter_action.md").read_text(encoding="utf-8")


def table(heading: str) -> list[Row]:
    """The first table under a heading, row by row."""
    block = document().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in block.splitlines() if line.startswith("|")]
    head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [dict(zip(head, cells, strict=True)) for cells in body]


def constant(name: str) -> str:
    found = re.search(rf"(?m)^{name}\s*=\s*\{{(.*?)\}}", document())
    assert found is not None, name
    return found[1]


# --- constants -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["_STRUCTURAL_REASON_CODES", "_DROP_JUSTIFIED"])
def test_the_sets_are_those_of_the_code(name: str) -> None:
    assert {code.strip() for code in constant(name).split(",")} == getattr(arbiter, name)


def test_the_facet_table_is_that_of_the_code() -> None:
    pairs = (pair.split(":") for pair in constant("_FACET_PRIORITY").split(","))
    stated = {conflict_type.strip(): {actor.strip()} for conflict_type, actor in pairs}
    assert stated == {kind: set(actors) for kind, actors in arbiter._FACET_PRIORITY.items()}


def test_the_constants_are_those_of_the_rule_documents() -> None:
    assert {"NEGATION_SCOPE", "CONTRAST_CLAUSE", "STRUCTURAL_INCONSISTENT"} == arbiter._STRUCTURAL_REASON_CODES
    assert {"WEAK_EVIDENCE", "REDUNDANT_UPPER_REF"} == arbiter._DROP_JUSTIFIED
    assert {"granularity_overlap_candidate": {"C"}, "REDUNDANT_UPPER_REF": {"C"}} == arbiter._FACET_PRIORITY


def test_the_action_space_is_that_of_the_arbiter() -> None:
    assert [row["action"] for row in table("Action space")] == ["KEEP", "DROP", "FLIP", "FLAG"]


# --- reason codes ----------------------------------------------------------------------------------------


def test_every_reason_code_is_explained_once() -> None:
    assert sorted(row["code"] for row in table("Reason codes")) == sorted(REASON_CODES)


@pytest.mark.parametrize(("name", "agent"), REVIEW_PROMPTS.items())
def test_the_writers_of_a_code_are_the_reviewers_that_are_offered_it(name: str, agent: Agent) -> None:
    stated = {row["code"] for row in table("Reason codes") if agent in re.findall(r"\b[ABC]\b", row["written by"])}
    assert stated == listed_reason_codes(name)


# --- worked examples -------------------------------------------------------------------------------------


def as_vote(cell: str, agent: Agent) -> dict[str, Any] | None:
    """ "FLIP− NEGATION_SCOPE" as a vote; an action without a code has none that matters."""
    if cell == "none":
        return None
    kind, _, reason = cell.partition(" ")
    polarity = POLARITY_OF_SIGN.get(kind[-1])
    new_value: dict[str, str] | None = {"polarity": polarity} if polarity else None
    if kind == "MERGE":
        new_value = {"normalized_ref": "본품#품질"}
    return {
        "action_type": kind.rstrip("+−"),
        "target_tuple_ids": ["t0"],
        "new_value": new_value,
        "reason_code": reason,
        "actor": agent,
    }


WORKED = [
    pytest.param(row, version, id=f"{number}-{version}")
    for number, row in enumerate(table("Worked examples"))
    for version in ("v1", "v2")
    if row[version] != "–"
]


@pytest.mark.parametrize(("row", "version"), WORKED)
def test_a_worked_example_is_what_the_arbiter_decides(row: Row, version: ArbiterVersion) -> None:
    votes = {"t0": {agent: as_vote(row[agent], agent) for agent in AGENTS}}
    flags = [{"tuple_ids": ["t0"], "conflict_type": row["conflict type"]}]
    (decided,) = arbiter.arbiter_vote(votes, flags, version=version)
    stated = re.fullmatch(r"([A-Z]+)([+−]?) ?([A-Z_]*) \((.*)\)", row[version])
    assert stated is not None
    action, sign, reason, how = stated.groups()
    assert decided.action == action
    assert decided.new_value == ({"polarity": POLARITY_OF_SIGN[sign]} if sign else None)
    if reason:
        assert decided.reason_code == reason
    # Facet protection belongs to rule 1; a leading 4 says that a MERGE was counted as KEEP.
    assert ("1" if decided.rule == "facet" else decided.rule) in re.findall(r"\d", how)
    assert [agent for agent in AGENTS if "implicit" in how and row[agent] == "none"] == decided.implicit


def test_the_document_has_worked_examples() -> None:
    assert len(WORKED) >= 12
