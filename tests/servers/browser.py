"""A real browser without a screen, for pages that people will open: Debian's Chromium, driven by Playwright.

A test module says ``pytest_plugins = ["tests.servers.browser"]``. The browser may not talk to anybody; every
request other than for the page itself, and everything it complains about, is kept for the test to look at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def why_not_here() -> str:
    """What is missing for a real browser on this machine; empty if nothing is."""
    if find_spec("playwright") is None:
        return "playwright is not installed (pip install 'samsim[dev]')"
    if executable() is None:
        return f"no browser: none of {', '.join(_NAMES)} is on the path (tools/install_browser.sh)"
    return ""


def executable() -> str | None:
    """The browser of this machine."""
    return next((found for name in _NAMES if (found := shutil.which(name)) is not None), None)


@dataclass
class OpenedPage:
    """A page with what it asked for and complained about."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def assert_quiet(self) -> None:
        """Nothing was complained about, and nobody was asked."""
        assert self.complaints == []
        assert self.requests == []


@dataclass(frozen=True)
class Chromium:
    """A running browser that opens files."""

    process: Browser

    @contextmanager
    def opened(self, file: Path, fragment: str = "", **context: Any) -> Iterator[OpenedPage]:
        """A report in a fresh context, ready to be used; ``context`` sets its size, language and colours."""
        wanted = {"viewport": {"width": 1280, "height": 900}, "locale": "en-US", "offline": True, **context}
        fresh = self.process.new_context(**wanted)
        try:
            page = fresh.new_page()
            shown = OpenedPage(page)
            address = file.resolve().as_uri()
            page.on("console", lambda message: shown.complaints.append(message.text) if message.type != "log" else None)
            page.on("pageerror", lambda error: shown.complaints.append(str(error)))
            page.on("request", lambda request: _note(shown, request.url, address))
            page.goto(address + fragment)
            page.wait_for_selector("#b-browser[data-ready=true]")
            yield shown
        finally:
            fresh.close()


@contextmanager
def chromium() -> Iterator[Chromium]:
    """Start the browser and surely stop it in the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=list(_ARGUMENTS))
        try:
            yield Chromium(started)
        finally:
            started.close()


def _note(shown: OpenedPage, url: str, address: str) -> None:
    if url.partition("#")[0] != address and not url.startswith("data:"):
        shown.requests.append(url)


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    """One browser for the tests of a module.

    Not for the whole session: while it is there an event loop is running in this thread, in which nothing
    else can call ``asyncio.run``. Fixtures that do so need the scope of the session, which makes them come first.
    """
    missing = why_not_here()
    if missing:
        pytest.skip(missing)
    with chromium() as started:
        yield started
