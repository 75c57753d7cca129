"""Runs as HTML for notebooks: their names, their status and their first samples."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from samsim.notebook import html_block, html_table
from samsim.schemas.polarity import SIGNS

if TYPE_CHECKING:
    from samsim.experiments.artefacts import Run, RunSample
    from samsim.experiments.run_set import Experiment

_SHOWN_SAMPLES = 10
_SHOWN_CHARACTERS = 80


def sample_html(sample: RunSample) -> str:
    """Return the HTML of a sample's result, or its error."""
    if sample.result is None:
        return html_block(f"{sample.uid} failed: {sample.error}")
    return html_block(sample.uid, sample.result._repr_html_())


def run_html(run: Run) -> str:
    """Return a summary of the run and a table of its first samples."""
    rows = [_row(sample) for sample in islice(run, _SHOWN_SAMPLES)]
    more = len(run) - len(rows)
    return html_block(
        repr(run),
        html_table(("uid", "text", "found"), rows) if rows else "",
        f"and {more:,} more" if more > 0 else "",
    )


def experiment_html(experiment: Experiment) -> str:
    """Return a table of the runs."""
    rows = [
        (name, len(run), run.manifest.errors, run.manifest.partial, run.manifest.status)
        for name, run in experiment.items()
    ]
    return html_block(str(experiment.folder), html_table(("run", "samples", "failed", "partial", "status"), rows))


def _row(sample: RunSample) -> tuple[str, str, str]:
    if sample.result is None:
        return sample.uid, "", f"failed: {sample.error}"
    text = sample.result.text
    short = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    found = ", ".join(
        f"{final.aspect_term or final.aspect_ref} {SIGNS[final.polarity]}" for final in sample.result.final_tuples
    )
    return sample.uid, short, found
