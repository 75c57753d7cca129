"""Fuzz the embedded engine with texts of every kind: none may make it raise.

    python benchmarks/fuzz_texts.py --data ../shared/data

Half of the texts are real sentences (the shipped reviews, and public sets if ``--data`` has them; train
splits only), half are mutations of them. Each goes through the conflict review, the debate and ``single``.
The same seed gives the same texts. Prints counts and the slowest text; exits with 1 if anything raised or
a tuple is not in its text.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import random
import sys
import time
import traceback
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from samsim.data.registry import load_samples
from samsim.data.shipped import SHIPPED, load_shipped
from samsim.data.sources import DataSource
from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.embedded.triplets import LONGEST_EVIDENCE
from samsim.engines.table import EngineTable
from samsim.errors import InputError
from samsim.language.analyze import analyze_text
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.inputs import check_text
from samsim.pipeline.supervisor import supervise
from samsim.schemas.results import SampleResult

CONFIGS = (
    PipelineConfig(
        protocol="cr_v2", review_scope="always", recheck=True, semantic_conflict_enabled=True, finalize="p2"
    ),
    PipelineConfig(protocol="debate"),
    PipelineConfig(protocol="single"),
)
"""Together they ask every agent: perspectives, reviewers, debaters, and the single one of ``single``."""

_SETS = (
    ("m_absa", "m-absa/*/*/train.txt"),
    ("aste", "aste-data-v2/*/train_triplets.txt"),
    ("dmaste", "dmaste/dataset/*/train.txt"),
    ("three_lines", "korean-food-absa/*.seg"),
)
_TABLES = ("naver-shopping-sample/reviews.tsv", "nsmc-raw/nsmc_raw_reviews.tsv.gz")
_MOST_PER_FILE = 10_000
_LONGEST_TEXT = 1_500
_MOST_MUTATIONS = 4
_SPLINTERS = (
    *"안 못 덜 별로 전혀 거의 없 없이 아니 않 지 지도 커녕 나 은 는 이 가 을 를 도 만 고 면 게 지만 는데 ㄴ데".split(),
    *"은지 모르겠 싶 하 되 안나요 안보여요 나지않고 보이지않는다 못하다 ㅋㅋㅋ ㅠㅠ ;; ^^ ~~ .. ... !? ( )".split(),
    *"\" ' ` / - — \\ # @ & = + * 😀 👍🏽 ❤️ not n't never no nothing but if whether sure too than 's cannot".split(),
    *"1 99% $5 3.5 https://a.b x@y.zz :) /s İ ß ﬁ".split(),
    " ", "  ", "\n", "\n\n", "\t", "\x00",
    "\u00a0", "\u200b", "\u200d", "\ufe0f", "\u202e", "\u3000", "\u0301", "\u1161",
)  # fmt: skip
"""Inserted pieces: misplaced particles, endings and negations, punctuation, and unusual characters."""


def shipped_texts() -> list[str]:
    """Return the shipped reviews."""
    return [sample.text for name in SHIPPED for sample in load_shipped(name)]


def real_sentences(data: Path) -> Iterator[str]:
    """Yield sentences of the public sets below ``data``, as far as they exist; never from a test split."""
    for name, pattern in _SETS:
        for file in sorted(data.glob(pattern)):
            yield from (sample.text for sample in load_samples(DataSource(path=file, format=name)).samples)
    for table in _TABLES:
        file = data / table
        if file.is_file():
            with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as lines:
                yield from (line.rstrip("\n").split("\t")[-1] for line in islice(lines, 1, _MOST_PER_FILE))


def mutate(text: str, others: Sequence[str], chance: random.Random) -> str:
    """Return the text with a few mutations that a writer, a keyboard or a crawler might cause."""
    for _ in range(chance.randint(1, _MOST_MUTATIONS)):
        text = chance.choice(_MUTATIONS)(text, others, chance)
    return text[:_LONGEST_TEXT]


def _cut(text: str, _: Sequence[str], chance: random.Random) -> str:
    start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
    return text[start:end]


def _delete(text: str, _: Sequence[str], chance: random.Random) -> str:
    start = chance.randint(0, len(text))
    return text[:start] + text[start + chance.randint(1, 4) :]


def _insert(text: str, _: Sequence[str], chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    space = chance.choice(("", "", " "))
    return text[:at] + space + chance.choice(_SPLINTERS) + space + text[at:]


def _repeat(text: str, _: Sequence[str], chance: random.Random) -> str:
    start = chance.randint(0, len(text))
    end = start + chance.randint(1, 12)
    return text[:end] + text[start:end] * chance.randint(1, 6) + text[end:]


def _splice(text: str, others: Sequence[str], chance: random.Random) -> str:
    other = chance.choice(others)
    return text[: chance.randint(0, len(text))] + other[chance.randint(0, len(other)) :]


def _move(text: str, _: Sequence[str], chance: random.Random) -> str:
    words = text.split(" ")
    word = words.pop(chance.randrange(len(words)))
    words.insert(chance.randint(0, len(words)), word)
    return " ".join(words)


def _rewrite(text: str, _: Sequence[str], chance: random.Random) -> str:
    shapes = (
        text.replace(" ", ""), text.replace(".", ""), text.replace(" ", "\n"), text.upper(), text.lower(), text[::-1],
        unicodedata.normalize("NFD", text), unicodedata.normalize("NFKC", text), f"({text})", " ".join(text),
    )  # fmt: skip
    return chance.choice(shapes)


_MUTATIONS = (_cut, _delete, _insert, _insert, _insert, _repeat, _splice, _move, _rewrite)


def read_every_way(text: str) -> list[SampleResult]:
    """Return one result per configuration; empty if the text is refused with a clear error."""
    try:
        checked = check_text(text)
    except InputError:
        return []
    analysis = analyze_text(checked)
    engines = EngineTable.of(EmbeddedEngine())

    async def read() -> list[SampleResult]:
        return [await supervise("0", analysis, engines, config) for config in CONFIGS]

    return asyncio.run(read())


def faults_of(result: SampleResult) -> list[str]:
    """Return what is wrong with the tuples as passages of their text; should be empty."""
    text = result.text
    faults = []
    for item in result.stage1_tuples:
        if item.span is not None and text[item.span.start : item.span.end] != item.aspect_term:
            faults.append(f"the span does not carry the term {item.aspect_term!r}")
        if not item.evidence or item.evidence not in text or len(item.evidence) > LONGEST_EVIDENCE:
            faults.append(f"the evidence {item.evidence!r} is empty, too long or not in the text")
    return faults


def texts(real: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield real sentences, then mutations, ``count`` in all; the same seed gives the same sequence."""
    chance = random.Random(seed)
    drawn = chance.sample(real, min(count // 2, len(real)))
    yield from drawn
    for _ in range(count - len(drawn)):
        yield mutate(chance.choice(real), real, chance)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the public data sets")
    parser.add_argument("--count", type=int, default=50_000, help="how many texts")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    shipped = shipped_texts()
    real = [*shipped, *(text[:_LONGEST_TEXT] for text in real_sentences(options.data))]
    if len(real) == len(shipped):
        print(f"No public data sets in {options.data}: only the shipped reviews are mutated.")
    read_every_way(shipped[0])  # load everything before the clock starts
    counts: Counter[str] = Counter(raised=0, unsound=0)
    slowest = (0.0, "")
    started = time.process_time()
    for number, text in enumerate(texts(real, options.count, options.seed), start=1):
        before = time.process_time()
        try:
            results = read_every_way(text)
        except Exception:
            counts["raised"] += 1
            print(f"RAISED on {text!r}\n{traceback.format_exc()}", flush=True)
            continue
        slowest = max(slowest, (time.process_time() - before, text))
        for fault in (fault for result in results for fault in faults_of(result)):
            counts["unsound"] += 1
            print(f"UNSOUND on {text!r}: {fault}", flush=True)
        counts["refused as empty or broken" if not results else f"read as {results[0].language}"] += 1
        counts["tuples"] += sum(len(result.final_tuples) for result in results)
        if number % 5_000 == 0:
            print(f"{number:,} texts, {time.process_time() - started:.0f} s of CPU time", flush=True)
    print(f"{options.count:,} texts of seed {options.seed} from {len(real):,} sentences, {len(CONFIGS)} protocols each")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count:,}")
    print(f"slowest: {slowest[0]:.2f} s of CPU time for {len(slowest[1]):,} characters: {slowest[1][:80]!r}")
    sys.exit(1 if counts["raised"] or counts["unsound"] else 0)


if __name__ == "__main__":
    main()
