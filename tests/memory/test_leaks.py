"""Runs of a text that a store repeats are found, whatever their form; what is there by design is not reported."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.memory.leaks import RUN_LENGTH, TERM_LIMIT, Leak, LeakFinder

TEXT = "배송은 빨랐지만 포장이 많이 찢어져 있었어요. Very disappointing, sadly!"


def entry(symptom: str, number: int = 1, fields: Mapping[str, object] = {}) -> dict[str, object]:
    return {"episode_id": f"epi_{number:06d}", "case_summary": {"symptom": symptom}, **fields}


def leaks(*entries: dict[str, object], text: str = TEXT, known: tuple[str, ...] = ()) -> list[Leak]:
    return list(LeakFinder(entries, known).leaks("7", text))


@pytest.mark.parametrize("run", [TEXT, TEXT[3:15], TEXT[-12:], TEXT[:12]])
def test_a_run_of_twelve_characters_is_a_leak(run: str) -> None:
    assert leaks(entry(f"INVALID_REF «{run}» x")) == [Leak("7", run, "epi_000001", "case_summary.symptom", 1)]


def test_eleven_characters_are_none() -> None:
    assert leaks(entry(f"«{TEXT[3:14]}»"), entry(f"«{TEXT[-11:]}»")) == []


def test_the_longest_run_is_told() -> None:
    found = leaks(entry(f"{TEXT[2:16]} | {TEXT[5:25]}"))
    assert [leak.run for leak in found] == [TEXT[5:25]]


@pytest.mark.parametrize(
    "disguise",
    [
        str.upper,
        lambda run: unicodedata.normalize("NFD", run),
        lambda run: run.replace(" ", "\u3000\n "),
        lambda run: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in run),
    ],
)
def test_a_leak_in_other_forms_is_one(disguise: object) -> None:
    assert callable(disguise)
    assert leaks(entry(disguise(TEXT[20:50])))


def test_episodes_that_repeat_the_same_are_counted_once_each() -> None:
    found = leaks(entry(TEXT, 3), entry(TEXT, 4), entry("NEGATION_SCOPE", 5), entry(TEXT, 6))
    assert [(leak.episode_id, leak.episodes) for leak in found] == [("epi_000003", 3)]


@pytest.mark.parametrize(
    "fields",
    [
        {"a": [{"b": (TEXT,)}]},
        {"a": {TEXT: 1}},
        {"moderator_summary": TEXT},
        {"stage_snapshot": {"final": {"aspects_norm": [TEXT[: TERM_LIMIT + 1]]}}},
        {"polarities": [TEXT[:20]]},
    ],
)
def test_every_depth_and_every_name_is_searched(fields: dict[str, object]) -> None:
    assert len(leaks(entry("", fields=fields))) == 1


def test_aspect_terms_up_to_their_limit_are_there_by_design() -> None:
    snapshot = {"stage1": {"aspects_norm": [TEXT[:TERM_LIMIT]]}, "final": {"aspects_norm": [TEXT[4:20]]}}
    assert leaks(entry("", fields={"stage_snapshot": snapshot})) == []


def test_the_programs_own_sentences_are_no_leak_but_what_is_added_to_them_is() -> None:
    own = "Check whether the negation covers the opinion."
    text = "I wonder whether the negation covers the opinion. And the battery died."
    assert leaks(entry(own), text=text)
    assert leaks(entry(own), text=text, known=(own,)) == []
    assert leaks(entry(f"{own} And the battery died."), text=text, known=(own,))


def test_a_short_text_cannot_leak() -> None:
    assert leaks(entry("a" * 50), text="a" * (RUN_LENGTH - 1)) == []
    assert leaks(entry(""), text="") == []


_WORDS = st.text(alphabet="ab 가", max_size=40)


@given(stored=_WORDS, text=_WORDS)
def test_it_finds_what_comparing_all_runs_finds(stored: str, text: str) -> None:
    def folded(value: str) -> str:
        return " ".join(value.split())

    repeated = any(
        form[start : start + RUN_LENGTH] in place
        for form in (text, folded(text))
        for place in (stored, folded(stored))
        for start in range(len(form) - RUN_LENGTH + 1)
    )
    found = leaks(entry(stored), text=text)
    assert bool(found) == repeated
    assert all(leak.run in text or leak.run in folded(text) for leak in found)
