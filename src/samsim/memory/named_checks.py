"""Which checks the advice in a prompt asks a reviewer to carry out.

The embedded reviewers read the same memory context as a model does; they know the catalogue's
sentences and do what the principle behind each of them names.
"""

from __future__ import annotations

from functools import cache

from samsim.memory.principles import Check, all_principles


def checks_named_in(context: str) -> frozenset[Check]:
    """The checks of every principle whose sentence stands in the context, in either language."""
    if not context:
        return frozenset()
    return frozenset(check for sentence, check in _sentences() if sentence in context)


@cache
def _sentences() -> tuple[tuple[str, Check], ...]:
    return tuple(
        (" ".join(text.split()), principle.check)
        for principle in all_principles()
        if principle.check is not None
        for text in (principle.ko, principle.en)
    )
