"""``samsim analyze --file … -o out.csv``, and reviews from a pipe."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.batch.reading import unique_names
from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.schemas.results import SampleResult

KOREAN = "화면은 좋은데 배터리가 금방 닳아요."
ENGLISH = "The screen is great, but the battery isn't good."
SILENT = "1234567890"


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    settings = {"SAMSIM_DEBUG": "", "COLUMNS": "200"}
    command = ["analyze", *map(str, arguments)]
    return CliRunner().invoke(cli, command, input=stdin, prog_name="samsim", env=settings)


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, strict=True))


def test_csv_has_one_row_per_opinion_and_keeps_the_source_columns(tmp_path: Path) -> None:
    source, out, lines = tmp_path / "a.csv", tmp_path / "out.csv", tmp_path / "out.jsonl"
    source.write_text(f'shop,리뷰,stars\n"A, B",{KOREAN},5\nC,{SILENT},-0.5\n', encoding="utf-8")
    assert run("--file", source, "-o", out).exit_code == ExitCode.OK
    rows = rows_in(out)
    assert [(row["shop"], row["aspect_term"], row["polarity"]) for row in rows] == [
        ("A, B", "화면", "positive"),
        ("A, B", "배터리", "negative"),
        ("C", "", ""),
    ]
    assert [row["리뷰"] for row in rows] == [KOREAN, KOREAN, SILENT]
    assert [row["stars"] for row in rows] == ["5", "5", "-0.5"]
    assert list(rows[0])[:5] == ["uid", "shop", "리뷰", "stars", "aspect_term"]
    run("--file", source, "-o", lines)
    finals = SampleResult.model_validate_json(lines.read_text(encoding="utf-8").splitlines()[0]).final_tuples
    for row, final in zip(rows, finals, strict=False):
        assert row["aspect_ref"] == final.aspect_ref
        assert row["opinion_terms"] == "; ".join(final.opinion_terms)
        assert float(row["confidence"]) == final.confidence
        assert row["support"].split() == final.support
        assert json.loads(row["flagged"]) is final.flagged
        assert row["evidence"] == final.evidence
        assert final.span is not None
        assert KOREAN[int(row["start"]) : int(row["end"])] == row["aspect_term"]


def test_csv_is_what_excel_opens_as_utf_8(tmp_path: Path) -> None:
    source, out = tmp_path / "a.txt", tmp_path / "OUT.CSV"
    source.write_text(f"{KOREAN}\n{SILENT}\n", encoding="utf-8")
    ended = run("--file", source, "-o", out)
    assert "2 analyzed, 0 bad" in ended.stderr
    assert out.read_bytes().startswith(b"\xef\xbb\xbfuid,text,aspect_term,")
    assert [(row["uid"], row["text"]) for row in rows_in(out)] == [("1", KOREAN), ("1", KOREAN), ("2", SILENT)]
    assert not out.with_name("OUT.CSV.partial").exists()


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start: str, tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out.csv"
    cell = f'{start}HYPERLINK("http://x","y")'
    source.write_text(json.dumps({"text": f"{cell} {ENGLISH}", "note": cell, cell: -0.5}) + "\n", encoding="utf-8")
    run("--file", source, "-o", out)
    with out.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream, strict=True))
    assert [row[1:4] for row in rows] == [["text", "note", f"'{cell}"]] + [
        [f"'{cell} {ENGLISH}", f"'{cell}", "-0.5"]
    ] * (len(rows) - 1)
    assert len(rows) >= 3


def test_json_keys_of_all_rows_are_columns(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out.csv"
    records = [
        {"text": ENGLISH, "tags": ["a", {"b": None}], "ok": True},
        {"text": SILENT, "stars": 3, "none": None},
    ]
    source.write_text("".join(json.dumps(record) + "\n" for record in records) + "[1]\n", encoding="utf-8")
    assert run("--file", source, "-o", out).exit_code == ExitCode.SOME_BAD
    rows = rows_in(out)
    assert list(rows[0])[:6] == ["uid", "text", "tags", "ok", "stars", "none"]
    assert (rows[0]["tags"], rows[0]["ok"], rows[0]["stars"]) == ('["a", {"b": null}]', "true", "")
    assert (rows[-1]["stars"], rows[-1]["none"]) == ("3", "")


def test_names_of_the_source_stay_and_ours_give_way(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "out.csv"
    source.write_text(f'uid,text,polarity,polarity,samsim_uid\nr1,"{ENGLISH}",gold,silver,x\n', encoding="utf-8")
    run("--file", source, "-o", out, "--id-column", "uid")
    (first, *_) = rows_in(out)
    assert (first["uid"], first["polarity"], first["polarity (2)"], first["samsim_uid"]) == (
        "r1",
        "gold",
        "silver",
        "x",
    )
    assert (first["samsim_polarity"], first["samsim_samsim_uid"]) == ("positive", "r1")


def test_a_table_can_be_analysed_again(tmp_path: Path) -> None:
    source, out, again = tmp_path / "a.txt", tmp_path / "out.csv", tmp_path / "again.csv"
    source.write_text(f"{ENGLISH}\n", encoding="utf-8")
    run("--file", source, "-o", out)
    assert run("--file", out, "-o", again).exit_code == ExitCode.OK
    assert rows_in(again)[0]["text"] == ENGLISH


def test_an_unknown_ending_is_refused_with_the_list(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text(ENGLISH, encoding="utf-8")
    ended = run("--file", source, "-o", tmp_path / "out.xlsx")
    assert ended.exit_code == ExitCode.USAGE
    assert "end the name in .jsonl (everything, one result per line) or .csv (one row per opinion)" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_json_lines_of_other_commands_do_not_go_into_a_csv(tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli, ["data", "convert", "reviews", str(tmp_path / "out.csv")], prog_name="samsim")
    assert ended.exit_code == ExitCode.USAGE
    assert "End the name in .jsonl" in ended.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "suffix", "uids"),
    [
        (f"{KOREAN}\n\n{ENGLISH}\n".encode(), ".txt", ["1", "3"]),
        (f'\ufeffid,review\r\na,{KOREAN}\r\nb,"{ENGLISH}"\r\n'.encode(), ".csv", ["2", "3"]),
        (f'\n{{"text": "{KOREAN}"}}\n{{"text": "{ENGLISH}"}}\n'.encode(), ".jsonl", ["2", "3"]),
    ],
)
def test_reviews_from_a_pipe(content: bytes, suffix: str, uids: list[str]) -> None:
    ended = run("--file", "-", stdin=content)
    assert ended.exit_code == ExitCode.OK
    assert ended.stderr == f"reading standard input as {suffix}\n"
    found = [SampleResult.model_validate_json(line) for line in ended.stdout.splitlines()]
    assert [(read.uid, read.text) for read in found] == list(zip(uids, (KOREAN, ENGLISH), strict=True))


def test_a_very_long_first_line_of_a_pipe_is_a_review() -> None:
    ended = run("--file", "-", stdin=b"1" * 140_000)
    assert (ended.exit_code, ended.stderr) == (ExitCode.OK, "reading standard input as .txt\n")


def test_columns_and_encoding_hold_for_a_pipe_as_well(tmp_path: Path) -> None:
    content = f"Id,Body\nr1,{KOREAN}\n".encode("cp949")
    refused = run("--file", "-", "--text-column", "body", stdin=content)
    assert refused.exit_code == ExitCode.NO_INPUT
    assert "standard input is not UTF-8" in refused.stderr
    options = ("--text-column", "body", "--id-column", "id", "--encoding", "cp949", "-o", tmp_path / "out.csv")
    assert run("--file", "-", *options, stdin=content).exit_code == ExitCode.OK
    assert [(row["uid"], row["Id"], row["Body"]) for row in rows_in(tmp_path / "out.csv")] == [("r1", "r1", KOREAN)] * 2
    missing = run("--file", "-", "--text-column", "review", stdin=b"Id,Body\n1,good\n")
    assert missing.exit_code == ExitCode.USAGE
    assert "No column 'review' in standard input: choose one of 'Id', 'Body'" in missing.stderr


def test_an_empty_pipe_is_nothing_to_analyse() -> None:
    assert run("--file", "-", stdin=b"").exit_code == ExitCode.NO_INPUT


def test_a_real_pipe_and_no_standard_input_at_all() -> None:
    command = [sys.executable, "-c", "from samsim.cli.main import entry; entry()", "analyze", "--json"]
    piped = subprocess.run(command, input=ENGLISH.encode(), capture_output=True, check=True)
    assert SampleResult.model_validate_json(piped.stdout).text == ENGLISH
    closed = [sys.executable, "-c", "import sys; sys.stdin = None; from samsim.cli.main import entry; entry()"]
    ended = subprocess.run([*closed, "analyze", "-"], capture_output=True, text=True, check=False)
    assert (ended.returncode, "Traceback" in ended.stderr) == (ExitCode.USAGE, False)
    assert "Give a TEXT, pipe one in" in ended.stderr


def test_a_header_of_many_equal_names_is_read_in_linear_time() -> None:
    names = unique_names(["a"] * 50_000 + ["a (2)"])
    assert len(set(names)) == 50_001
    assert names[:3] == ["a", "a (2)", "a (3)"]
