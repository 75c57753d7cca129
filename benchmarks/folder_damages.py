"""Ways to damage run folders, for ``fuzz_run_folders.py``; each depends only on its random generator.

A damage returns a description of what it did. ``TAMPERINGS`` change the content of a line in a way that may be
valid: no reader can tell a measured value from one written by hand, so only the form is checked after them.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

LINES = ("outputs.jsonl", "scorecards.jsonl", "traces.jsonl")
FILES = (*LINES, "manifest.json", "store.jsonl", "store.jsonl.journal", "store.jsonl.index", ".lock")
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 10**12, 1.5, "", "x", "한글", "../..", "\x1b[31m", "\ud83d", [], [1], {}, {"a": []}),
    "finished",
    "cr_v1",
)
JUNK = (
    *(b"", b"\n", b"\0" * 999, b"[]\n", b"7\n", b"null\n", b"NaN\n"),
    *(b'{"uid": 3}\n', b'{"uid": "en-001"}\n', b"\xff\xfe{"),
)
Damage = Callable[[random.Random, Path, Path], str]


def _cells(experiment: Path) -> list[Path]:
    """Return the folders of the cells; the folder of the paper's tables is not one of them."""
    folders = (path for path in experiment.iterdir() if path.is_dir() and not path.is_symlink())
    return sorted(path for path in folders if path.name != "paper")


def _file(chance: random.Random, experiment: Path, names: tuple[str, ...] = FILES) -> Path | None:
    """Return an existing regular file of a run, or None."""
    found = [cell / name for cell in _cells(experiment) for name in names]
    plain = [path for path in found if path.is_file() and not path.is_symlink()]
    return chance.choice(plain) if plain else None


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def truncate(chance: random.Random, experiment: Path, _outside: Path) -> str:
    path = _file(chance, experiment)
    if path is None:
        return "nothing"
    size = path.stat().st_size
    end = chance.randrange(size + 1)
    os.truncate(path, end)
    return f"truncate {path.parent.name}/{path.name} from {size} to {end}"


def delete(chance: random.Random, experiment: Path, _outside: Path) -> str:
    path = _file(chance, experiment)
    if path is None:
        return "nothing"
    path.unlink()
    return f"delete {path.parent.name}/{path.name}"


def junk(chance: random.Random, experiment: Path, _outside: Path) -> str:
    """Insert bytes that no run writes: at the end, at the start, in the middle, or instead of everything."""
    path = _file(chance, experiment)
    if path is None:
        return "nothing"
    data, bad, how = path.read_bytes(), chance.choice(JUNK), chance.choice(["behind", "front", "middle", "instead"])
    middle = chance.randrange(len(data) + 1)
    path.write_bytes(
        {"behind": data + bad, "front": bad + data, "middle": data[:middle] + bad + data[middle:], "instead": bad}[how]
    )
    return f"junk {bad[:12]!r} {how} {path.parent.name}/{path.name}"


