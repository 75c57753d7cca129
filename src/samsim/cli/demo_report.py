"""What ``samsim demo`` computes and prints."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
_TRY = 'analyze --explain "사용감은 좋지만 가격은 비싸요."'


@dataclass(frozen=True, slots=True)
class DemoRun:
    """All results of one protocol on the shipped reviews."""

    protocol: CRProtocol
    results: Sequence[SampleResult]

    def scores(self, gold: Mapping[str, GoldSample], system: str, language: str = "") -> dict[Family, Score]:
        """A system's scores, over all reviews or those of one language."""
        wanted = {uid: sample.tuples for uid, sample in gold.items() if uid.startswith(language)}
        predicted: dict[str, list[TupleLike]] = {
            result.uid: predictions_by_system(result)[system] for result in self.results
        }
        return {family: score(predicted, wanted, family) for family in _FAMILIES}


def run_protocol(protocol: CRProtocol, samples: Sequence[Sample], console: Console | None = None) -> DemoRun:
    """Analyse all samples by one protocol."""
    pipeline = Pipeline(PipelineConfig(protocol=protocol))
    shown = track(samples, description=protocol, console=console, transient=True) if console else samples
    return DemoRun(protocol, [pipeline.analyze(sample.text, uid=sample.uid) for sample in shown])


def run_demo(console: Console) -> None:
    """Run both protocols and print what came out."""
    samples, gold = load_reviews(), load_reviews_gold()
    started = perf_counter()
    runs = [run_protocol(protocol, samples, console) for protocol in get_args(CRProtocol)]
    elapsed = perf_counter() - started
    tuples = sum(len(sample.tuples) for sample in gold.values())
    console.print(f"[bold]{len(samples)}[/] reviews (Korean and English), {tuples} gold tuples, {elapsed:.1f} s\n")
    console.print(score_table(runs, gold))
    console.print(decision_table(runs))
    console.print("F1 in percent, micro. Stage 1 is the union of A, B and C before review.")
    console.print(f"\nSee one review in full:  [bold]{command_name()} {_TRY}[/]", soft_wrap=True)
    console.print("What the measures mean:  [bold]docs/quality.md[/]")


def command_name() -> str:
    """How the reader can call samsim from here: by name if it is on the path, else by where it stands."""
    if shutil.which("samsim"):
        return "samsim"
    called = Path(sys.argv[0])
    return os.path.relpath(called) if called.name == "samsim" else "python -m samsim"


def score_table(runs: Sequence[DemoRun], gold: Mapping[str, GoldSample]) -> Table:
    """Stage 1 and final F1 of each protocol, with the single perspectives beside them."""
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


def score_cells(run: DemoRun, gold: Mapping[str, GoldSample], system: str) -> list[str]:
    """F1 in percent of one system: each family over all reviews, the Korean and the English ones."""
    by_part = [run.scores(gold, system, language) for language in ("", "ko", "en")]
    return [f"{100 * scores[family].f1:.1f}" for family in _FAMILIES for scores in by_part]


def decision_table(runs: Sequence[DemoRun]) -> Table:
    """How often something was flagged, and what the arbiter did about it."""
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
