"""Measure how long a report over many samples takes to build, its size, and its speed in a browser.

    python benchmarks/report.py RUN [--samples 10000] [--copies 1] [--out FOLDER]

RUN is the folder of a run. Its samples are repeated under new ids, each with unique words added to its
text, because copies of one text would compress too well. Prints seconds and bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.servers.browser import chromium, why_not_here

from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, TRACES
from samsim.reports.build import build_report

_SYLLABLES = "가나다라마바사아자차카타파하고노도로모보소오조초코토포호구누두루무부수우주추쿠투푸후"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("run", type=Path)
    arguments.add_argument("--samples", type=int, default=10_000)
    arguments.add_argument("--copies", type=int, default=1, help="runs over these samples")
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = given.out or Path(scratch) / "report"
        runs = [enlarged(given.run, Path(scratch) / f"run-{number}", given.samples) for number in range(given.copies)]
        started = perf_counter()
        files = build_report(runs, out)
        print(f"build       {perf_counter() - started:6.1f} s for {given.copies} x {given.samples:,} samples")
        size = files.page.stat().st_size
        print(f"report.html {size / 1e6:6.2f} MB, {files.collected.samples.left_out:,} samples left out of the list")
        if why_not_here():
            print(why_not_here())
            return
        measure_browser(files.page)


def enlarged(run: Path, target: Path, samples: int) -> Path:
    """Return the folder of a copy of the run with its samples repeated."""
    target.mkdir(parents=True)
    manifest = json.loads((run / MANIFEST).read_text(encoding="utf-8"))
    role = "memory" if manifest["cell"]["kind"] == "memory_building" else "evaluation"
    manifest["data"][role]["samples"] = manifest["done"] = samples
    manifest["cell"]["cell_id"] = target.name
    manifest["run_id"] = target.name
    (target / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    for name in (OUTPUTS, SCORECARDS):
        with (target / name).open("w", encoding="utf-8") as file:
            for row in _repeated(run / name, samples):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    shutil.copyfile(run / TRACES, target / TRACES)
    return target


def _repeated(path: Path, samples: int) -> Iterator[dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    draw = random.Random(7)
    for number, row in enumerate(islice(cycle(rows), samples)):
        fresh = {**row, "uid": f"{row['uid']}-{number:06d}"}
        if "text" in row:
            words = ["".join(draw.choices(_SYLLABLES, k=draw.randint(2, 4))) for _ in range(8)]
            fresh["text"] = f"{row['text']} {' '.join(words)}"
        yield fresh


def measure_browser(page: Path) -> None:
    """Open the page, then filter, search and look at samples, as a reader would."""
    with chromium() as browser:
        started = perf_counter()
        with browser.opened(page) as shown:
            print(f"open        {perf_counter() - started:6.2f} s until the list is there")
            shown.page.select_option("#b-run", "")
            for what, script in (
                ("filter", "document.getElementById('b-state').selectedIndex = 1; b('state', 'change')"),
                ("search", "document.getElementById('b-search').value = '가나'; b('search', 'input')"),
                ("clear", "document.getElementById('b-clear').click()"),
            ):
                notify = "const b = (id, kind) => document.getElementById('b-' + id).dispatchEvent(new Event(kind));"
                took = shown.page.evaluate(
                    f"() => {{ {notify} const t = performance.now(); {script}; return performance.now() - t }}"
                )
                print(f"{what:<11} {took:6.1f} ms")
            started = perf_counter()
            shown.page.locator(".row").nth(3).click()
            shown.page.wait_for_selector("#b-detail h3")
            print(f"sample      {1000 * (perf_counter() - started):6.1f} ms")
            nodes = shown.page.evaluate("document.querySelectorAll('#b-rows *').length")
            heap = shown.page.evaluate("performance.memory.usedJSHeapSize") / 1e6
            print(f"list        {nodes:6d} elements, {heap:.0f} MB of script memory")
            shown.assert_quiet()


if __name__ == "__main__":
    main()
