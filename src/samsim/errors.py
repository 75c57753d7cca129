"""Every error samsim raises on purpose; each message says what to do next.

The tree::

    SamsimError
    ├── InputError       the text or the file given cannot be analysed as it is
    │   └── UnknownKeyError  a run has no such sample, an experiment no such run (a KeyError too)
    ├── ConfigError      a setting, taxonomy or option is wrong
    ├── ContractError    a record breaks its schema (a bug or a foreign engine)
    ├── EngineError      an engine could not answer
    └── StoreError       an episodic store or a run folder cannot be read or written
"""

from collections.abc import Sequence


class SamsimError(Exception):
    """Base of all errors a caller may want to catch."""


class InputError(SamsimError):
    """The text or file given cannot be analysed as it is."""


class UnknownKeyError(InputError, KeyError):
    """A run has no sample of that id, or an experiment no run of that name."""

    # A KeyError would show the message in quotes.
    __str__ = Exception.__str__


class ConfigError(SamsimError):
    """A setting, taxonomy or option is wrong."""


class ContractError(SamsimError):
    """A record breaks its contract."""


class EngineError(SamsimError):
    """An engine could not answer."""


class StoreError(SamsimError):
    """An episodic store or a run folder cannot be read or written as it is."""


def unknown_key(words: str, wrong: str, known: Sequence[str]) -> UnknownKeyError:
    """Return the error for a key that is not there, with the one that was most likely meant."""
    from samsim.spelling import closest  # only a mistake needs it

    meant = closest(wrong, known)
    some = ", ".join(known[:5]) + (", …" if len(known) > 5 else "") if known else "none"
    return UnknownKeyError(f"{words} {f'Did you mean {meant!r}?' if meant else f'Known: {some}.'}")
