"""Building a report: metrics, the page and the tables for a paper, written at once without asking an engine."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from samsim.arguments import check_choice, check_number, check_place
from samsim.errors import ConfigError, StoreError
from samsim.experiments.artefacts import Run
from samsim.experiments.run_set import Experiment, folders_of
from samsim.metrics.statistics import DEFAULT_RESAMPLES
from samsim.notebook import Html, html_block
from samsim.reports.collecting import Collected, collect
from samsim.reports.figures.charts import score_drawing
from samsim.reports.generated import digests, remove_stale
from samsim.reports.metrics_files import metrics_csv, metrics_json
from samsim.reports.page.html import report_page
from samsim.reports.page.sample_pack import DEFAULT_BUDGET
from samsim.reports.tables import measures, results, review, subsets
from samsim.reports.tables.formats import latex_table, markdown_table
from samsim.reports.tables.model import Table
from samsim.reports.tables.provenance import failed_checks
from samsim.reports.tables.run_rows import primary_of
from samsim.schemas.code_names import Ui

_SAY_WHERE = "say where the report goes with --out (in Python: out)"
METRICS_JSON, METRICS_CSV, PAGE, PAPER = "metrics.json", "metrics.csv", "report.html", "paper"


@dataclass(frozen=True, slots=True, repr=False)
class ReportFiles:
    """The files of a report; ``collected`` is the data they were made from."""

    folder: Path
    metrics_json: Path
    metrics_csv: Path
    page: Path
    paper: tuple[Path, ...]
    collected: Collected

    def __repr__(self) -> str:
        return f"<Report on {len(self.collected.runs)} runs: {self.page}>"

    def picture(self, ui: Ui = "en") -> str:
        """Return the results figure as one SVG document: F1 of every run, with intervals; "" without gold."""
        check_choice(ui, "ui", get_args(Ui))
        family = primary_of(self.collected.evaluated)
        drawing = None if family is None else score_drawing(self.collected, family)
        return "" if drawing is None else drawing.document(ui)

    def _repr_html_(self) -> str:
        """Show the results figure and the paths of the files, in a notebook."""
        picture = self.picture()
        shown = b64encode(picture.encode("utf-8")).decode("ascii")
        image = Html(f'<img alt="F1 of every run" src="data:image/svg+xml;base64,{shown}">')
        return html_block(image if picture else "", *map(str, (self.page, self.metrics_json, self.metrics_csv)))

    @property
    def checks_failed(self) -> int:
        """How many checks of the measures failed; more than 0 means that no number can be trusted."""
        return failed_checks(self.collected)


def build_report(
    runs: str | Path | Run | Experiment | Sequence[str | Path | Run | Experiment],
    out: str | Path | None = None,
    *,
    ui: Literal["en", "ko"] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    sample_budget: int = DEFAULT_BUDGET,
    complete_only: bool = False,
) -> ReportFiles:
    """Measure runs and write the report: metrics as JSON and CSV, a page, tables for a paper. No engine is asked.

    ``runs`` is a run, an experiment, a folder of either, or several of these. Without ``out`` the files go to the
    experiment's folder; runs of different experiments need an ``out``. ``ui`` is the language: en or ko. With
    ``complete_only``, partial samples are left out, as if they had failed. Returns the paths of all files.
    """
    if out is not None:
        check_place(out, "out", "a path")
    if ui is not None:
        check_choice(ui, "ui", get_args(Ui))
    check_number(resamples, "resamples", least=1, whole=True)
    check_number(sample_budget, "sample_budget", least=0, whole=True)
    folders = folders_of([runs] if isinstance(runs, str | Path | Run | Experiment) else runs, "a list")
    collected = collect(folders, resamples=resamples, sample_budget=sample_budget, complete_only=complete_only)
    folder = Path(out) if out is not None else _home(collected, folders)
    tables = {name: _encoded(content) for name, content in _paper(collected, ui or "en")}
    files = ReportFiles(
        folder=folder,
        metrics_json=folder / METRICS_JSON,
        metrics_csv=folder / METRICS_CSV,
        page=folder / PAGE,
        paper=tuple(folder / PAPER / name for name in tables),
        collected=collected,
    )
    try:
        _write_files(files, tables, ui)
    except OSError as error:
        raise StoreError(
            f"Cannot write {error.filename2 or error.filename}: {error.strerror}. Remove what is in the way, or"
            f" {_SAY_WHERE}."
        ) from error
    return files


def _write_files(files: ReportFiles, tables: Mapping[str, bytes], ui: Ui | None) -> None:
    collected, paper = files.collected, files.folder / PAPER
    if paper.is_symlink():
        raise StoreError(f"{paper} is a symbolic link, which is never written through. Remove it, or {_SAY_WHERE}.")
    paper.mkdir(parents=True, exist_ok=True)
    own = digests({f"{PAPER}/{name}": content for name, content in tables.items()})
    remove_stale(files.metrics_json, PAPER, own)
    _write(files.metrics_json, _encoded(metrics_json(collected, own)))
    _write(files.metrics_csv, _encoded(metrics_csv(collected)))
    for place, content in zip(files.paper, tables.values(), strict=True):
        _write(place, content)
    _write(files.page, _encoded(report_page(collected, ui)))


def _home(collected: Collected, given: Sequence[Path]) -> Path:
    """Return the folder that holds all runs: the experiment's, or the run's own if it is the only one."""
    if len({run.run.manifest.experiment for run in collected.runs}) > 1:
        raise ConfigError(f"These runs belong to different experiments: {_SAY_WHERE}.")
    if len(given) == 1:
        return given[0]
    parents = {run.run.path.resolve().parent for run in collected.runs}
    if len(parents) != 1:
        raise ConfigError(f"These runs are in different folders: {_SAY_WHERE}.")
    return parents.pop()


def paper_tables(collected: Collected) -> Iterator[Table]:
    """Return the non-empty tables that a paper may need."""
    family = primary_of(collected.evaluated)
    tables = []
    if family is not None:
        tables += [results.paper_table(collected, family), results.families_table(collected)]
        tables += [review.correction_table(collected, family), review.rules_table(collected, family)]
        tables += subsets.subset_tables(collected, family)
    tables += [measures.risk_table(collected), measures.severity_table(collected)]
    tables += [measures.agreement_table(collected), results.stability_table(collected)]
    tables += [measures.memory_table(collected), measures.memory_impact_table(collected)]
    tables.append(measures.cost_table(collected))
    return (table for table in tables if not table.is_empty)


def _paper(collected: Collected, ui: Ui) -> list[tuple[str, str]]:
    written = []
    for table in paper_tables(collected):
        name = "main" if table.key.startswith("main-") else table.key
        written += [(f"{name}.md", markdown_table(table, ui)), (f"{name}.tex", latex_table(table, ui))]
    return written


def _encoded(content: str) -> bytes:
    return content.encode("utf-8", "backslashreplace")


def _write(place: Path, content: bytes) -> None:
    """Write the file atomically: a reader never finds half a file."""
    draft = place.with_name(f".{place.name}.part")
    draft.unlink(missing_ok=True)
    # Always a new file: an existing link of that name could lead elsewhere.
    with draft.open("xb") as file:
        file.write(content)
    os.replace(draft, place)
