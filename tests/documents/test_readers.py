"""Whatever a text holds, the two readers give a value that can be worked with, or their own error."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from samsim import json_text, yaml_text
from samsim.json_text import (
    HalfPairError,
    JsonError,
    NotJsonError,
    RepeatedKeyError,
    flaw_of,
    read_json,
    read_reply,
)
from samsim.yaml_text import YamlError, read_yaml
from tests.documents.hostile import ALIAS_BOMB, ALIAS_TOWER, DEEP_JSON, DEEP_YAML

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(-1e100, 1e100)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_json_can_say_is_read_as_the_json_module_reads_it(value: Any) -> None:
    written = json.dumps(value)
    assert read_json(written) == json.loads(written)
    assert read_json(b"\xef\xbb\xbf" + written.encode()) == json.loads(written)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (DEEP_JSON, "nested more than 200 deep"),
        ("[" * 201 + "]" * 201, "nested more than 200 deep"),
        ('{"a":' * 500 + "1" + "}" * 500, "nested more than 200 deep"),
        ("9" * 5000, "an integer of 5,000 digits"),
        (f"[{10**400}]", "an integer of 401 digits"),
        (f"{2**63}", "an integer of 19 digits"),
        ("1e999", "beyond 1e"),
        ("-1e308", "beyond 1e"),
        ("1" + "0" * 400 + ".0", "beyond 1e"),
        ("NaN", "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        (r'["\ud83d"]', "surrogate"),
        (r'{"\uDE00": 1}', "surrogate"),
        ("{'a': 1}", "column 2"),
        ('{\n"a": x}', "line 2, column 6"),
        (b"\xff", "not UTF-8"),
        ("", "column 1"),
    ],
)
def test_what_nothing_can_be_done_with_is_refused(written: str | bytes, why: str) -> None:
    with pytest.raises(JsonError, match=why):
        read_json(written)


@given(VALUES)
def test_a_reply_is_read_as_the_json_module_reads_it(value: Any) -> None:
    for written in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1)):
        assert repr(read_reply(written)) == repr(json.loads(written))
    assert flaw_of(value) is None


@pytest.mark.parametrize(
    ("written", "kind", "why"),
    [
        ("[" * 65 + "]" * 65, JsonError, "the JSON is nested more than 64 levels deep"),
        (f'{{"a": {"9" * 5000}}}', JsonError, "the JSON has a number that is too large"),
        (f"[{2**63}]", JsonError, "the JSON has a number that is too large"),
        ('{"a": 1e999}', JsonError, "the JSON has a number that is too large"),
        (r'["\ud83d"]', HalfPairError, "the JSON has half a surrogate pair"),
        (r'{"\uDE00": 1}', HalfPairError, "the JSON has half a surrogate pair"),
        ('{"a": 1, "a": 1}', RepeatedKeyError, "the JSON object has a duplicated key"),
        ('[{"a": {"b": "\\n", "c": "", "b": 2}}]', RepeatedKeyError, "the JSON object has a duplicated key"),
        ("[NaN]", NotJsonError, "NaN is not a number"),
        (DEEP_JSON, NotJsonError, "the JSON is nested more than 64 levels deep"),
        ("{'a': 1}", NotJsonError, "column 2"),
        ('{"a": 1} or so', NotJsonError, "column 10"),
        ('{"a": "\n"}', NotJsonError, "column 8"),
        ("\ufeff{}", NotJsonError, "column 1"),
        ("[01]", NotJsonError, "column 3"),
        ("[1.]", NotJsonError, "column 3"),
        ("", NotJsonError, "column 1"),
    ],
)
def test_what_a_reply_may_not_hold_is_refused_in_words_for_its_model(
    written: str, kind: type[JsonError], why: str
) -> None:
    with pytest.raises(JsonError, match=why) as refused:
        read_reply(written)
    assert type(refused.value) is kind


def test_a_reply_within_the_limits_is_read() -> None:
    assert read_reply("[" * 64 + "]" * 64)
    assert read_reply(f"[{2**63 - 1}, {1 - 2**63}, 1e300]") == [2**63 - 1, 1 - 2**63, 1e300]
    assert read_reply(r'"\ud83d\ude00 \\ud83d"') == "😀 \\ud83d"


def test_what_somebody_else_read_from_a_reply_is_held_to_the_same_limits() -> None:
    deep: object = 1
    for _ in range(64):
        deep = [deep]
    assert flaw_of(deep) is None
    refused: list[object] = [[deep], {"a": 2**63}, {"a": [math.inf]}]
    for value in refused:
        assert type(flaw_of(value)) is JsonError
    halves: list[object] = [{"\ud83d": 1}, [["\ude00"]]]
    for value in halves:
        assert type(flaw_of(value)) is HalfPairError


def test_json_within_the_limits_is_read() -> None:
    assert read_json("[" * 200 + "]" * 200)
    assert read_json(str(2**63 - 1)) == 2**63 - 1
    assert read_json(r'"\ud83d\ude00 \\ud83d"') == "😀 \\ud83d"


def test_what_a_model_wrote_may_be_odd_but_not_bottomless() -> None:
    odd = read_json(rf'["\ud83d", {10**400}, 1e999, NaN]', recorded=True)
    assert odd[:2] == ["\ud83d", 10**400]
    assert math.isinf(odd[2])
    assert math.isnan(odd[3])
    for written in (DEEP_JSON, "9" * 5000):
        with pytest.raises(JsonError):
            read_json(written, recorded=True)


@given(VALUES)
def test_what_yaml_can_say_is_read_as_pyyaml_reads_it(value: Any) -> None:
    written = yaml.safe_dump(value, allow_unicode=True)
    assert read_yaml(written) == yaml.safe_load(written)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (ALIAS_BOMB, "aliases"),
        (ALIAS_TOWER, "nested more than 50 deep by its aliases"),
        ("&a [*a]", "inside the value it refers to"),
        ("a: &a {b: *a}", "inside the value it refers to"),
        (DEEP_YAML, "nested more than 50 deep"),
        ("- " * 1000, "nested more than 50 deep"),
        ("? " * 1000, "nested more than 50 deep"),
        ("# " + "a" * 1_000_000, "longer than 1,000,000 characters"),
        ("9" * 5000, "5,000 characters"),
        (":".join(["1"] * 100_000), "characters"),
        (str(10**30), "64 bits"),
        (".inf", "not a number"),
        (".nan", "not a number"),
        ("1.0e+999", "not a number"),
        ("a: 2020-13-40", "month"),
        ("!!bool maybe", "does not fit its tag"),
        ("!!int ''", "does not fit its tag"),
        ("!!float ''", "does not fit its tag"),
        ("!!timestamp soon", "does not fit its tag"),
        ("!!python/object:os.system x", "constructor"),
        (r'"\ud83d"', "surrogate"),
        (r'"\U00110000"', "escape"),
        (r'"\UFFFFFFFF"', "escape"),
        ("a: 1\nb: \x07", r"U\+0007.*line 2, column 4"),
        ("? [a]\n: b", "unhashable"),
        ("a: b: c", "line 1, column 5"),
        ("*x", "undefined alias"),
        ("a\n---\nb", "another document"),
    ],
)
def test_what_yaml_may_not_say_is_refused_with_its_place(written: str, why: str) -> None:
    with pytest.raises(YamlError, match=why):
        read_yaml(written)


def test_aliases_within_the_limits_are_read() -> None:
    assert read_yaml("a: &a {b: 1}\nc: *a\nd: {<<: *a, e: 2}") == {"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1, "e": 2}}
    assert read_yaml("[" * 50 + "]" * 50)


def test_a_text_of_very_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MOST_PLACES", 200)
    with pytest.raises(YamlError, match=r"more than 200 values \(line 200,"):
        read_yaml("- a\n" * 300)


def test_the_limits_of_the_two_readers_let_a_config_through_a_manifest() -> None:
    """A configuration is written into the manifest, a few levels down."""
    assert yaml_text.MOST_DEPTH + 10 < json_text.MOST_DEPTH
