from __future__ import annotations

import re
import string
from collections.abc import Iterable
from typing import get_args

import pytest

from samsim.cli.result_view.labels import LABELS, Labels, choose_ui
from samsim.rules import debate_edits, review_actions
from samsim.schemas import code_names
from samsim.schemas.analysis import Language
from samsim.schemas.polarity import POLARITIES
from samsim.schemas.protocol_conflict_review import AGENTS, REASON_CODES, ConflictType, RiskType, Severity
from samsim.schemas.protocol_debate import EDIT_OPS, DropReason, ModeratorRule, RejectReason, SkipReason

HANGUL = re.compile(r"[가-힣]")


def blanks(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("key", LABELS)
def test_both_languages_have_the_same_blanks(key: str) -> None:
    english, korean = LABELS[key]
    assert blanks(english) == blanks(korean)
    assert not HANGUL.search(english)
    assert HANGUL.search(korean)


@pytest.mark.parametrize(
    ("table", "codes"),
    [
        (code_names.POLARITY, POLARITIES),
        (code_names.LANGUAGE, get_args(Language)),
        (code_names.SEVERITY, get_args(Severity)),
        (code_names.PERSPECTIVE, [*AGENTS, "ATSA", "SINGLE"]),
        (code_names.DROP, get_args(DropReason)),
        (code_names.EDIT, EDIT_OPS),
        (code_names.REJECT, get_args(RejectReason)),
        (code_names.SKIP, get_args(SkipReason)),
        (code_names.MODERATOR, get_args(ModeratorRule)),
        (code_names.CONFLICT, get_args(ConflictType)),
        (code_names.RISK, get_args(RiskType)),
        (code_names.REASON, REASON_CODES),
    ],
)
def test_every_code_has_words(table: dict[str, tuple[str, str]], codes: Iterable[str]) -> None:
    assert set(table) == set(codes)


def test_every_refusal_has_words() -> None:
    import inspect

    source = inspect.getsource(review_actions)
    assert [code for code in code_names.REFUSAL if f'"{code}"' not in source] == []
    written = set(re.findall(r'(?:incomplete, |problem = |else |, )"([a-z]+(?:_[a-z]+)+)"', source))
    assert written - set(code_names.REFUSAL) == set()


def test_every_refused_edit_has_words() -> None:
    import inspect

    source = inspect.getsource(debate_edits)
    written = set(re.findall(r'"", "([a-z_]+)"|None, "([a-z_]+)"|item, "([a-z_]+)"', source))
    assert {code for found in written for code in found if code} == set(code_names.EDIT_REFUSAL)


def test_unknown_code_is_shown_as_it_is() -> None:
    assert Labels("ko").reason("SOMETHING_NEW") == "SOMETHING_NEW"


@pytest.mark.parametrize(
    ("wanted", "environ", "expected"),
    [
        ("auto", {}, "en"),
        ("auto", {"LANG": "ko_KR.UTF-8"}, "ko"),
        ("auto", {"LANG": "ko_KR.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ("auto", {"LANG": "en_US.UTF-8", "LC_MESSAGES": "en", "LC_ALL": "ko_KR"}, "ko"),
        ("auto", {"LC_ALL": "", "LANG": "ko"}, "ko"),
        ("en", {"LANG": "ko_KR.UTF-8"}, "en"),
        ("ko", {"LANG": "C"}, "ko"),
    ],
)
def test_choice_of_the_ui_language(wanted: str, environ: dict[str, str], expected: str) -> None:
    assert choose_ui(wanted, environ) == expected
