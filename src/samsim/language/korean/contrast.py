"""Korean contrast markers with the clause on each side.

-지만 and 하지만 always contrast. -는데, -고, -어도 and 대신 do so only if their two sides show it, because
-는데 mostly gives background (어제 샀는데 …) and -어도 often grants permission (먹어도 된다).
"""

from __future__ import annotations

from bisect import bisect_left

from samsim.language.korean.grammar import PARTICLES, Tokens
from samsim.schemas.analysis import Cue, Offsets, PolarityWord

_ALWAYS = frozenset({"지만", "으나", "건만", "더라도", "을지라도", "ㄹ지라도", "면서도", "으면서도", "련만"})
_BACKGROUND = frozenset({"는데", "ㄴ데", "은데", "던데", "ㄴ데도", "은데도", "는데도", "인데"})
_CONCESSIVE = frozenset({"어도", "아도", "여도", "라도"})
_CONJUNCTIONS = frozenset(
    {"근데", "그런데", "하지만", "그러나", "그래도", "그렇지만", "다만", "반면", "반면에", "허나", "그럼에도"}
)
_PERMITTING = frozenset({"되다", "좋다", "괜찮다", "상관없다", "무방하다"})
_COMPARING = {"비하다": "비해", "반하다": "반해", "불구하다": "불구하고"}
_TOPICS = frozenset({"은", "는", "ㄴ"})

Range = tuple[int, int]


def find_contrasts(
    text: str, tokens: Tokens, clauses: list[Offsets], ranges: list[Range], words: list[PolarityWord]
) -> list[Cue]:
    """Return the contrast cues of a text, in text order."""
    finder = _Finder(text, tokens, clauses, ranges, words)
    cues: list[Cue] = []
    for number, (first, last) in enumerate(ranges):
        for index in range(first, last):
            cue = finder.at(number, index)
            if cue is not None:
                cues.append(cue)
    return cues


class _Finder:
    """The clauses of one text with their polarity, for looking at both sides of each marker."""

    def __init__(
        self, text: str, tokens: Tokens, clauses: list[Offsets], ranges: list[Range], words: list[PolarityWord]
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.clauses = clauses
        self.ranges = ranges
        starts = [word.start for word in words]
        self.polarity = [
            sum(word.in_context for word in words[bisect_left(starts, start) : bisect_left(starts, end)])
            for start, end in clauses
        ]

    def at(self, number: int, index: int) -> Cue | None:
        """Return the contrast cue whose marker is token ``index`` of clause ``number``, if it is one."""
        token = self.tokens[index]
        if token.tag == "EC":
            return self._ending(number, index) if self._is_last(number, index) else None
        if token.form in _CONJUNCTIONS and token.tag in ("MAJ", "NNG", "MAG", "IC"):
            return self._conjunction(number, index)
        if token.tag == "JX" and token.form == "만" and self._is_last(number, index):
            before = self.tokens[index - 1] if index else None
            if before is not None and before.form.endswith(("습니다", "ㅂ니다", "네요")):
                return self._between(number, index)
        if token.tag == "JX" and token.form.endswith("커녕"):
            return self._inside(number, index)
        if token.lemma in _COMPARING or token.form in ("대신", "비해", "반면"):
            return self._comparison(number, index)
        return None

    def _is_last(self, number: int, index: int) -> bool:
        """Return whether only particles and commas follow the token in its clause."""
        rest = (self.tokens[place].tag for place in range(index + 1, self.ranges[number][1]))
        return all(tag in PARTICLES or tag == "SP" for tag in rest)

    def _ending(self, number: int, index: int) -> Cue | None:
        form = self.tokens[index].form
        if form in _ALWAYS or form.endswith("지만") or (form == "나" and self._opposed(number)):
            return self._between(number, index)
        if form in _BACKGROUND and (
            self._opposed(number) or self._both_topics(number) or self._judged_question(number)
        ):
            return self._between(number, index)
        if form in _CONCESSIVE and self.polarity[number] and not self._permits(number):
            return self._between(number, index)
        if form == "고" and self._opposed(number) and self._both_topics(number, judged=False):
            return self._between(number, index)
        return None

    def _opposed(self, number: int) -> bool:
        following = number + 1
        return following < len(self.polarity) and self.polarity[number] * self.polarity[following] < 0

    def _both_topics(self, number: int, judged: bool = True) -> bool:
        """Return whether both clauses have a topic (는 … 는) and, if ``judged``, the first evaluates it."""
        if number + 1 >= len(self.ranges) or (judged and not self.polarity[number]):
            return False
        return self._has_topic(number) and self._has_topic(number + 1)

    def _judged_question(self, number: int) -> bool:
        """Return whether -도 turns the background into a concession (친절한데도 …)."""
        last = self.tokens[self.ranges[number][1] - 1]
        return last.tag == "JX" and last.form == "도" and bool(self.polarity[number])

    def _has_topic(self, number: int) -> bool:
        first, last = self.ranges[number]
        return any(t.tag == "JX" and t.form in _TOPICS for t in self.tokens[first:last])

    def _permits(self, number: int) -> bool:
        if number + 1 >= len(self.ranges):
            return True
        first = self.ranges[number + 1][0]
        return self.tokens[first].lemma in _PERMITTING

    def _between(self, number: int, index: int) -> Cue:
        start = self.clauses[number][0]
        left = (start, max(start, self.tokens[index - 1].end if index else start))
        right = self.clauses[number + 1] if number + 1 < len(self.clauses) else (self.clauses[number][1],) * 2
        return self._cue(index, index, left, (right[0], right[1]))

    def _conjunction(self, number: int, index: int) -> Cue:
        token = self.tokens[index]
        start = self.clauses[number][0]
        left = (start, token.start)
        if index == self.ranges[number][0]:
            left = self.clauses[number - 1] if number else (token.start, token.start)
        end = max(self.clauses[number][1], token.end)
        if index + 1 >= self.ranges[number][1] and number + 1 < len(self.clauses):
            return self._cue(index, index, left, self.clauses[number + 1])
        return self._cue(index, index, left, self._trimmed(token.end, end))

    def _inside(self, number: int, index: int) -> Cue:
        start, end = self.clauses[number]
        token = self.tokens[index]
        return self._cue(index, index, (start, token.start), self._trimmed(token.end, max(end, token.end)))

    def _comparison(self, number: int, index: int) -> Cue | None:
        """Return the cue of 가격에 비해 … or 비싼 대신 …; the two sides are parts of one clause or two clauses."""
        start, end = self.clauses[number]
        last = index
        while last + 1 < self.ranges[number][1] and self.tokens[last + 1].tag in ("EC", "JKB", "JX", "SP"):
            last += 1
        if self.tokens[last].tag == "SP":
            last -= 1
        rest = self._trimmed(self.tokens[last].end, max(end, self.tokens[last].end))
        left_start = start
        if rest[0] == rest[1] and number + 1 < len(self.clauses):
            rest = self.clauses[number + 1]
        if self.tokens[index].form == "대신" and self.tokens[index - 1].tag != "ETM":
            return None
        return self._cue(index, last, (left_start, self.tokens[index].start), rest)

    def _trimmed(self, start: int, end: int) -> Offsets:
        while start < end and (self.text[start].isspace() or self.text[start] in ",.;"):
            start += 1
        return start, end

    def _cue(self, first: int, last: int, left: Offsets, right: Offsets) -> Cue:
        start, end = self.tokens[first].start, self.tokens[last].end
        end = max(start, end)
        stripped = left[0] + len(self.text[left[0] : left[1]].rstrip())
        return Cue("contrast", self.text[start:end], start, end, ((left[0], stripped), right))
