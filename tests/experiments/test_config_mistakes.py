"""Every mistake of a configuration is reported at once, at its line, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from samsim.engines.factory import distinct_settings, read_plan
from samsim.errors import ConfigError
from samsim.experiments.config import ConfigMistakes, load_config
from tests.experiments.config_files import FIVE, RICH, loaded, mistakes, only_mistake, write


def test_five_different_mistakes_are_reported_together(tmp_path: Path) -> None:
    path = write(tmp_path, FIVE)
    with pytest.raises(ConfigMistakes) as caught:
        load_config(path)
    *said, ending = str(caught.value).split("\n")
    assert [line.removeprefix(f"{path}:").split(": ")[:2] for line in said] == [
        ["3", "data.evaluation"],
        ["4", "protocol"],
        ["6", "engines.default"],
        ["10", "pipeline.conflict_mod"],
        ["12", "matrix.condition.1"],
    ]
    for line, suggestion in zip(
        said,
        [
            "did you mean reviews?",
            "did you mean cr_v2?",
            "needs a model",
            "Did you mean conflict_mode?",
            "C2_eval_only",
        ],
        strict=True,
    ):
        assert suggestion in line
    assert ending == f"5 mistakes in {path}; nothing was run."


def _keys_of(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield from _keys_of(value)


def _misspellings(key: str) -> Iterator[str]:
    middle = len(key) // 2
    yield key[:middle] + key[middle] + key[middle:]
    yield key[: middle - 1] + key[middle] + key[middle - 1] + key[middle + 1 :]
    yield key[:middle] + key[middle + 1 :]


KEYS = [key for key in _keys_of(yaml.compose(RICH)) if len(key.value) > 2]


def test_the_rich_configuration_is_valid(tmp_path: Path) -> None:
    assert len(loaded(tmp_path, RICH).cells()) == 2 * 2 * 2 * 2 + 2 * 2 * 2
    assert len(KEYS) > 40


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key.value}-line-{key.start_mark.line + 1}")
def test_a_misspelt_key_is_reported_at_its_line_with_the_right_one(tmp_path: Path, key: yaml.ScalarNode) -> None:
    start, end = key.start_mark.index, key.end_mark.index
    tried = 0
    for wrong in _misspellings(key.value):
        if wrong == key.value:
            continue
        found = only_mistake(tmp_path, RICH[:start] + wrong + RICH[end:])
        assert found.place.label.endswith(f".yaml:{key.start_mark.line + 1}")
        assert found.keys[-1] == wrong
        assert found.text == f"unknown key. Did you mean {key.value}?"
        tried += 1
    assert tried >= 2


MINIMAL = "name: x\ndata: {evaluation: reviews}\n"
MODEL = "kind: openai_compatible, model: m"


@pytest.mark.parametrize(
    ("written", "place", "said"),
    [
        (f"engines: {{default: {{{MODEL}, max_outage: 5}}}}\n", "engines.default.max_outage", "run (run.max_outage)"),
        ("run: {on_partial: fail}\n", "run.on_partial", "pipeline (pipeline.on_partial)"),
        ("pipeline: {max_outage: 5}\n", "pipeline.max_outage", "run (run.max_outage)"),
        ("run: {limit: 5}\n", "run.limit", "data.evaluation (data.evaluation.limit)"),
        ("default: {kind: embedded}\n", "default", "engines (engines.default)"),
        ("run: {condition: C2}\n", "run.condition", "episodic_memory (episodic_memory.condition) or under matrix"),
        ("pipeline: {rounds: 1}\n", "pipeline.rounds", "pipeline.debate (pipeline.debate.rounds)"),
    ],
)
def test_a_key_in_the_wrong_section_is_told_where_it_belongs(
    written: str, place: str, said: str, tmp_path: Path
) -> None:
    """And it is not taken for another key beside it, whose value would then be wrong."""
    found = only_mistake(tmp_path, MINIMAL + written)
    assert ".".join(map(str, found.keys)) == place
    assert found.text.startswith(f"unknown key here. Put it under {said}")


def test_a_key_of_the_top_in_a_section_is_told_so(tmp_path: Path) -> None:
    found = only_mistake(tmp_path, MINIMAL + "run: {repeats: 2}\n")
    assert found.text == "unknown key here. Put it at the top of the file (repeats)."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("default: {kind: embedded}", "default: Extra inputs are not permitted (put it under engines:)"),
        ("model: m", "model: Extra inputs are not permitted (put it under engines: default:)"),
        (
            "engines: {default: {max_outage: 5}}",
            "max_outage: Extra inputs are not permitted (put it at the top of the engine file)",
        ),
    ],
)
def test_a_key_at_the_wrong_level_of_an_engine_file_is_told_where_it_belongs(
    content: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "engines.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        distinct_settings(read_plan(str(path)))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("added", "keys", "text"),
    [
        ("data: {evaluation: nowhere.jsonl}", "data.evaluation", "tried"),
        ("data: {evaluation: {name: reviews, format: nikl}}", "data.evaluation.format", "did you mean nikl2022?"),
        ("data: {evaluation: {limit: 3}}", "data.evaluation", "give either name"),
        ("data: {evaluation: {name: reviews, limit: 0}}", "data.evaluation.limit", "greater than or equal to 1"),
        ("name: My Test", "name", "try my-test"),
        ("protocol: self_consistency:0", "protocol", "self_consistency:N"),
        ("episodic_memory: {condition: C7}", "episodic_memory.condition", "Use one of C1"),
        ("episodic_memory: {condition: C2_eval_only, conditions: 1.1}", "episodic_memory.condition", "Version 1.2 has"),
        ("episodic_memory: {conditions: '1.9'}", "episodic_memory.conditions", "Use 1.1 or 1.2"),
        ("episodic_memory: {conditions: mine.yaml, condition: Mine}", "episodic_memory.conditions", "tried"),
        ("episodic_memory: {visibility: epoch}", "episodic_memory.visibility", "Use sequential or epoch:N"),
        ("episodic_memory: {topk: 0}", "episodic_memory.topk", "at least 1"),
        ("episodic_memory: {store: none.jsonl}", "episodic_memory.store", "start with an empty memory"),
        ("episodic_memory: {store: 'mysql://u:p@h/d'}", "episodic_memory.store", "use a file path or postgresql://"),
        ("episodic_memory: {created_from_split: dev}", "episodic_memory.created_from_split", "leave it out"),
        ("memory: {mode: silent}", "memory.enable", "Add it"),
        ("memory: {enable: true, mode: advisry}", "memory.mode", "Did you mean advisory?"),
        ("pipeline: {protocol: cr_v1}", "pipeline.protocol", "use protocol or matrix.protocol"),
        ("pipeline: {taxonomy: nikl2202}", "pipeline.taxonomy", "Did you mean 'nikl2022'?"),
        ("pipeline: {taxonomy: own.yaml}", "pipeline.taxonomy", "tried"),
        ("matrix: {conditions: [C1]}", "matrix.conditions", "Did you mean condition?"),
        ("matrix: {colour: [red]}", "matrix.colour", "Use one of protocol, condition, engine, seed."),
        ("matrix: {language: [ko]}", "matrix.language", "Put it under data.evaluation (data.evaluation.language)"),
        ("matrix: {condition: [C2, M2]}", "matrix.condition.1", "the same condition as C2"),
        ("matrix: {protocol: [cr_v2, cr_v2]}", "matrix.protocol", "given twice"),
        ("matrix: {seed: []}", "matrix.seed", "at least one"),
        ("matrix: {engine: [embedded, embedded]}", "matrix.engine", "given twice"),
        ("matrix: {engine: {a: 'opnai:gpt'}}", "matrix.engine.a", "Did you mean openai:MODEL?"),
        ("repeats: 1000000000", "repeats", "less than or equal to 1000"),
        ("seeds: 3", "seeds", "Give a list"),
        ("seeds: [one]", "seeds.0", "whole number"),
        ("engines: embeded", "engines", "Use embedded"),
        ("engines: nowhere.yaml", "engines", "tried"),
        ("engines: {default: {kind: opnai_compatible, model: m}}", "engines.default.kind", "openai_compatible?"),
        ("engines: {default: {kind: anthropic}}", "engines.default", "needs a model"),
        ("engines: {default: {seed: 1}, debate: {kind: google}, judge: {seed: 2}}", "engines.debate", "needs a model"),
        ("engines: {A: {kind: google, model: m}, C: {kind: anthropic}}", "engines.C", "needs a model"),
        ("engines: {default: {kind: anthropic, model: [1]}}", "engines.default.model", "Give a text"),
        ("engines: {default: {kind: google, model: m, base_url: h}}", "engines.default", "http://"),
        ("engines: {default: {kind: google, model: '${MODEL}'}}", "engines.default.model", "--set"),
        ("run: {max_error_rate: 2}", "run.max_error_rate", "less than or equal to 1"),
        ("run: {workers: 0}", "run.workers", "auto or a whole number"),
        ("run: {cache: 3}", "run.cache", "true, false or a path"),
        ("run: {max_cost: free}", "run.max_cost", "Give a number."),
        ("pipeline: none", "pipeline", "Give a mapping"),
    ],
)
def test_what_is_said_about(tmp_path: Path, added: str, keys: str, text: str) -> None:
    own = added.partition(":")[0]
    kept = [line for line in MINIMAL.splitlines() if not line.startswith(f"{own}:")]
    found = only_mistake(tmp_path, "\n".join([*kept, added]))
    assert ".".join(map(str, found.keys)) == keys
    assert text in found.text
    assert found.place.label.endswith(f".yaml:{len(kept) + 1}")


@pytest.mark.parametrize(
    ("alone", "swept", "reported"),
    [
        ("protocol: cr_v2", "protocol: [cr_v1]", "protocol"),
        ("seeds: [1]", "seed: [2]", "seeds"),
        ("engines: embedded", "engine: [embedded]", "engines"),
        ("episodic_memory: {condition: C2}", "condition: [C1]", "episodic_memory.condition"),
        ("memory: {enable: true}", "condition: [C1]", "memory"),
    ],
)
def test_a_factor_is_said_once(tmp_path: Path, alone: str, swept: str, reported: str) -> None:
    found = only_mistake(tmp_path, f"{MINIMAL}{alone}\nmatrix:\n  {swept}\n")
    assert (".".join(map(str, found.keys)), "also given as matrix." in found.text) == (reported, True)


def test_the_two_ways_to_name_a_condition_must_agree(tmp_path: Path) -> None:
    both = f"{MINIMAL}episodic_memory: {{condition: C3}}\nmemory: {{enable: true, mode: %s}}\n"
    assert [cell.condition.name for cell in loaded(tmp_path, both % "silent").cells()] == ["C2_silent"]
    assert (
        "means condition C2, but episodic_memory.condition is C2_silent"
        in only_mistake(tmp_path, both % "advisory").text
    )


def test_memory_needs_a_reader(tmp_path: Path) -> None:
    found = only_mistake(tmp_path, f"{MINIMAL}protocol: single\nepisodic_memory: {{condition: C2}}\n")
    assert found.keys == ("protocol",)
    assert found.text.startswith("protocol single never reads the memory")
    swept = "matrix: {protocol: [cr_v2, stage1_only], condition: [C2, C2_silent]}"
    assert only_mistake(tmp_path, f"{MINIMAL}{swept}\n").keys == ("matrix", "protocol", 1)


def test_a_memory_is_built_by_a_condition_that_writes(tmp_path: Path) -> None:
    content = MINIMAL.replace("reviews}", "reviews, memory: reviews_memory}")
    found = only_mistake(tmp_path, f"{content}episodic_memory: {{condition: C2, build_condition: C2_frozen}}\n")
    assert (found.keys[-1], "writes no episode" in found.text) == ("build_condition", True)


@pytest.mark.parametrize(
    "key", ["sk-proj-abcdefgh1234", "0123456789abcdef0123456789abcdef", "AIzaSyA1234567890abcdefgh"]
)
@pytest.mark.parametrize(
    "place",
    [
        "engines: {default: {kind: anthropic, model: m, api_key: KEY}}",
        "engines: {default: {kind: anthropic, model: m, api_key_env: KEY}}",
        "engines: {default: {kind: KEY, model: m}}",
        "engines: 'openai:KEY'",
        "matrix: {engine: ['google:KEY']}",
        "matrix: {engine: {big: {default: {kind: google, model: m, extra_body: {headers: [KEY]}}}}}",
    ],
)
def test_a_key_is_refused_and_not_repeated(tmp_path: Path, key: str, place: str) -> None:
    path = write(tmp_path, MINIMAL + place.replace("KEY", key))
    with pytest.raises(ConfigMistakes) as caught:
        load_config(path)
    assert "looks like an API key" in caught.value.mistakes[0].text
    assert len(caught.value.mistakes) == 1
    assert key not in str(caught.value)


def test_keys_given_twice(tmp_path: Path) -> None:
    found = mistakes(tmp_path, "name: x\ndata: {evaluation: reviews}\nrun:\n  out: a\n  out: b\nname: y\n")
    assert [(one.place.label[-2:], one.text) for one in found] == [
        (":5", "given twice, first on line 4. Remove one of them."),
        (":6", "given twice, first on line 1. Remove one of them."),
    ]


def test_merged_keys_are_no_repetition(tmp_path: Path) -> None:
    shared = "engines:\n  A: &one {kind: google, model: m}\n  B:\n    <<: *one\n    modle: n\n"
    found = only_mistake(tmp_path, MINIMAL + shared)
    assert (found.keys, found.place.label[-2:]) == (("engines", "B", "modle"), ":7")


@pytest.mark.parametrize(
    ("content", "place", "text"),
    [
        ("name: x\ndata:\n\tevaluation: reviews\n", ":3:1", "Indent with spaces, not tabs."),
        ("name: [x\n", ":2:1", "not valid YAML"),
        ("- a\n", ":1", "must be a mapping"),
        ("name: 2020-13-45\n", ":1", "not valid YAML"),
    ],
)
def test_what_is_not_yaml(tmp_path: Path, content: str, place: str, text: str) -> None:
    found = only_mistake(tmp_path, content)
    assert found.place.label.endswith(f".yaml{place}")
    assert text in found.text


def test_an_empty_file_says_what_is_missing(tmp_path: Path) -> None:
    assert [(one.keys, one.text) for one in mistakes(tmp_path, "")] == [
        (("name",), "is missing. Add it, for example name: my-experiment."),
        (("data",), "is missing. Add it, for example data: {evaluation: reviews}."),
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Check the path"):
        load_config(tmp_path / "none.yaml")


def test_one_mistake_does_not_hide_or_cause_another(tmp_path: Path) -> None:
    content = """\
name: x
data:
  evaluation: {pth: gone.jsonl}
engines:
  default: {kind: anthropic, modle: m, tempeature: 9}
  reviewers: {temprature: hot}
"""
    assert [(one.place.label.rpartition(":")[2], one.keys[-1]) for one in mistakes(tmp_path, content)] == [
        ("3", "pth"),
        ("5", "modle"),
        ("5", "tempeature"),
        ("6", "temprature"),
    ]


def test_aliases_that_grow_without_bound_are_refused(tmp_path: Path) -> None:
    levels = "".join(f"x{n}: &x{n} [*x{n - 1}, *x{n - 1}]\n" for n in range(1, 40))
    with pytest.raises(ConfigMistakes, match="aliases"):
        loaded(tmp_path, f"name: x\nx0: &x0 [a]\n{levels}")
