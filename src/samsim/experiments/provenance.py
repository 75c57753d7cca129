"""What a manifest says about where a run came from: versions, revision."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from samsim import __version__

_RECORDED = ("kiwipiepy", "numpy", "pydantic")
_DECIDING = ("schemas", "language", "rules", "memory", "engines", "agents", "pipeline")


def versions() -> dict[str, str]:
    """samsim and its code, Python, and the packages that can change an answer."""
    found = {"samsim": __version__, "code": code_digest(), "python": platform.python_version()}
    found["platform"] = platform.system().lower()
    for package in _RECORDED:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def code_digest() -> str:
    """A digest of every file that has a part in a decision; commands, reports and metrics have none."""
    root = Path(str(files("samsim")))
    digest = hashlib.sha256()
    for path in sorted(path for package in _DECIDING for path in (root / package).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(root).as_posix()} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def git_revision(folder: Path) -> str | None:
    """The revision of the repository the configuration is in, if there is one."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None
