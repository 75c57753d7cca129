"""Write the test coverage of each folder into the page about tests, in every language.

python tools/write_coverage_docs.py coverage.json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "samsim"
PAGES = (ROOT / "docs" / "testing.md", ROOT / "docs" / "ko" / "testing.md")
BEGIN = "<!-- coverage: written by tools/write_coverage_docs.py -->"
END = "<!-- end of coverage -->"
TOP = "samsim"


def folders() -> list[str]:
    """Return the folders of the package, and the package itself for its top-level modules."""
    return [TOP, *sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))]


def folder_of(path: str) -> str:
    """Return the folder of the package a measured file belongs to."""
    parts = Path(path).parts
    below = parts[parts.index(TOP) + 1 :]
    return below[0] if len(below) > 1 else TOP


class Reach(NamedTuple):
    """The lines and branches of a folder, and how many of them the tests reach."""

    lines: int = 0
    reached: int = 0
    branches: int = 0
    taken: int = 0

    def plus(self, other: Reach) -> Reach:
        """Return the sum of both."""
        return Reach(*(own + its for own, its in zip(self, other, strict=True)))

    def row(self, name: str) -> str:
        """Return the folder's row of the table."""
        lines, branches = share(self.reached, self.lines), share(self.taken, self.branches)
        return f"| {name} | {self.lines:,} | {lines} | {self.branches:,} | {branches} |"


def reach_of(measured: Mapping[str, Any]) -> Reach:
    """Return the coverage of one file, as reported by coverage."""
    summary = measured["summary"]
    names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    return Reach(*(int(summary[name]) for name in names))


def table(files: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table as Markdown, with the whole package last."""
    found = dict.fromkeys(folders(), Reach())
    for path, measured in files.items():
        found[folder_of(path)] = found[folder_of(path)].plus(reach_of(measured))
    whole = Reach(*(sum(counts) for counts in zip(*found.values(), strict=True)))
    head = ["| folder | lines | reached | branches | taken |", "|---|---:|---:|---:|---:|"]
    return "\n".join([*head, *(reach.row(f"`{name}/`") for name, reach in found.items()), whole.row("**all**")])


def share(part: int, whole: int) -> str:
    """Return a share in percent, rounded down: 100% means all of it."""
    return f"{part * 1000 // whole / 10:.1f}%" if whole else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", type=Path, help="what `coverage json` wrote")
    files = json.loads(parser.parse_args().measured.read_text(encoding="utf-8"))["files"]
    for page in PAGES:
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        page.write_text(f"{before}{BEGIN}\n\n{table(files)}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main()
