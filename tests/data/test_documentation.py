"""docs/data.md says what is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import yaml

from samsim.data.registry import FORMATS, SHIPPED
from samsim.data.roles import ROLES
from samsim.data.sources import USUAL_COLUMNS, DataSource

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")


def test_the_python_examples_run(tmp_path: Path) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.stdout.splitlines() == [
        "84 2 ko-001 0",
        "맛 ['opinion', 'polarity', 'ref', 'term']",
        "44 44 []",
    ], done.stderr


def test_the_config_example_is_valid() -> None:
    (document,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    roles = yaml.safe_load(document)["data"]
    assert set(roles) < set(ROLES)
    for source in roles.values():
        assert DataSource.model_validate(source).describe()


def test_every_format_set_column_and_key_is_named() -> None:
    for name in (*FORMATS, *SHIPPED, *USUAL_COLUMNS, *ROLES, *DataSource.model_fields):
        assert f"`{name}`" in PAGE, name
    for name, info in FORMATS.items():
        row = next(line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line.split("|")[1])
        if name not in ("csv", "jsonl"):
            fields = [field for field in ("term", "ref", "opinion", "polarity") if field in info.annotates]
            assert row.split("|")[3].strip() == ", ".join(fields)


def test_languages_are_those_of_a_source() -> None:
    assert get_args(DataSource.model_fields["language"].annotation) == ("ko", "en", "auto")
