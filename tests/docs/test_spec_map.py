"""``docs/spec-map.md`` tells the truth: what it names exists, no clause is forgotten. Its Korean page is current."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from tools.write_korean_spec_map import ENGLISH, KOREAN, new_translator

from samsim.memory.store import DEFAULT_STORE

ROOT = Path(__file__).parents[2]
UNTESTED = "no test yet"
MOVED_NAMES = "Where the names of the seeds are · 시드에 나오는 이름의 위치"

# The sections of each seed that say something themselves, in its order. A heading that only holds
# others (seed 000 §2) is there when they are.
SECTIONS = {
    "000": "§1 §1.1 §1.2 §1.3 §2.1 §2.2 §3.1 §3.2 §3.3 §3.4 §4.1 §4.2 §4.3 §5",
    "001": "A A.1 A.2 A.3 B B.1 B.2 B.3 C",
    "002": "§1 §2 §3 §4 §5 §6 §7 §8",
    "003": "§1 §2 §3.1 §3.2 §3.3 §3.4 §3.5 §3.6 §4 §5 §6 §7",
    "004": "§1.1 §1.2 §2.1 §2.2 §3.1 §3.2 §3.3 §4",
}
_SECTION = re.compile(r"(?:Part (?=[ABC]\b))?(§\d+(?:\.\d+)?|[ABC](?:\.\d+)?)\s")
_CODE = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """One line of a table; ``test`` is empty where the table has no such column."""

    heading: str
    clause: str
    where: str
    test: str

    @property
    def seed(self) -> str:
        found = re.match(r"Seed (\d{3}):", self.heading)
        return found[1] if found else ""

    @property
    def section(self) -> str:
        found = _SECTION.match(self.clause)
        return found[1] if found else ""


@cache
def rows() -> tuple[Row, ...]:
    """All rows of the tables with a *where* column."""
    document = (ROOT / "docs" / "spec-map.md").read_text(encoding="utf-8")
    found = []
    for block in document.split("\n## ")[1:]:
        heading, _, body = block.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("|")]
        head, _, *cells = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)
        assert head[1:] == (["where", "what it is", "설명"] if heading == MOVED_NAMES else ["where", "test"]), heading
        for given in cells:
            assert len(given) == len(head), given
            found.append(Row(heading, given[0], given[1], "" if heading == MOVED_NAMES else given[2]))
    return tuple(found)


def named(cells: list[str]) -> list[str]:
    return sorted({name for cell in cells for name in _CODE.findall(cell)})


def has(owner: object, name: str) -> bool:
    """Whether an attribute or a declared field (which a class need not have as attribute) is there."""
    bases = owner.__mro__ if isinstance(owner, type) else ()
    return hasattr(owner, name) or any(name in getattr(base, "__annotations__", {}) for base in bases)


@pytest.mark.parametrize("name", named([row.where for row in rows()]))
def test_what_is_said_to_implement_a_clause_exists(name: str) -> None:
    path, _, attribute = name.partition("::")
    assert (ROOT / "src" / "samsim" / path).is_file()
    if attribute:
        owner: object = import_module("samsim." + path.removesuffix(".py").replace("/", "."))
        *outer, last = attribute.split(".")
        for step in outer:
            owner = getattr(owner, step)
        assert has(owner, last)


@pytest.mark.parametrize("name", named([row.test for row in rows()]))
def test_what_is_said_to_hold_a_clause_exists(name: str) -> None:
    path, _, function = name.partition("::")
    content = (ROOT / "tests" / path).read_text(encoding="utf-8")
    assert re.search(rf"^(?:async )?def {re.escape(function)}\(", content, re.MULTILINE)
    assert function.startswith("test_")


def test_every_cell_names_something() -> None:
    for row in rows():
        assert row.clause
        # A name outside backquotes would escape the checks above.
        assert "_" not in _CODE.sub("", row.where + row.test), row
        assert _CODE.search(row.where), row
        assert row.heading == MOVED_NAMES or UNTESTED in row.test or _CODE.search(row.test), row


@pytest.mark.parametrize("seed", SECTIONS)
def test_every_section_of_a_seed_is_there_in_its_order(seed: str) -> None:
    found = [row.section for row in rows() if row.seed == seed]
    assert list(dict.fromkeys(found)) == SECTIONS[seed].split()


def test_there_are_exactly_the_five_seeds_the_decided_points_and_the_moved_names() -> None:
    headings = list(dict.fromkeys(row.heading for row in rows()))
    assert headings[0] == MOVED_NAMES
    assert [heading[:8] for heading in headings[1:6]] == [f"Seed {seed}" for seed in SECTIONS]
    assert headings[6:] == ["Decided points"]


# What the seeds call by name and is called or kept otherwise here, or might be looked for.
NAMES_OF_THE_SEEDS = """
    SupervisorAgent EpisodicOrchestrator SignatureBuilder Retriever MemoryStore.load MemoryStore.append AdvisoryBuilder
    InjectionController MemoryImpactAnalysis PerspectiveAgentPneg PerspectiveAgentPimp PerspectiveAgentPlit
    ReviewAgentA ReviewAgentB ReviewAgentC agents/supervisor_agent.py run_experiments.py
    experiments/configs/conditions_memory_v1_1.yaml conditions_memory_v1_2.yaml
