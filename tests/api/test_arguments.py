"""A wrong argument is refused where it is given, by an error of samsim that names it and says what to pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import samsim
from samsim.cli.main import cli
from tests.api.test_runs import config
from tests.api.test_runs import folder as folder

TEXT = "The soup was cold."
samsim_: Any = samsim  # what is given here is wrong on purpose
NO_PLACE = [3, None, [], object()]


def refused(call: Callable[[], object], *words: str) -> None:
    with pytest.raises(samsim.SamsimError) as error:
        call()
    for word in words:
        assert word in str(error.value)
    assert "Input should" not in str(error.value).split(":")[0]


@pytest.mark.parametrize("wrong", NO_PLACE)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("load_run", "the folder of a run"),
        ("load_experiment", "the folder of a run"),
        ("load_config", "quickstart"),
        ("run_experiment", "quickstart"),
        ("plan_experiment", "quickstart"),
        ("load_samples", "reviews"),
        ("load_gold", "reviews"),
        ("gold_fields", "reviews"),
        ("load_taxonomy", "nikl2022"),
        ("open_store", "postgresql://"),
    ],
)
def test_what_is_no_place_is_refused(
    name: str, words: str, wrong: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(lambda: getattr(samsim, name)(wrong), "Give ", words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [3, [], object(), Path, True])
def test_what_is_no_engine_and_no_memory_is_refused(
    wrong: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(lambda: samsim.Pipeline(engine=wrong), "engine is", "Give ", "Engine of your own")
    refused(lambda: samsim.Pipeline(memory=wrong), "memory is", "open_memory")
    for open_it in (samsim.open_engine, samsim.check_engine):
        refused(partial(open_it, wrong), "spec is", "embedded")
    refused(lambda: samsim.open_memory(wrong), "place is", ".jsonl")
    refused(lambda: samsim.find_leaks(wrong, [TEXT]), "store is")
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_not_yet_a_memory(tmp_path: Path) -> None:
    with closing(samsim.open_store(tmp_path / "store.jsonl")) as store:
        for wrong in ("store.jsonl", store):
            refused(partial(samsim_.Pipeline, memory=wrong), "open_memory")


@pytest.mark.parametrize("topk", [-1, 0])
def test_a_memory_that_would_advise_nothing_is_refused(topk: int, tmp_path: Path) -> None:
    refused(lambda: samsim.open_memory(tmp_path / "store.jsonl", topk=topk), f"topk is {topk}", "1 or more")
    refused(lambda: samsim_.open_memory(tmp_path / "store.jsonl", condition=3), "condition is 3")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "wrong", "words"),
    [
        *(("max_cost", wrong, "above 0") for wrong in (math.nan, -1, 0, "a", True)),
        *(("max_outage", wrong, "0 or more") for wrong in (math.nan, -1, "a")),
        ("cache", 3, "True, False or a path"),
        ("protocol", "x", "cr_v2"),
        ("protocol", "cr_2", "did you mean cr_v"),
        ("base_url", 3, "an address"),
        ("trace", 3, "a path"),
        ("replay", 3, "a path"),
    ],
)
@pytest.mark.parametrize("spec", ["embedded", "openai:gpt-x", {"default": "embedded"}])
def test_wrong_options_of_an_engine_are_refused_whatever_the_engine(
    spec: Any, option: str, wrong: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
    refused(lambda: samsim.open_engine(spec, **{option: wrong}), option, words)


@pytest.mark.parametrize(("option", "wrong"), [("protocol", "x"), ("base_url", 3), ("write", 3)])
def test_wrong_options_of_a_check_are_refused(option: str, wrong: Any) -> None:
    refused(lambda: samsim_.check_engine(**{option: wrong}), option)


@pytest.mark.parametrize("cost", ["nan", "-1"])
def test_the_command_refuses_a_cost_that_limits_nothing(cost: str) -> None:
    ended = CliRunner().invoke(cli, ["analyze", TEXT, "--max-cost", cost])
    assert ended.exit_code == 2
    assert "cost" in ended.stderr


def test_a_cache_that_is_no_place_is_named_in_a_mapping_too() -> None:
    spec = {"engines": {"default": "embedded"}, "cache": 3}
    with pytest.raises(samsim.ConfigError, match=r"cache: should be true, false or a path; give one of these") as error:
        samsim.open_engine(spec)
    assert "lax" not in str(error.value)


def test_a_wrong_address_is_named_without_the_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
    with pytest.raises(samsim.ConfigError, match=r"^The engine is wrong: base_url must start with http"):
        samsim.open_engine("openai:foo", base_url="nonsense")
    both = {"default": "openai:m", "A": {"base_url": "nonsense"}}
    with pytest.raises(samsim.ConfigError, match=r"^The engine of A \(default < A\) is wrong: base_url must"):
        samsim.open_engine(both)


def test_an_engine_whose_trace_is_closed_says_so(tmp_path: Path) -> None:
    with samsim.open_engine(trace=tmp_path / "calls.jsonl") as engine:
        pass
    refused(lambda: samsim.Pipeline(engine=engine).analyze(TEXT), "is closed", "Open the engine again")


@pytest.mark.parametrize("wrong", [3, None])
def test_the_id_of_a_text_is_a_string(wrong: Any) -> None:
    refused(lambda: samsim.Pipeline().analyze(TEXT, uid=wrong), f"uid is {wrong}", "a string")


@pytest.mark.parametrize("wrong", ["x", 0, 1.5, True])
def test_the_concurrency_of_a_stream_is_checked_by_the_call(wrong: Any) -> None:
    refused(lambda: samsim.Pipeline().stream([TEXT], concurrency=wrong), "concurrency is", "1 or more")


@pytest.mark.parametrize(
    ("option", "wrong", "words"),
    [
        ("limit", "a", "1 or more"),
        ("concurrency", "a", "1 or more"),
        ("workers", 1.5, "1 or more"),
        ("max_error_rate", 5, "from 0 to 1"),
        ("max_error_rate", math.nan, "from 0 to 1"),
    ],
)
def test_wrong_options_of_a_run_are_refused(option: str, wrong: Any, words: str, tmp_path: Path) -> None:
    refused(lambda: samsim.run_experiment(config(tmp_path), **{option: wrong}), f"{option} is", words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [-1, "a", None])
def test_a_plan_probes_no_fewer_than_no_samples(wrong: Any, tmp_path: Path) -> None:
    refused(lambda: samsim.plan_experiment(config(tmp_path), probes=wrong), "probes is", "0 or more")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resamples": 0}, "resamples is 0. Give a whole number of 1 or more"),
        ({"seed": -1}, "seed is -1"),
        ({"families": []}, "families is empty"),
        ({"families": "triplet"}, 'families=["triplet"]'),
        ({"families": ["f1"]}, "cannot score f1"),
    ],
)
def test_wrong_options_of_a_comparison_are_refused(options: dict[str, Any], words: str, folder: Path) -> None:
    refused(lambda: samsim.compare(folder, **options), words)


@pytest.mark.parametrize("wrong", [3, None, object(), [3]])
def test_a_report_is_about_runs(wrong: Any) -> None:
    refused(lambda: samsim.build_report(wrong), "Give a run, an experiment or the folder of one")


def test_runs_are_compared_as_arguments_of_their_own(folder: Path) -> None:
    refused(lambda: samsim_.compare([folder, folder]), "is of type list", "compare(one, two)")
    refused(lambda: samsim_.compare(3), "is 3")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ui": "fr"}, "ui is 'fr'. Use en or ko"),
        ({"sample_budget": -1}, "sample_budget is -1"),
        ({"resamples": 0}, "resamples is 0"),
        ({"out": 3}, "out is 3. Give a path"),
    ],
)
def test_wrong_options_of_a_report_are_refused(options: dict[str, Any], words: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    refused(lambda: samsim.build_report(folder, **options), words)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"foo": 1}, "Unknown option foo. Known options: format, split"),
        ({"limt": 1}, "Did you mean limit?"),
        ({"limit": -1}, "limit: Input should be greater than or equal to 1"),
        ({"format": "jsnl"}, "format: unknown format 'jsnl': did you mean jsonl?"),
    ],
)
def test_a_wrong_option_of_data_is_named(options: dict[str, Any], words: str) -> None:
    refused(lambda: samsim.load_samples("reviews", **options), words)
    refused(lambda: samsim.load_gold("reviews", **options), words)


def test_settings_over_a_configuration_are_a_list(tmp_path: Path) -> None:
    refused(lambda: samsim.load_config(config(tmp_path), "run.concurrency=4"), 'sets=["run.concurrency=4"]')
    refused(lambda: samsim_.load_config(config(tmp_path), [3]), "sets", "path.to.key=value")
    with pytest.raises(samsim.ConfigError, match=r"^sets: run\.concurency: unknown key\. Did you mean concurrency"):
        samsim.load_config(config(tmp_path), ["run.concurency=4"])


def test_what_to_do_in_python_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "korean.csv").write_bytes("본문\n화면이 좋아요\n".encode("cp949"))
    refused(lambda: samsim.load_samples(tmp_path / "korean.csv"), 'in Python: encoding="cp949"')
    (tmp_path / "columns.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    refused(lambda: samsim.load_samples(tmp_path / "columns.csv"), "--columns text=NAME", 'columns={"text": NAME}')
    (tmp_path / "paper").symlink_to(folder)
    refused(lambda: samsim.build_report(folder, tmp_path), "in Python: out")
    samsim.run_experiment(config(tmp_path, matrix={"protocol": ["single"]}), limit=1)
    refused(lambda: samsim.run_experiment(config(tmp_path)), "in Python: restart=True")


def test_one_text_where_many_are_searched_for_is_put_in_a_list(tmp_path: Path) -> None:
    with pytest.raises(samsim.InputError) as error:
        samsim.find_leaks(tmp_path / "none.jsonl", "abc")
    assert str(error.value) == "A single text was given, but many are expected. Put it in a list."
