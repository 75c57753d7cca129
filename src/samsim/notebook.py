"""Output for notebooks: rows as pandas data frames and as HTML.

The HTML is self-contained: every text is escaped, styles are inline, and nothing is loaded from the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from samsim.errors import ConfigError

if TYPE_CHECKING:
    import pandas

    DataFrame: TypeAlias = pandas.DataFrame
else:
    DataFrame: TypeAlias = Any  # pandas is optional and imported on first use

Row: TypeAlias = dict[str, Any]
"""One row of a table: values by column name."""

_CELL = "padding:2px 10px;text-align:left;vertical-align:top"


class Html(str):
    """A string that is HTML already and must not be escaped again."""

    __slots__ = ()


def data_frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Return the rows as a pandas data frame with these columns."""
    try:
        import pandas
    except ImportError:
        raise ConfigError(
            "to_dataframe() needs pandas: pip install 'samsim[pandas]'. to_rows() gives the same rows without it."
        ) from None
    return pandas.DataFrame(list(rows), columns=list(columns))


def html_text(value: object) -> Html:
    """Return a value as HTML: escaped, unless it is HTML already; None is empty."""
    if isinstance(value, Html):
        return value
    said = "" if value is None else str(value)
    return Html(escape(said.encode("utf-8", "backslashreplace").decode("utf-8")))


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """Return an HTML table; its cells are escaped."""
    head = "".join(f'<th style="{_CELL}">{html_text(name)}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{html_text(value)}</td>' for value in row) + "</tr>" for row in rows
    )
    return Html(f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')


def html_block(*parts: object) -> Html:
    """Return the parts one below the other; plain strings become paragraphs."""
    return Html(
        "<div>"
        + "".join(part if isinstance(part, Html) else f"<p>{html_text(part)}</p>" for part in parts if part)
        + "</div>"
    )
