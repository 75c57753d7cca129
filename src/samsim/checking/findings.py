"""The findings of an engine check, and their wording. They say whether a key is set, and never contain it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Literal

from samsim.durations import duration
from samsim.engines.pacing.measuring import Suggestion
from samsim.schemas.calls import AttemptRecord

Checked = Literal[
    "engine", "server", "key", "price", "output_mode", "call", "round", "measurement", "concurrency", "timeout_s"
]
Status = Literal["ok", "warning", "failed", "note"]
_TITLES: Mapping[Checked, str] = MappingProxyType(
    {
        "engine": "",
        "server": "server: ",
        "key": "key: ",
        "price": "price: ",
        "output_mode": "server answers, output mode: ",
        "call": "one tiny call: ",
        "round": "",
        "measurement": "measurement: ",
        "concurrency": "suggested concurrency: ",
        "timeout_s": "suggested timeout_s: ",
    }
)
_MARKS: Mapping[Status, str] = MappingProxyType({"ok": "ok    ", "warning": "WARN  ", "failed": "BAD   ", "note": ""})
_INDENT = " " * 6
_LOADING = 503


@dataclass(frozen=True, slots=True)
class EngineFinding:
    """The result of one check of an engine; ``str()`` puts it into words.

    ``name`` says what was checked: engine, server, key, price, output_mode or call; a measurement adds round,
    measurement, concurrency and timeout_s. ``status`` is ok, warning or failed, or note for information only.
    ``found`` is the result in words. If a call did not succeed at once, ``attempts`` describes its attempts (equal
    ones in a row are one entry), and ``advice`` says what to do.
    """

    name: Checked
    status: Status
    found: str
    attempts: tuple[str, ...] = ()
    advice: str | None = None

    def __str__(self) -> str:
        more = self.attempts if self.advice is None else (*self.attempts, self.advice)
        first = f"{_MARKS[self.status] or _INDENT}{_TITLES[self.name]}{self.found}"
        return "\n".join([first, *(f"{_INDENT}{line}" for line in more)])


Note = Callable[[EngineFinding], object]
"""Called with each finding as soon as it is made."""


@dataclass(frozen=True, slots=True)
class CheckedEngine:
    """The findings about one engine.

    ``suggestion`` has the ``concurrency`` and ``timeout_s`` that suit its server; None if nothing was measured, or
    if not even single calls were answered.
    """

    name: str
    findings: tuple[EngineFinding, ...]
    suggestion: Suggestion | None = None

    @property
    def ok(self) -> bool:
        """Whether the engine can be used: warnings are allowed, failures are not."""
        return all(finding.status != "failed" for finding in self.findings)

    def __str__(self) -> str:
        return "\n".join([self.name, *map(str, self.findings)])


@dataclass(frozen=True, slots=True, repr=False)
class EngineCheck:
    """The result of ``check_engine``; ``str()`` is the text that ``samsim doctor`` prints.

    ``engines`` lists every engine once, ``written`` the settings that were written to a file.
    """

    spec: str
    engines: tuple[CheckedEngine, ...]
    written: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every engine can be used."""
        return all(engine.ok for engine in self.engines)

    def __str__(self) -> str:
        return "\n\n".join([accepted(self.spec), *map(str, self.engines), *self.written])

    __repr__ = __str__


def accepted(spec: str) -> str:
    """Return the line that says the settings are valid."""
    return f"{_MARKS['ok']}configuration: {spec}"


def attempt_lines(attempts: Sequence[AttemptRecord]) -> tuple[str, ...]:
    """Return a line per attempt with its outcome; equal ones in a row share a line with their total time."""
    lines, number = [], 1
    for what, group in groupby(attempts, key=_outcome):
        alike = list(group)
        last = number + len(alike) - 1
        seconds = [f"{taken:.1f}" for taken in sorted(attempt.ended - attempt.started for attempt in alike)]
        if len(alike) == 1:
            lines.append(f"attempt {number}: {what} after {seconds[0]} s")
        else:
            took = seconds[0] if seconds[0] == seconds[-1] else f"{seconds[0]} to {seconds[-1]}"
            within = duration(alike[-1].ended - alike[0].started)
            lines.append(f"attempts {number}–{last}: {what} × {len(alike)} within {within}, each after {took} s")
        number = last + 1
    return tuple(lines)


def is_loading(attempt: AttemptRecord) -> bool:
    """Return whether the server said that it is loading its model."""
    return attempt.http_status == _LOADING


def _outcome(attempt: AttemptRecord) -> str:
    if attempt.http_status is None:
        return attempt.outcome
    return f"{attempt.outcome} ({attempt.http_status}{', loading' if is_loading(attempt) else ''})"
