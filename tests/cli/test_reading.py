from __future__ import annotations

import csv
import tracemalloc
from pathlib import Path

import pytest

from samsim.cli.batch import reading
from samsim.cli.batch.reading import Columns, Review, ReviewFile, Row
from samsim.data.bad_rows import BadRow
from samsim.errors import ConfigError, InputError


def rows_of(path: Path, *, text: str | None = None, uid: str | None = None, encoding: str | None = None) -> list[Row]:
    with ReviewFile(path, Columns(text, uid), encoding) as reviews:
        return list(reviews)


def write(folder: Path, name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def test_txt_counts_blank_lines_by_number(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "\ufeff첫 줄\r\n\r\n  \n셋째\rlast")
    assert rows_of(path) == [Review(1, "1", "첫 줄"), Review(4, "4", "셋째"), Review(5, "5", "last")]


@pytest.mark.parametrize(
    "header", ["text", "Review", "SENTENCE", "content", "본문", "리뷰", "내용", "문장", "sentence_form"]
)
def test_csv_finds_the_text_column(tmp_path: Path, header: str) -> None:
    path = write(tmp_path, "a.csv", f"no,{header}\n1,좋아요\n", "utf-8-sig")
    assert rows_of(path) == [Review(2, "2", "좋아요")]


def test_csv_prefers_the_usual_names_in_order(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "content,text\nx,y\n")
    assert rows_of(path) == [Review(2, "2", "y")]


def test_csv_named_columns_and_a_review_over_several_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "a.CSV", 'Id,Body\nr1,"좋은데\n""비싸요"""\n\nr2,ok\n')
    assert rows_of(path, text="body", uid="ID") == [Review(2, "r1", '좋은데\n"비싸요"'), Review(5, "r2", "ok")]


MALFORMED = [
    ("too few fields", "1\n", [(2, "1 fields, but the header has 2")]),
    ("too many fields", "1,a,b\n", [(2, "3 fields, but the header has 2")]),
    ("unterminated quote", '1,"never closed\n', [(2, "not properly closed")]),
    ("quote closed by a later row", '1,"open\n2,mid\n3,"closed"\n', [(2, "not properly closed")]),
    ("text after a quote", '1,"a"b\n', [(2, "broken quoting")]),
    ("NUL byte", "1,a\0b\n", [(2, "NUL")]),
    ("empty text", "1,\n", [(2, "the text is empty")]),
    ("blank text", "1,   \n", [(2, "the text is empty")]),
    ("several", '1\n2,"x\n3,\n', [(2, "1 fields"), (3, "not properly closed"), (4, "empty")]),
]


@pytest.mark.parametrize(("name", "middle", "expected"), MALFORMED, ids=[case[0] for case in MALFORMED])
def test_malformed_csv_rows_are_named_and_the_rest_is_read(
    tmp_path: Path, name: str, middle: str, expected: list[tuple[int, str]]
) -> None:
    path = write(tmp_path, "a.csv", f"id,text\n{middle}98,good\n99,fine\n")
    rows = rows_of(path)
    bad = [row for row in rows if isinstance(row, BadRow)]
    assert [row.number for row in bad] == [line for line, _ in expected]
    assert all(reason in row.reason for row, (_, reason) in zip(bad, expected, strict=True))
    last = 1 + middle.count("\n")
    assert {"good", "fine"} <= {row.text for row in rows if isinstance(row, Review)}
    assert [row.number for row in rows if isinstance(row, Review) and row.text in ("good", "fine")] == [
        last + 1,
        last + 2,
    ]


