"""How a command ends, as the shell sees it."""

from __future__ import annotations

from enum import IntEnum

from samsim.errors import ConfigError, EngineError, InputError, SamsimError, StoreError

# Ends the help of every command: the table itself stands once.
SEE_EXIT_CODES = "Exit codes: samsim --help"


class ExitCode(IntEnum):
    """The exit codes of every samsim command, each with its meaning."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """Return a member that is its number and carries its meaning."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    OK = 0, "all fine"
    INTERNAL = 1, "unexpected internal error (SAMSIM_DEBUG=1 shows the traceback), or measures that failed their checks"
    USAGE = 2, "wrong usage: an option, argument or setting"
    NO_INPUT = 3, "the input could not be analyzed: nothing usable in it"
    SOME_BAD = (
        4,
        "finished, but some rows were bad, samples partial or something of a run is missing (reported on stderr)",
    )
    ENGINE = 5, "an engine failed"
    STORE = 6, "a memory store or run folder could not be read or written; what was there is kept"
    STOPPED = 7, "stopped by a limit (cost, errors, a server that stayed away); run it again to resume"
    INTERRUPTED = 130, "interrupted (Ctrl-C); what was written is valid"
    BROKEN_PIPE = 141, "the reader of the output stopped reading (as with | head)"


def exit_code_of(error: SamsimError) -> ExitCode:
    """Return the exit code for an error samsim raised on purpose."""
    if isinstance(error, InputError):
        return ExitCode.NO_INPUT
    if isinstance(error, ConfigError):
        return ExitCode.USAGE
    if isinstance(error, EngineError):
        return ExitCode.ENGINE
    if isinstance(error, StoreError):
        return ExitCode.STORE
    return ExitCode.INTERNAL


def ending(*, checks_failed: bool = False, stopped: bool = False, some_bad: bool = False) -> ExitCode:
    """The exit code of a command that came to its end: numbers nobody may use outweigh a stop, and that bad rows."""
    if checks_failed:
        return ExitCode.INTERNAL
    if stopped:
        return ExitCode.STOPPED
    return ExitCode.SOME_BAD if some_bad else ExitCode.OK


def exit_code_help() -> str:
    """Return the table of exit codes for ``samsim --help``; the mark keeps click from rewrapping it."""
    return "\b\nExit codes:\n" + "\n".join(f"  {code.value:>3}  {code.meaning}" for code in ExitCode)
