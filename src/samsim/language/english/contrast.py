"""English contrast markers and the two clauses they set against each other."""

from __future__ import annotations

from samsim.language.english.sentence import Sentence, opens_clause
from samsim.schemas.analysis import Cue, Offsets

_ALWAYS = frozenset("whereas although albeit nevertheless nonetheless".split())
_EXCEPT_BEFORE_BUT = frozenset(
    "all nothing anything everything everyone none nobody anyone everybody no-one not ca cannot one".split()
)
_YET_BEFORE = frozenset("have has had n't not as best".split())
_YET_AFTER = frozenset("to another again more been".split())
_ONES_OWN_DOINGS = frozenset("i we you he she they someone my".split())
_PHRASES = (
    ("on", "the", "other", "hand"), ("even", "though"), ("in", "spite", "of"), ("having", "said", "that"),
    ("that", "being", "said"), ("that", "said"), ("except", "for"), ("other", "than", "that"), ("even", "so"),
    ("at", "the", "same", "time"),
)  # fmt: skip
_INSERTABLE = frozenset({"however", "though", "nevertheless", "nonetheless", "on the other hand"})
_FRONTED = frozenset({"although", "though", "while", "despite", "whereas", "even though", "in spite of", "albeit"})


def contrast_cues(text: str, sentence: Sentence, starts: list[int], earlier: Offsets | None) -> list[Cue]:
    """Return the contrast cues of a sentence; ``earlier`` is the previous sentence, for markers that look back."""
    cues: list[Cue] = []
    markers = _markers(sentence)
    for order, (first, last) in enumerate(markers):
        start, end = sentence.words[first].start, sentence.words[last - 1].end
        marker = text[start:end].lower()
        until = markers[order + 1][0] if order + 1 < len(markers) else len(sentence.lows)
        since = markers[order - 1][1] if order else 0
        scopes = _scopes(sentence, first, last, since, until, marker, earlier, starts)
        cues.append(Cue("contrast", marker, start, end, scopes))
    return cues


def _markers(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the positions of the contrast markers, as half-open ranges."""
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(sentence.lows):
        length = _marker_length(sentence, index)
        if length:
            found.append((index, index + length))
        index += max(length, 1)
    return found


def _marker_length(sentence: Sentence, index: int) -> int:
    low = sentence.lows[index]
    for phrase in _PHRASES:
        if low == phrase[0] and tuple(sentence.lows[index : index + len(phrase)]) == phrase:
            return len(phrase)
    if low in _ALWAYS:
        return 1
    check = _CHECKS.get(low)
    return 1 if check is not None and check(sentence, index) else 0


def _is_but(sentence: Sentence, index: int) -> bool:
    """Return whether "but" contrasts; not in "all but", "not only … but also" or "last but not least"."""
    before, after = sentence.low(index - 1), sentence.low(index + 1)
    if before in _EXCEPT_BEFORE_BUT or after in ("for", "to") or (before == "last" and after == "not"):
        return False
    if before == "help" or (after == "also" and "not" not in sentence.lows[:index]):
        return before != "help"
    for position in range(index - 1, max(-1, index - 20), -1):
        if sentence.lows[position] in ("not", "n't") and sentence.low(position + 1) in (
            "only",
            "just",
            "merely",
            "simply",
        ):
            return False
    return True


def _is_however(sentence: Sentence, index: int) -> bool:
    """Return whether "however" contrasts; not in "however hard we tried"."""
    return sentence.tag(index + 1) not in ("ADJ", "ADV") or sentence.low(index - 1) in (",", ";")


def _is_though(sentence: Sentence, index: int) -> bool:
    return sentence.low(index - 1) not in ("as", "even")


def _is_while(sentence: Sentence, index: int) -> bool:
    """Return whether "while" contrasts; in "while I was waiting" and "for a while" it is about time."""
    before, after = sentence.low(index - 1), sentence.low(index + 1)
    if before in ("a", "the", "worth", "my", "your", "little", "long") or sentence.tag(index + 1) in (
        "PUNCT",
        "",
        "ADP",
    ):
        return False
    if after.endswith("ing") or after in ("still", "there", "here", "also", "when", "just"):
        return False
    end = index + 1
    while end < len(sentence.lows) and sentence.tags[end] != "PUNCT":
        end += 1
    inside = range(index + 1, min(end, index + 12))
    if any(sentence.tags[i] == "AUX" and sentence.low(i + 1).endswith("ing") for i in inside):
        return False
    if after in _ONES_OWN_DOINGS:
        return index == 0 and any(sentence.tags[i] == "ADJ" for i in inside)
    return index == 0 or before == "," or any(sentence.tags[i] == "ADJ" for i in inside)


def _is_yet(sentence: Sentence, index: int) -> bool:
    """Return whether "yet" contrasts; not in "not yet", "yet to come", "yet another" or "the best yet"."""
    if sentence.low(index + 1) in _YET_AFTER or sentence.tag(index + 1) in ("PUNCT", ""):
        return False
    recent = [sentence.low(position) for position in range(max(0, index - 4), index)]
    joined = sentence.low(index - 1) in (",", "and", ";", "") or sentence.tag(index - 1) == "ADJ"
    return joined and not _YET_BEFORE.intersection(recent[-2:])


def _has_object(sentence: Sentence, index: int) -> bool:
    """Return whether anything follows the marker, as in "despite the noise" or "except for the zipper"."""
    return sentence.tag(index + 1) not in ("PUNCT", "")


_CHECKS = {
    "but": _is_but, "however": _is_however, "though": _is_though, "tho": _is_though, "while": _is_while, "yet": _is_yet,
    "despite": _has_object, "except": _has_object,
}  # fmt: skip


def _scopes(
    sentence: Sentence,
    first: int,
    last: int,
    since: int,
    until: int,
    marker: str,
    earlier: Offsets | None,
    starts: list[int],
) -> tuple[Offsets, Offsets]:
    """Return the two sides: before and after the marker, or the two clauses that a fronted marker introduces."""
    here = sentence.words[first].start
    looking_back = earlier or (here, here)
    if since == 0 and all(tag in ("PUNCT", "CCONJ", "ADV", "INTJ") for tag in sentence.tags[:first]):
        comma = _closing_comma(sentence, last, until, starts) if marker in _FRONTED else 0
        if comma:
            return sentence.span(last, comma), sentence.span(comma, until)
        return looking_back, sentence.span(last, until)
    if all(tag == "PUNCT" for tag in sentence.tags[last:]):  # "The bread was great though."
        begin = max((start for start in starts if since <= start < first), default=since)
        return (sentence.span(since, begin) if begin > since else looking_back), sentence.span(begin, first)
    between_commas = sentence.low(first - 1) == "," == sentence.low(last)
    if (
        marker in _INSERTABLE and between_commas and not opens_clause(sentence, last + 1)
    ):  # "The candle, however, has no scent."
        return looking_back, sentence.span(since, until)
    return sentence.span(since, first), sentence.span(last, until)


def _closing_comma(sentence: Sentence, begin: int, until: int, starts: list[int]) -> int:
    """Return where a fronted marker's clause ends: the comma before the next clause, else the last comma, else 0."""
    commas = [i for i in range(begin, until) if sentence.lows[i] == ","]
    for comma in commas:
        if comma + 1 in starts:
            return comma
    if commas:
        return commas[-1]
    later = [start for start in starts if start > begin + 1]
    return later[0] if later else 0