def test_a_long_review_fits_and_the_csv_setting_is_put_back(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = write(tmp_path, "a.csv", f'text\n"{"긴 " * 200_000}"\n')
    (row,) = rows_of(path)
    assert isinstance(row, Review)
    assert csv.field_size_limit() == before


def test_the_header_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is empty"):
        rows_of(write(tmp_path, "a.csv", ""))
    with pytest.raises(InputError, match=r"'id', 'note'.*--text-column"):
        rows_of(write(tmp_path, "b.csv", "id,note\n1,x\n"))
    with pytest.raises(ConfigError, match="No column 'body'"):
        rows_of(write(tmp_path, "c.csv", "id,text\n1,x\n"), text="body")
    with pytest.raises(InputError, match="header"):
        rows_of(write(tmp_path, "d.csv", '"id,text\n1,x\n'))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "invalid JSON"),
        ("[1]", "not a JSON object"),
        ('{"id": 1}', "the text is missing"),
        ('{"text": 5}', "not a string"),
        ('{"text": null}', "not a string"),
        ('{"text": " "}', "the text is empty"),
        ("[" * 100_000, "invalid JSON"),
        ('{"text": "a\0b"}', "invalid JSON"),
        ('{"text": ' + "9" * 5000 + "}", "invalid JSON"),
    ],
)
def test_malformed_json_lines(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path, "a.jsonl", f'{line}\n\n{{"Review": "좋아요"}}\n')
    bad, good = rows_of(path)
    assert isinstance(bad, BadRow)
    assert bad.number == 1
    assert reason in bad.reason
    assert good == Review(3, "3", "좋아요")


def test_json_ids(tmp_path: Path) -> None:
    lines = ['{"n": 7, "t": "a"}', '{"n": "x", "t": "b"}', '{"t": "c"}', '{"n": true, "t": "d"}', '{"n": "", "t": "e"}']
    rows = rows_of(write(tmp_path, "a.jsonl", "\n".join(lines)), text="t", uid="n")
    assert rows[:2] == [Review(1, "7", "a"), Review(2, "x", "b")]
    assert all(isinstance(row, BadRow) and "id" in row.reason for row in rows[2:])


@pytest.mark.parametrize(
    ("encoding", "text", "guess"),
    [
        ("cp949", "text\n화면이 선명하고 좋아요\n", "cp949"),
        ("euc-kr", "text\n배터리가 금방 닳아요\n", "cp949"),
        ("utf-16", "text\n좋아요\n", "utf-16"),
        ("cp1252", "text\nLe café était très bon\n", "cp1252"),
    ],
)
def test_other_encodings_are_named_and_accepted(tmp_path: Path, encoding: str, text: str, guess: str) -> None:
    path = write(tmp_path, "a.csv", text, encoding)
    with pytest.raises(InputError, match=f"not UTF-8.*--encoding {guess}"):
        rows_of(path)
    assert rows_of(path, encoding=guess) == [Review(2, "2", text.splitlines()[1])]


def test_a_damaged_line_in_a_utf8_file_is_a_bad_row(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "좋아요\n".encode() * 3 + b"bad \xff byte\n" + "끝\n".encode())
    rows = rows_of(path)
    assert [row.number for row in rows if isinstance(row, BadRow)] == [4]
    assert len(rows) == 5


def test_a_late_other_encoding_is_found_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"plain ascii\n" * 20_000 + "한글 리뷰입니다\n".encode("cp949") * 5)
    with pytest.raises(InputError, match=r"line 20001\).*cp949"):
        rows_of(path)


def test_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\.csv, \.jsonl, \.txt"):
        rows_of(write(tmp_path, "a.xlsx", "x"))


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv"])
def test_an_endless_line_is_skipped(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LINE_LIMIT", 100)
    good = '{"text": "ok"}' if name.endswith("jsonl") else "ok"
    header = "text\n" if name.endswith("csv") else ""
    rows = rows_of(write(tmp_path, name, f"{header}{'x' * 350}\n{good}\n"))
    first = 2 if header else 1
    assert isinstance(rows[0], BadRow)
    assert (rows[0].number, "longer than 100" in rows[0].reason) == (first, True)
    assert rows[1] == Review(first + 1, str(first + 1), "ok")


def test_an_open_quote_does_not_swallow_a_big_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LINE_LIMIT", 50_000)
    path = write(tmp_path, "a.csv", 'text\n"open\n' + "plain row of a file\n" * 100_000)
    tracemalloc.start()
    with ReviewFile(path, Columns()) as reviews:
        good = sum(isinstance(row, Review) for row in reviews)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert good == 100_000
    # Only the look-ahead for the closing quote is held; it ends at the limit.
    assert peak < 1_000_000 < path.stat().st_size


def test_reading_is_streaming(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", ("a review that is long enough to matter " * 3 + "\n") * 20_000)
    tracemalloc.start()
    with ReviewFile(path, Columns()) as reviews:
        count = sum(1 for _ in reviews)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 2_000_000 < path.stat().st_size
