"""Safe XML parsing: a document that declares a type or an entity is refused before anything is expanded."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from samsim.errors import InputError


class _DeclarationError(Exception):
    pass


def parse_xml(path: Path) -> Element:
    """Return the root element of a file."""
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    # Otherwise text with an escaped character would arrive in pieces.
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except _DeclarationError:
        raise InputError(
            f"{path.name} declares a document type or entities, which annotated texts do not need and which can be "
            "made to exhaust memory. Remove the <!DOCTYPE ...> part."
        ) from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InputError(f"{path.name} is not well-formed XML: {error}. Fix it, or download it again.") from None
    root: Element = builder.close()
    return root


def _refuse(*_: object) -> NoReturn:
    raise _DeclarationError
