"""Write the help of every command into the documentation, between its markers.

python tools/write_help_docs.py
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path

import click

from samsim.cli.main import cli

DOCS = Path(__file__).parents[1] / "docs"
WIDTH = 80
BEGIN = "<!-- help: written by tools/write_help_docs.py -->"
END = "<!-- end of help -->"


def contexts(command: click.Command = cli, parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield the context of a command and of every command below it."""
    name = "samsim" if parent is None else command.name
    # A command remembers its help option; one that was used on its own would miss the -h of the group.
    command = copy(command)
    command._help_option = None
    context = command.context_class(command, parent, name, terminal_width=WIDTH, **command.context_settings)
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None, below
            yield from contexts(found, context)


def help_text() -> str:
    """Return the help of every command, as Markdown."""
    blocks = []
    for context in contexts():
        lines = "\n".join(line.rstrip() for line in context.get_help().splitlines())
        blocks.append(f"### {context.command_path} --help\n\n```text\n{lines}\n```\n")
    return "\n".join(blocks)


def pages() -> list[Path]:
    """Return the pages with a place for the help, in any language."""
    return [path for path in sorted(DOCS.rglob("*.md")) if BEGIN in path.read_text(encoding="utf-8")]


def updated(page: str) -> str:
    """Return the page with the current help."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{help_text()}\n{END}{after}"


def main() -> None:
    for path in pages():
        path.write_text(updated(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
