"""Train the shipped English tagger from sentences labeled by two other taggers.

    train_english_tagger.py TRAIN.wink.jsonl TRAIN.compromise.jsonl DEV.wink.jsonl DEV.compromise.jsonl OUT.json.gz

Each line of a label file is ``{"text": …, "words": […], "tags": […]}``; the two files of a split have the
same texts in the same order. ``docs/data-cards/english-tagger.md`` says how they were made.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from samsim.language.english.tagger import (
    TaggerModel,
    best_tag,
    context_features,
    hint_of,
    known_tag,
    shape_of,
)
from samsim.language.english.tokens import split_sentences, split_words

EPOCHS = 6
MIN_COUNT = 3
CERTAIN_SHARE = 0.985
SMALLEST_WEIGHT = 0.5
OPEN_CLASSES = frozenset({"NOUN", "PROPN", "ADJ", "ADV", "VERB"})
BE_HAVE = frozenset("is was are were has had 's isn wasn".split())
_COMPROMISE = (
    ("Negative", "PART"), ("Copula", "AUX"), ("Auxiliary", "AUX"), ("Modal", "AUX"), ("Pronoun", "PRON"),
    ("Determiner", "DET"), ("ProperNoun", "PROPN"), ("Adjective", "ADJ"), ("Comparable", "ADJ"), ("Gerund", "VERB"),
    ("Verb", "VERB"), ("Adverb", "ADV"), ("Noun", "NOUN"), ("Preposition", "ADP"), ("Conjunction", "CCONJ"),
    ("Value", "NUM"),
)  # fmt: skip


@dataclass
class Labelled:
    """A sentence in our own tokens, each with the tag that won the vote."""

    forms: list[str]
    lows: list[str]
    tags: list[str]
    votes: list[tuple[str, str | None]] = field(default_factory=list)


def main(arguments: list[str]) -> None:
    train_a, train_b, dev_a, dev_b, out = map(Path, arguments)
    train = list(_sentences(train_a, train_b))
    dev = list(_sentences(dev_a, dev_b))
    _decide(train, train)
    _decide(dev, train)
    model = _dictionary(train)
    weights = _train(train, model)
    model = TaggerModel(model.certain, model.usual, weights)
    _write(model, out)
    print(f"train {_agreement(train, model):.4f}  held-out {_agreement(dev, model):.4f}")


def _sentences(first: Path, second: Path) -> Iterator[Labelled]:
    """Yield sentences with both labelers' tags, aligned to our tokens by character position."""
    with first.open(encoding="utf-8") as lines_a, second.open(encoding="utf-8") as lines_b:
        for line_a, line_b in zip(lines_a, lines_b, strict=True):
            row_a, row_b = json.loads(line_a), json.loads(line_b)
            text = row_a["text"]
            at_a = _by_position(text, row_a["words"], row_a["tags"])
            at_b = _by_position(text, row_b["words"], [_from_compromise(tags) for tags in row_b["tags"]])
            words = split_words(text)
            for begin, end in split_sentences(text, words):
                part = words[begin:end]
                votes = [(_tag_over(at_a, w.start, w.end) or "X", _tag_over(at_b, w.start, w.end)) for w in part]
                forms = [text[w.start : w.end] for w in part]
                yield Labelled(forms, [w.low for w in part], [], votes)


def _by_position(text: str, words: list[str], tags: list[str]) -> dict[int, tuple[int, str]]:
    """Return a map from start offset to (end offset, tag)."""
    found: dict[int, tuple[int, str]] = {}
    position = 0
    for word, tag in zip(words, tags, strict=True):
        start = text.find(word, position)
        if start >= 0 and word:
            found[start] = (start + len(word), tag)
            position = start + len(word)
    return found


def _tag_over(labels: dict[int, tuple[int, str]], start: int, end: int) -> str | None:
    """Return the tag of the labeler's word at this position; for a hyphenated word, that of its last part."""
    exact = labels.get(start)
    if exact and exact[0] == end:
        return exact[1]
    inside = [labels[at] for at in range(start, end) if at in labels]
    if not inside or inside[-1][0] != end:
        return None
    return "NOUN" if inside[-1][1] == "ADP" else inside[-1][1]  # "plug-in", "lock-up"


def _from_compromise(tags: list[str]) -> str:
    for name, tag in _COMPROMISE:
        if name in tags:
            return tag
    return "X"


def _decide(sentences: list[Labelled], evidence: list[Labelled]) -> None:
    """Decide each word's tag: if the labelers differ on an open class, the word's usual tag wins."""
    agreed: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in evidence:
        for low, form, (tag, other) in zip(sentence.lows, sentence.forms, sentence.votes, strict=True):
            if tag == other and (tag == "PROPN") == form[0].isupper():
                agreed[low][tag] += 1
    for sentence in sentences:
        sentence.tags = [_vote(sentence, index, agreed.get(low, Counter())) for index, low in enumerate(sentence.lows)]


