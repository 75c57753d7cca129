"""Build the shipped Korean triplet set from its two annotations, and report how far they agree.

    python tools/build_ko_triplets.py

``tools/ko_triplets/`` holds the texts, what annotators A and B wrote independently of each other, and the adjudicated
tuples of the texts on which they differ. The set that ships (``ko_triplets``) is made from these files alone; the
same files give the same bytes. How the annotators worked is in ``docs/data-cards/ko-triplets.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samsim.language.analyze import analyze_text
from samsim.language.opinions import OpinionReader, opinions_of
from samsim.metrics.agreement import cohen_kappa

SOURCE = Path(__file__).parent / "ko_triplets"
SHIPPED = Path(__file__).parents[1] / "src" / "samsim" / "data" / "samples"
NAME = "ko_triplets"
# In a hundred texts of a domain, ordered by the digest of their id.
SPLITS = (("train", 60), ("dev", 75), ("test", 100))
# Decision 1 of the guidelines: a film as a whole that is judged by one attribute belongs to that attribute.
MOVIE_CATEGORIES = {
    "재미": ("지루", "재미", "재밌", "재밋", "노잼", "꿀잼", "핵잼", "웃기", "웃겼", "몰입"),
    "감동": ("감동", "눈물", "먹먹", "뭉클", "울었"),
}

Place = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Opinion:
    """One annotated tuple with exact places in its text."""

    aspect: Place
    opinion: Place
    category: str
    polarity: str


def read(name: str) -> list[dict[str, Any]]:
    """Read the lines of a file of the annotation."""
    return [json.loads(line) for line in (SOURCE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def annotated(name: str, texts: Mapping[str, str]) -> dict[str, list[Opinion]]:
    """Return the tuples of one annotator by text; a tuple that does not fit its text is an error."""
    return {row["uid"]: [_opinion(item, texts[row["uid"]]) for item in row["tuples"]] for row in read(name)}


def _opinion(item: Mapping[str, Any], text: str) -> Opinion:
    aspect = _place(item["aspect_term"], item.get("aspect_start"), text)
    opinion = _place(item["opinion"], item.get("opinion_start"), text)
    if opinion is None:
        raise ValueError(f"a tuple without an opinion in {text!r}")
    return Opinion(aspect, opinion, item["category"], item["polarity"])


def _place(term: str, start: int | None, text: str) -> Place:
    if not term:
        return None
    at = text.find(term) if start is None else start
    if at < 0 or text[at : at + len(term)] != term:
        raise ValueError(f"{term!r} does not stand at {start} in {text!r}")
    return at, at + len(term)


def agreement(first: Mapping[str, Sequence[Opinion]], second: Mapping[str, Sequence[Opinion]]) -> Iterator[str]:
    """Yield one line per measure of agreement; tuples are paired where their opinions overlap."""
    pairs = [pair for uid in first for pair in _paired(first[uid], second[uid])]
    counts = sum(map(len, first.values())), sum(map(len, second.values()))
    identical = sum(Counter(first[uid]) == Counter(second[uid]) for uid in first)
    yield f"texts: {len(first)}, annotated identically: {identical} ({identical / len(first):.1%}); tuples: {counts}"
    matched = {
        "opinions that overlap": len(pairs),
        "opinion spans, exact": sum(one.opinion == other.opinion for one, other in pairs),
        "aspect spans, exact": sum(one.aspect == other.aspect for one, other in pairs),
        "triplets (both spans overlap, same polarity)": sum(
            _overlap(one.aspect, other.aspect) and one.polarity == other.polarity for one, other in pairs
        ),
        "all fields, exact": sum(one == other for one, other in pairs),
    }
    for name, number in matched.items():
        yield f"F1 of {name}: {2 * number / sum(counts):.3f}"
    for field in ("polarity", "category"):
        labels = [(getattr(one, field), getattr(other, field)) for one, other in pairs]
        yield f"Cohen's kappa of {field} over {len(labels)} paired tuples: {cohen_kappa(Counter(labels)):.3f}"


def _paired(first: Sequence[Opinion], second: Sequence[Opinion]) -> Iterator[tuple[Opinion, Opinion]]:
    left = list(second)
    for one in first:
        near = [other for other in left if _overlap(one.opinion, other.opinion)]
        if near:
            best = min(near, key=lambda other: (other.aspect != one.aspect, other.opinion != one.opinion))
            left.remove(best)
            yield one, best


def _overlap(one: Place, other: Place) -> bool:
    if one is None or other is None:
        return one is other
    return one[0] < other[1] and other[0] < one[1]


def split_of(texts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Assign every text to a split, by domain, so that each split has every domain in the same share."""
    by_domain: dict[str, list[str]] = {}
    for row in texts:
        by_domain.setdefault(row["domain"], []).append(row["uid"])
    found = {}
    for uids in by_domain.values():
        ordered = sorted(uids, key=lambda uid: hashlib.sha256(uid.encode()).hexdigest())
        for number, uid in enumerate(ordered):
            share = 100 * number / len(ordered)
            found[uid] = next(name for name, limit in SPLITS if share < limit)
    return found