""".split()


@pytest.mark.parametrize("name", NAMES_OF_THE_SEEDS)
def test_a_name_of_the_seeds_is_found_in_the_first_table(name: str) -> None:
    listed = [row for row in rows() if row.heading == MOVED_NAMES and name in _CODE.findall(row.clause)]
    assert len(listed) == 1


def test_the_first_table_speaks_korean_too() -> None:
    document = (ROOT / "docs" / "spec-map.md").read_text(encoding="utf-8")
    table = document.split(f"## {MOVED_NAMES}\n")[1].split("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(lines) > len(NAMES_OF_THE_SEEDS)
    assert [line for line in lines if not re.search("[가-힣]", line.split(" | ")[-1])] == []


def test_no_row_stands_twice() -> None:
    keys = [(row.heading, row.clause) for row in rows()]
    assert len(set(keys)) == len(keys)


def test_every_clause_of_a_seed_has_a_test() -> None:
    untested = [f"seed {row.seed} {row.clause}" for row in rows() if row.seed and UNTESTED in row.test]
    assert not untested, "\n".join(untested)


@pytest.mark.parametrize(
    ("seed", "clause", "says"),
    [
        ("000", "§2.2 episode_type", "decided: by how the severity of all risks changed"),
        ("004", "§1.2 store:", f"`{DEFAULT_STORE}`, another place is a setting"),
        ("", "`--memory` and `--condition`", "of `samsim analyze`"),
    ],
)
def test_a_row_says_what_the_code_does_today(seed: str, clause: str, says: str) -> None:
    (row,) = (row for row in rows() if row.seed == seed and row.clause.startswith(clause))
    assert says in row.clause
    assert UNTESTED not in row.test


def places_and_tests(page: Path) -> list[list[str]]:
    """The second and third cell of every row about a clause, as the page has them."""
    sections = page.read_text(encoding="utf-8").split("\n## ")[2:]
    lines = [line for section in sections for line in section.splitlines() if line.startswith("| ")]
    return [line.split(" | ")[1:] for line in lines if ".py" in line]


def test_the_korean_page_is_the_one_that_the_tool_writes() -> None:
    written = new_translator().page(ENGLISH.read_text(encoding="utf-8"))
    assert KOREAN.read_text(encoding="utf-8") == written, "run python tools/write_korean_spec_map.py"


def test_no_translation_is_missing_or_left_over() -> None:
    korean = new_translator()
    korean.page(ENGLISH.read_text(encoding="utf-8"))
    assert korean.missing == []
    assert korean.left_over == []


def test_both_pages_name_the_same_modules_and_tests() -> None:
    assert places_and_tests(KOREAN) == places_and_tests(ENGLISH)
    assert len(places_and_tests(KOREAN)) == len([row for row in rows() if row.heading != MOVED_NAMES])


def test_what_moves_needs_no_translation() -> None:
    english = ENGLISH.read_text(encoding="utf-8")
    moved = re.sub(r"`(\w+)/([^`\s]+)`", r"`elsewhere/\1/\2`", english)
    assert moved.count("`elsewhere/") > len(rows())
    korean = new_translator()
    page = korean.page(moved)
    assert (korean.missing, korean.left_over) == ([], [])
    assert page.count("`elsewhere/") == moved.count("`elsewhere/")


def test_a_reworded_clause_stays_english_until_it_is_translated() -> None:
    english = ENGLISH.read_text(encoding="utf-8").replace("| k is a setting |", "| topk is a setting |")
    korean = new_translator()
    page = korean.page(english.replace("| §1.2 DROP 제거 |", "| §1.2 DROP removes |"))
    assert korean.missing == ["DROP removes", "topk is a setting"]
    assert korean.left_over == ["k is a setting"]
    assert "\n| §1.2 DROP removes | `" in page
