"""The marks of tests that ask the real model; without it they are skipped, and say what is missing."""

from __future__ import annotations

import pytest

from tests.servers.smollm import missing_packages

REAL_MODEL = [
    pytest.mark.slow,
    pytest.mark.loopback,
    pytest.mark.skipif(
        bool(missing_packages()),
        reason=f"no real model here, not installed: {', '.join(missing_packages())}; make setup installs them",
    ),
]
