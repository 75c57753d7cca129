"""Conditions: the seeds' table, aliases, settings, and errors at start instead of a silent C1."""

from __future__ import annotations

from pathlib import Path

import pytest

from samsim.errors import ConfigError
from samsim.memory.conditions import load_conditions, resolve_condition

# condition: memory_mode, retrieval_execute, injection_mask, store_write, exposed_to_debate, injection_source
V1_1 = {
    "C1": ("off", False, True, False, False, "retrieved"),
    "C2": ("on", True, False, True, True, "retrieved"),
    "C2_silent": ("silent", True, True, True, False, "retrieved"),
}
V1_2 = V1_1 | {
    "C2_eval_only": ("silent", True, True, False, False, "retrieved"),
    "C2_frozen": ("on", True, False, False, True, "retrieved"),
    "C2_placebo": ("on", True, False, False, True, "placebo"),
    "C2_shuffled": ("on", True, False, False, True, "shuffled"),
}


@pytest.mark.parametrize(("version", "table"), [("1.1", V1_1), ("1.2", V1_2)])
def test_shipped_conditions_are_the_table_of_the_seeds(version: str, table: dict[str, tuple[object, ...]]) -> None:
    shipped = load_conditions(version)
    assert shipped.version == version
    flags = {
        name: (
            one.memory_mode,
            one.retrieval_execute,
            one.injection_mask,
            one.store_write,
            one.exposed_to_debate,
            one.injection_source,
        )
        for name, one in shipped.conditions.items()
    }
    assert flags == table
    assert all(one.name == name for name, one in shipped.conditions.items())


@pytest.mark.parametrize(("alias", "name"), [("C3", "C2_silent"), ("M0", "C1"), ("M1", "C2_frozen"), ("M2", "C2")])
def test_aliases(alias: str, name: str) -> None:
    assert resolve_condition(alias) == resolve_condition(name)
    assert resolve_condition(alias).name == name


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ({"enable": False, "mode": "off"}, "C1"),
        ({"enable": True, "mode": "off"}, "C1"),
        ({"enable": False, "mode": "advisory"}, "C1"),
        ({"enable": False}, "C1"),
        ({"enable": True}, "C2"),
        ({"enable": True, "mode": "advisory"}, "C2"),
        ({"enable": True, "mode": "silent"}, "C2_silent"),
        ({"enable": True, "mode": False}, "C1"),  # a bare off in YAML
        ({"condition": "C2_eval_only"}, "C2_eval_only"),
    ],
)
def test_settings_of_the_seeds(setting: dict[str, object], name: str) -> None:
    assert resolve_condition(setting).name == name


@pytest.mark.parametrize(
    "setting",
    [{}, {"mode": "silent"}, {"enable": "yes"}, {"enable": True, "mode": "loud"}, {"enable": True, "colour": 1}],
)
def test_settings_that_name_no_condition_are_errors(setting: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        resolve_condition(setting)


def test_an_unknown_condition_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match=r"Unknown memory condition 'C2_silnt'.*Did you mean 'C2_silent'"):
        resolve_condition("C2_silnt")
    with pytest.raises(ConfigError, match="Use one of C1"):
        resolve_condition("whatever")


@pytest.mark.parametrize("name", ["C2_eval_only", "C2_frozen", "M1"])
def test_version_1_1_asked_for_a_condition_of_1_2_is_an_error(name: str) -> None:
    with pytest.raises(ConfigError, match=r"in version 1\.1\. Version 1\.2 has it"):
        resolve_condition(name, "1.1")
    assert resolve_condition(name, "1.2")


def test_an_unknown_version_is_an_error() -> None:
    with pytest.raises(ConfigError, match="Unknown version"):
        load_conditions("2.0")


MINE = """
version: mine
conditions:
  quiet:
    {memory_mode: off, retrieval_execute: false, injection_mask: true, store_write: false, exposed_to_debate: false}
  loud: {memory_mode: on, retrieval_execute: true, injection_mask: false, store_write: true, exposed_to_debate: true}
aliases: {Q: quiet}
"""


def test_a_users_file_is_accepted_with_bare_on_and_off(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MINE, encoding="utf-8")
    assert resolve_condition("Q", path).memory_mode == "off"
    assert resolve_condition("loud", path).memory_mode == "on"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("exposed_to_debate: false", "exposed_to_debate: true"),  # exposed, but nothing is retrieved
        ("store_write: false", "store_write: true"),  # off, but writes
        ("Q: quiet", "Q: nobody"),
        ("Q: quiet", "loud: quiet"),
        ("memory_mode: on", "memory_mode: maybe"),
        ("version: mine", "version: mine\nextra: 1"),
        ("aliases", "- aliases"),
        ("version: mine", "version: mine\nsince: 2026-02-31"),
    ],
)
def test_a_users_file_that_makes_no_sense_is_an_error(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MINE.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mine\.yaml"):
        load_conditions(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Cannot read"):
        load_conditions(tmp_path / "none.yaml")
