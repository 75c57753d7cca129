"""What the data tests share: the fixtures, what they hold, and checks that hold for every source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from samsim.data.converting import own_line
from samsim.data.gold import GoldSample, gold_fields, load_gold
from samsim.data.registry import LoadedSamples, load_samples
from samsim.data.sources import DataSource

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Fixture:
    """One miniature file and the account of its rows."""

    file: str
    format: str
    rows: int
    bad: tuple[int, ...]
    texts: int
    with_gold: int
    tuples: int
    told: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def source(self) -> DataSource:
        return DataSource(path=FIXTURES / self.file, format=self.format, columns=dict(self.columns))


ALL = (
    Fixture("samsim.jsonl", "samsim", 8, (6, 7, 8), 5, 4, 3),
    Fixture("nikl2022.jsonl", "nikl2022", 7, (4, 6, 7), 4, 3, 4),
    Fixture("semeval2014/laptop_train.xml", "semeval2014_terms", 8, (4, 5, 6, 8), 4, 4, 4),
    Fixture("semeval2014/laptop_test.xml", "semeval2014_terms", 2, (), 2, 0, 0),
    Fixture("semeval2014/restaurant_train.xml", "semeval2014_terms", 2, (), 2, 2, 1, told=False),
    Fixture("semeval2014/restaurant_train.xml", "semeval2014_categories", 2, (), 2, 2, 3, told=False),
    Fixture("mams_acsa_val.xml", "semeval2014_categories", 1, (), 1, 1, 2),
    Fixture("semeval2016.xml", "semeval2016", 5, (4, 5), 3, 2, 2),
    Fixture("semeval2016_texts.xml", "semeval2016_texts", 2, (2,), 1, 1, 2),
    Fixture("aste/dev_triplets.txt", "aste", 8, (4, 5, 6, 8), 4, 4, 6),
    Fixture("dmaste.txt", "dmaste", 5, (3, 4, 5), 2, 2, 2),
    Fixture("acos.tsv", "acos", 6, (4, 5, 6), 3, 3, 4),
    Fixture("asqp.txt", "asqp", 4, (4,), 3, 3, 4),
    Fixture("m_absa.txt", "m_absa", 7, (6, 7), 5, 5, 5),
    Fixture("three_lines.seg", "three_lines", 3, (7,), 1, 1, 2),
    Fixture(
        "tuples.csv",
        "csv",
        10,
        (6, 7, 8, 9, 10, 11),
        3,
        3,
        3,
        columns={
            "text": "review",
            "aspect_term": "target",
            "aspect_ref": "category",
            "polarity": "label",
            "start": "from",
            "end": "to",
        },
    ),
    Fixture(
        "nested.jsonl",
        "jsonl",
        7,
        (4, 5, 6, 7),
        3,
        2,
        2,
        columns={
            "id": "doc",
            "text": "body",
            "tuples": "labels",
            "aspect_term": "target",
            "opinion_term": "opinion",
            "polarity": "sentiment",
        },
    ),
)


def gold_of(source: DataSource) -> dict[str, list[tuple[str, str, str, str, tuple[int, int] | None]]]:
    """The gold as plain tuples."""
    return {
        uid: [
            (
                item.aspect_term,
                item.aspect_ref,
                item.opinion_term,
                item.polarity,
                None if item.span is None else (item.span.start, item.span.end),
            )
            for item in sample.tuples
        ]
        for uid, sample in load_gold(source).items()
    }


def assert_sound(loaded: LoadedSamples, gold: Mapping[str, GoldSample]) -> None:
    """What is true of every source: all rows accounted for, ids unique, spans exact, implicit is without a span."""
    assert loaded.usable_rows + len(loaded.problems) == loaded.total_rows
    assert len({problem.row for problem in loaded.problems}) == len(loaded.problems)
    texts = {sample.uid: sample.text for sample in loaded.samples}
    assert len(texts) == len(loaded.samples)
    assert [uid for uid in texts if uid in gold] == list(gold)
    for uid, sample in gold.items():
        assert sample.uid == uid
        for item in sample.tuples:
            if item.span is None:
                continue
            assert item.aspect_term
            assert texts[uid][item.span.start : item.span.end] == item.aspect_term


def assert_round_trip(source: DataSource, file: Path) -> None:
    """Written in samsim's own format, a source reads back as the same texts and the same gold."""
    loaded, gold = load_samples(source), load_gold(source)
    file.write_text(
        "".join(own_line(sample, gold.get(sample.uid)) + "\n" for sample in loaded.samples), encoding="utf-8"
    )
    again = DataSource(path=file, format="samsim")
    reloaded = load_samples(again)
    assert reloaded.problems == ()
    assert reloaded.samples == loaded.samples
    assert reloaded.sha256 == loaded.sha256
    assert load_gold(again) == gold
    assert gold_fields(again) == gold_fields(source)
