"""What each format's gold becomes, tuple by tuple."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.errors import InputError
from tests.data.reading import ALL, Fixture, gold_of


def of(name: str, file: str = "") -> Fixture:
    return next(fixture for fixture in ALL if fixture.format == name and file in fixture.file)


def texts_of(source: DataSource) -> dict[str, str]:
    return {sample.uid: sample.text for sample in load_samples(source).samples}


def notes_of(source: DataSource) -> dict[int, str]:
    return {note.row: note.reason for note in load_samples(source).notes}


def test_nikl() -> None:
    source = of("nikl2022").source
    assert gold_of(source) == {
        "n-1": [("손잡이", "본품#품질", "", "positive", (0, 3)), ("무게", "본품#편의성", "", "positive", (10, 12))],
        "n-2": [("", "제품 전체#일반", "", "negative", None)],
        "n-3": [("뚜껑", "패키지·구성품#편의성", "", "negative", (0, 2))],
    }
    assert "only occurrence" in notes_of(source)[3]
    assert "without gold" in notes_of(source)[5]


def test_semeval_2014_terms() -> None:
    source = of("semeval2014_terms", "laptop_train").source
    gold = gold_of(source)
    assert gold["1"] == [('"quiet" fan', "", "", "negative", (4, 15)), ("case", "", "", "negative", (22, 26))]
    assert texts_of(source)["1"] == 'The "quiet" fan & the case\u00a0feel cheap.'
    assert gold["2"] == []
    assert gold["laptop_train-3"] == [("Keyboard", "", "", "mixed", (0, 8))]
    assert gold["2#2"] == [("Charger", "", "", "neutral", (0, 7))]
    assert notes_of(source)[7] == "the id 2 is already used; this row gets 2#2"


def test_semeval_2014_categories() -> None:
    assert gold_of(of("semeval2014_categories", "restaurant").source) == {
        "r1": [("", "food", "", "positive", None), ("", "price", "", "mixed", None)],
        "r2": [("", "anecdotes/miscellaneous", "", "neutral", None)],
    }


def test_a_test_file_without_polarities_gives_texts_without_gold() -> None:
    source = of("semeval2014_terms", "laptop_test").source
    assert list(texts_of(source)) == ["t1", "t2"]
    assert gold_of(source) == {}
    assert set(notes_of(source)) == {1, 2}


def test_a_category_file_read_for_terms_gives_texts_without_gold() -> None:
    source = DataSource(path=of("semeval2014_categories", "mams").source.path, format="semeval2014_terms")
    assert len(texts_of(source)) == 1
    assert gold_of(source) == {}


def test_semeval_2016() -> None:
    source = of("semeval2016").source
    assert gold_of(source) == {
        "100:0": [
            ("broth", "FOOD#QUALITY", "", "positive", (4, 9)),
            ("", "RESTAURANT#GENERAL", "", "positive", None),
        ],
        "100:2": [],
    }
    assert "OutOfScope" in notes_of(source)[2]


def test_semeval_2016_texts() -> None:
    source = of("semeval2016_texts").source
    assert texts_of(source) == {"200": "Slow service. Lovely terrace, though."}
    assert gold_of(source)["200"][1] == ("", "AMBIENCE#GENERAL", "", "positive", None)


def test_a_file_in_another_xml_format_is_refused() -> None:
    with pytest.raises(InputError, match="Choose another format"):
        load_samples(DataSource(path=of("semeval2016").source.path, format="semeval2014_terms"))


def test_aste() -> None:
    source = of("aste").source
    texts, gold = texts_of(source), gold_of(source)
    assert texts["dev_triplets-1"] == "The battery life is great , screen so so ."
    assert gold["dev_triplets-1"] == [
        ("battery life", "", "great", "positive", (4, 16)),
        ("screen", "", "so so", "neutral", (28, 34)),
    ]
    # A no-break space is part of its token, so that the token numbers stay right.
    assert gold["dev_triplets-2"][0] == ("screen", "", "Big", "positive", (23, 29))
    assert gold["dev_triplets-3"] == [("Sides salad", "", "cold", "negative", None)]
    assert texts["dev_triplets-7"] == "Price ####fits ."


def test_dmaste_numbers_are_first_and_last() -> None:
    assert gold_of(of("dmaste").source) == {
        "dmaste-1": [("lamp", "", "does not flicker", "positive", (5, 9))],
        "dmaste-2": [("", "", "Would buy again", "positive", None)],
    }


def test_acos() -> None:
    assert gold_of(of("acos").source) == {
        "acos-1": [
            ("hinge", "LAPTOP#QUALITY", "stiff", "negative", (4, 9)),
            ("hinge", "LAPTOP#QUALITY", "fine", "positive", (4, 9)),
        ],
        "acos-2": [("", "LAPTOP#GENERAL", "", "positive", None)],
        "acos-3": [("laptop", "LAPTOP#GENERAL", "", "neutral", (8, 14))],
    }


def test_asqp_gives_a_span_only_to_a_sole_occurrence() -> None:
    assert gold_of(of("asqp").source) == {
        "asqp-1": [
            ("tea", "drinks quality", "weak", "negative", None),
            ("", "service general", "late", "negative", None),
        ],
        "asqp-2": [("Chef 's table", "restaurant general", "worth it", "positive", (0, 13))],
        "asqp-3": [("", "restaurant general", "", "positive", None)],
    }


def test_m_absa_with_quotes_inside_of_a_term() -> None:
    gold = gold_of(of("m_absa").source)
    assert gold["m_absa-1"][1] == ("포장", "product quality", "", "negative", (9, 11))
    assert gold["m_absa-3"] == [("'오늘의 찌개'", "food quality", "", "negative", (0, 8))]
    assert gold["m_absa-4"] == []
    assert gold["m_absa-5"] == [("맛", "food quality", "", "mixed", (0, 1))]


def test_three_lines_with_the_same_text_are_one_sample() -> None:
    source = of("three_lines").source
    assert texts_of(source) == {"three_lines-1": "배달은 빠른데 맛은 별로네요"}
    assert gold_of(source)["three_lines-1"] == [
        ("배달", "", "", "positive", (0, 2)),
        ("맛", "", "", "negative", (8, 9)),
    ]


def test_own_format_is_strict() -> None:
    source = of("samsim").source
    reasons = {problem.row: problem.reason for problem in load_samples(source).problems}
    assert "is not the term 'towels'" in reasons[6]
    assert "unknown key 'tuple'" in reasons[7]
    assert "invalid JSON" in reasons[8]
    assert texts_of(source)["a-3"] == "A line\u2028and\u200b another."
    assert "a-3" not in gold_of(source)
    assert gold_of(source)["a-2"] == []


TUPLE = {"aspect_term": "bag", "aspect_ref": "", "opinion_term": "good", "polarity": "positive"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"uid": ""}, "the uid is empty"),
        ({"tags": "loud"}, "tags is not a list of strings"),
        ({"tags": [1]}, "tags is not a list of strings"),
        ({"tuples": {}}, "tuples is not a list"),
        ({"tuples": ["good"]}, "a tuple is not a JSON object"),
        ({"tuples": [{**TUPLE, "span": [4, 7]}]}, "a span is not {start, end}"),
    ],
)
def test_own_format_says_what_is_wrong_with_a_row(change: dict[str, object], reason: str, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    good = {"uid": "a", "text": "The bag is good."}
    file.write_text("".join(json.dumps(row) + "\n" for row in (good, {**good, "uid": "b", **change})), encoding="utf-8")
    loaded = load_samples(DataSource(path=file, format="samsim"))
    assert [sample.uid for sample in loaded.samples] == ["a"]
    assert [(problem.row, problem.reason) for problem in loaded.problems] == [(2, reason)]


def test_line_ends_marks_and_separators(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_bytes(
        "\ufeffFirst\u2028part , good####[['part', 'x y', 'positive']]\r\n\r\n"
        "Second\x85 one####[['one', 'x y', 'negative']]\r\n".encode()
        + b"Third \xff one####[['one', 'x y', 'negative']]\n"
        + b"Nul \x00 one####[['one', 'x y', 'negative']]"
    )
    source = DataSource(path=file, format="m_absa")
    assert texts_of(source) == {"rows-1": "First\u2028part , good", "rows-3": "Second\x85 one"}
    problems = load_samples(source).problems
    assert [(problem.row, problem.reason.split(" (")[0]) for problem in problems] == [
        (4, "bytes that do not fit the file's encoding"),
        (5, "a NUL byte in the text"),
    ]


def test_another_encoding_is_named_or_given(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_bytes("맛이 좋아요.####[['맛', 'food quality', 'positive']]\n".encode("cp949"))
    with pytest.raises(InputError, match="cp949"):
        load_samples(DataSource(path=file, format="m_absa"))
    assert texts_of(DataSource(path=file, encoding="cp949")) == {"rows-1": "맛이 좋아요."}
