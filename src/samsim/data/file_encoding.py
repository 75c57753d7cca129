"""Checking the encoding of a file: UTF-8, or a hint to the user about what it seems to be.

The file is read once in pieces before anything is analyzed: a file in another encoding is refused as a
whole, while a UTF-8 file with a few damaged lines only loses those.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import IO

from samsim.errors import InputError

DEFAULT_ENCODING = "utf-8-sig"
# Undecodable bytes become these on reading; a row that contains one is damaged.
DAMAGED = re.compile(r"[\udc80-\udcff]")
_PIECE = 1 << 16
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GUESSES = {
    "utf-16": "UTF-16",
    "cp949": "CP949 (EUC-KR), as written by older Korean programs and Excel",
    "cp1252": "Windows-1252 (Western European)",
}


def require_utf8(path: Path) -> None:
    """Raise unless the file is UTF-8, saying what it seems to be; a few damaged bytes are accepted."""
    with path.open("rb") as stream:
        require_utf8_in(stream, path)


def require_utf8_in(stream: IO[bytes], path: Path) -> None:
    """Check a file that is already open, as ``require_utf8`` does; it is read to its end."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    suspicious = b""
    good = bad = lines = first_bad_line = 0
    while piece := stream.read(_PIECE):
        decoded = decoder.decode(piece)
        if not decoded.isascii():
            damaged = len(DAMAGED.findall(decoded))
            good += sum(not character.isascii() for character in decoded) - damaged
            bad += damaged
            if damaged and not suspicious:
                suspicious = piece
                first_bad_line = lines + decoded.count("\n", 0, _first_damage(decoded)) + 1
        lines += decoded.count("\n")
    if bad > good:
        raise InputError(_refusal(path, _guess(suspicious), first_bad_line))


def decode_text(content: bytes, encoding: str | None, source: str) -> str:
    """Decode one text given as bytes, or raise saying what encoding it seems to be."""
    try:
        return content.decode(encoding or DEFAULT_ENCODING)
    except UnicodeDecodeError as error:
        if encoding is not None:
            raise InputError(f"{source} is not valid {encoding}: {error.reason}. Try another encoding.") from None
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(_refusal(source, _guess(content), line)) from None


def _first_damage(decoded: str) -> int:
    found = DAMAGED.search(decoded)
    return found.start() if found else 0


def _refusal(source: Path | str, guess: str, line: int) -> str:
    return (
        f"{source} is not UTF-8 (first at line {line}). It seems to be {_GUESSES[guess]}: "
        f'run it again with --encoding {guess} (in Python: encoding="{guess}").'
    )


def _guess(content: bytes) -> str:
    if content.startswith(_UTF16_MARKS):
        return "utf-16"
    # A piece may begin inside a character, so start at its first whole line if possible.
    for start in (0, content.find(b"\n") + 1):
        try:
            codecs.getincrementaldecoder("cp949")().decode(content[start:])
        except UnicodeDecodeError:
            continue
        return "cp949"
    return "cp1252"
