"""Tables as HTML (both languages), Markdown and LaTeX (one language each)."""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

from samsim.reports.tables.model import Column, Row, Table, Text, grouped, said
from samsim.schemas.code_names import Ui

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": "$-$",
    "Δ": r"$\Delta$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "·": r"\textperiodcentered{}",
    "–": "--",
    "×": r"$\times$",
    "…": r"\ldots{}",
}
_LATEX_PATTERN = re.compile("|".join(map(re.escape, _LATEX)))
# Tables with more columns than this need the full page width.
_ONE_COLUMN = 6
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")


def page_text(text: Text) -> str:
    """Return an escaped text for the page, in both languages if they differ."""
    if isinstance(text, str):
        return escape(text)
    english, korean = text
    if english == korean:
        return escape(english)
    return f'<span lang="en">{escape(english)}</span><span lang="ko">{escape(korean)}</span>'


def page_table(table: Table) -> str:
    """Return the table in a box with its own scroll bar."""
    head = "".join(_html_heading(column) for column in table.columns)
    groups = ""
    if any(column.group for column in table.columns):
        groups = "<tr>" + "".join(_html_group(group, span) for group, span in grouped(table.columns)) + "</tr>"
    blocks = [list(same) for _, same in groupby(table.rows, key=lambda row: row.cells[0])]
    body = "".join(
        _html_row(row, table.columns, 0 if n else len(same)) for same in blocks for n, row in enumerate(same)
    )
    notes = "".join(f'<p class="note">{page_text(note)}</p>' for note in table.notes)
    return (
        f'<figure class="table" id="table-{escape(table.key)}"><figcaption>{page_text(table.caption)}</figcaption>'
        f'<div class="scroll" tabindex="0"><table><thead>{groups}<tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"</div>{notes}</figure>"
    )


def _html_group(group: Text, span: int) -> str:
    return (
        f'<th class="group" colspan="{span}" scope="colgroup">{page_text(group)}</th>'
        if group
        else f'<td colspan="{span}"></td>'
    )


def _html_heading(column: Column) -> str:
    return f'<th scope="col"{_align(column)}>{page_text(column.heading)}</th>'


def _align(column: Column) -> str:
    return ' class="n"' if column.numeric else ""


def _html_row(row: Row, columns: tuple[Column, ...], rows: int) -> str:
    """Return a row; adjacent rows with the same name share one name cell."""
    span = f' rowspan="{rows}"' if rows > 1 else ""
    name = f'<th scope="row"{span}>{page_text(row.cells[0])}</th>' if rows else ""
    if row.kind == "missing":
        rest = f'<td class="missing" colspan="{len(columns) - 1}">{page_text(row.cells[1])}</td>'
    else:
        pairs = zip(row.cells[1:], columns[1:], strict=True)
        rest = "".join(f"<td{_align(column)}>{page_text(cell)}</td>" for cell, column in pairs)
    return f'<tr class="{row.kind}">{name}{rest}</tr>'


def markdown_table(table: Table, ui: Ui) -> str:
    """Return the table as Markdown, with its caption above and its notes below."""
    headings = [_flat_heading(column, ui) for column in table.columns]
    lines = [f"**{_markdown(said(table.caption, ui))}**", "", _markdown_row(headings)]
    lines.append("|" + "|".join("---:" if column.numeric else "---" for column in table.columns) + "|")
    for row in table.rows:
        cells = [said(cell, ui) for cell in row.cells]
        lines.append(_markdown_row([*cells, *[""] * (len(headings) - len(cells))]))
    lines += [f"\n{_markdown(said(note, ui))}" for note in table.notes]
    return "\n".join(lines) + "\n"


def _flat_heading(column: Column, ui: Ui) -> str:
    return " ".join(part for part in (said(column.group, ui), said(column.heading, ui)) if part)


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(map(_markdown, cells)) + " |"


def _markdown(text: str) -> str:
    """Escape markup in a cell; codes keep their underscores."""
    return re.sub(r"([\\|`*<>])", r"\\\1", " ".join(text.split()))


def latex_table(table: Table, ui: Ui) -> str:
    """Return the table for a paper that uses booktabs; a wide one spans both columns, scaled to fit."""
    spec = "".join("r" if column.numeric else "l" for column in table.columns)
    wide = len(table.columns) > _ONE_COLUMN
    lines = ["% needs \\usepackage{booktabs}" + (" and \\usepackage{graphicx}" if wide else "")]
    body = _latex_body(table, ui)
    if _HANGUL.search("".join((said(table.caption, ui), *body))):
        lines.append("% has Hangul: compile with XeLaTeX or LuaLaTeX and \\usepackage{kotex}")
    kind = "table*" if wide else "table"
    lines += [f"\\begin{{{kind}}}", r"\centering", r"\small", f"\\caption{{{latex(said(table.caption, ui))}}}"]
    lines += [f"\\label{{tab:{table.key}}}", *([r"\resizebox{\textwidth}{!}{%"] if wide else [])]
    lines += [f"\\begin{{tabular}}{{{spec}}}", r"\toprule", *body, r"\bottomrule"]
    lines += [r"\end{tabular}" + ("}" if wide else "")]
    lines += [f"\n\\par\\footnotesize {latex(said(note, ui))}" for note in table.notes]
    return "\n".join([*lines, f"\\end{{{kind}}}"]) + "\n"


def _latex_body(table: Table, ui: Ui) -> list[str]:
    lines = []
    if any(column.group for column in table.columns):
        cells, rules, at = [], [], 1
        for group, span in grouped(table.columns):
            cells.append(f"\\multicolumn{{{span}}}{{c}}{{{latex(said(group, ui))}}}" if group else "& " * (span - 1))
            rules += [f"\\cmidrule(lr){{{at}-{at + span - 1}}}"] if group else []
            at += span
        lines += [" & ".join(cells) + r" \\", " ".join(rules)]
    lines += [" & ".join(latex(said(column.heading, ui)) for column in table.columns) + r" \\", r"\midrule"]
    previous = "plain"
    for row in table.rows:
        if row.kind == "baseline" != previous:
            lines.append(r"\midrule")
        previous = row.kind
        lines.append(_latex_row(row, len(table.columns), ui))
    return lines


def _latex_row(row: Row, columns: int, ui: Ui) -> str:
    cells = [latex(said(cell, ui)) for cell in row.cells]
    if row.kind == "missing":
        return f"{cells[0]} & \\multicolumn{{{columns - 1}}}{{l}}{{{cells[1]}}} \\\\"
    return " & ".join(cells) + r" \\"


def latex(text: str) -> str:
    """Escape a text for LaTeX; an opening bracket after a line break would be read as its argument."""
    written = _LATEX_PATTERN.sub(lambda found: _LATEX[found[0]], text)
    return f"{{}}{written}" if written.startswith("[") else written
