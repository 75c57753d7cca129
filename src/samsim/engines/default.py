"""The engine used when none is named, in the library's ``Pipeline`` and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from samsim.engines.interface import Engine

DEFAULT_ENGINE: Final = "embedded"
"""The name of the default engine in options and configurations, and its kind."""


def default_engine() -> Engine:
    """Return the embedded engine: it needs no key, no server and no network."""
    from samsim.engines.embedded.engine import EmbeddedEngine

    return EmbeddedEngine()
