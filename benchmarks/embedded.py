"""Measure the throughput of the embedded pipeline (cr_v2) and of its parts on one core.

    python benchmarks/embedded.py

The sentences are the shipped reviews, repeated; the CPU time of this process is measured.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from samsim.data.shipped import load_reviews
from samsim.language.analyze import analyze_text
from samsim.pipeline.api import Pipeline


def per_second(work: Callable[[str], object], texts: list[str]) -> float:
    """Return the texts per CPU second, after one warm-up text."""
    work(texts[0])
    started = time.process_time()
    for text in texts:
        work(text)
    return len(texts) / (time.process_time() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=15, help="how often the shipped reviews are repeated")
    repeat = parser.parse_args().repeat
    pipeline = Pipeline()
    print("| language | reviews | sentences | language analysis, reviews/s | cr_v2, reviews/s | cr_v2, sentences/s |")
    print("|---|---|---|---|---|---|")
    for language in ("en", "ko"):
        texts = [sample.text for sample in load_reviews() if sample.language == language]
        sentences = sum(len(analyze_text(text).sentences) for text in texts)
        analysed = per_second(analyze_text, texts * repeat)
        whole = per_second(pipeline.analyze, texts * repeat)
        print(
            f"| {language} | {len(texts)} | {sentences} | {analysed:.0f} | {whole:.0f} "
            f"| {whole * sentences / len(texts):.0f} |"
        )


if __name__ == "__main__":
    main()
