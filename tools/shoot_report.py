"""Take the README's screenshots of the report, from the quickstart experiment in a real browser.

    python tools/shoot_report.py

Needs Chromium (tools/install_browser.sh) and playwright, both installed by ``make test``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SHOTS = (("en-US", "en-028", "report.png"), ("ko-KR", "ko-020", "report-ko.png"))
SIZE: ViewportSize = {"width": 1180, "height": 1240}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def main() -> None:
    with tempfile.TemporaryDirectory() as place, sync_playwright() as player:
        subprocess.run([sys.executable, "-m", "samsim", "demo", "--out", place], check=True, capture_output=True)
        page = Path(place) / "quickstart" / "report.html"
        browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for locale, uid, name in SHOTS:
            shown = browser.new_page(viewport=SIZE, locale=locale, color_scheme="light")
            shown.goto(f"{page.as_uri()}#uid={uid}")
            shown.get_by_text(uid, exact=True).last.wait_for()
            shown.screenshot(path=PICTURES / name)
            print(PICTURES / name)
        browser.close()


if __name__ == "__main__":
    main()
