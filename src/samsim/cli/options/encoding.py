"""The ``--encoding`` option; the decoding itself is in ``samsim.data.file_encoding``."""

from __future__ import annotations

import click


def check_encoding_name(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """Check the name of a text encoding and return it (a click callback)."""
    if name is None:
        return None
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise click.BadParameter(
            f"{name!r} is not a text encoding that Python knows. Try utf-8, cp949 or utf-16."
        ) from None
    return name
