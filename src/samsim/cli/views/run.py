"""What ``samsim run`` prints: the plan before, the outcome after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from rich.table import Table

from samsim.cli.console import PipeConsole
from samsim.cli.safe_text import shown
from samsim.experiments.artefacts import OUTPUTS, read_run
from samsim.experiments.planning import Estimate, ExperimentPlan
from samsim.plurals import how_many
from samsim.reports.tables.model import Ui, said
from samsim.schemas.code_names import Pair
from samsim.schemas.results import missing_words

if TYPE_CHECKING:
    from pathlib import Path

    from samsim.experiments.run_set import Experiment
    from samsim.reports.build import ReportFiles
    from samsim.schemas.runs import Manifest

_UNKNOWN: Pair = ("unknown", "알 수 없음")
_PLANNED: tuple[Pair, ...] = (
    ("samples", "샘플"),
    ("calls", "호출"),
    ("tokens", "토큰"),
    ("cost, $", "비용($)"),
    ("engine seconds", "엔진 시간(초)"),
)
# Of each kind, on the terminal; the files name them all.
_NAMED = 20


def plan_table(plan: ExperimentPlan, ui: Ui = "en") -> Table:
    """Samples, calls, tokens and cost of every cell, as ranges; a star marks those nobody was asked for."""
    probed = max((cell.probed for cell in plan.cells), default=0)
    english = f"Plan (from {how_many(probed, 'probed sample')} per protocol and engine)"
    title = said((english, f"계획(프로토콜·엔진별로 시험한 샘플 {probed:,}개 기준)"), ui)
    table = Table(title=title, title_justify="left")
    table.add_column(said(("cell", "셀"), ui), no_wrap=True)
    for heading in _PLANNED:
        table.add_column(said(heading, ui), justify="right")
    for cell in plan.cells:
        failed = said((f" ({how_many(cell.failed, 'probe')} failed)", f" (시험 {cell.failed:,}건 실패)"), ui)
        name = cell.cell.cell_id + (failed if cell.failed else "")
        name += " *" if cell.missing_keys else ""
        table.add_row(
            name,
            f"{cell.samples:,}",
            _range(cell.calls, ",.0f", ui),
            _range(cell.tokens, ",.0f", ui),
            _range(cell.cost, ",.4f", ui),
            _range(cell.seconds, ",.1f", ui),
        )
    if len(plan.cells) > 1:
        table.add_section()
        table.add_row(
            said(("all", "합계"), ui),
            f"{sum(cell.samples for cell in plan.cells):,}",
            _range(_total([cell.calls for cell in plan.cells]), ",.0f", ui),
            _range(_total([cell.tokens for cell in plan.cells]), ",.0f", ui),
            _range(_total([cell.cost for cell in plan.cells]), ",.4f", ui),
            _range(_total([cell.seconds for cell in plan.cells]), ",.1f", ui),
        )
    return table


def _total(parts: list[Estimate | None]) -> Estimate | None:
    low = high = 0.0
    for part in parts:
        if part is None:
            return None
        low, high = low + part.low, high + part.high
    return Estimate(low, high)


def _range(estimate: Estimate | None, form: str, ui: Ui) -> str:
    if estimate is None:
        return said(_UNKNOWN, ui)
    low, high = format(estimate.low, form), format(estimate.high, form)
    return low if low == high else f"{low} – {high}"


def show_outcome(outcome: Experiment, files: ReportFiles | None, ui: Ui = "en") -> None:
    """Print the comparison of the cells where a report was built, where everything is, and what is left to be done."""
    console = PipeConsole()
    if files is not None:
        from samsim.reports.terminal import show_comparison

        show_comparison(console, files, ui)
    files_are_in = said(("Outputs, traces, scores", "출력, 트레이스, 점수"), ui)
    console.print(f"{files_are_in}: [bold]{outcome.folder}[/]", soft_wrap=True, highlight=False)
    if outcome.stopped is not None:
        click.echo(f"stopped: {outcome.stopped.rstrip('.')}. Run the same command again to resume.", err=True)
    for manifest, folder in zip(outcome.cells, outcome.cell_folders, strict=True):
        if manifest.errors or manifest.partial:
            for line in _incomplete_lines(manifest, folder, several=len(outcome.cells) > 1):
                click.echo(shown(line), err=True)


def _incomplete_lines(manifest: Manifest, folder: Path, *, several: bool) -> Iterator[str]:
    """Say how many samples of a cell failed or were decided without some of their calls, which, and what to do."""
    failed, partial = [], []
    for sample in read_run(folder).samples():
        if sample.result is None:
            failed.append(sample.uid)
        elif sample.completeness == "partial":
            partial.append(f"{sample.uid} ({missing_words(sample.result.missing_calls)})")
    cell = f"{manifest.cell.cell_id}: " if several else ""
    for names, what in ((failed, "failed"), (partial, "is partial" if len(partial) == 1 else "are partial")):
        if names:
            left = len(names) - _NAMED
            more = f" and {left:,} more ({folder / OUTPUTS} names them all)" if left > 0 else ""
            counts = f"{len(names):,} of {how_many(manifest.done, 'sample')}"
            named = ", ".join(names[:_NAMED])
            yield f"{cell}{counts} {what}: {named}{more}; --retry-errors does them again."
