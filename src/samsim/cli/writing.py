"""Write lines to stdout, or to a file that gets its name only when it is complete."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from samsim.cli.safe_text import shown
from samsim.durable_files import PARTIAL, beside
from samsim.errors import ConfigError
from samsim.safe_json import safe_json

if TYPE_CHECKING:
    from samsim.schemas.results import SampleResult


def write_json(result: SampleResult) -> None:
    """Write one result to stdout as indented JSON."""
    _write_whole(sys.stdout.buffer, safe_json(result.outputs_json(indent=2)))


class LineFile:
    """A line writer that flushes every result; ``finish`` renames the file into place."""

    def __init__(self, path: Path | None, *, force: bool = False, source: Path | None = None) -> None:
        self.path = path
        self.count = 0
        self._force = force
        self._stream = sys.stdout.buffer if path is None else self._open(path, source)

    @property
    def partial(self) -> Path | None:
        """The path of the incomplete file; None for stdout."""
        return None if self.path is None else beside(self.path, PARTIAL)

    def append(self, lines: str) -> None:
        """Append the lines of one result, given without the last line break, and flush them."""
        _write_whole(self._stream, lines)
        self.count += 1

    def finish(self) -> None:
        """Close the complete file and rename it into place."""
        partial = self.partial
        if self.path is None or partial is None:
            return
        self._stream.close()
        self._refuse_existing(self.path)
        os.replace(partial, self.path)

    def abandon(self) -> str:
        """Stop early, keep what was written, and return a sentence that says where it is."""
        partial = self.partial
        if partial is None:
            return f"{self.count} results were written."
        self._stream.close()
        if self.count == 0:
            partial.unlink()
            return "Nothing was written."
        return f"The first {self.count} results are in {shown(str(partial))}."

    def _open(self, path: Path, source: Path | None) -> BinaryIO:
        if source is not None and path.exists() and path.samefile(source):
            raise ConfigError(f"{path} is the input itself. Give the results another name.")
        if path.exists() and not path.is_file():
            raise ConfigError(f"{path} is not a regular file. Leave -o out to write to stdout.")
        self._refuse_existing(path)
        partial = beside(path, PARTIAL)
        try:
            return partial.open("wb" if self._force else "xb")
        except FileExistsError:
            raise ConfigError(
                f"{partial} was left by an interrupted run (or another one is writing it). "
                "Move it away, or use --force to overwrite it."
            ) from None
        except OSError as error:
            raise ConfigError(f"Cannot write {partial}: {error.strerror}. Check the folder given with -o.") from None

    def _refuse_existing(self, path: Path) -> None:
        if path.exists() and not self._force:
            raise ConfigError(f"{path} already exists. Use --force to overwrite it, or choose another name.")


class JsonLines(LineFile):
    """One JSON document per line."""

    def __init__(self, path: Path | None, *, force: bool = False, source: Path | None = None) -> None:
        if path is not None and path.suffix.lower() == ".csv":
            raise ConfigError(f"{path.name} would contain JSON lines, not CSV. Use a name that ends in .jsonl.")
        super().__init__(path, force=force, source=source)

    def write(self, document: str) -> None:
        """Append one JSON document."""
        self.append(safe_json(document))


def _write_whole(stream: BinaryIO, document: str) -> None:
    rest = memoryview(document.encode("utf-8") + b"\n")
    while rest:
        # An unbuffered stdout (PYTHONUNBUFFERED) may take only a part at a time.
        rest = rest[stream.write(rest) :]
    stream.flush()
