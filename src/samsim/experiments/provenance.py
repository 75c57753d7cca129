"""What a manifest says about where a run came from: prompts, versions, revision."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from samsim import __version__

_RECORDED = ("kiwipiepy", "numpy", "pydantic")


def prompt_hashes() -> dict[str, str]:
    """The digest of every prompt file, by name."""
    folder = files("samsim.agents").joinpath("prompts")
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".md")), key=lambda entry: entry.name)
    return {entry.name.removesuffix(".md"): hashlib.sha256(entry.read_bytes()).hexdigest() for entry in found}


def versions() -> dict[str, str]:
    """samsim, Python, and the packages that can change an answer."""
    found = {"samsim": __version__, "python": platform.python_version(), "platform": platform.system().lower()}
    for package in _RECORDED:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def git_revision(folder: Path) -> str | None:
    """The revision of the repository the configuration is in, if there is one."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None
