"""The house stays in order: folders of a readable size, names that say something once, and plain words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "samsim"
MOST_MODULES = 20
MOST_LINES = 500
# One measure, one rule, one file: a list to look things up in.
FLAT = {"metrics", "rules"}
# Modules that repeat their folder, and why.
REPEATS = {
    "agents/perspective_agents.py": "the name in the documents",
    "agents/review_agents.py": "the name in the documents",
    "agents/debate_agents.py": "beside the other two",
    "engines/model_engine.py": "beside the embedded engine: the kind of engine is the topic",
}
# The words on the left, as they would be found; on the right what to write.
WORDS = {
    r"begun": "started",
    r"\bgo(?:es|ne|ing)? on with\b": "resume",
    r"\bbegins? anew\b": "start over",
    r"\bset[ _]aside\b": "rename the old folder",
    r"(?<!there )\bis no run\b": "is not a run folder",
    r"\bkept repl(?:y|ies)\b": "cached response",
    r"\bway of the conflicts\b": "what happened to the conflicts",
    r"\bliked or disliked about what\b": "finds what reviewers praise and what they complain about",
    r"\berrors left\b": "still wrong",
    r"\bcame_to\b": "outcome",
    r"\b_PAIR = 2\b": "a named tuple, or the number itself",
    r"\bshown\b.*\bwatcher\b": "watcher",
    r"^[^#\n]*\bfor one in\b": "a name for the thing",
    "재검토가 한 일": "재검토의 효과",
    "깨뜨림": "맞던 것을 틀림",
    "까닭": "이유, 필요",
    "총호출": "총 호출",
    "95% 구간": "95% 신뢰구간",
    "보인 것": "노출 내용",
    "조언을 가림": "조언 숨김",
}
# The same word where it is meant: the verb forms of English.
MEANT = {"src/samsim/language/english/lemmas.py": "begin began begun|"}
# What a shop reads about its reviews; tables for a paper have other readers.
FOR_SHOPS = ("cli/result_view", "reports/words.py")
SHOP_WORDS = {"최종 튜플": "분석 결과", r"(?<![가-힣])지지(?![가-힣])": "찾은 관점"}
TEXT_FILES = {".py", ".md", ".yaml", ".html", ".js", ".css", ".txt", ".tex", ".svg", ".ipynb"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def packages() -> list[Path]:
    return sorted(path.parent for path in PACKAGE.rglob("__init__.py"))


def written(*places: Path) -> Iterator[tuple[str, str]]:
    """Every text file at the places, under its name in the repository."""
    for place in places:
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix in TEXT_FILES and path.is_file():
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


@cache
def all_written() -> tuple[tuple[str, str], ...]:
    return tuple(written(ROOT / "src", ROOT / "docs", ROOT / "README.md", ROOT / "README.ko.md"))


def found_in(text: str, words: str) -> list[str]:
    if not re.search(words, text, re.IGNORECASE | re.MULTILINE):
        return []
    return [line.strip() for line in text.splitlines() if re.search(words, line, re.IGNORECASE)]


def test_no_folder_has_more_modules_than_one_sees_at_a_glance() -> None:
    crowded = {
        folder.relative_to(PACKAGE).as_posix(): count
        for folder in packages()
        if folder.name not in FLAT
        and (count := sum(path.name != "__init__.py" for path in folder.glob("*.py"))) > MOST_MODULES
    }
    assert crowded == {}


def test_no_module_repeats_the_name_of_its_folder() -> None:
    """``memory/memory_store.py`` says memory twice; ``memory/store.py`` says it once."""
    repeating = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if {path.parent.name, path.parent.name.removesuffix("s")} & set(path.stem.split("_"))
    }
    assert repeating == set(REPEATS)


def test_no_file_is_longer_than_one_reads() -> None:
    long = {path.name: count for path in modules() if (count := len(path.read_bytes().splitlines())) > MOST_LINES}
    assert long == {}


@pytest.mark.parametrize("folder", packages(), ids=lambda folder: folder.relative_to(PACKAGE.parent).as_posix())
def test_every_package_says_what_it_is_for(folder: Path) -> None:
    assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))


@pytest.mark.parametrize("words", WORDS)
def test_the_words_of_the_table_are_not_used(words: str) -> None:
    found = {
        name: lines
        for name, text in all_written()
        if (lines := [line for line in found_in(text, words) if not line.startswith(MEANT.get(name, "\n"))])
    }
    assert found == {}, f"write instead: {WORDS[words]}"


@pytest.mark.parametrize("words", SHOP_WORDS)
def test_what_a_shop_reads_has_the_words_of_a_shop(words: str) -> None:
    places = [PACKAGE / place for place in FOR_SHOPS]
    found = {name: lines for name, text in written(*places) if (lines := found_in(text, words))}
    assert found == {}, f"write instead: {SHOP_WORDS[words]}"


def test_the_exceptions_are_still_needed() -> None:
    for name, start in MEANT.items():
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert any(line.startswith(start) for line in lines), name
