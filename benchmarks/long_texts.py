"""Compare long texts of awkward shapes with spaced text of the same length and language.

    python benchmarks/long_texts.py

Measures the CPU time of the default protocol on the embedded engine. Spaced text is the shipped reviews of the
language, repeated. Exits with 1 if a shape takes more than three times as long, or if evidence is too long.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections.abc import Mapping

from samsim.data.shipped import load_reviews
from samsim.engines.embedded.triplets import LONGEST_EVIDENCE
from samsim.pipeline.api import Pipeline
from samsim.schemas.analysis import Language

MOST_TIMES = 3.0
_MARKS = re.compile(r"[^\w\s]")


def shapes(language: Language) -> Mapping[str, str]:
    """Return a piece of each shape, to be repeated; the first is spaced text, the reference for the others."""
    spaced = " ".join(sample.text for sample in load_reviews() if sample.language == language) + " "
    plain = _MARKS.sub("", spaced)
    words = plain.split()
    random.Random(11).shuffle(words)
    common = {
        "spaced": spaced,
        "without spaces": "".join(spaced.split()),
        "without spaces or marks": "".join(plain.split()),
        "one long line": plain.replace("\n", " "),
        "one word a line": "\n".join(spaced.split()) + "\n",
        "words in any order, no spaces": "".join(words),
    }
    repeated: tuple[str, ...]
    if language == "ko":
        repeated = ("좋아요", "좋아요 ", "별로", "최고", "맛있고", "가성비대박", "잡음,good", "안", "좋지도", "ㅋ")
    else:
        repeated = ("good", "good ", "good,", "good-", "not good ", "very ", "great food and ", "'s", "a")
        common |= {"emoji": "😀", "joined emoji": "👨‍👩‍👧", "punctuation": "!?.,", "brackets": "((", "digits": "1"}
    return common | {f"{piece!r} repeated": piece for piece in repeated}


def measure(pipeline: Pipeline, piece: str, length: int) -> tuple[float, int, int]:
    """Return CPU seconds, number of tuples and longest evidence, for the piece repeated to a length."""
    text = (piece * (length // len(piece) + 1))[:length]
    started = time.process_time()
    result = pipeline.analyze(text)
    elapsed = time.process_time() - started
    return elapsed, len(result.stage1_tuples), max((len(item.evidence) for item in result.stage1_tuples), default=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=100_000, help="characters per text")
    length = parser.parse_args().length
    too_much = False
    print("| language | shape | CPU seconds | times spaced text | tuples | longest evidence |")
    print("|---|---|---|---|---|---|")
    languages: tuple[Language, ...] = ("ko", "en")
    for language in languages:
        pipeline = Pipeline({"language": language})
        pieces = shapes(language)
        measure(pipeline, pieces["spaced"], 1_000)
        yardstick = 0.0
        for name, piece in pieces.items():
            elapsed, tuples, longest = measure(pipeline, piece, length)
            yardstick = yardstick or elapsed
            times = elapsed / yardstick
            too_much = too_much or times > MOST_TIMES or longest > LONGEST_EVIDENCE
            print(f"| {language} | {name} | {elapsed:.2f} | {times:.1f} | {tuples} | {longest} |", flush=True)
    sys.exit(1 if too_much else 0)


if __name__ == "__main__":
    main()
