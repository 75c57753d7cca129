"""The votes over published model outputs, against a computation that shares no line with ours."""

from __future__ import annotations

import ast
import importlib.util
import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.public_data import require_public_data

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "votes.py"


@pytest.fixture(scope="module")
def votes() -> ModuleType:
    spec = importlib.util.spec_from_file_location("votes", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fold(rows: list[list[str]]) -> set[tuple[str, ...]]:
    return {tuple(" ".join(part.split()).casefold() for part in row) for row in rows}


def independent_f1(data: Path, model: str, shots: int) -> dict[str, float]:
    """Exact match of whole tuples, from the files, in plain Python."""
    lines = (data / "asqp-rest15" / "test.txt").read_text(encoding="utf-8").splitlines()
    gold = [fold(ast.literal_eval(line.split("####")[1])) for line in lines]
    runs = []
    for number in range(5):
        name = f"asqp_rest15_test_{model}_{number}_label_{shots}.json"
        rows = json.loads((data / "llm-replay-rest15" / name).read_text(encoding="utf-8"))
        runs.append([fold(row["pred_label"]) for row in rows])

    def f1(answers: list[set[tuple[str, ...]]]) -> float:
        hits = sum(len(answer & right) for answer, right in zip(answers, gold, strict=True))
        return 2 * hits / (sum(map(len, answers)) + sum(map(len, gold)))

    def vote(size: int, needed: int) -> float:
        values = []
        for chosen in combinations(runs, size):
            counted = [Counter(item for run in chosen for item in run[place]) for place in range(len(gold))]
            values.append(f1([{item for item, n in found.items() if n >= needed} for found in counted]))
        return sum(values) / len(values)

    return {"one run": vote(1, 1), "union of three": vote(3, 1), "2 of 3": vote(3, 2), "3 of 5": vote(5, 3)}


@pytest.mark.parametrize("model", ["gemma2-9b", "gemma3-27b"])
@pytest.mark.parametrize("shots", [0, 20])
def test_votes_over_real_outputs(votes: ModuleType, model: str, shots: int) -> None:
    data = require_public_data(str(votes.RUNS_FOLDER), str(votes.GOLD_FILE))
    gold = votes.read_gold(data / votes.GOLD_FILE)
    runs = votes.read_runs(data / votes.RUNS_FOLDER)[f"{model}, {shots} examples"]
    found = {way: values["quadruple"] for way, values in votes.measure(runs, gold).items()}
    assert found == pytest.approx(independent_f1(data, model, shots), abs=1e-12)


def test_votes_by_hand(votes: ModuleType) -> None:
    """Three runs of one sentence: one tuple in all, one in two, one in one."""
    a, b, c = ["x", "r", "positive", "o"], ["y", "r", "positive", "NULL"], ["NULL", "r", "negative", "o"]
    runs = [[votes.as_answer(rows)] for rows in ([a, b, c], [a, b], [a])]
    assert [len(votes.voted(runs, needed)[0]) for needed in (1, 2, 3)] == [3, 2, 1]
    gold = [votes.as_answer([a, b])]
    assert votes.scores(votes.voted(runs, 2), gold)["quadruple"].f1 == 1.0
    assert votes.scores(votes.voted(runs, 1), gold)["quadruple"].f1 == 4 / 5
