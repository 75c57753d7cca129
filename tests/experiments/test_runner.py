"""Runs: what they write, how they go on, and that neither concurrency nor processes change anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, STORE, TRACES, find_runs, read_run
from samsim.experiments.runner import cell_folders
from samsim.memory.store import open_store
from samsim.metrics.summary import summarise
from samsim.schemas.memory_v1_1 import AdvisoryBundleV1_1
from tests.experiments.engines import LateEngine, serving
from tests.experiments.runs import configure, footprint, only_folder, rows, run, store_hash, timeless_cards

PROTOCOLS = ("cr_v2", "debate")


# --- what is written --------------------------------------------------------------------------------


def test_each_fact_is_in_one_file_and_the_run_reads_back_whole(tmp_path: Path) -> None:
    config = configure(tmp_path, episodic_memory={"condition": "C2"})
    outcome = run(config)
    folder = only_folder(config)
    assert outcome.folder == folder
    assert sorted(path.name for path in folder.iterdir() if path.suffix in (".json", ".jsonl")) == sorted(
        [MANIFEST, OUTPUTS, SCORECARDS, STORE, TRACES]
    )
    outputs, cards, traces = rows(folder / OUTPUTS), rows(folder / SCORECARDS), rows(folder / TRACES)
    assert not {"memory", "evaluation", "gold"} & {key for row in outputs for key in row}
    assert not {"stage1_tuples", "final_tuples", "text"} & {key for row in cards for key in row}
    assert {row["uid"] for row in traces} == {row["uid"] for row in outputs}
    loaded = read_run(folder)
    samples = list(loaded.samples())
    assert loaded.problems == ()
    assert [sample.uid for sample in samples] == [row["uid"] for row in outputs]
    assert all(sample.result is not None and sample.result.memory is not None for sample in samples)
    assert all(sample.result is not None and sample.result.evaluation is not None for sample in samples)
    assert sum(card["usage"]["calls"] for card in cards) == len(traces)
    assert loaded.manifest.run_meta.condition == "C2"
    assert (loaded.manifest.status, loaded.manifest.done, loaded.manifest.errors) == ("finished", len(outputs), 0)


def test_a_condition_without_memory_says_so_in_every_scorecard(tmp_path: Path) -> None:
    config = configure(tmp_path, data={"evaluation": {"name": "reviews", "limit": 5}})
    run(config)
    folder = only_folder(config)
    assert not (folder / STORE).exists()
    recorded = [card["memory"] for card in rows(folder / SCORECARDS)]
    assert {(one["condition"], one["memory_mode"], one["retrieved_k"]) for one in recorded} == {("C1", "off", 0)}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_gate_is_evaluated_under_c1_as_under_any_condition(tmp_path: Path, protocol: str) -> None:
    """The samples that would have been exposed can be told without a memory."""
    matrix = {"condition": ["C1", "C2_eval_only"]}
    config = configure(tmp_path, protocol=protocol, matrix=matrix)
    run(config)
    gates = [
        [
            (card["memory"]["advisory_injection_gated"], card["memory"]["injection_trigger_reason"])
            for card in rows(folder / SCORECARDS)
        ]
        for folder in cell_folders(config).values()
    ]
    assert gates[0] == gates[1]
    assert len({reason for _, reason in gates[0]}) > 1
    assert {gated for gated, _ in gates[0]} == {True, False}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("condition", ["C1", "C2", "C2_silent"])
def test_the_trace_says_what_memory_did_and_what_was_shown(tmp_path: Path, condition: str, protocol: str) -> None:
    config = configure(tmp_path, protocol=protocol, episodic_memory={"condition": condition})
    run(config)
    folder = only_folder(config)
    by_uid: dict[str, list[dict[str, Any]]] = {}
    for line in rows(folder / TRACES):
        by_uid.setdefault(line["uid"], []).append(line)
    shown = 0
    for card in rows(folder / SCORECARDS):
        *others, last = by_uid[card["uid"]]
        assert all("memory" not in line for line in others)
        record = last["memory"]
        # Seed 003 §7: the fields by which C3 is checked, in the scorecard and in the trace.
        for name in ("exposed_to_debate", "prompt_injection_chars", "retrieved_k", "retrieved_ids"):
            assert record[name] == card["memory"][name]
        bundle = record.pop("shown")
        assert card["memory"].pop("shown") is None
        assert record == card["memory"]
        assert (bundle is not None) == (record["prompt_injection_chars"] > 0)
        if bundle is not None:
            read = AdvisoryBundleV1_1.model_validate(bundle)
            assert [one.advisory_id for one in read.retrieved] == record["advisories_ids"]
            assert [one.advisory_type for one in read.retrieved] == record["advisory_types"]
            shown += bool(read.retrieved)
    assert (shown > 0) is (condition == "C2")


def test_a_silent_run_records_what_it_retrieved_and_showed_nothing(tmp_path: Path) -> None:
    config = configure(tmp_path, episodic_memory={"condition": "C2_silent"})
    run(config)
    recorded = [card["memory"] for card in rows(only_folder(config) / SCORECARDS)]
    assert {(one["exposed_to_debate"], one["prompt_injection_chars"]) for one in recorded} == {(False, 0)}
    assert all(one["retrieved_k"] == len(one["retrieved_ids"]) for one in recorded)
    assert any(one["retrieved_k"] for one in recorded)


def test_a_matrix_has_a_folder_per_cell_in_the_order_of_the_cells(tmp_path: Path) -> None:
    matrix = {"protocol": ["single", "cr_v2"], "condition": ["C1", "C2_silent"]}
    small = {"evaluation": {"name": "reviews", "language": "en", "limit": 6}}
    config = configure(tmp_path, data=small, matrix=matrix)
    outcome = run(config)
    runs = find_runs([outcome.folder])
    assert [one.name for one in runs] == ["single-C1", "cr_v2-C1", "cr_v2-C2_silent"]
    assert [one.manifest.position for one in runs] == [0, 1, 2]


def test_memory_is_built_from_its_own_role_and_evaluation_starts_from_a_copy(tmp_path: Path) -> None:
    data = {"evaluation": {"name": "reviews", "language": "en"}, "memory": {"name": "reviews_memory", "language": "en"}}
    config = configure(tmp_path, data=data, matrix={"condition": ["C1", "C2_frozen", "C2"]})
    run(config)
    folders = cell_folders(config)
    built = folders["memory-cr_v2-C2"] / STORE
    base = len(rows(built))
    assert base == read_run(built.parent).manifest.done > 0
    assert (folders["cr_v2-C2_frozen"] / STORE).read_bytes() == built.read_bytes()
    grown = (folders["cr_v2-C2"] / STORE).read_bytes()
    assert grown.startswith(built.read_bytes())
    assert len(rows(folders["cr_v2-C2"] / STORE)) == base + len(rows(folders["cr_v2-C2"] / OUTPUTS))
    assert read_run(folders["cr_v2-C2"]).manifest.store_base_seq == base
    frozen = rows(folders["cr_v2-C2_frozen"] / SCORECARDS)
    assert any(card["memory"]["retrieved_k"] for card in frozen)


def test_a_named_store_is_copied_and_never_written_to(tmp_path: Path) -> None:
    first = configure(tmp_path / "first", episodic_memory={"condition": "C2"})
    run(first)
    named = only_folder(first) / STORE
    before = named.read_bytes()
    second = configure(tmp_path / "second", episodic_memory={"condition": "C2", "store": str(named)})
    run(second)
    run(second)
    assert named.read_bytes() == before
    assert len(rows(only_folder(second) / STORE)) == 2 * len(rows(named))
    store = open_store(only_folder(second) / STORE)
    assert store.verify().ok
    store.close()


# --- the same whatever the concurrency ---------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("condition", "visibility"),
    [("C1", "sequential"), ("C2", "sequential"), ("C2", "epoch:8"), ("C2_shuffled_writing", "epoch:8")],
)
def test_concurrency_changes_nothing(protocol: str, condition: str, visibility: str, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(SHUFFLED_WRITING, encoding="utf-8")
    memory = {"condition": condition, "visibility": visibility, "conditions": str(own)}
    seen = []
    for concurrency in (1, 32):
        config = configure(tmp_path / str(concurrency), protocol=protocol, episodic_memory=memory)
        engine = LateEngine(seed=concurrency)
        run(config, serving(engine.for_anybody), concurrency=concurrency)
        seen.append(footprint(only_folder(config)))
        parallel = engine.most_under_way > 3
        assert parallel == ((concurrency > 1 and visibility != "sequential") or (condition == "C1" and concurrency > 1))
    assert seen[0] == seen[1]


SHUFFLED_WRITING = """
version: own
conditions:
  C1: {memory_mode: off, retrieval_execute: false, injection_mask: true, store_write: false, exposed_to_debate: false}
  C2: {memory_mode: on, retrieval_execute: true, injection_mask: false, store_write: true, exposed_to_debate: true}
  C2_shuffled_writing:
    {memory_mode: on, retrieval_execute: true, injection_mask: false, store_write: true, exposed_to_debate: true,
     injection_source: shuffled}
