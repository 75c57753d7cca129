"""Ten thousand samples: the file stays small and the list stays light. How long it takes: benchmarks/report.py."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samsim.reports.build import build_report
from tests.reports.making_runs import enlarged

if TYPE_CHECKING:
    from tests.servers.browser import Chromium

pytest_plugins = ["tests.servers.browser"]

SAMPLES = 10_000
MOST_BYTES = 15_000_000


@pytest.mark.slow
def test_ten_thousand_samples(experiment: Path, browser: Chromium, tmp_path: Path) -> None:
    run = enlarged(experiment / "cr_v2-C2", tmp_path / "large", SAMPLES)
    files = build_report([run], tmp_path / "out", resamples=20)
    assert files.page.stat().st_size < MOST_BYTES
    assert files.collected.samples.included == SAMPLES
    with browser.opened(files.page) as shown:
        page = shown.page
        assert page.inner_text("#b-count") == "10,000 of 10,000"
        assert page.locator("#b-rows *").count() < 400
        page.evaluate("document.getElementById('b-rows').scrollTop = 1e9")
        page.wait_for_selector("#row-9999")
        assert page.locator("#b-rows *").count() < 400
        page.locator("#row-9999").click()
        page.wait_for_selector("#b-detail h3")
        assert "-9999" in page.inner_text("#b-detail h3")
        shown.assert_quiet()
