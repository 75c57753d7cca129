"""The origin of a run, as its manifest records it: versions, code digest and git revision."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from samsim import __version__

# The Korean analyzer and its model affect every run; numpy, which ranks episodes, only runs with a memory.
_ALWAYS_DECIDING = ("code", "kiwipiepy", "kiwipiepy_model")
_DECIDING_WITH_MEMORY = (*_ALWAYS_DECIDING, "numpy")
_RECORDED = ("kiwipiepy", "kiwipiepy_model", "numpy", "pydantic")
_DECIDING = ("schemas", "language", "rules", "memory", "engines", "agents", "pipeline", "validation_words.py")


def versions() -> dict[str, str]:
    """Return the versions of samsim, its code, Python, and the packages that can change an answer."""
    found = {"samsim": __version__, "code": code_digest(), "python": platform.python_version()}
    found["platform"] = platform.system().lower()
    for package in _RECORDED:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def deciding_versions(known: Mapping[str, str], *, memory: bool) -> dict[str, str | None]:
    """Return those versions of a manifest that can change the answers of its run."""
    return {name: known.get(name) for name in (_DECIDING_WITH_MEMORY if memory else _ALWAYS_DECIDING)}


def version_changes(before: Mapping[str, str], now: Mapping[str, str], *, memory: bool) -> list[str]:
    """Return the changed versions that can change an answer, in words: ``kiwipiepy 0.21.0 → 0.22.0``."""
    wanted = deciding_versions(now, memory=memory)
    changed = [name for name, old in deciding_versions(before, memory=memory).items() if old != wanted[name]]
    return [
        f"code of samsim ({before.get('samsim')} → {now.get('samsim')})"
        if name == "code"
        else f"{name} {before.get(name, '(not recorded)')} → {now.get(name, '(not installed)')}"
        for name in changed
    ]


@cache
def code_digest() -> str:
    """Return a digest of every file that takes part in a decision, including the data that ships with the code.

    Commands, reports and metrics are left out.
    """
    root = Path(str(files("samsim")))
    digest = hashlib.sha256()
    for path in sorted(path for part in _DECIDING for path in (root / part, *(root / part).rglob("*"))):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(root).as_posix()} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def git_revision(folder: Path) -> str | None:
    """Return the git revision of the repository that the folder is in, or None."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None
