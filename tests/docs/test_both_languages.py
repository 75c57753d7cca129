"""Every page is there in English and Korean, with the same headings, code blocks, tables and pictures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
KOREAN = DOCS / "ko"
PAGES = sorted(path.relative_to(DOCS) for path in DOCS.rglob("*.md") if KOREAN not in path.parents)
ROOT_PAGES = ["README.md", "CONTRIBUTING.md"]
PAIRS = [
    *((DOCS / page, KOREAN / page) for page in PAGES),
    *((ROOT / page, ROOT / page.replace(".md", ".ko.md")) for page in ROOT_PAGES),
]
IDS = [str(english.relative_to(ROOT)) for english, _ in PAIRS]
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
_HANGUL = re.compile(r"[가-힣]")


def prose(path: Path) -> str:
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def code(path: Path) -> list[str]:
    """The code blocks without comments and example sentences, which may be translated."""
    blocks = _FENCE.findall(path.read_text(encoding="utf-8"))
    return ["\n".join(_same(line) for line in block.splitlines()) for block in blocks]


def _same(line: str) -> str:
    without_sentences = re.sub(r'"[^"]*"', lambda quoted: '""' if " " in quoted[0] else quoted[0], line)
    return re.sub(r"\s+#\s.*$|^#\s.*$", "", without_sentences).rstrip()


def shape(path: Path) -> list[str]:
    """The levels of the headings, in order."""
    return re.findall(r"^(#+) ", prose(path), re.MULTILINE)


def tables(path: Path) -> list[int]:
    """How many cells each row of each table has."""
    return [line.count(" | ") for line in prose(path).splitlines() if line.startswith("|")]


def pictures(path: Path) -> list[str]:
    return re.findall(r"!\[[^\]]*\]\((?:[^)]*/)?([^)/]+?)(?:-ko|-en)?\.\w+\)", prose(path))


@pytest.mark.parametrize(("english", "korean"), PAIRS, ids=IDS)
def test_a_page_is_the_same_in_both_languages(english: Path, korean: Path) -> None:
    assert korean.is_file(), f"translate {english.name} as {korean.relative_to(ROOT)}"
    assert shape(korean) == shape(english)
    assert code(korean) == code(english)
    assert tables(korean) == tables(english)
    assert pictures(korean) == pictures(english)
    words = re.sub(r"`[^`]*`", "", prose(english))
    assert len(_HANGUL.findall(prose(korean))) > len(words) / 10, "is it Korean?"


@pytest.mark.parametrize(
    "page", [path for pair in PAIRS for path in pair], ids=lambda path: str(path.relative_to(ROOT))
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(prose(page)):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


def test_no_korean_page_is_left_over() -> None:
    assert sorted(path.relative_to(KOREAN) for path in KOREAN.rglob("*.md")) == PAGES
