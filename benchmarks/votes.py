"""Measure presence votes over real model outputs: one run, the union of three, 2-of-3 and 3-of-5.

    python benchmarks/votes.py --data ../shared/data

Reads published predictions of five runs per model and number of examples (llm-replay-rest15) and the gold
of the same sentences (asqp-rest15). A vote is on presence: a tuple (term, category, opinion, polarity) is
kept if that many runs have it. No model is asked, trained or tuned. Figures over three runs are means over
all choices of three of the five.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

from samsim.metrics.systems import PlainTuple
from samsim.metrics.tuples import ComparableTuple, Score, comparable, count, gold_keys, predicted_keys
from samsim.schemas.scorecards import Family

GOLD_FILE = Path("asqp-rest15") / "test.txt"
RUNS_FOLDER = "llm-replay-rest15"
MEASURES: tuple[str, ...] = ("quadruple", "triplet", "ref_pol", "ote_pol")
_RUN_FILE = re.compile(r"asqp_rest15_test_(?P<model>.+)_(?P<run>\d+)_label_(?P<shots>\d+)\.json")
_FAMILIES: tuple[Family, ...] = ("triplet", "ref_pol", "ote_pol")

Answer = frozenset[ComparableTuple]
Answers = Sequence[Answer]


def as_answer(quadruples: Iterable[Sequence[str]]) -> Answer:
    """Return tuples in comparable form; NULL is an implicit aspect or opinion."""
    plain = (PlainTuple(_named(term), ref, _named(opinion), polarity) for term, ref, polarity, opinion in quadruples)
    return frozenset(comparable(plain))


def _named(term: str) -> str:
    return "" if term == "NULL" else term


def read_gold(path: Path) -> list[Answer]:
    """Read ``sentence####[[term, category, polarity, opinion], …]``, one per line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [as_answer(ast.literal_eval(line.partition("####")[2])) for line in lines]


def read_runs(folder: Path) -> dict[str, list[list[Answer]]]:
    """Return the runs of each model and number of examples, in order."""
    found: dict[str, dict[int, list[Answer]]] = {}
    for path in sorted(folder.glob("*.json")):
        name = _RUN_FILE.fullmatch(path.name)
        if name is None:
            continue
        rows = json.loads(path.read_text(encoding="utf-8"))
        setting = f"{name['model']}, {name['shots']} examples"
        found.setdefault(setting, {})[int(name["run"])] = [as_answer(row["pred_label"]) for row in rows]
    return {setting: [runs[number] for number in sorted(runs)] for setting, runs in found.items()}


def voted(runs: Sequence[Answers], at_least: int) -> list[Answer]:
    """Return, per sentence, the tuples that at least so many of the runs have; 1 is the union."""
    kept = []
    for answers in zip(*runs, strict=True):
        times = Counter(item for answer in answers for item in answer)
        kept.append(frozenset(item for item, found in times.items() if found >= at_least))
    return kept


def scores(predicted: Answers, gold: Answers) -> dict[str, Score]:
    """Return the micro scores of every measure; ``quadruple`` is the exact match of all four parts."""
    totals = dict.fromkeys(MEASURES, Score(0, 0, 0))
    for claimed, right in zip(predicted, gold, strict=True):
        totals["quadruple"] += Score(len(claimed & right), len(claimed), len(right))
        for family in _FAMILIES:
            totals[family] += count(predicted_keys(claimed, family), gold_keys(right, family))
    return totals


def measure(runs: Sequence[Answers], gold: Answers) -> dict[str, dict[str, float]]:
    """Return F1 by voting method and measure, averaged over the choices of runs."""
    ways: Mapping[str, tuple[int, Callable[[Sequence[Answers]], Answers]]] = {
        "one run": (1, lambda chosen: chosen[0]),
        "union of three": (3, lambda chosen: voted(chosen, 1)),
        "2 of 3": (3, lambda chosen: voted(chosen, 2)),
        "3 of 5": (5, lambda chosen: voted(chosen, 3)),
    }
    table = {}
    for way, (size, decide) in ways.items():
        found = [scores(decide(chosen), gold) for chosen in combinations(runs, size)]
        table[way] = {name: fmean(one[name].f1 for one in found) for name in MEASURES}
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with the public data sets")
    data = parser.parse_args().data
    if not (data / GOLD_FILE).exists() or not (data / RUNS_FOLDER).exists():
        print(f"skipped: {data / GOLD_FILE} or {data / RUNS_FOLDER} is not there; give the folder with --data")
        return
    gold = read_gold(data / GOLD_FILE)
    print(f"{len(gold)} sentences, {sum(map(len, gold))} gold tuples; micro F1 in percent\n")
    for setting, runs in read_runs(data / RUNS_FOLDER).items():
        print(f"| {setting} | {' | '.join(MEASURES)} |\n|---{'|---' * len(MEASURES)}|")
        for way, found in measure(runs, gold).items():
            print(f"| {way} | {' | '.join(f'{100 * found[name]:.1f}' for name in MEASURES)} |")
        print()


if __name__ == "__main__":
    main()
