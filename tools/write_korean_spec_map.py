"""Write ``docs/ko/spec-map.md`` from the English page and the translations in ``spec_map_ko.yaml``.

Run it after ``docs/spec-map.md`` changed: ``python tools/write_korean_spec_map.py``. Modules and tests are copied from
the English page, so moving one needs no translation. A new or reworded clause does, and a translation without a
clause must be removed; the tool lists both, and leaves what it cannot translate in English.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from samsim.yaml_text import read_yaml_file

ROOT = Path(__file__).parents[1]
ENGLISH = ROOT / "docs" / "spec-map.md"
KOREAN = ROOT / "docs" / "ko" / "spec-map.md"
TRANSLATIONS = ROOT / "tools" / "spec_map_ko.yaml"

NOTICE = "<!-- tools/write_korean_spec_map.py가 만드는 페이지입니다. 번역은 tools/spec_map_ko.yaml에서 고칩니다. -->"
# Columns that are the same in both languages. The first table already has its Korean: the last column.
COPIED = ("where", "test", "what it is", "설명")
BOTH_LANGUAGES = ["what it is", "설명"]

_MARKER = re.compile("#+ |- ")
# A section number of a seed is the same in both languages, and many clauses differ in nothing else.
_SECTION = re.compile(r"(?:Part [ABC]|[ABC]\.\d+|§\d+(?:\.\d+)?) ")
_CODE = re.compile(r"`[^`]*`")
# Paths may move, so a translation has a placeholder for each, filled in the same order.
_PATH = re.compile(r"`[^`\s]*/[^`\s]*`")
_GAP = "`…`"


class Translator:
    """Translates the prose and the clauses of the page into Korean, and records what it cannot translate."""

    def __init__(self, translations: Mapping[str, str]) -> None:
        self._translations = translations
        self._used: set[str] = set()
        self.missing: list[str] = []

    @property
    def left_over(self) -> list[str]:
        """The translations that nothing on the page uses."""
        return [key for key in self._translations if key not in self._used]

    def page(self, english: str) -> str:
        """Return the Korean page."""
        blocks = [self._block(block) for block in english.rstrip("\n").split("\n\n")]
        return "\n\n".join([NOTICE, *blocks]) + "\n"

    def _block(self, block: str) -> str:
        if block.startswith("|"):
            return self._table(block.splitlines())
        return "\n".join(self._paragraph(paragraph) for paragraph in re.split(r"\n(?=- )", block))

    def _paragraph(self, paragraph: str) -> str:
        marker, text = split_off(_MARKER, paragraph)
        return marker + self._say(" ".join(text.split())).replace("\n", "\n" + " " * len(marker))

    def _table(self, lines: list[str]) -> str:
        head, rule, *rows = (cells_of(line) for line in lines)
        korean = [[self._say(cell) for cell in head], rule, *(self._row(head, row) for row in rows)]
        if head[-2:] == BOTH_LANGUAGES:
            korean = [[*cells[:-2], cells[-1], cells[-2]] for cells in korean]
        return "\n".join(f"|{'|'.join(cells)}|" if cells == rule else f"| {' | '.join(cells)} |" for cells in korean)

    def _row(self, head: list[str], row: list[str]) -> list[str]:
        return [cell if name in COPIED else self._say(cell) for name, cell in zip(head, row, strict=True)]

    def _say(self, text: str) -> str:
        """Return a text in Korean; a text without a lower-case word is the same in both languages."""
        section, words = split_off(_SECTION, text)
        if not re.search("[a-z]", _CODE.sub("", words)):
            return text
        key, paths = _PATH.sub(_GAP, words), _PATH.findall(words)
        if key not in self._translations:
            self.missing.append(key)
            return text
        self._used.add(key)
        first, *rest = self._translations[key].split(_GAP)
        return section + first + "".join(path + part for path, part in zip(paths, rest, strict=True))


def cells_of(line: str) -> list[str]:
    """Return the cells of one line of a table."""
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def split_off(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return the prefix that the pattern matches ("" if none), and the rest of the text."""
    found = pattern.match(text)
    end = found.end() if found else 0
    return text[:end], text[end:]


def new_translator() -> Translator:
    """Return a new translator."""
    return Translator(read_yaml_file(TRANSLATIONS))


def main() -> int:
    """Write the page, and list missing and unused translations."""
    translator = new_translator()
    page = translator.page(ENGLISH.read_text(encoding="utf-8"))
    KOREAN.parent.mkdir(exist_ok=True)
    KOREAN.write_text(page, encoding="utf-8")
    for key in translator.missing:
        print(f"translate in {TRANSLATIONS.name}: {key}", file=sys.stderr)
    for key in translator.left_over:
        print(f"remove from {TRANSLATIONS.name}: {key}", file=sys.stderr)
    return 1 if translator.missing or translator.left_over else 0


if __name__ == "__main__":
    sys.exit(main())
