"""``python -m samsim``: the same as the ``samsim`` command."""

from samsim.cli.main import entry

if __name__ == "__main__":
    entry()
