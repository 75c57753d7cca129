"""Load a configuration from a YAML file or a mapping with ``--set`` options, or report every mistake in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from samsim.experiments.config.consistency import inconsistencies, secrets_in
from samsim.experiments.config.found_paths import FOLDER
from samsim.experiments.config.homes import known_homes
from samsim.experiments.config.mistakes import ConfigMistakes, Keys, Mistake
from samsim.experiments.config.model import ExperimentConfig
from samsim.experiments.config.repairs import repaired
from samsim.experiments.config.set_options import OptionValue, apply_overrides
from samsim.experiments.config.yaml_places import Document, mapping_document, read_document

# Placeholders for missing settings while the rest is checked.
_MADE_UP: Mapping[Keys, Any] = MappingProxyType(
    {
        ("name",): "my-experiment",
        ("data",): {"evaluation": "reviews"},
        ("data", "evaluation"): "reviews",
        ("memory", "enable"): False,
    }
)


def load_config(
    source: str | Path | Mapping[str, Any], sets: Sequence[str] = (), values: Sequence[OptionValue] = ()
) -> ExperimentConfig:
    """Read an experiment from a YAML file, or from a mapping with the content of one.

    ``sets`` override settings, as in ``["run.concurrency=4", "matrix.seed=[1, 2]"]``; ``values`` do the same for
    options of the command line. All mistakes are reported in one ``ConfigError``, each with its line. Relative paths
    are looked up in the file's folder, or in the current folder for a mapping.
    """
    if isinstance(source, Mapping):
        document, folder = mapping_document(source), Path()
    else:
        document, folder = read_document(Path(source)), Path(source).parent
    apply_overrides(document, sets, values)
    secrets = list(secrets_in(document.content))
    found = repaired(
        ExperimentConfig,
        document.content,
        context={FOLDER: folder},
        made_up=_MADE_UP,
        known=secrets,
        homes=known_homes(),
    )
    if found.model is not None:
        for keys, text in inconsistencies(found.model, found.is_known):
            if not found.is_known(keys):
                found.report(keys, text)
    if found.model is None or found.mistakes or document.mistakes:
        raise ConfigMistakes(document.source, [*document.mistakes, *_placed(document, found.mistakes)])
    return found.model


def as_config(config: ExperimentConfig | str | Path | Mapping[str, Any]) -> ExperimentConfig:
    """Return the configuration, loading it if necessary."""
    return config if isinstance(config, ExperimentConfig) else load_config(config)


def _placed(document: Document, mistakes: Sequence[tuple[Keys, str]]) -> list[Mistake]:
    return [Mistake(document.place(keys), _said(document, keys), text) for keys, text in mistakes]


def _said(document: Document, keys: Keys) -> Keys:
    """Return a path without its list index if the list was written as a single value."""
    if keys and isinstance(keys[-1], int) and keys not in document.lines:
        return keys[:-1]
    return keys