def gold_tuple(item: Opinion, text: str, domain: str, opinions: OpinionReader) -> dict[str, Any]:
    """Return a tuple as the set holds it: the opinion in the form of our convention, the ref as the category."""
    assert item.opinion is not None
    words = text[slice(*item.opinion)]
    category = item.category
    if domain == "movie" and category == "전체":
        category = next((name for name, stems in MOVIE_CATEGORIES.items() if words.startswith(stems)), category)
    return {
        "aspect_term": "" if item.aspect is None else text[slice(*item.aspect)],
        "aspect_ref": category,
        "opinion_term": opinions.normal(words),
        "polarity": item.polarity,
        "span": None if item.aspect is None else {"start": item.aspect[0], "end": item.aspect[1]},
    }


def tags_of(items: Sequence[Opinion], domain: str) -> list[str]:
    """Return what subsets of the set are reported by."""
    tags = [domain]
    if any(item.aspect is None for item in items):
        tags.append("implicit")
    if len(items) > 1:
        tags.append("multi")
    return tags


def main() -> None:
    rows = read("texts")
    texts = {row["uid"]: row["text"] for row in rows}
    first, second = annotated("annotator_a", texts), annotated("annotator_b", texts)
    decided = annotated("adjudicated", texts)
    missing = [uid for uid in texts if Counter(first[uid]) != Counter(second[uid]) and uid not in decided]
    if missing:
        raise SystemExit(f"{len(missing)} texts are not adjudicated: {missing[:5]}")
    for line in agreement(first, second):
        print(line)
    print(f"adjudicated texts: {len(decided)}")
    splits = split_of(rows)
    samples: dict[str, list[dict[str, Any]]] = {name: [] for name, _ in SPLITS}
    gold: dict[str, list[dict[str, Any]]] = {name: [] for name, _ in SPLITS}
    for row in rows:
        uid, text, domain = row["uid"], row["text"], row["domain"]
        items = decided.get(uid, first[uid])
        samples[splits[uid]].append({"uid": uid, "language": "ko", "text": text})
        opinions = opinions_of(analyze_text(text, "ko"))
        tuples = [gold_tuple(item, text, domain, opinions) for item in items]
        gold[splits[uid]].append({"uid": uid, "tuples": tuples, "tags": tags_of(items, domain)})
    for split, _ in SPLITS:
        for ending, lines in (("jsonl", samples[split]), ("gold.jsonl", gold[split])):
            content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (SHIPPED / f"{NAME}.{split}.{ending}").write_text(content, encoding="utf-8")
    counts = Counter(splits.values())
    polarities = Counter(item["polarity"] for lines in gold.values() for line in lines for item in line["tuples"])
    print(f"written: {len(rows)} texts ({dict(counts)}), {sum(polarities.values())} tuples ({dict(polarities)})")


if __name__ == "__main__":
    main()
