from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.language.english.analysis import analyze_english
from samsim.language.english.lemmas import lemma_of
from samsim.language.english.tagger import tag_words
from samsim.language.english.tokens import split_sentences, split_words


def _forms(text: str) -> list[str]:
    return [text[word.start : word.end] for word in split_words(text)]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("I don't know.", ["I", "do", "n't", "know", "."]),
        ("It can’t be", ["It", "ca", "n’t", "be"]),
        ("We cannot go", ["We", "can", "not", "go"]),
        ("dont wont", ["do", "nt", "wo", "nt"]),
        ("the chef's well-made soup", ["the", "chef", "'s", "well-made", "soup"]),
        ("do n't , it 's", ["do", "n't", ",", "it", "'s"]),
        ("wow... ok?!", ["wow", "...", "ok", "?!"]),
        ("see https://a.example/b?c=d now", ["see", "https://a.example/b?c=d", "now"]),
        ("$5.50 for 8GB", ["$5.50", "for", "8GB"]),
        ("good 👍 :)", ["good", "👍", ":)"]),
        ("", []),
        (" \t\n", []),
    ],
)
def test_words(text: str, forms: list[str]) -> None:
    assert _forms(text) == forms


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The soup was cold. We left.", 2),
        ("Really?! Yes.", 2),
        ("Dr. Kim paid $3.50 for it.", 1),
        ("First line\n\nSecond line", 2),
        ("- good soup\n- bad bread", 2),
        ("The soup was\nfine.", 1),
        ('"It was bad." She left.', 2),
        ("the soup was fine ... and so on", 1),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(split_sentences(text, split_words(text))) == count


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("The soup was not good .", ["DET", "NOUN", "AUX", "PART", "ADJ", "PUNCT"]),
        ("We love the grilled salmon", ["PRON", "VERB", "DET", "ADJ", "NOUN"]),
        ("the service is pretty slow", ["DET", "NOUN", "AUX", "ADV", "ADJ"]),
        ("it runs smoothly and quickly", ["PRON", "VERB", "ADV", "CCONJ", "ADV"]),
    ],
)
def test_tags(text: str, tags: list[str]) -> None:
    forms = text.split()
    assert tag_words(forms, [form.lower() for form in forms]) == tags


@pytest.mark.parametrize(
    ("low", "tag", "lemma"),
    [
        ("dishes", "NOUN", "dish"),
        ("batteries", "NOUN", "battery"),
        ("glass", "NOUN", "glass"),
        ("was", "AUX", "be"),
        ("hated", "VERB", "hate"),
        ("stopped", "VERB", "stop"),
        ("died", "VERB", "die"),
        ("tries", "VERB", "try"),
        ("tastier", "ADJ", "tasty"),
        ("worst", "ADJ", "bad"),
        ("faster", "ADJ", "fast"),
    ],
)
def test_lemmas(low: str, tag: str, lemma: str) -> None:
    assert lemma_of(low, tag) == lemma


@given(st.text(max_size=300))
def test_any_text_has_an_exact_analysis(text: str) -> None:
    analysis = analyze_english(text)
    assert analysis.text == text
    for token in analysis.tokens:
        assert text[token.start : token.end] == token.form
        assert token.form
        assert token.tag
    kept = {position for token in analysis.tokens for position in range(token.start, token.end)}
    assert all(text[position].isspace() for position in range(len(text)) if position not in kept)
    spans = [*analysis.sentences, *analysis.clauses, *((word.start, word.end) for word in analysis.polarity_words)]
    for cue in analysis.cues:
        spans += [(cue.start, cue.end), *cue.scopes]
    assert all(0 <= start <= end <= len(text) for start, end in spans)


_WORDS = st.sampled_from(
    "not n't no never but although while yet too to the soup was good bad is , . \" ( ) and it".split()
)


@given(st.lists(_WORDS, max_size=60))
def test_any_order_of_function_words_is_survived(words: list[str]) -> None:
    analyze_english(" ".join(words))


@pytest.mark.parametrize(
    "piece", ["the soup was not good but ", "a", "'", ". ", "not ", "(", "é\u0301\u202e", "\x00", "good "]
)
def test_fifty_kilobytes_of_one_piece_are_survived(piece: str) -> None:
    # A quadratic step would not end within the patience of a test run; speed itself is measured by benchmarks/.
    text = piece * (50_000 // len(piece))
    analysis = analyze_english(text)
    assert all(text[token.start : token.end] == token.form for token in analysis.tokens)
