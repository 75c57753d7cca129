"""The prompt files: found, split, complete, and naming the cues in both languages."""

from __future__ import annotations

import re
import unicodedata
from importlib.resources import files
from typing import get_args

import pytest

from samsim.agents.prompt_files import PromptFile, load_prompt, parse_prompt, prompt_hashes
from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import AGENTS, AnswerForm
from tests.support.prompt_examples import DEBATE_PROMPTS, PROMPTS, REVIEW_PROMPTS, STAGE1_PROMPTS, section

STAGE1_INPUTS = ["language", "taxonomy", "text"]
REVIEW_INPUTS = ["text", "candidates_json", "conflict_flags_json", "validator_risks_json", "memory_context"]

ANSWERS: tuple[AnswerForm, ...] = get_args(AnswerForm)
VOICES = ("epm", "tan", "cj", "judge")


def placeholders(part: str) -> list[str]:
    return re.findall(r"\{\{(\w+)\}\}", part)


def raw(name: str) -> str:
    return files("samsim.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


# --- the six files ---------------------------------------------------------------------------------------


def test_the_six_prompts_have_the_names_of_the_documents_and_their_agents() -> None:
    assert {name: agent for name, agent in STAGE1_PROMPTS.items() if agent in AGENTS} == {
        "perspective_pneg_stage1": "A",
        "perspective_pimp_stage1": "B",
        "perspective_plit_stage1": "C",
    }
    assert REVIEW_PROMPTS == {"review_pneg_action": "A", "review_pimp_action": "B", "review_plit_action": "C"}


def test_the_prompts_of_the_debate_and_of_the_single_call_have_their_agents() -> None:
    assert STAGE1_PROMPTS["single_aste"] == "SINGLE"
    assert DEBATE_PROMPTS == {
        "debate_ate_stage1": "ATE",
        "debate_atsa_stage1": "ATSA",
        "debate_validator_stage1": "VALIDATOR",
        "debate_epm": "EPM",
        "debate_tan": "TAN",
        "debate_cj": "CJ",
        "debate_judge": "JUDGE",
        "debate_stage2": "STAGE2",
    }


def test_there_is_no_prompt_file_that_nobody_follows() -> None:
    shipped = {entry.name.removesuffix(".md") for entry in files("samsim.agents").joinpath("prompts").iterdir()}
    # The arbiter is code; its file describes it. The other two are what several prompts begin with.
    assert shipped == {*PROMPTS, "review_arbiter_action", "perspective_shared", "review_shared"}


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("debate_ate_stage1", ["language", "text"]),
        ("debate_atsa_stage1", ["language", "taxonomy", "aspects_json", "text"]),
        ("debate_validator_stage1", ["language", "taxonomy", "text", "debate_context"]),
        *((f"debate_{who}", ["language", "taxonomy", "text", "debate_context", "turns_json"]) for who in VOICES),
        (
            "debate_stage2",
            [
                "language",
                "taxonomy",
                "text",
                "candidates_json",
                "conflict_flags_json",
                "validator_risks_json",
                "structural_risks_json",
                "patch_json",
            ],
        ),
    ],
)
def test_everybody_in_the_debate_gets_what_is_meant_for_them(name: str, inputs: list[str]) -> None:
    assert placeholders(load_prompt(name).user) == inputs


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_parses_into_two_parts(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.name == name
    assert section(prompt, "Who you are")
    assert "# user" not in prompt.system.splitlines()
    assert not any(mark in prompt.system + prompt.user for mark in ("<!--", "{{>", "[[full:", "]]}"))


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_file_is_clean_text(name: str) -> None:
    content = raw(name)
    assert unicodedata.is_normalized("NFC", content)
    assert "\r" not in content
    assert content.endswith("\n")


def test_the_digest_follows_the_form_of_the_answer_and_a_manifest_has_the_digests_of_the_calls() -> None:
    for name in (*STAGE1_PROMPTS, *REVIEW_PROMPTS):
        assert load_prompt(name, "terse").digest != load_prompt(name, "full").digest
    for answer in ANSWERS:
        hashes = prompt_hashes(answer)
        assert {name: hashes[name] for name in PROMPTS} == {name: load_prompt(name, answer).digest for name in PROMPTS}
    assert load_prompt("debate_epm", "terse").digest == load_prompt("debate_epm").digest


def test_the_digest_follows_the_content() -> None:
    digests = {load_prompt(name).digest for name in PROMPTS}
    assert len(digests) == len(PROMPTS)
    first = parse_prompt("x", "# system\na\n# user\nb\n")
    assert parse_prompt("x", "# system\na\n# user\nb\n").digest == first.digest
    assert parse_prompt("x", "# system\na\n# user\nc\n").digest != first.digest


@pytest.mark.parametrize("name", STAGE1_PROMPTS)
def test_a_perspective_gets_the_text_the_language_and_the_refs(name: str) -> None:
    assert placeholders(load_prompt(name).user) == STAGE1_INPUTS


@pytest.mark.parametrize("name", REVIEW_PROMPTS)
def test_a_reviewer_gets_exactly_the_five_inputs(name: str) -> None:
    assert placeholders(load_prompt(name).user) == REVIEW_INPUTS


@pytest.mark.parametrize("name", PROMPTS)
def test_data_goes_into_the_user_part_only_and_the_text_into_its_frame(name: str) -> None:
    prompt = load_prompt(name)
    assert placeholders(prompt.system) == []
    assert "\n<<<TEXT\n{{text}}\nTEXT>>>\n" in prompt.user
    assert "never an instruction" in prompt.system


# --- cue words (spec: Stage 1, "cue words in the prompts are given for Korean and English") --------------

KOREAN_NEGATION = {"안", "못", "-지", "않다", "없다", "아니다", "별로"}
KOREAN_CONTRAST = {"-지만", "-는데", "근데", "하지만"}
ENGLISH_NEGATION = {"not", "n't", "never", "no", "hardly"}
ENGLISH_CONTRAST = {"but", "however", "though", "although", "whereas"}


@pytest.mark.parametrize("name", PROMPTS)
@pytest.mark.parametrize("cues", [KOREAN_NEGATION, KOREAN_CONTRAST, ENGLISH_NEGATION, ENGLISH_CONTRAST])
def test_every_perspective_names_the_cues_of_both_languages(name: str, cues: set[str]) -> None:
    block = section(load_prompt(name), "Clues" if name == "perspective_pimp_stage1" else "Cues")
    words = set(re.split(r"[\s,.;:()\"]+", block))
    assert cues <= words


@pytest.mark.parametrize("name", PROMPTS)
def test_every_perspective_is_warned_of_a_look_alike(name: str) -> None:
    prompt = load_prompt(name)
    assert "안경" in prompt.system + prompt.user


# --- parsing and filling ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "",
        "# system\nonly one part",
        "# user\nb\n# system\na",
        "# system\na\n# user\nb\n# user\nc",
        "text before\n# system\na\n# user\nb",
    ],
)
def test_a_malformed_prompt_file_is_a_config_error_that_names_the_parts(content: str) -> None:
    with pytest.raises(ConfigError, match="'# system' and '# user'"):
        parse_prompt("broken", content)


def test_comments_before_the_parts_are_dropped() -> None:
    prompt = parse_prompt("x", "<!-- why\nthis exists -->\n# system\na\n\n# user\nb\n")
    assert (prompt.system, prompt.user) == ("a", "b")


def test_a_missing_value_is_a_config_error_that_names_it() -> None:
    prompt = PromptFile("x", "system", "{{text}} {{taxonomy}} {{language}}", "digest")
    with pytest.raises(ConfigError, match="language, taxonomy"):
        prompt.render({"text": "a"})


def test_values_are_never_read_as_templates() -> None:
    prompt = PromptFile("x", "s", "{{text}}|{{memory_context}}", "digest")
    _, user = prompt.render({"text": "{{memory_context}}", "memory_context": "{{text}}\\1\\g<0>"})
    assert user.content == "{{memory_context}}|{{text}}\\1\\g<0>"
