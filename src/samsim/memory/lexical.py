"""The tokens by which memory compares texts, the same in every store backend.

Korean particles attach to their noun, so runs of Hangul become overlapping pairs of syllables: 품질이,
품질은 and 품질을 all share 품질. Codes and Latin words stay whole.
"""

from __future__ import annotations

import re
import unicodedata

_HANGUL_RUN = r"[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]+"
_WORD_RUN = r"[0-9_a-z\u00df-\u00f6\u00f8-\u024f]+"
_RUNS = re.compile(f"(?P<hangul>{_HANGUL_RUN})|{_WORD_RUN}")


def tokens(text: str) -> frozenset[str]:
    """Return the tokens of a text (NFKC, lowercase): Hangul bigrams or lone syllables; Latin, digit and _ words."""
    found: set[str] = set()
    for run in _RUNS.finditer(unicodedata.normalize("NFKC", text).lower()):
        piece = run.group()
        if run.group("hangul") is None or len(piece) == 1:
            found.add(piece)
        else:
            found.update(piece[start : start + 2] for start in range(len(piece) - 1))
    return frozenset(found)
