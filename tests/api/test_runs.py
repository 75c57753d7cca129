"""Runs and experiments as objects: run, read, looked through, compared, reported."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import samsim
from samsim.experiments.artefacts import OUTPUTS
from tests.reports.making_runs import copied, fail_sample
from tests.support.shared import made_once

RESAMPLES = 200


def config(out: Path, **changes: Any) -> dict[str, Any]:
    settings = {
        "name": "small",
        "data": {"evaluation": {"name": "reviews", "language": "en", "limit": 8}},
        "matrix": {"protocol": ["stage1_only", "cr_v2"]},
        "run": {"out": str(out), "workers": 1},
    }
    return settings | changes


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(place: Path) -> None:
        samsim.run_experiment(config(place))

    return made_once(tmp_path_factory, "small", make) / "small"


@pytest.fixture
def experiment(folder: Path) -> samsim.Experiment:
    loaded = samsim.load_run(folder)
    assert isinstance(loaded, samsim.Experiment)
    return loaded


@pytest.fixture
def run(experiment: samsim.Experiment) -> samsim.Run:
    return experiment["cr_v2-C1"]


def test_an_experiment_is_its_runs_by_name(experiment: samsim.Experiment, folder: Path) -> None:
    assert list(experiment) == ["stage1_only-C1", "cr_v2-C1"]
    assert (experiment.errors, experiment.partial, experiment.bad_rows, experiment.stopped) == (0, 0, 0, None)
    assert repr(experiment) == f"<Experiment of 2 runs: stage1_only-C1, cr_v2-C1; {folder}>"
    assert "<td" in experiment._repr_html_()


def test_run_experiment_returns_the_same_kind_of_object(folder: Path, experiment: samsim.Experiment) -> None:
    again = samsim.run_experiment(config(folder.parent))
    assert {name: run.manifest for name, run in again.items()} == {
        name: run.manifest for name, run in experiment.items()
    }


def test_a_file_and_a_loaded_configuration_run_too(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(json.dumps(config(tmp_path, matrix={"protocol": ["single"]})), encoding="utf-8")
    first = samsim.run_experiment(file, limit=2)
    assert [len(run) for run in first.values()] == [2]
    assert first.stopped is None
    whole = samsim.run_experiment(samsim.load_config(file, ["data.evaluation.limit=8"]))
    assert [len(run) for run in whole.values()] == [8]
    over = samsim.run_experiment(file, restart=True, limit=1)
    assert [len(run) for run in over.values()] == [1]
    assert (tmp_path / "small.old-1").is_dir()


def test_an_experiment_runs_inside_a_running_loop(tmp_path: Path) -> None:
    async def inside() -> samsim.Experiment:
        return samsim.run_experiment(config(tmp_path, matrix={"protocol": ["single"]}), limit=1)

    assert [len(run) for run in asyncio.run(inside()).values()] == [1]


def test_a_plan_needs_no_file_either(tmp_path: Path) -> None:
    plan = samsim.plan_experiment(config(tmp_path), probes=1)
    assert [cell.samples for cell in plan.cells] == [8, 8]
    assert list(tmp_path.iterdir()) == []


def test_a_plan_is_readable_at_a_prompt(tmp_path: Path) -> None:
    plan = samsim.plan_experiment(config(tmp_path), probes=1)
    title, head, *rows = str(plan).splitlines()
    assert title == "Plan (from 1 probed sample per protocol and engine)"
    assert head.split()[:3] == ["cell", "samples", "calls"]
    assert [row.split()[:2] for row in rows[:3]] == [["stage1_only-C1", "8"], ["cr_v2-C1", "8"], ["all", "16"]]
    assert repr(plan) == str(plan)
    assert "<td" in plan._repr_html_()


def test_the_shipped_experiment_goes_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = samsim.load_config("quickstart", ["data.evaluation.limit=1"])
    assert loaded.name == "quickstart"
    assert samsim.plan_experiment("quickstart", probes=0).cells
    (tmp_path / "quickstart").write_text("name: mine\ndata: {evaluation: reviews}\n", encoding="utf-8")
    assert samsim.load_config("./quickstart").name == "mine"


def test_mistakes_in_a_mapping_have_no_line(tmp_path: Path) -> None:
    with pytest.raises(samsim.ConfigError) as refused:
        samsim.run_experiment(config(tmp_path, protocl="cr_v2"))
    assert str(refused.value).startswith("the configuration: protocl: unknown key. Did you mean protocol?")


def test_what_is_set_over_a_mapping_leaves_it_alone(tmp_path: Path) -> None:
    given = config(tmp_path)
    samsim.load_config(given, ["data.evaluation.limit=1", "matrix.protocol=[single]"])
    assert given == config(tmp_path)


@pytest.mark.parametrize("option", ["limit", "concurrency", "workers"])
def test_a_number_that_runs_nothing_is_refused(option: str, tmp_path: Path) -> None:
    none: dict[str, Any] = {option: 0}
    with pytest.raises(samsim.ConfigError, match=f"{option} is 0"):
        samsim.run_experiment(config(tmp_path), **none)


def test_a_sample_is_found_by_its_id(run: samsim.Run) -> None:
    sample = run["en-003"]
    assert sample.result is not None
    assert sample.result.uid == sample.uid == "en-003"
    assert sample.card is not None
    assert sample in list(run)
    assert sample.result.text[:20] in sample._repr_html_()


def test_a_run_is_a_collection_of_samples(run: samsim.Run, folder: Path) -> None:
    assert len(run) == len(list(run)) == len(list(run.samples())) == 8
    assert repr(run) == f"<Run cr_v2-C1: 8 samples, finished; {folder / 'cr_v2-C1'}>"
    assert "en-001" in run._repr_html_()


def test_a_run_knows_its_samples_by_id(run: samsim.Run, experiment: samsim.Experiment) -> None:
    assert run.uids == tuple(sample.uid for sample in run)
    assert "en-003" in run
    assert "en-03" not in run
    assert run["en-003"] in run
    assert run["en-003"] not in experiment["stage1_only-C1"]
    assert 3 not in run
    assert "cr_v2-C1" in experiment


def test_an_experiment_of_one_cell_is_one_wherever_it_comes_from(tmp_path: Path) -> None:
    made = samsim.run_experiment(config(tmp_path, matrix={"protocol": ["single"]}), limit=1)
    read = samsim.load_experiment(tmp_path / "small")
    assert list(made) == list(read) == ["single-C1"]
    assert made["single-C1"].manifest == read["single-C1"].manifest
    alone = samsim.load_run(tmp_path / "small")
    assert isinstance(alone, samsim.Run)
    assert made.run.path == read.run.path == alone.path
    assert samsim.load_experiment(str(alone.path)).run.name == "single-C1"


def test_an_experiment_that_was_stopped_in_its_first_cell_is_still_one(folder: Path, tmp_path: Path) -> None:
    copied(folder / "cr_v2-C1", tmp_path / "killed" / "cr_v2-C1")
    for read in (samsim.load_run(tmp_path / "killed"), samsim.load_experiment(tmp_path / "killed")):
        assert isinstance(read, samsim.Experiment)
        assert read.run.name == "cr_v2-C1"


def test_of_several_runs_none_is_the_only_one(experiment: samsim.Experiment, tmp_path: Path) -> None:
    with pytest.raises(samsim.InputError, match=r"has 2 runs: stage1_only-C1, cr_v2-C1\. Choose one by its name"):
        _ = experiment.run
    with pytest.raises(samsim.InputError, match="is not a run folder"):
        samsim.load_experiment(tmp_path)


def test_what_is_not_there_is_both_errors_and_names_what_is(run: samsim.Run, experiment: samsim.Experiment) -> None:
    with pytest.raises(samsim.InputError, match=r"^There is no sample 'en-03' in the run cr_v2-C1\. Did you mean"):
        run["en-03"]
    with pytest.raises(KeyError):
        run["en-03"]
    with pytest.raises(samsim.UnknownKeyError, match="Did you mean 'cr_v2-C1'"):
        experiment["cr_v2"]
    assert "nothing" not in experiment


def test_rows_of_a_run_and_of_an_experiment(run: samsim.Run, experiment: samsim.Experiment) -> None:
    rows = run.to_rows()
    assert {row["uid"] for row in rows} == {sample.uid for sample in run}
    assert run.to_dataframe().shape == (len(rows), len(rows[0]))
    everything = experiment.to_dataframe()
    assert list(everything.columns) == ["run", *rows[0]]
    assert set(everything["run"]) == set(experiment)


def test_a_failed_sample_is_a_row_with_its_error(folder: Path, tmp_path: Path) -> None:
    place = copied(folder / "cr_v2-C1", tmp_path / "run")
    fail_sample(place, "en-002", "<b>no answer</b>")
    run = samsim.load_run(place)
    assert isinstance(run, samsim.Run)
    (row,) = run["en-002"].to_rows()
    assert (row["completeness"], row["error"], row["polarity"]) == ("failed", "<b>no answer</b>", None)
    assert {row["error"] for row in run["en-001"].to_rows()} == {None}
    for page in (run["en-002"]._repr_html_(), run._repr_html_()):
        assert "&lt;b&gt;no answer" in page


def test_a_run_without_samples_is_still_a_run(folder: Path, tmp_path: Path) -> None:
    place = copied(folder / "cr_v2-C1", tmp_path / "run")
    (place / OUTPUTS).write_bytes(b"")
    run = samsim.load_run(place)
    assert (len(run), bool(run), list(run)) == (0, True, [])


def test_a_folder_that_is_neither_says_so(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(samsim.InputError, match="is not a run folder"):
            samsim.load_run(place)


def test_a_comparison_has_tests_and_flips(experiment: samsim.Experiment, folder: Path) -> None:
    found = samsim.compare(experiment["stage1_only-C1"], experiment["cr_v2-C1"], resamples=RESAMPLES)
    assert found == samsim.compare(folder, resamples=RESAMPLES) == samsim.compare(experiment, resamples=RESAMPLES)
    assert (found.samples, found.baseline) == (8, "stage1_only-C1")
    rows = found.to_rows()
    assert [(row["family"], row["run"]) for row in rows[:2]] == [
        (found.families[0], "stage1_only-C1"),
        (found.families[0], "cr_v2-C1"),
    ]
    assert rows[0]["p"] is None
    for row, contrast in zip(rows[1::2], found.contrasts, strict=True):
        assert (row["delta_f1"], row["p"]) == (contrast.delta_f1, contrast.p_value)
        assert row["wrong_to_right"] + row["right_to_wrong"] == len(contrast.tuple_flips)
    assert len(found.to_dataframe()) == 2 * len(found.families)
    flips = found.to_dataframe(flips=True)
    assert len(flips) == sum(len(one.tuple_flips) for one in found.contrasts)
    assert list(flips.columns) == ["family", "run", "uid", "direction", "kind", "tuple", "text"]
    assert {row["uid"]: row["text"] for row in found.to_rows(flips=True)} == {
        uid: result.text for uid in set(flips["uid"]) if (result := experiment["cr_v2-C1"][uid].result)
    }
    assert "texts" not in found.model_dump()


def test_a_comparison_is_readable_at_a_prompt(folder: Path) -> None:
    found = samsim.compare(folder, resamples=RESAMPLES)
    heading, columns, *lines = repr(found).splitlines()
    assert heading == "Comparison over 8 samples; baseline stage1_only-C1"
    assert columns.split()[:3] == ["family", "run", "F1"]
    assert len(lines) == 2 * len(found.families)
    assert str(found) == repr(found)
    assert "<table" in found._repr_html_()


def test_what_is_missing_of_a_run_is_a_warning(folder: Path, tmp_path: Path) -> None:
    place = copied(folder / "cr_v2-C1", tmp_path / "run")
    (place / "traces.jsonl").unlink()
    with pytest.warns(UserWarning, match=r"traces\.jsonl is missing"):
        samsim.compare(folder / "stage1_only-C1", place, resamples=RESAMPLES)


def test_a_report_is_built_from_objects_and_folders(
    experiment: samsim.Experiment, run: samsim.Run, folder: Path, tmp_path: Path
) -> None:
    sources: dict[str, Any] = {"a": experiment, "b": folder, "c": list(experiment.values())}
    pages = [
        samsim.build_report(given, tmp_path / name, resamples=RESAMPLES).page.read_bytes()
        for name, given in sources.items()
    ]
    assert len(set(pages)) == 1
    alone = samsim.build_report(run, tmp_path / "d", resamples=RESAMPLES)
    assert repr(alone) == f"<Report on 1 runs: {tmp_path / 'd' / 'report.html'}>"


@pytest.mark.parametrize(("ui", "words"), [("en", "F1 of every run"), ("ko", "실행별 F1")])
def test_the_picture_is_an_svg_document_of_its_own(folder: Path, tmp_path: Path, ui: Any, words: str) -> None:
    files = samsim.build_report(folder, tmp_path, resamples=RESAMPLES)
    picture = files.picture(ui)
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert words in picture
    assert "var(" not in picture
    assert "cr_v2-C1" in picture
    assert f'lang="{"ko" if ui == "en" else "en"}"' not in picture
    assert files._repr_html_().startswith('<div><img alt="F1 of every run" src="data:image/svg+xml;base64,')
