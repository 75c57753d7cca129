"""Score the shipped reviews with both conflict reviews: each perspective alone, Stage 1 and the final tuples.

    python benchmarks/shipped.py

Prints the tables of docs/quality.md; a test compares them with the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import get_args

from rich.console import Console
from rich.progress import track
from rich.table import Table

from samsim.data.gold import GoldSample, load_reviews_gold
from samsim.data.shipped import Sample, load_reviews
from samsim.metrics.systems import predictions_by_system
from samsim.metrics.tuples import Family, Score, TupleLike, score
from samsim.pipeline.api import Pipeline
from samsim.pipeline.config import PipelineConfig
from samsim.schemas.protocols import CRProtocol
from samsim.schemas.results import SampleResult

_FAMILIES: tuple[Family, ...] = ("triplet", "ref_pol")
_ALONE = {"A": "A alone (P-NEG)", "B": "B alone (P-IMP)", "C": "C alone (P-LIT)"}


@dataclass(frozen=True, slots=True)
class ShippedRun:
    """All results of one protocol on the shipped reviews."""

    protocol: CRProtocol
    results: Sequence[SampleResult]

    def scores(self, gold: Mapping[str, GoldSample], system: str, language: str = "") -> dict[Family, Score]:
        """Return a system's scores, over all reviews or those of one language."""
        wanted = {uid: sample.tuples for uid, sample in gold.items() if uid.startswith(language)}
        predicted: dict[str, list[TupleLike]] = {
            result.uid: predictions_by_system(result)[system] for result in self.results
        }
        return {family: score(predicted, wanted, family) for family in _FAMILIES}


def run_protocol(protocol: CRProtocol, samples: Sequence[Sample], console: Console | None = None) -> ShippedRun:
    """Analyze all samples with one protocol."""
    pipeline = Pipeline(PipelineConfig(protocol=protocol))
    shown = track(samples, description=protocol, console=console, transient=True) if console else samples
    return ShippedRun(protocol, [pipeline.analyze(sample.text, uid=sample.uid) for sample in shown])


def main() -> None:
    """Run both protocols and print the results."""
    console = Console()
    samples, gold = load_reviews(), load_reviews_gold()
    started = perf_counter()
    runs = [run_protocol(protocol, samples, console) for protocol in get_args(CRProtocol)]
    elapsed = perf_counter() - started
    tuples = sum(len(sample.tuples) for sample in gold.values())
    console.print(f"[bold]{len(samples)}[/] reviews (Korean and English), {tuples} gold tuples, {elapsed:.1f} s\n")
    console.print(score_table(runs, gold))
    console.print(decision_table(runs))
    console.print("F1 in percent, micro. Stage 1 is the union of A, B and C before review.")


def score_table(runs: Sequence[ShippedRun], gold: Mapping[str, GoldSample]) -> Table:
    """Return Stage 1 and final F1 of each protocol, with the single perspectives."""
    table = Table(title="Tuple F1", title_justify="left")
    table.add_column("", no_wrap=True)
    for family in _FAMILIES:
        for part in ("all", "ko", "en"):
            table.add_column(f"{family.replace('_', '-')}\n{part}", justify="right", no_wrap=True)
    for agent, label in _ALONE.items():
        table.add_row(label, *score_cells(runs[0], gold, agent))
    for run in runs:
        table.add_section()
        table.add_row(f"{run.protocol} Stage 1", *score_cells(run, gold, "stage1"))
        table.add_row(f"[bold]{run.protocol} final[/]", *score_cells(run, gold, "final"))
    return table


def score_cells(run: ShippedRun, gold: Mapping[str, GoldSample], system: str) -> list[str]:
    """Return F1 in percent of one system: each family over all, the Korean and the English reviews."""
    by_part = [run.scores(gold, system, language) for language in ("", "ko", "en")]
    return [f"{100 * scores[family].f1:.1f}" for family in _FAMILIES for scores in by_part]


def decision_table(runs: Sequence[ShippedRun]) -> Table:
    """Return how often something was flagged, and what the arbiter did about it."""
    table = Table(title="What was contested", title_justify="left")
    table.add_column("", no_wrap=True)
    for heading in ("reviews\nflagged", "tuples\nvoted on", "KEEP", "FLIP", "DROP", "FLAG"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        decisions = [decision for result in run.results for decision in result.arbiter_decisions]
        actions = Counter(decision.action for decision in decisions)
        flagged = sum(1 for result in run.results if result.conflict_flags or result.validator_risks)
        counts = (flagged, len(decisions), *(actions[action] for action in ("KEEP", "FLIP", "DROP", "FLAG")))
        table.add_row(run.protocol, *map(str, counts))
    return table


if __name__ == "__main__":
    main()