"""


@pytest.mark.parametrize("visibility", ["sequential", "epoch:8"])
@pytest.mark.parametrize("stops", [(1,), (5, 8, 9), (16, 20)])
def test_a_shuffled_memory_goes_on_as_if_never_stopped(visibility: str, stops: tuple[int, ...], tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(SHUFFLED_WRITING, encoding="utf-8")
    memory = {"condition": "C2_shuffled_writing", "visibility": visibility, "conditions": str(own)}
    whole, broken = (configure(tmp_path / name, episodic_memory=memory) for name in ("whole", "broken"))
    run(whole)
    for limit in stops:
        assert run(broken, limit=limit).cells[0].status == "stopped"
    run(broken)
    assert footprint(only_folder(broken)) == footprint(only_folder(whole))
    assert any(card["memory"]["retrieved_k"] for card in timeless_cards(only_folder(whole)))


def test_processes_change_nothing(tmp_path: Path) -> None:
    seen = []
    for workers in (1, 2):
        config = configure(tmp_path / str(workers), protocol="cr_v2")
        run(config, workers=workers)
        seen.append(footprint(only_folder(config)))
    assert seen[0] == seen[1]


# --- gold stays outside ------------------------------------------------------------------------------


def test_gold_changes_neither_outputs_nor_traces_nor_store(tmp_path: Path) -> None:
    texts = [(row["uid"], row["text"]) for row in shipped()]
    kinds: dict[str, list[dict[str, object]]] = {
        "none": [{"uid": uid, "text": text} for uid, text in texts],
        "some": [{"uid": uid, "text": text, "tuples": [POISON]} for uid, text in texts],
    }
    seen = []
    for name, lines in kinds.items():
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
        source = {"path": str(file), "format": "jsonl", "columns": {"id": "uid", "text": "text"}}
        config = configure(tmp_path / name, data={"evaluation": source}, episodic_memory={"condition": "C2"})
        run(config)
        folder = only_folder(config)
        seen.append(((folder / OUTPUTS).read_bytes(), (folder / TRACES).read_bytes(), store_hash(folder)))
        assert ("POISONED" in (folder / SCORECARDS).read_text(encoding="utf-8")) == (name == "some")
    assert seen[0] == seen[1]


POISON = {"aspect_term": "POISONED", "aspect_ref": "POISONED", "opinion_term": "POISONED", "polarity": "neutral"}


def shipped() -> list[dict[str, str]]:
    from samsim.data.shipped import load_reviews

    return [{"uid": one.uid, "text": one.text} for one in load_reviews() if one.language == "en"][:12]


def test_gold_refs_are_spelt_as_the_taxonomy_spells_them(tmp_path: Path) -> None:
    gold = {
        "aspect_term": "포장",
        "aspect_ref": "패키지/구성품#품질",
        "opinion_term": "꼼꼼하다",
        "polarity": "positive",
    }
    file = tmp_path / "korean.jsonl"
    file.write_text(json.dumps({"id": "k1", "text": "포장이 꼼꼼해요.", "tuples": [gold]}) + "\n", encoding="utf-8")
    config = configure(tmp_path, data={"evaluation": {"path": str(file), "format": "jsonl"}})
    run(config)
    (card,) = rows(only_folder(config) / SCORECARDS)
    assert card["gold"][0]["aspect_ref"] == "패키지·구성품#품질"


def test_a_run_in_a_flat_taxonomy_is_measured_by_its_categories_and_not_by_attributes(tmp_path: Path) -> None:
    gold = {"aspect_term": "방", "aspect_ref": "객실", "opinion_term": "넓다", "polarity": "positive"}
    lines = [
        {"id": "k1", "text": "방이 넓어요.", "tuples": [gold]},
        {"id": "k2", "text": "어제 다녀왔어요.", "tuples": []},
    ]
    file = tmp_path / "korean.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    source = {"path": str(file), "format": "jsonl"}
    config = configure(tmp_path, data={"evaluation": source}, pipeline={"taxonomy": "hotel"})
    (measured,) = run(config).values()
    metrics = summarise(measured.samples(), gold_fields=("term", "ref", "opinion", "polarity"))
    assert metrics.primary == "ref_pol"
    assert "attr_pol" not in metrics.tuples
    assert metrics.tuples["ref_pol"].final.micro.f1 == 1.0
