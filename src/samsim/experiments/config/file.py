"""From a YAML file and ``--set`` options to a configuration, or to everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from samsim.experiments.config.consistency import inconsistencies, secrets_in
from samsim.experiments.config.found_paths import FOLDER
from samsim.experiments.config.mistakes import ConfigMistakes, Keys, Mistake
from samsim.experiments.config.model import ExperimentConfig
from samsim.experiments.config.repairs import repaired
from samsim.experiments.config.set_options import OptionValue, apply_overrides
from samsim.experiments.config.yaml_places import Document, read_document
from samsim.experiments.homes import known_homes

# Stands in for what is missing while the rest is looked at.
_MADE_UP: Mapping[Keys, Any] = MappingProxyType(
    {
        ("name",): "my-experiment",
        ("data",): {"evaluation": "reviews"},
        ("data", "evaluation"): "reviews",
        ("memory", "enable"): False,
    }
)


def load_config(path: Path, sets: Sequence[str] = (), values: Sequence[OptionValue] = ()) -> ExperimentConfig:
    """The experiment in a file, with ``path.to.key=value`` and then ``values`` set over it.

    Raises ``ConfigMistakes`` with all of them.
    """
    document = read_document(path)
    apply_overrides(document, sets, values)
    secrets = list(secrets_in(document.content))
    found = repaired(
        ExperimentConfig,
        document.content,
        context={FOLDER: path.parent},
        made_up=_MADE_UP,
        known=secrets,
        homes=known_homes(),
    )
    if found.model is not None:
        for keys, text in inconsistencies(found.model, found.is_known):
            if not found.is_known(keys):
                found.report(keys, text)
    if found.model is None or found.mistakes or document.mistakes:
        raise ConfigMistakes(str(path), [*document.mistakes, *_placed(document, found.mistakes)])
    return found.model


def _placed(document: Document, mistakes: Sequence[tuple[Keys, str]]) -> list[Mistake]:
    return [Mistake(document.place(keys), _said(document, keys), text) for keys, text in mistakes]


def _said(document: Document, keys: Keys) -> Keys:
    """A path without the place in a list of one that was written as a single value."""
    if keys and isinstance(keys[-1], int) and keys not in document.lines:
        return keys[:-1]
    return keys
