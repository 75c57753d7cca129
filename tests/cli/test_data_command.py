"""``samsim data`` from the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.data import data
from samsim.cli.exit_codes import ExitCode, exit_code_of
from samsim.data.gold import load_gold
from samsim.data.registry import FORMATS, load_samples
from samsim.data.shipped import SHIPPED
from samsim.data.sources import DataSource
from samsim.errors import ConfigError, InputError, SamsimError
from tests.data.reading import FIXTURES

ASTE = FIXTURES / "aste"
CSV_COLUMNS = ("text=review", "aspect_term=target", "aspect_ref=category", "polarity=label", "start=from", "end=to")


def run(*arguments: object, width: int = 120) -> Result:
    runner = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1"})
    return runner.invoke(data, [str(argument) for argument in arguments])


def words_of(output: str) -> list[list[str]]:
    return [line.split() for line in output.splitlines()]


def refused(*arguments: object) -> SamsimError:
    error = run(*arguments).exception
    assert isinstance(error, SamsimError)
    return error


def test_list_names_all_sets_and_formats() -> None:
    result = run("list")
    assert result.exit_code == ExitCode.OK
    first_words = {words[0] for words in words_of(result.stdout) if words}
    assert first_words >= {*SHIPPED, *FORMATS}
    assert ["reviews", "84"] in [words[:2] for words in words_of(result.stdout)]


def test_show_marks_the_spans() -> None:
    output = run("show", "reviews", "-n", 2).stdout
    assert "[맛]+은 괜찮은데 [양]−이 넘 적음." in output
    assert ["−", "양", "8:9", "본품#일반", "적다"] in words_of(output)
    assert "2 of 84 texts" in output
    assert "ko-003" not in output


def test_show_says_where_there_is_no_gold_and_where_rows_are_bad() -> None:
    result = run("show", FIXTURES / "samsim.jsonl")
    assert ["no", "gold"] in words_of(result.stdout)
    assert ["no", "tuple"] in words_of(result.stdout)
    # A line separator in a text must not move the terminal on.
    assert "A line\\u2028and\\u200b another." in result.stdout
    assert "3 bad rows" in result.stderr


def test_validate_accounts_for_all_rows() -> None:
    result = run("validate", ASTE, "--split", "dev")
    assert result.exit_code == ExitCode.SOME_BAD
    words = words_of(result.stdout)
    assert ["rows", "8", "=", "4", "loaded", "+", "4", "bad"] in words
    assert ["all", "6", "100%"] in words
    assert ["positive", "4", "67%"] in words
    assert ["aspect", "without", "a", "span", "1", "17%"] in words
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["row 4", "row 5", "row 6", "row 8"]


def test_validate_of_a_sound_source_is_ok() -> None:
    result = run("validate", "reviews")
    assert result.exit_code == ExitCode.OK
    words = words_of(result.stdout)
    assert ["texts", "84", "(40", "en,", "44", "ko)"] in words
    assert ["gold", "has", "term,", "ref,", "opinion,", "polarity"] in words
    assert ["implicit", "aspect", "24", "15%"] in words
    assert load_samples(DataSource(name="reviews")).sha256 in result.stdout
    assert result.stderr == ""


def test_validate_counts_what_was_done_to_use_a_row_and_same_texts(tmp_path: Path) -> None:
    output = run("validate", FIXTURES / "semeval2014" / "laptop_test.xml").stdout
    assert ["with", "gold", "0", "(0", "without", "a", "tuple)"] in words_of(output)
    assert "a text without gold" in output
    (tmp_path / "same.csv").write_text("text\nSame\nsame \n", encoding="utf-8")
    output = run("validate", tmp_path / "same.csv").stdout
    assert "1 time: same-2 = same-3" in output


def test_nothing_loaded_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("Good soup .\n", encoding="utf-8")
    error = refused("validate", tmp_path / "bad.txt", "--format", "aste")
    assert isinstance(error, InputError)
    assert "all rows are bad (1)" in str(error)
    assert exit_code_of(error) == ExitCode.NO_INPUT
    (tmp_path / "english.jsonl").write_text('{"uid": "1", "language": "en", "text": "Fine."}\n', encoding="utf-8")
    error = refused("validate", tmp_path / "english.jsonl", "--language", "ko")
    assert "none of 1 usable row is in the requested language" in str(error)


def test_convert_writes_what_reads_back(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    columns = [part for column in CSV_COLUMNS for part in ("--columns", column)]
    result = run("convert", FIXTURES / "tuples.csv", out, *columns)
    assert result.exit_code == ExitCode.SOME_BAD
    assert "3 texts, 3 with gold" in result.stderr
    source = DataSource(path=FIXTURES / "tuples.csv", columns=dict(column.split("=") for column in CSV_COLUMNS))
    assert load_samples(DataSource(path=out)).samples == load_samples(source).samples
    assert load_gold(DataSource(path=out)) == load_gold(source)


def test_convert_keeps_odd_characters_and_selects(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert run("convert", FIXTURES / "samsim.jsonl", out, "--limit", 3).exit_code == ExitCode.SOME_BAD
    assert "\u2028" not in out.read_text(encoding="utf-8")
    assert [sample.text for sample in load_samples(DataSource(path=out)).samples][2] == "A line\u2028and\u200b another."
    drawn = tmp_path / "drawn.jsonl"
    assert run("convert", "reviews", drawn, "--sample", 5, "--sample-seed", 3).exit_code == ExitCode.OK
    expected = load_samples(DataSource(name="reviews", sample=5, sample_seed=3))
    assert load_samples(DataSource(path=drawn)).sha256 == expected.sha256


def test_an_existing_output_stays_without_force(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine", encoding="utf-8")
    assert "--force" in str(refused("convert", "reviews", out))
    assert out.read_text(encoding="utf-8") == "mine"
    assert run("convert", "reviews", out, "--force").exit_code == ExitCode.OK
    assert "is the input itself" in str(refused("convert", out, out, "--force"))
    assert load_samples(DataSource(path=out)).total_rows == 84


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("validate", "nothing.csv"), "neither a file nor a shipped set (reviews, reviews_memory, ko_triplets)"),
        (("validate", "reviews", "--split", "dev"), "has no splits"),
        (("validate", ASTE / "dev_triplets.txt", "--format", "astee"), "did you mean aste?"),
        (("validate", FIXTURES / "semeval2014" / "restaurant_train.xml"), "semeval2014_terms or"),
        (("show", FIXTURES / "nested.jsonl", "--columns", "txt=body"), "did you mean text?"),
    ],
)
def test_wrong_use_says_what_to_do(arguments: tuple[object, ...], reason: str) -> None:
    error = refused(*arguments)
    assert isinstance(error, ConfigError)
    assert reason in str(error)


def test_a_column_needs_both_sides() -> None:
    result = run("show", FIXTURES / "nested.jsonl", "--columns", "text")
    assert result.exit_code == ExitCode.USAGE
    assert "ROLE=NAME" in result.stderr


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys\nfrom samsim.cli.data import data\n"
        "try:\n    data(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('LOADED', [n for n in ('pydantic', 'rich', 'yaml', 'numpy', 'samsim.data.gold') if n in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, encoding="utf-8")
    assert "LOADED []" in ended.stdout
