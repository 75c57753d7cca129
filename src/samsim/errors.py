"""Every error samsim raises on purpose; each message says what to do next.

The tree::

    SamsimError
    ├── InputError       the text or the file given cannot be analysed as it is
    ├── ConfigError      a setting, taxonomy or option is wrong
    ├── ContractError    a record breaks its schema (a bug or a foreign engine)
    ├── EngineError      an engine could not answer
    └── StoreError       an episodic store or a run folder cannot be read or written
"""


class SamsimError(Exception):
    """Base of all errors a caller may want to catch."""


class InputError(SamsimError):
    """The text or file given cannot be analysed as it is."""


class ConfigError(SamsimError):
    """A setting, taxonomy or option is wrong."""


class ContractError(SamsimError):
    """A record breaks its contract."""


class EngineError(SamsimError):
    """An engine could not answer."""


class StoreError(SamsimError):
    """An episodic store or a run folder cannot be read or written as it is."""
