"""How well the shipped taxonomies fit: (category, polarity) on the Korean triplet set, domain by domain.

    python benchmarks/taxonomies.py --split dev

Each domain is read with free refs, with NIKL 2022 and with its own taxonomy. The last columns leave the reading
out: how many gold tuples get the right category from their own term and opinion, and how many would if all were
called general.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

from samsim.data.gold import GoldSample, load_gold
from samsim.data.registry import load_samples
from samsim.data.sources import DataSource
from samsim.engines.embedded.categories import category_of
from samsim.metrics.systems import final_triplets
from samsim.metrics.tuples import Score, TupleLike, score
from samsim.pipeline.api import Pipeline
from samsim.schemas.taxonomy import load_taxonomy

# The domain of a text is a tag of its gold; delivery belongs to food.
TAXONOMY_OF = {
    "shop": "shop",
    "food": "food",
    "delivery": "food",
    "hotel": "hotel",
    "electronics": "electronics",
    "cosmetics": "cosmetics",
    "app": "app",
}
DOMAINS = tuple(TAXONOMY_OF)


def read_domains(split: str) -> dict[str, dict[str, tuple[str, GoldSample]]]:
    """Return the texts and their gold by domain and uid."""
    source = DataSource(name="ko_triplets", split=split)
    gold = load_gold(source)
    found: dict[str, dict[str, tuple[str, GoldSample]]] = defaultdict(dict)
    for sample in load_samples(source).samples:
        domain = next((tag for tag in gold[sample.uid].tags if tag in TAXONOMY_OF), None)
        if domain is not None:
            found[domain][sample.uid] = sample.text, gold[sample.uid]
    return found


def ref_score(samples: dict[str, tuple[str, GoldSample]], taxonomy: str, protocol: str) -> Score:
    """Return the ref-pol score of the final result."""
    pipeline = Pipeline({"protocol": protocol, "taxonomy": taxonomy, "language": "ko"})
    predicted: dict[str, list[TupleLike]] = {
        uid: list(final_triplets(pipeline.analyze(text, uid=uid).final_tuples)) for uid, (text, _) in samples.items()
    }
    right: dict[str, list[TupleLike]] = {uid: list(gold.tuples) for uid, (_, gold) in samples.items()}
    return score(predicted, right, "ref_pol")


def mapped(samples: dict[str, tuple[str, GoldSample]], taxonomy_name: str) -> tuple[float, float]:
    """Return the share of gold tuples whose term and opinion lead to their category, and of those that are general."""
    taxonomy = load_taxonomy(taxonomy_name, "ko")
    items = [item for _, gold in samples.values() for item in gold.tuples]
    refs = [category_of(item.aspect_term, item.opinion_term, "", "ko", taxonomy) for item in items]
    right = sum(ref == item.aspect_ref for ref, item in zip(refs, items, strict=True))
    return right / len(items), sum(item.aspect_ref == taxonomy.general for item in items) / len(items)


def main() -> None:
    """Print one row per domain, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", default="dev", choices=("train", "dev", "test"))
    parser.add_argument("--protocol", default="cr_v2")
    arguments = parser.parse_args()
    print("| domain | texts | none | nikl2022 | own taxonomy (P, R) | gold tuples placed | all general |")
    print("|---|---|---|---|---|---|---|")
    domains = read_domains(arguments.split)
    totals = [Score(0, 0, 0)] * 3
    for domain in DOMAINS:
        samples, own = domains[domain], TAXONOMY_OF[domain]
        scores = [ref_score(samples, name, arguments.protocol) for name in ("none", "nikl2022", own)]
        totals = [total + each for total, each in zip(totals, scores, strict=True)]
        placed, general = mapped(samples, own)
        print(f"| {domain} | {len(samples)} | {_cells(scores)} | {100 * placed:.1f} | {100 * general:.1f} |")
    print(f"| all | {sum(map(len, domains.values()))} | {_cells(totals)} | | |")


def _cells(scores: list[Score]) -> str:
    *others, own = (f"{100 * each.f1:.1f}" for each in scores)
    shares = f"{100 * scores[-1].precision:.1f}, {100 * scores[-1].recall:.1f}"
    return " | ".join([*others, f"{own} ({shares})"])


if __name__ == "__main__":
    main()
