"""A switch that forbids real requests, for tests, demos and offline use.

The only state is the environment variable ``SAMSIM_FORBID_REQUESTS``, so it also holds in other
threads and in child processes. ``1`` forbids every request, ``loopback`` all except those to this
machine; ``0``, empty or unset allows all. Any other value forbids requests, to be safe.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit

from samsim.errors import EngineError

FORBID_VARIABLE = "SAMSIM_FORBID_REQUESTS"
_ALL = "1"
_ALL_BUT_LOOPBACK = "loopback"
_OFF = ("", "0")


@contextmanager
def forbid_requests(*, allow_loopback: bool = False) -> Iterator[None]:
    """Forbid requests inside the block; an inner block can only forbid more than an outer one."""
    before = os.environ.get(FORBID_VARIABLE)
    strict_already = forbidden() and before != _ALL_BUT_LOOPBACK
    os.environ[FORBID_VARIABLE] = _ALL_BUT_LOOPBACK if allow_loopback and not strict_already else _ALL
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(FORBID_VARIABLE, None)
        else:
            os.environ[FORBID_VARIABLE] = before


def forbidden() -> bool:
    """Return whether requests to other machines are currently forbidden."""
    return os.environ.get(FORBID_VARIABLE, "") not in _OFF


def check_allowed(url: str) -> None:
    """Raise ``EngineError`` if this request is forbidden; call it before opening a socket."""
    if not forbidden():
        return
    host = urlsplit(url).hostname or ""
    if os.environ.get(FORBID_VARIABLE) == _ALL_BUT_LOOPBACK and is_loopback(host):
        return
    raise EngineError(
        f"Requests are forbidden here ({FORBID_VARIABLE} is set), and one was about to be sent to "
        f"{host or 'an address without a host'}. "
        f"Use the scripted, replay or embedded engine, or unset {FORBID_VARIABLE}."
    )


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
