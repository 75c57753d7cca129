"""The exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum

from samsim.errors import ConfigError, EngineError, InputError, SamsimError, StoreError

# The last line of every command's help; the table itself is only in samsim --help.
SEE_EXIT_CODES = "Exit codes: samsim --help"


class ExitCode(IntEnum):
    """The exit codes of every samsim command, each with its meaning."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """Create a member from its number and its meaning."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    OK = 0, "success"
    INTERNAL = 1, "unexpected internal error (SAMSIM_DEBUG=1 shows the traceback), or metrics that failed their checks"
    USAGE = 2, "wrong usage: an invalid option, argument or setting"
    NO_INPUT = 3, "the input could not be analyzed: nothing in it is usable"
    SOME_BAD = (
        4,
        "finished, but with bad rows, partial samples or missing parts of a run (reported on stderr)",
    )
    ENGINE = 5, "an engine failed"
    STORE = 6, "a memory store or run folder could not be read or written; what was there is kept"
    STOPPED = 7, "stopped by a limit (cost, errors, an unreachable server); run it again to resume"
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
    """Return the exit code of a command that ended normally: failed checks win over a stop, a stop over bad rows."""
    if checks_failed:
        return ExitCode.INTERNAL
    if stopped:
        return ExitCode.STOPPED
    return ExitCode.SOME_BAD if some_bad else ExitCode.OK


def exit_code_help() -> str:
    """Return the table of exit codes for ``samsim --help``; the first character keeps click from rewrapping it."""
    return "\b\nExit codes:\n" + "\n".join(f"  {code.value:>3}  {code.meaning}" for code in ExitCode)
