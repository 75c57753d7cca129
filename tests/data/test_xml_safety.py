"""XML that tries to do harm is refused before anything is expanded."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.errors import InputError

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BODY = "<sentences><sentence><text>&x;</text></sentence></sentences>"
HARMFUL = {
    "billion laughs": f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}<!ENTITY x "&l9;">]>{BODY}',
    "outside file": f'<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]>{BODY}',
    "outside type": '<!DOCTYPE sentences SYSTEM "http://example.invalid/x.dtd"><sentences/>',
}


@pytest.mark.parametrize("content", HARMFUL.values(), ids=HARMFUL)
def test_declarations_are_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "harm.xml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="declares a document type or entities"):
        load_samples(DataSource(path=file, format="semeval2014_terms"))


@pytest.mark.parametrize(
    "content", ["", "<sentences>", "no xml", "<a></b>", '<?xml version="1.0" encoding="wide"?><a/>']
)
def test_broken_xml_is_an_input_error(content: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.xml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="not well-formed"):
        load_samples(DataSource(path=file, format="semeval2014_terms"))


def test_text_in_many_pieces_stays_whole(tmp_path: Path) -> None:
    file = tmp_path / "long.xml"
    text = "a &amp; b &lt; c &#xAC00; " * 5_000
    file.write_text(f"<sentences><sentence><text>{text}</text></sentence></sentences>", encoding="utf-8")
    (sample,) = load_samples(DataSource(path=file, format="semeval2014_terms")).samples
    assert sample.text == "a & b < c 가 " * 5_000
