from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from samsim.errors import ConfigError
from samsim.experiments.config.yaml_edits import with_values
from tests.support.strategies import steady

PLACE: tuple[str | int, ...] = ("engines", "default")
VALUES: dict[str, int | float] = {"concurrency": 1, "timeout_s": 60}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "engines:\n  default:\n    kind: a # x\n    # y\n  other: 1\n",
            "engines:\n  default:\n    kind: a # x\n    concurrency: 1\n    timeout_s: 60\n    # y\n  other: 1\n",
        ),
        (
            "engines:\n  default:\n    timeout_s:   5.5   # slow\n    concurrency: 16\n    model: m",
            "engines:\n  default:\n    timeout_s:   60   # slow\n    concurrency: 1\n    model: m",
        ),
        (
            "engines:\n  default:\n    timeout_s:\n    concurrency: # how many?\n    model: m\n",
            "engines:\n  default:\n    timeout_s: 60\n    concurrency: 1 # how many?\n    model: m\n",
        ),
        ("engines: {default: {model: m}} # z", "engines: {default: {concurrency: 1, timeout_s: 60, model: m}} # z"),
        (
            "engines:\n  default: {model: m, timeout_s: 7}\n",
            "engines:\n  default: {concurrency: 1, model: m, timeout_s: 60}\n",
        ),
        (
            "engines:\r\n  default:\r\n    model: m\r\nname: x\r\n",
            "engines:\r\n  default:\r\n    model: m\r\n    concurrency: 1\r\n    timeout_s: 60\r\nname: x\r\n",
        ),
        (
            "engines:\n  default:\n    model: m",
            "engines:\n  default:\n    model: m\n    concurrency: 1\n    timeout_s: 60\n",
        ),
        (
            "engines:\n  default:\n    extra_body:\n      a: 1\nname: 이름\n",
            "engines:\n  default:\n    concurrency: 1\n    timeout_s: 60\n    extra_body:\n      a: 1\nname: 이름\n",
        ),
        (
            "\ufeffengines:\n  default:\n    model: m\n",
            "\ufeffengines:\n  default:\n    model: m\n    concurrency: 1\n    timeout_s: 60\n",
        ),
    ],
)
def test_only_the_two_values_change(before: str, after: str) -> None:
    assert with_values(before, {PLACE: VALUES}) == after


def test_several_places_are_set_at_once() -> None:
    text = "engines:\n  default:\n    model: m\n  C: {model: n}\n"
    edits: dict[tuple[str | int, ...], dict[str, int | float]] = {PLACE: VALUES, ("engines", "C"): {"concurrency": 4}}
    assert with_values(text, edits) == (
        "engines:\n  default:\n    model: m\n    concurrency: 1\n    timeout_s: 60\n  C: {concurrency: 4, model: n}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "base: &base {model: m}\nengines: {default: *base}\n",
        "engines: {default: &base {model: m}, C: *base}\n",
    ],
)
def test_what_cannot_be_changed_alone_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="by hand"):
        with_values(text, {PLACE: VALUES})


def test_what_is_merged_in_is_overruled_where_it_is_used() -> None:
    text = "base: &base {model: m, timeout_s: 5}\nengines:\n  default:\n    <<: *base\n    temperature: 0\n"
    written = yaml.safe_load(with_values(text, {PLACE: VALUES}))
    assert written["engines"]["default"] == {"model": "m", "temperature": 0, **VALUES}
    assert written["base"]["timeout_s"] == 5


SCALARS = st.none() | st.integers() | st.text(max_size=8)


@settings(parent=steady, max_examples=60)
@given(
    limits=st.dictionaries(st.sampled_from(tuple(VALUES)), SCALARS),
    others=st.dictionaries(
        st.sampled_from(("model", "base_url", "extra_body", "kind")),
        SCALARS | st.dictionaries(st.text(max_size=3), st.text(max_size=9)),
        min_size=1,
    ),
    flow=st.sampled_from((True, False, None)),
)
def test_every_file_keeps_all_else(limits: dict[str, Any], others: dict[str, Any], flow: bool | None) -> None:
    engine = limits | others
    engines = {"default": engine, "C": {"kind": "embedded"}}
    content = {"engines": engines, "name": "x"}
    text = yaml.safe_dump(content, default_flow_style=flow, allow_unicode=True)
    changed = with_values(text, {PLACE: VALUES})
    assert yaml.safe_load(changed) == {**content, "engines": {**engines, "default": engine | VALUES}}
