from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from samsim.experiments.artefacts import read_run
from samsim.metrics.summary import summarise
from samsim.reports.collecting import gold_fields_of
from samsim.reports.page.sample_pack import DETAILS_PER_CHUNK, PackedSamples, SamplePacker
from samsim.reports.page.sample_rows import BrowsedSample
from tests.reports.making_runs import copied, fail_sample


def unpacked(chunk: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(chunk)))


def packer_of(*folders: Path, budget: int = 10_000_000) -> SamplePacker:
    packer = SamplePacker(budget)
    for number, folder in enumerate(folders):
        run = read_run(folder)
        for position, sample in enumerate(run.samples()):
            packer.add(number, position, BrowsedSample(sample, gold_fields_of(run)))
    return packer


def states(packed: PackedSamples) -> Counter[str]:
    index = unpacked(packed.index)
    return Counter(index["labels"][label] for labels in index["found"] for label in labels)


def test_everything_comes_out_as_it_went_in(experiment: Path) -> None:
    folder = experiment / "cr_v2-C2"
    packed = packer_of(folder).pack()
    run = read_run(folder)
    bases = [base for chunk in packed.bases for base in unpacked(chunk)]
    details = [detail for chunk in packed.details for detail in unpacked(chunk)]
    index = unpacked(packed.index)
    for number, sample in enumerate(run.samples()):
        assert sample.result is not None
        assert bases[index["base"][number]][:2] == [sample.uid, sample.result.text]
        detail = details[number]
        found = [row[:6] for row in detail.get("s1", [])]
        assert found == [
            [
                one.tuple_id,
                one.origin_agent,
                one.aspect_term,
                one.aspect_ref,
                one.opinion_term,
                ["positive", "negative", "neutral", "mixed"].index(one.polarity),
            ]
            for one in sample.result.stage1_tuples
        ]
        assert [row[0] for row in detail.get("v", [])] == [one.tuple_id for one in sample.result.arbiter_decisions]
        assert len(detail.get("f", [])) == len(sample.result.final_tuples)


def test_texts_and_gold_are_kept_once_for_all_runs(experiment: Path) -> None:
    packed = packer_of(experiment / "cr_v2-C1", experiment / "cr_v2-C2").pack()
    bases = [base for chunk in packed.bases for base in unpacked(chunk)]
    assert len(bases) == len({base[0] for base in bases}) == packed.included / 2
    assert len(packed.details) == -(-packed.included // DETAILS_PER_CHUNK)


def test_the_states_are_those_of_the_funnel(experiment: Path) -> None:
    folder = experiment / "cr_v2-C1"
    run = read_run(folder)
    funnel = summarise(run.samples(), gold_fields=gold_fields_of(run), resamples=10).funnel
    found = states(packer_of(folder).pack())
    for name in ("flagged", "reviewed", "changed", "helped", "harmed"):
        assert found[f"state:{name}"] == getattr(funnel, name)
    assert funnel.flagged > 0
    assert funnel.changed > 0


def test_a_failed_sample_has_the_text_that_another_run_knows(experiment: Path, tmp_path: Path) -> None:
    failed = copied(experiment / "cr_v2-C1", tmp_path / "failed")
    fail_sample(failed, "ko-001", "no answer")
    packed = packer_of(failed, experiment / "cr_v2-C2").pack()
    bases = [base for chunk in packed.bases for base in unpacked(chunk)]
    texts = [base[1] for base in bases if base[0] == "ko-001"]
    assert len(texts) == 1
    assert texts[0] != ""
    alone = packer_of(failed).pack()
    assert [base[1] for chunk in alone.bases for base in unpacked(chunk) if base[0] == "ko-001"] == [""]


def test_what_does_not_fit_is_left_out_by_its_worth_and_counted(experiment: Path, tmp_path: Path) -> None:
    failed = copied(experiment / "cr_v2-C1", tmp_path / "failed")
    fail_sample(failed, "en-030", "no answer")
    everything = packer_of(failed).pack()
    small = packer_of(failed, budget=everything.size // 2).pack()
    assert small.size <= everything.size // 2
    assert 0 < small.included < everything.included
    assert small.included + small.left_out == everything.included
    all_states, kept_states = states(everything), states(small)
    for name in ("error", "helped", "changed"):
        assert kept_states[f"state:{name}"] == all_states[f"state:{name}"] > 0


def test_a_budget_of_nothing_leaves_everything_out(experiment: Path) -> None:
    packed = packer_of(experiment / "cr_v2-C1", budget=200).pack()
    assert packed.included == 0
    assert packed.left_out == 84


@pytest.mark.parametrize("text", ["\ud800 alone", "</script>", "\u2028", "👩‍👩‍👧 좋아요"])
def test_any_text_can_be_packed(experiment: Path, text: str) -> None:
    run = read_run(experiment / "cr_v2-C1")
    sample = next(iter(run.samples()))
    assert sample.result is not None
    strange = type(sample)(sample.uid, sample.result.model_copy(update={"text": text}), None, sample.card)
    packer = SamplePacker()
    packer.add(0, 0, BrowsedSample(strange, gold_fields_of(run)))
    packed = packer.pack()
    assert unpacked(packed.bases[0])[0][1] == text
    assert "<" not in packed.bases[0]
