"""The engine that answers where none is named: for the library's ``Pipeline`` and for the command line alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from samsim.engines.interface import Engine

DEFAULT_ENGINE: Final = "embedded"
"""How an option or a configuration names it, and the kind of engine that it is."""


def default_engine() -> Engine:
    """Return the embedded engine: it needs no key, no server and no network."""
    from samsim.engines.embedded.engine import EmbeddedEngine

    return EmbeddedEngine()
