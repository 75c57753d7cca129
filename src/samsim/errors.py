"""The errors that samsim raises on purpose; each message says what to do next.

The tree::

    SamsimError
    ├── InputError       the given text or file cannot be analyzed
    │   └── UnknownKeyError  a run has no such sample, an experiment no such run (a KeyError too)
    ├── ConfigError      a setting, taxonomy or option is wrong
    ├── ContractError    a record breaks its schema (a bug, or a custom engine)
    ├── EngineError      an engine could not answer
    └── StoreError       an episodic store or a run folder cannot be read or written
"""

from collections.abc import Sequence


class SamsimError(Exception):
    """Base class of all errors that samsim raises on purpose."""


class InputError(SamsimError):
    """The given text or file cannot be analyzed."""


class UnknownKeyError(InputError, KeyError):
    """A run has no sample with that id, or an experiment no run with that name."""

    # A KeyError would show the message in quotes.
    __str__ = Exception.__str__


class ConfigError(SamsimError):
    """A setting, taxonomy or option is wrong."""


class ContractError(SamsimError):
    """A record breaks its schema."""


class EngineError(SamsimError):
    """An engine could not answer."""


class StoreError(SamsimError):
    """An episodic store or a run folder cannot be read or written."""


def unknown_key(words: str, wrong: str, known: Sequence[str]) -> UnknownKeyError:
    """Return the error for an unknown key, with the key that was most likely meant."""
    from samsim.spelling import closest  # only needed on a mistake

    meant = closest(wrong, known)
    some = ", ".join(known[:5]) + (", …" if len(known) > 5 else "") if known else "none"
    return UnknownKeyError(f"{words} {f'Did you mean {meant!r}?' if meant else f'Known: {some}.'}")