def _vote(sentence: Labelled, index: int, agreed: Counter[str]) -> str:
    tag, other = sentence.votes[index]
    if tag not in OPEN_CLASSES:
        return tag
    usual = agreed.most_common(1)[0][0] if agreed else tag
    form = sentence.forms[index]
    if tag == "PROPN" and agreed and (index == 0 or form.isupper()) and agreed["PROPN"] < sum(agreed.values()) / 2:
        tag = other if other in OPEN_CLASSES and other != "PROPN" else usual
    following = sentence.lows[index + 1] if index + 1 < len(sentence.lows) else ""
    before = sentence.votes[index - 1][0] if index else ""
    if tag == "VERB" and following in BE_HAVE and before not in ("PART", "PRON", "AUX"):
        return "NOUN"
    if tag == other or other not in OPEN_CLASSES or tag == "PROPN":
        return tag
    return usual if usual in (tag, other) and sum(agreed.values()) >= MIN_COUNT else tag


def _dictionary(train: list[Labelled]) -> TaggerModel:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        for low, tag in zip(sentence.lows, sentence.tags, strict=True):
            counts[low][tag] += 1
    certain: dict[str, str] = {}
    usual: dict[str, str] = {}
    for low, tags in counts.items():
        if known_tag(low, {}) is not None or any(c.isspace() for c in low):
            continue
        tag, count = tags.most_common(1)[0]
        total = sum(tags.values())
        if total >= MIN_COUNT and count >= CERTAIN_SHARE * total and tag != "PROPN":
            certain[low] = tag
        elif total >= 2:
            usual[low] = tag
    return TaggerModel(certain, usual, {})


def _train(train: list[Labelled], model: TaggerModel) -> dict[str, dict[str, float]]:
    """Train an averaged perceptron; sentences are visited in a fixed stride instead of a random order."""
    weights: dict[str, dict[str, float]] = {}
    totals: dict[tuple[str, str], float] = defaultdict(float)
    stamps: dict[tuple[str, str], int] = defaultdict(int)
    step = 0
    prepared = [_prepare(sentence, model) for sentence in train]

    def bump(feature: str, tag: str, amount: float) -> None:
        row = weights.setdefault(feature, {})
        key = (feature, tag)
        totals[key] += (step - stamps[key]) * row.get(tag, 0.0)
        stamps[key] = step
        row[tag] = row.get(tag, 0.0) + amount

    for epoch in range(EPOCHS):
        mistakes = 0
        for offset in range(7):
            for sentence, shapes, hints, known in prepared[(offset * 3 + epoch) % 7 :: 7]:
                tags: list[str] = []
                for index, gold in enumerate(sentence.tags):
                    fixed = known[index]
                    if fixed is not None:
                        tags.append(fixed)
                        continue
                    step += 1
                    features = context_features(index, sentence.lows, shapes, hints, tags)
                    guess = best_tag(features, weights, "NOUN")
                    if guess != gold:
                        mistakes += 1
                        for feature in features:
                            bump(feature, gold, 1.0)
                            bump(feature, guess, -1.0)
                    tags.append(guess)
        print(f"epoch {epoch + 1}: {mistakes} mistakes", file=sys.stderr)
    return _average(weights, totals, stamps, step)


def _average(
    weights: dict[str, dict[str, float]],
    totals: dict[tuple[str, str], float],
    stamps: dict[tuple[str, str], int],
    step: int,
) -> dict[str, dict[str, float]]:
    """Return the mean of each weight over all steps, without the small ones."""
    averaged: dict[str, dict[str, float]] = {}
    for feature, row in weights.items():
        kept = {}
        for tag, weight in row.items():
            key = (feature, tag)
            mean = (totals[key] + (step - stamps[key]) * weight) / step
            if abs(mean) >= SMALLEST_WEIGHT:
                kept[tag] = round(mean, 1)
        if kept:
            averaged[feature] = kept
    return averaged


Prepared = tuple[Labelled, list[str], list[str], list[str | None]]


def _prepare(sentence: Labelled, model: TaggerModel) -> Prepared:
    shapes = [shape_of(form, not position) for position, form in enumerate(sentence.forms)]
    hints = [hint_of(low, model) for low in sentence.lows]
    known = [known_tag(low, model.certain) for low in sentence.lows]
    return sentence, shapes, hints, known


def _agreement(sentences: list[Labelled], model: TaggerModel) -> float:
    right = total = 0
    for sentence in sentences:
        _, shapes, hints, known = _prepare(sentence, model)
        tags: list[str] = []
        for index, gold in enumerate(sentence.tags):
            tag = known[index]
            if tag is None:
                features = context_features(index, sentence.lows, shapes, hints, tags)
                tag = best_tag(features, model.weights, model.usual.get(sentence.lows[index], "NOUN"))
            tags.append(tag)
            if gold not in ("PUNCT", "X"):
                total += 1
                right += tag == gold
    return right / total


def _write(model: TaggerModel, out: Path) -> None:
    def grouped(words: dict[str, str]) -> dict[str, str]:
        groups: dict[str, list[str]] = defaultdict(list)
        for word, tag in sorted(words.items()):
            groups[tag].append(word)
        return {tag: " ".join(group) for tag, group in sorted(groups.items())}

    payload = {
        "certain": grouped(model.certain),
        "usual": grouped(model.usual),
        "weights": {feature: model.weights[feature] for feature in sorted(model.weights)},
    }
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    out.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{out}: {out.stat().st_size} bytes, {len(model.weights)} features", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
