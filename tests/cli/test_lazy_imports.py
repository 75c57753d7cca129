from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("kiwipiepy", "numpy", "rich", "pydantic", "yaml", "samsim.cli.demo", "samsim.pipeline.api")
_PROBE = """
import sys
from samsim.cli.main import cli
try:
    cli({arguments!r}, prog_name="samsim")
except SystemExit as end:
    print("CODE", end.code)
print("LOADED", [name for name in {heavy!r} if name in sys.modules])
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["analyze", "--help"], ["nonsense"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    probe = _PROBE.format(arguments=arguments, heavy=HEAVY)
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, encoding="utf-8")
    assert "LOADED []" in ended.stdout
    assert f"CODE {2 if arguments == ['nonsense'] else 0}" in ended.stdout


def test_the_probe_sees_what_is_loaded() -> None:
    probe = "import rich\n" + _PROBE.format(arguments=["--help"], heavy=HEAVY)
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, encoding="utf-8")
    assert "LOADED ['rich']" in ended.stdout
