"""The ``--encoding`` option; how encodings are told apart is in ``samsim.data.file_encoding``."""

from __future__ import annotations

import click


def check_encoding_name(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """Return a click callback: refuse what is no text encoding."""
    if name is None:
        return None
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise click.BadParameter(f"{name!r} is not an encoding Python knows. Try utf-8, cp949 or utf-16.") from None
    return name
