"""The public data sets, which are not part of the project: tests that read them skip where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("SAMSIM_DATA") or Path(__file__).parents[3] / "shared" / "data")


def require_public_data(*needed: str) -> Path:
    """Return the folder of the data sets; skip the test if it, or a part that it needs, is not there."""
    if not DATA.is_dir() or not all((DATA / name).exists() for name in needed):
        what = ", ".join(needed) or "public data sets"
        pytest.skip(f"no {what} in {DATA}; set SAMSIM_DATA to the folder that holds them")
    return DATA
