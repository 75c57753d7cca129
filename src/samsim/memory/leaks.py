"""Searching a store for leaks: does it repeat a run of characters of the texts it learned from?

A store has few distinct strings, because they are templates. They are indexed by their windows of
``RUN_LENGTH`` characters, and the texts are streamed past them, so memory use does not grow with the
texts. Both sides are compared as written and folded (NFKC, case, whitespace): a leak with other
capitalization is still a leak. Two things are not leaks: normalized aspect terms, which a stage snapshot
contains by design up to ``TERM_LIMIT`` characters, and the program's own sentences, given as ``known``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samsim.memory.principles import all_principles

if TYPE_CHECKING:
    from samsim.memory.store import MemoryStore

RUN_LENGTH = 12
TERM_LIMIT = 30
TERM_FIELD = "aspects_norm"


@dataclass(frozen=True, slots=True)
class Leak:
    """A run of characters of a text that a store repeats.

    ``text_name`` is the uid of the text and ``run`` the repeated characters; ``episode_id`` and ``field`` say where
    they were first found, and ``episodes`` how many episodes have them in that field.
    """

    text_name: str
    run: str
    episode_id: str
    field: str
    episodes: int


@dataclass(slots=True)
class _Place:
    """One distinct string of the store."""

    episode_id: str
    field: str
    episodes: int = 1


class LeakFinder:
    """The strings of a store, indexed to be searched for in any number of texts."""

    def __init__(self, entries: Iterable[Mapping[str, object]], known: Iterable[str] = ()) -> None:
        ours = {window for sentence in known for form in _forms(sentence) for window in _windows(form)}
        places: dict[tuple[str, str], _Place] = {}
        self.episodes = 0
        for entry in entries:
            self.episodes += 1
            _note(entry, places)
        self._found_in: dict[str, list[tuple[str, _Place]]] = {}
        for (_, value), place in places.items():
            for form in _forms(value):
                for window in _windows(form) - ours:
                    self._found_in.setdefault(window, []).append((form, place))

    def leaks(self, name: str, text: str) -> Iterator[Leak]:
        """Yield every string of the store that repeats a run of the text, once, with the longest run."""
        longest: dict[int, tuple[str, _Place]] = {}
        for form in _forms(text):
            for start in range(len(form) - RUN_LENGTH + 1):
                for candidate, place in self._found_in.get(form[start : start + RUN_LENGTH], ()):
                    run = _common_run(form, start, candidate)
                    if len(run) > len(longest.get(id(place), ("",))[0]):
                        longest[id(place)] = (run, place)
        for run, place in longest.values():
            yield Leak(name, run, place.episode_id, place.field, place.episodes)


def leak_finder(store: MemoryStore) -> LeakFinder:
    """Return a finder for all strings of a store; the program's own sentences are not leaks."""
    own = [sentence for principle in all_principles() for sentence in (principle.ko, principle.en)]
    return LeakFinder((entry.model_dump(mode="json") for entry in store.iterate()), known=own)


def _note(entry: Mapping[str, object], places: dict[tuple[str, str], _Place]) -> None:
    """Add the strings of one episode, each field and string once."""
    episode_id = str(entry.get("episode_id", ""))
    for field, value in dict.fromkeys(_strings(entry)):
        if len(value) < RUN_LENGTH or (_is_term(field) and len(value) <= TERM_LIMIT):
            continue
        place = places.get((field, value))
        if place is None:
            places[field, value] = _Place(episode_id, field)
        else:
            place.episodes += 1


def _strings(value: object, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield all strings at any depth with the dotted name of their field; keys from outside count as well."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            name = f"{field}.{key}" if field else str(key)
            yield f"{name} (name)", str(key)
            yield from _strings(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner, field)


def _is_term(field: str) -> bool:
    return field.rpartition(".")[2] == TERM_FIELD


def _forms(text: str) -> tuple[str, ...]:
    """Return the text as written and, if different, folded."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return (text,) if folded == text else (text, folded)


def _windows(text: str) -> set[str]:
    return {text[start : start + RUN_LENGTH] for start in range(len(text) - RUN_LENGTH + 1)}


def _common_run(text: str, start: int, place: str) -> str:
    """Return the longest run of the text that starts at ``start`` and occurs in the string."""
    end = start + RUN_LENGTH
    while end < len(text) and text[start : end + 1] in place:
        end += 1
    return text[start:end]
