from __future__ import annotations

import re
from importlib.resources import files
from typing import Any, get_args

import pytest

from samsim.metrics.baselines import BASELINES
from samsim.metrics.outcomes import PARTS
from samsim.metrics.subsets import SAMPLE_SUBSETS
from samsim.metrics.tuples import FAMILIES
from samsim.reports import codes, words
from samsim.schemas.calls import FailureKind
from samsim.schemas.code_names import RUN_STATUS
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import (
    ACTION_TYPES,
    REASON_CODES,
    AgentName,
    ArbiterRule,
    ConflictType,
    RiskType,
    Severity,
)
from samsim.schemas.protocol_debate import (
    EDIT_OPS,
    STRUCTURAL_RISK_TYPES,
    DropReason,
    ModeratorRule,
    RejectReason,
    SkipReason,
)
from samsim.schemas.runs import RunStatus

TEMPLATES = [item for item in files("samsim.reports.page").joinpath("templates").iterdir() if item.is_file()]
PYTHON = [item for item in files("samsim.reports").iterdir() if item.name.endswith(".py") and item.name != "words.py"]
# Words that are asked for by a name put together: t(`mark_${kind}`), t(`any_${kind}`), "card_…" and the like.
PUT_TOGETHER = re.compile(r"mark_(hit|miss|part)|any_(state|polarity|subset|rule|language)")


def used() -> set[str]:
    found: set[str] = set()
    for item in TEMPLATES:
        content = item.read_text(encoding="utf-8")
        found |= set(re.findall(r'\bt\("(\w+)"', content)) | set(re.findall(r"\{\{t:(\w+)\}\}", content))
        found |= set(re.findall(r'data-label="(\w+)"', content))
        found |= set(re.findall(r'"(\w+)"', content)) & set(words.all_words())
    for item in PYTHON:
        found |= set(re.findall(r'"(\w+)"', item.read_text(encoding="utf-8"))) & set(words.all_words())
    return found


def test_everything_the_page_says_has_words() -> None:
    assert used() <= set(words.all_words())


def test_every_word_is_said_somewhere() -> None:
    unsaid = {key for key in words.all_words() if key not in used() and not PUT_TOGETHER.fullmatch(key)}
    assert unsaid == set()


def test_no_word_stands_in_two_tables() -> None:
    tables = (words.PAGE, words.BROWSER, words.DETAIL)
    assert len(words.all_words()) == sum(len(table) for table in tables)


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        ("polarity", POLARITIES),
        ("severity", get_args(Severity)),
        ("agent", get_args(AgentName)),
        ("conflict", get_args(ConflictType)),
        ("risk", get_args(RiskType)),
        ("reason", REASON_CODES),
        ("action", (*ACTION_TYPES, *EDIT_OPS)),
        ("rule", (*get_args(ArbiterRule), "applied", "skipped")),
        ("drop", get_args(DropReason)),
        ("structural", STRUCTURAL_RISK_TYPES),
        ("failure", get_args(FailureKind)),
        ("skip", (*get_args(SkipReason), *get_args(RejectReason))),
        ("moderator", get_args(ModeratorRule)),
        ("family", FAMILIES),
    ],
)
def test_every_code_is_explained(kind: str, known: tuple[str, ...]) -> None:
    assert set(known) <= codes.words_by_kind()[kind].keys()


def test_breakdowns_and_baselines_have_names() -> None:
    assert {*SAMPLE_SUBSETS, "polarity", "aspect"} <= codes.SUBSET.keys()
    assert set(BASELINES) == codes.BASELINE.keys()


def test_every_status_and_every_part_of_an_answer_has_a_name() -> None:
    assert RUN_STATUS.keys() == set(get_args(RunStatus))
    assert codes.ANSWER_PART.keys() == set(PARTS)
    for table in (RUN_STATUS, codes.ANSWER_PART):
        assert all(re.search("[가-힣]", korean) for _, korean in table.values())


def test_both_languages_say_something_with_the_same_blanks() -> None:
    tables: list[Any] = [words.all_words(), *codes.words_by_kind().values()]
    for table in tables:
        for english, korean in table.values():
            assert english.strip()
            assert korean.strip()
            assert sorted(re.findall(r"\{\w*\}", english)) == sorted(re.findall(r"\{\w*\}", korean))
