"""Arguments of the library, checked where they are given: a wrong one is a ``ConfigError`` that says what to pass."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from samsim.errors import ConfigError
from samsim.spelling import closest

_SHOWN_CHARACTERS = 40


def check_place(value: object, name: str, accepted: str) -> None:
    """Refuse what is neither a string nor a path; ``accepted`` says what to pass."""
    check_type(value, (str, Path), name, accepted)


def check_type(value: object, types: type | tuple[type, ...], name: str, accepted: str) -> None:
    """Refuse what is of none of the types; ``accepted`` says what to pass."""
    if not isinstance(value, types):
        raise ConfigError(f"{name} {_said(value)}. Give {accepted}.")


def check_number(
    value: object,
    name: str,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    whole: bool = False,
) -> None:
    """Refuse what is not a number within the bounds, ``above`` not included; NaN is within none."""
    is_number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
    if not is_number or not _within(value, least, above, most):
        wanted = "a whole number" if whole else "a number"
        if least is not None:
            wanted += f" from {least:g} to {most:g}" if most is not None else f" of {least:g} or more"
        elif above is not None:
            wanted += f" above {above:g}"
        raise ConfigError(f"{name} {_said(value)}. Give {wanted}, or leave it out.")


def _within(number: Any, least: float | None, above: float | None, most: float | None) -> bool:
    return (least is None or number >= least) and (above is None or number > above) and (most is None or number <= most)


def check_choice(value: object, name: str, known: Sequence[str]) -> None:
    """Refuse what is not one of the known names, and suggest the one that was most likely meant."""
    if not isinstance(value, str) or value not in known:
        meant = closest(value, known) if isinstance(value, str) else None
        hint = f"Did you mean {meant}?" if meant else f"Use {' or '.join(known)}."
        raise ConfigError(f"{name} {_said(value)}. {hint}")


def check_several(values: object, name: str, example: str) -> None:
    """Refuse one string where a list of them is expected: it would be read letter by letter."""
    if isinstance(values, str):
        raise ConfigError(f"{name} is one string where a list is expected. Put it in a list: {name}=[{example}].")


def _said(value: object) -> str:
    """Return what was given, so short that it can be read; only what cannot be long or a secret is repeated."""
    if value is None or isinstance(value, Real):
        return f"is {value}"
    if isinstance(value, str) and len(value) <= _SHOWN_CHARACTERS:
        return f"is {value!r}"
    return f"is of type {type(value).__name__}"
