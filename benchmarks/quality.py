"""Score the embedded engine on public test sets: A, B, C alone, their union, cr_v1 and cr_v2.

    python benchmarks/quality.py --data ../shared/data

Nothing is trained or tuned on these test sets. Two trivial baselines are included: the most frequent
tuples of the set's own train split wherever their words occur, and every noun called positive.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samsim.data.gold import load_gold
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.language.analyze import analyze_text
from samsim.metrics.systems import PlainTuple, predictions_by_system
from samsim.metrics.tuples import Family, Score, TupleLike, score
from samsim.pipeline.api import Pipeline
from samsim.schemas.analysis import TextAnalysis

_CONSTANT_TUPLES = 5
_NOUN_TAGS = ("NNG", "NNP", "NOUN", "PROPN")
_MODIFIER_TAGS = ("ADJ",)
Predictions = Mapping[str, Sequence[TupleLike]]


@dataclass(frozen=True)
class Task:
    """One task: data set, family, with or without implicit aspects."""

    title: str
    folder: str
    format: str
    family: Family
    implicit: bool = False
    test: str = "test"
    train: str = "train"


TASKS = (
    Task("14res, triplet", "aste-data-v2/14res", "aste", "triplet"),
    Task("14lap, triplet", "aste-data-v2/14lap", "aste", "triplet"),
    Task("M-ABSA ko restaurant, (aspect, polarity)", "m-absa/restaurant/ko", "m_absa", "ote_pol"),
    Task("the same with implicit aspects", "m-absa/restaurant/ko", "m_absa", "ote_pol", implicit=True),
    Task("M-ABSA ko laptop, (aspect, polarity)", "m-absa/laptop/ko", "m_absa", "ote_pol"),
)


@dataclass(frozen=True)
class Labelled:
    """A text with its annotations."""

    uid: str
    text: str
    gold: list[PlainTuple]


def _read(folder: Path, split: str, format_name: str) -> list[Labelled]:
    """Return all texts of a split; exit if a row cannot be read, because it would change the scores."""
    source = DataSource(path=folder, split=split, format=format_name)
    loaded, gold = load_samples(source), load_gold(source)
    if loaded.problems:
        raise SystemExit(f"{folder} {split}: {len(loaded.problems)} rows cannot be read, first {loaded.problems[0]}")
    return [
        Labelled(
            sample.uid,
            sample.text,
            [
                PlainTuple(item.aspect_term, item.aspect_ref, item.opinion_term, item.polarity)
                for item in gold[sample.uid].tuples
            ],
        )
        for sample in loaded.samples
    ]


def _explicit_only(tuples: Iterable[TupleLike], implicit: bool) -> list[TupleLike]:
    return [item for item in tuples if implicit or item.aspect_term]


def _analysed(samples: Sequence[Labelled]) -> dict[str, dict[str, list[TupleLike]]]:
    """Return every system's predictions by name and uid."""
    found: dict[str, dict[str, list[TupleLike]]] = {}
    for protocol in ("cr_v1", "cr_v2"):
        pipeline = Pipeline({"protocol": protocol})
        for sample in samples:
            systems = predictions_by_system(pipeline.analyze(sample.text, uid=sample.uid))
            systems[protocol] = systems.pop("final")
            for name, tuples in systems.items():
                found.setdefault(name, {})[sample.uid] = tuples
    return found


def _constant(train: Iterable[Labelled], test: Sequence[Labelled]) -> Predictions:
    frequent = Counter(item for sample in train for item in sample.gold if item.aspect_term)
    constant = [item for item, _ in frequent.most_common(_CONSTANT_TUPLES)]
    return {
        sample.uid: [item for item in constant if item.aspect_term in sample.text and item.opinion_term in sample.text]
        for sample in test
    }


def _nouns_positive(test: Sequence[Labelled]) -> Predictions:
    return {sample.uid: _noun_tuples(analyze_text(sample.text)) for sample in test}


def _noun_tuples(analysis: TextAnalysis) -> list[PlainTuple]:
    """Return every noun as positive; if opinions count too, with the adjective right before it."""
    found = []
    for before, token in zip((None, *analysis.tokens), analysis.tokens, strict=False):
        if token.tag in _NOUN_TAGS:
            opinion = before.form if before is not None and before.tag in _MODIFIER_TAGS else ""
            if analysis.language == "ko" or opinion:
                found.append(PlainTuple(token.form, "", opinion, "positive"))
    return found


def measure(task: Task, data: Path) -> dict[str, Score]:
    """Return the scores of all systems and baselines on one task."""
    folder = data / task.folder
    test = _read(folder, task.test, task.format)
    gold = {sample.uid: _explicit_only(sample.gold, task.implicit) for sample in test}
    systems: dict[str, Predictions] = {
        "constant tuples": _constant(_read(folder, task.train, task.format), test),
        "every noun positive": _nouns_positive(test),
        **_analysed(test),
    }
    return {
        name: score(
            {uid: _explicit_only(tuples, task.implicit) for uid, tuples in predictions.items()}, gold, task.family
        )
        for name, predictions in systems.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with the public data sets")
    arguments = parser.parse_args()
    for task in TASKS:
        if not (arguments.data / task.folder).exists():
            print(f"{task.title}: skipped, {arguments.data / task.folder} is not there\n")
            continue
        print(f"| {task.title} | P | R | F1 |\n|---|---|---|---|")
        for name, result in measure(task, arguments.data).items():
            print(f"| {name} | {100 * result.precision:.1f} | {100 * result.recall:.1f} | {100 * result.f1:.1f} |")
        print()


if __name__ == "__main__":
    main()
