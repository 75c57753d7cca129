"""One real experiment over the shipped reviews, by the embedded engine, and its report; made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.experiments.config import load_config
from samsim.experiments.runner import run_experiment
from samsim.reports.build import ReportFiles, build_report
from tests.reports.making_runs import RESAMPLES
from tests.support.shared import made_once

_CONFIG = """
name: three-cells
data:
  evaluation: reviews
  memory: reviews_memory
matrix:
  protocol: [single, cr_v2]
  condition: [C1, C2]
"""


@pytest.fixture(scope="session")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment: a memory built by cr_v2, then single-C1, cr_v2-C1 and cr_v2-C2."""

    def make(folder: Path) -> None:
        file = folder / "config.yaml"
        file.write_text(_CONFIG, encoding="utf-8")
        run_experiment(load_config(file, [f"run.out={str(folder / 'runs')!r}", "run.workers=1"]))

    return made_once(tmp_path_factory, "experiment", make) / "runs" / "three-cells"


@pytest.fixture(scope="session")
def report(experiment: Path, tmp_path_factory: pytest.TempPathFactory) -> ReportFiles:
    return build_report([experiment], tmp_path_factory.mktemp("report"), resamples=RESAMPLES)