def flip_bytes(chance: random.Random, experiment: Path, _outside: Path) -> str:
    path = _file(chance, experiment)
    if path is None or not path.stat().st_size:
        return "nothing"
    data = bytearray(path.read_bytes())
    for _ in range(chance.randrange(1, 4)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    return f"flip bytes in {path.parent.name}/{path.name}"


def rearrange_lines(chance: random.Random, experiment: Path, _outside: Path) -> str:
    path = _file(chance, experiment, (*LINES, "store.jsonl"))
    if path is None:
        return "nothing"
    lines = path.read_bytes().splitlines(keepends=True)
    if not lines:
        return "nothing"
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.choice(["double", "drop", "swap", "overwrite", "all twice"])
    if how == "double":
        lines.insert(second, lines[first])
    elif how == "drop":
        del lines[first]
    elif how == "swap":
        lines[first], lines[second] = lines[second], lines[first]
    elif how == "overwrite":
        lines[first] = lines[second]
    else:
        lines *= 2
    path.write_bytes(b"".join(lines))
    return f"{how} lines {first}, {second} of {path.parent.name}/{path.name}"


def swap_files(chance: random.Random, experiment: Path, _outside: Path) -> str:
    path = _file(chance, experiment)
    if path is None:
        return "nothing"
    others = [cell / path.name for cell in _cells(experiment) if cell != path.parent and (cell / path.name).is_file()]
    if not others:
        return "nothing"
    other = chance.choice(others)
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    if chance.random() < 0.5:
        other.write_bytes(mine)
    return f"swap {path.name} of {path.parent.name} and {other.parent.name}"


def swap_folders(chance: random.Random, experiment: Path, _outside: Path) -> str:
    cells = _cells(experiment)
    if len(cells) < 2:
        return "nothing"
    first, second = chance.sample(cells, 2)
    how = chance.choice(["swap", "remove", "empty", "file", "copy into"])
    if how == "swap":
        aside = first.rename(experiment / "aside")
        second.rename(first)
        aside.rename(second)
    elif how == "copy into":
        shutil.copytree(first, second / chance.choice(["retry", "damaged-1", "deeper"]), dirs_exist_ok=True)
    else:
        shutil.rmtree(first)
        if how == "empty":
            first.mkdir()
        elif how == "file":
            first.write_bytes(b"no folder")
    return f"{how} folder {first.name} ({second.name})"


def odd_kind(chance: random.Random, experiment: Path, outside: Path) -> str:
    """Put something that is not a file where a file belongs."""
    cells = _cells(experiment)
    if not cells:
        return "nothing"
    cell = chance.choice(cells)
    names = (*FILES, "store.jsonl.tmp", "store.jsonl.lock", "retry", "damaged-1")
    above = ("report.html", "metrics.json", "paper", ".report.html.part", "metrics.csv")
    path = experiment / chance.choice(above) if chance.random() < 0.2 else cell / chance.choice(names)
    kinds: dict[str, Callable[[], object]] = {
        "link to a file": lambda: path.symlink_to(outside / "precious"),
        "link to a folder": lambda: path.symlink_to(outside),
        "link to nothing": lambda: path.symlink_to(outside / "nothing"),
        "link to itself": lambda: path.symlink_to(path),
        "link to zeros": lambda: path.symlink_to("/dev/zero"),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "empty file": path.touch,
    }
    kind = chance.choice(sorted(kinds))
    _remove(path)
    kinds[kind]()
    return f"{kind} for {path.relative_to(experiment)}"


def linked_as_is(chance: random.Random, experiment: Path, outside: Path) -> str:
    """Move a file elsewhere and link to it: writing through the link changes the moved file."""
    path = _file(chance, experiment)
    if path is None:
        return "nothing"
    place = outside / f"moved-{path.name}"
    if place.exists():
        return "nothing"
    shutil.move(path, place)
    path.symlink_to(place)
    return f"move and link {path.parent.name}/{path.name}"


def half_a_retry(chance: random.Random, experiment: Path, _outside: Path) -> str:
    """Leave the remains of a retry that died halfway, made of lines of this cell or of another."""
    cells = _cells(experiment)
    if not cells:
        return "nothing"
    cell, source = chance.choice(cells), chance.choice(cells)
    _remove(cell / "retry")
    (cell / "retry").mkdir()
    for name in LINES:
        if chance.random() < 0.8 and (source / name).is_file():
            shutil.copyfile(source / name, cell / "retry" / name)
    if chance.random() < 0.6:
        (cell / "retry" / "complete").touch()
    return f"retry of {source.name} in {cell.name}"


def permissions(chance: random.Random, experiment: Path, _outside: Path) -> str:
    path = _file(chance, experiment)
    if path is None:
        return "nothing"
    mode = chance.choice([0o000, 0o444, 0o200])
    path.chmod(mode)
    return f"mode {mode:o} for {path.parent.name}/{path.name}"


def unmark(chance: random.Random, experiment: Path, _outside: Path) -> str:
    """Remove the cell digest from lines, as an older version wrote them."""
    path = _file(chance, experiment, LINES)
    if path is None:
        return "nothing"
    kept = []
    for line in path.read_bytes().splitlines():
        try:
            row = json.loads(line)
            row.pop("cell_digest", None)
            kept.append(json.dumps(row))
        except (ValueError, AttributeError):
            return "nothing"
    path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return f"unmark {path.parent.name}/{path.name}"


def edit_manifest(chance: random.Random, experiment: Path, _outside: Path) -> str:
    return _edit(chance, _file(chance, experiment, ("manifest.json",)), whole=True)


def edit_line(chance: random.Random, experiment: Path, _outside: Path) -> str:
    return _edit(chance, _file(chance, experiment, (*LINES, "store.jsonl")), whole=False)


def _edit(chance: random.Random, path: Path | None, *, whole: bool) -> str:
    """Replace a value, or remove or add a key, somewhere in a document or in one of its lines."""
    if path is None:
        return "nothing"
    try:
        texts = [path.read_text(encoding="utf-8")] if whole else path.read_text(encoding="utf-8").splitlines()
        at = chance.randrange(len(texts))
        document = json.loads(texts[at])
    except ValueError:
        return "nothing"
    holder, key = _place(chance, document)
    if holder is None:
        return "nothing"
    how = chance.choice(["set", "set", "set", "remove", "add"])
    if how == "remove":
        del holder[key]
    elif how == "add" and isinstance(holder, dict):
        holder["unknown"] = chance.choice(ODD)
    else:
        holder[key] = chance.choice(ODD)
    texts[at] = json.dumps(document)
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return f"{how} {key!r} in {path.parent.name}/{path.name}"


def _place(chance: random.Random, document: Any) -> tuple[Any, Any]:
    """Return a container somewhere in a document, and one of its keys."""
    holder, key = None, None
    node = document
    while isinstance(node, dict | list) and node:
        holder, key = node, chance.choice(sorted(node) if isinstance(node, dict) else range(len(node)))
        node = node[key]
        if chance.random() < 0.3:
            break
    return holder, key


DAMAGES: Mapping[str, Damage] = {
    made.__name__: made
    for made in (
        *(truncate, delete, junk, flip_bytes, rearrange_lines, swap_files, swap_folders, odd_kind, linked_as_is),
        *(half_a_retry, permissions, unmark, edit_manifest, edit_line),
    )
}
TAMPERINGS = frozenset({"flip_bytes", "edit_manifest", "edit_line", "junk"})
