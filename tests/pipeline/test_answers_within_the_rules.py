"""Whole analyses against a loopback server that keeps to the schema it is told, and to nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from aiohttp import web
from click.testing import CliRunner

from samsim.cli.main import cli
from samsim.data.shipped import load_reviews
from samsim.engines.model_engine import build_model_engine
from samsim.engines.settings import EngineSettings
from samsim.pipeline.api import Pipeline
from samsim.schemas.protocol_conflict_review import AnswerForm
from samsim.schemas.results import SampleResult
from samsim.schemas.taxonomy import load_taxonomy
from tests.servers.chat_requests import asked_by, completion
from tests.servers.faulty import PATH, FaultyServer
from tests.servers.hosting import hosted

pytestmark = pytest.mark.loopback

# What is left where no schema was given: nothing is limited.
OPEN: dict[str, Any] = {
    "properties": {
        "triplets": {"items": {"properties": {"aspect_ref": {}}}},
        "review_actions": {
            "items": {
                "properties": {
                    "target_tuple_ids": {},
                    "new_value": {"anyOf": [{"properties": {"normalized_ref": {}}}]},
                }
            }
        },
    }
}
HOTEL = "방은 깨끗하고 직원도 친절했는데 조식이 별로였어요."
NOT_DECIDED = {"confidence", "calls"}


def analysed(url: str, texts: list[tuple[str, str]], **config: Any) -> list[SampleResult]:
    engine = build_model_engine(EngineSettings(kind="openai_compatible", model="m", base_url=url))
    found = list(Pipeline(config, engine).stream(texts, concurrency=8))
    results = [one for one in found if isinstance(one, SampleResult)]
    assert len(results) == len(texts), found
    return results


# --- a model that uses every freedom the schema leaves ---------------------------------------------------


def enum_of(node: Any) -> list[str] | None:
    """The values of a text, or of the texts in a list, if the schema names them."""
    found = node.get("items", node) if isinstance(node, dict) else {}
    return found.get("enum") or next((choice["enum"] for choice in found.get("anyOf", []) if "enum" in choice), None)


def eager_answer(body: dict[str, Any]) -> dict[str, Any]:
    """Made-up refs unless the schema has some, and an action on every tuple the prompt shows unless it says which."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", OPEN)
    asked = asked_by(body)
    if asked is None:
        return {name: [] for name in schema["properties"]}
    if asked.stage == "stage1":
        refs = enum_of(schema["properties"]["triplets"]["items"]["properties"]["aspect_ref"]) or ["호텔#서비스"]
        polarity = "negative" if asked.agent == "A" else "positive"
        found = [("방", "깨끗하고", polarity), ("직원", "친절했는데", "positive"), ("조식", "별로였어요", "negative")]
        return {
            "triplets": [
                {"aspect_term": term, "aspect_ref": ref, "polarity": said, "opinion_term": "", "evidence": words}
                for (term, words, said), ref in zip(found, (refs * 3)[:3], strict=True)
            ]
        }
    action = schema["properties"]["review_actions"]["items"]["properties"]
    prompt = next(message["content"] for message in body["messages"] if message["role"] == "user")
    shown = re.findall(r'"(t\d+)"', prompt.partition("## candidates_json")[2].partition("## conflict_flags_json")[0])
    ids = enum_of(action["target_tuple_ids"]) or list(dict.fromkeys(shown))
    value = action["new_value"]["anyOf"][0]["properties"]["normalized_ref"]
    ref = (enum_of(value) or ["호텔#서비스"])[-1]
    return {
        "review_actions": [
            {
                "action_type": "MERGE",
                "target_tuple_ids": [one],
                "new_value": {"polarity": None, "normalized_ref": ref},
                "reason_code": "ASPECT_REF_MISMATCH",
                "actor": asked.agent,
            }
            for one in ids
        ]
    }


@contextmanager
def eager_server(*, enforces: bool = True) -> Iterator[str]:
    async def handle(request: web.Request) -> web.Response:
        body = await request.json()
        if not enforces and asked_by(body) is not None:
            del body["response_format"]
        return web.json_response(completion(body, json.dumps(eager_answer(body), ensure_ascii=False)))

    with hosted(handle, PATH) as address:
        yield f"{address}/v1"


def test_a_server_that_enforces_schemas_cannot_break_the_rules() -> None:
    with eager_server() as url:
        (result,) = analysed(url, [("s1", HOTEL)])
    assert all(load_taxonomy("nikl2022").is_valid(one.aspect_ref) for one in result.stage1_tuples)
    assert result.conflict_flags
    assert result.arbiter_decisions
    # All nine tuples stand in the text; only those in conflict could be named.
    assert len(result.arbiter_decisions) < len(result.stage1_tuples) == 9
    assert result.refusals == []


def test_a_taxonomy_that_does_not_fit_is_named_where_a_server_enforces_nothing(tmp_path: Path) -> None:
    file = tmp_path / "hotels.txt"
    file.write_text(f"{HOTEL}\n{HOTEL}\n", encoding="utf-8")
    hint = "18 of 18 refs are not in the taxonomy nikl2022: it does not fit these texts. Try the taxonomy none"
    with eager_server(enforces=False) as url:
        engine = ["--engine", "openai:m", "--base-url", url, "--no-cache"]
        many = CliRunner().invoke(cli, ["analyze", "--file", str(file), *engine])
        one = CliRunner().invoke(cli, ["analyze", HOTEL, "--json", *engine])
        (result,) = analysed(url, [("s1", HOTEL)])
    assert f"hint: {hint}" in many.stderr, many.output
    assert "hint: 9 of 9 refs" in one.stderr
    assert {refusal.reason for refusal in result.refusals} == {"merge_to_invalid_ref"}


# --- terse answers decide the same -----------------------------------------------------------------------


def decided(result: SampleResult) -> dict[str, Any]:
    """A result without what a terse answer does not say, and without the calls."""
    return dict(_without(result.model_dump(mode="json", exclude={"calls"}), NOT_DECIDED))


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: _without(child, names) for name, child in value.items() if name not in names}
    return [_without(child, names) for child in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def by_answer() -> dict[AnswerForm, list[SampleResult]]:
    """The shipped reviews, asked in both forms of a server that answers as the embedded engine would."""
    texts = [(sample.uid, sample.text) for sample in load_reviews()]
    with FaultyServer().running() as server:
        return {"full": analysed(server.url, texts), "terse": analysed(server.url, texts, answer="terse")}


def test_terse_answers_come_to_the_same_results(by_answer: dict[AnswerForm, list[SampleResult]]) -> None:
    full, terse = ([decided(result) for result in by_answer[form]] for form in ("full", "terse"))
    assert [one["uid"] for one in full if one["review_actions"]]
    assert terse == full


def test_terse_answers_are_shorter_and_say_nothing_of_what_is_left_out(
    by_answer: dict[AnswerForm, list[SampleResult]],
) -> None:
    calls = {form: [call for result in by_answer[form] for call in result.calls] for form in by_answer}
    written = {form: sum(len(call.attempts[-1].raw) for call in calls[form]) for form in calls}
    assert written["terse"] < 0.65 * written["full"]
    assert {call.prompt_hash for call in calls["full"]}.isdisjoint(call.prompt_hash for call in calls["terse"])
    assert not any('"span"' in call.attempts[-1].raw for call in calls["terse"])
    assert {one.confidence for result in by_answer["terse"] for one in result.stage1_tuples} == {0.5}
