"""What the READMEs show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from samsim.pipeline.api import Pipeline

ROOT = Path(__file__).parent.parent.parent
READMES = ("README.md", "README.ko.md")
PIPELINE = Pipeline()
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_EXAMPLE = re.compile(r"^\| ([^|]+) \| ((?:[^|]+ (?:positive|negative|neutral|mixed))(?: · [^|]+)*) \|$", re.MULTILINE)
_LINK = re.compile(r"\]\(((?!https?:)[^)#]+)\)")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", READMES)
def test_the_python_examples_run(name: str) -> None:
    (code,) = _PYTHON.findall(read(name))
    done = subprocess.run([sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "사용감 본품#품질 positive ['A', 'C']" in done.stdout
    assert done.stdout.count("\n") == 4


def examples() -> list[tuple[str, str]]:
    return [found for name in READMES for found in _EXAMPLE.findall(read(name))]


@pytest.mark.parametrize(("text", "expected"), sorted(set(examples())))
def test_each_sentence_is_read_as_shown(text: str, expected: str) -> None:
    found = {
        f"{item.aspect_term or f'({item.aspect_ref})'} {item.polarity}" for item in PIPELINE.analyze(text).final_tuples
    }
    assert found == set(expected.split(" · "))


@pytest.mark.parametrize("name", READMES)
def test_there_are_at_least_ten_harder_sentences(name: str) -> None:
    assert len(_EXAMPLE.findall(read(name))) >= 11


@pytest.mark.parametrize("name", [*READMES, *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))])
def test_links_lead_somewhere(name: str) -> None:
    broken = [link for link in _LINK.findall(read(name)) if not ((ROOT / name).parent / link).exists()]
    assert broken == []
