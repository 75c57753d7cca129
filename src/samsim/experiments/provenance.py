"""What a manifest says about where a run came from: versions, revision."""

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

# The analyser of Korean with its model decides in every run, numpy (how episodes are ranked) where there is a memory.
_ALWAYS_DECIDING = ("code", "kiwipiepy", "kiwipiepy_model")
_DECIDING_WITH_MEMORY = (*_ALWAYS_DECIDING, "numpy")
_RECORDED = ("kiwipiepy", "kiwipiepy_model", "numpy", "pydantic")
_DECIDING = ("schemas", "language", "rules", "memory", "engines", "agents", "pipeline", "validation_words.py")


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


def deciding_versions(known: Mapping[str, str], *, memory: bool) -> dict[str, str | None]:
    """Of the versions a manifest knows, those that decide the answers of its run."""
    return {name: known.get(name) for name in (_DECIDING_WITH_MEMORY if memory else _ALWAYS_DECIDING)}


def version_changes(before: Mapping[str, str], now: Mapping[str, str], *, memory: bool) -> list[str]:
    """Return what decides and is of another version now, in words: ``kiwipiepy 0.21.0 → 0.22.0``."""
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
    """Return a digest of every file that has a part in a decision, data that ships with the code included.

    Commands, reports and metrics have no part.
    """
    root = Path(str(files("samsim")))
    digest = hashlib.sha256()
    for path in sorted(path for part in _DECIDING for path in (root / part, *(root / part).rglob("*"))):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(root).as_posix()} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def git_revision(folder: Path) -> str | None:
    """Return the revision of the repository the configuration is in, if there is one."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None
