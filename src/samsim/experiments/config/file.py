"""From a YAML file or a mapping, and ``--set`` options, to a configuration, or to everything that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from samsim.arguments import check_several, check_type
from samsim.experiments.config.consistency import inconsistencies, secrets_in
from samsim.experiments.config.found_paths import FOLDER
from samsim.experiments.config.homes import known_homes
from samsim.experiments.config.mistakes import ConfigMistakes, Keys, Mistake
from samsim.experiments.config.model import ExperimentConfig
from samsim.experiments.config.repairs import repaired
from samsim.experiments.config.set_options import OptionValue, apply_overrides
from samsim.experiments.config.yaml_places import Document, mapping_document, read_document
from samsim.experiments.shipped import SHIPPED_EXPERIMENTS, shipped_experiment

# Stands in for what is missing while the rest is looked at.
_MADE_UP: Mapping[Keys, Any] = MappingProxyType(
    {
        ("name",): "my-experiment",
        ("data",): {"evaluation": "reviews"},
        ("data", "evaluation"): "reviews",
        ("memory", "enable"): False,
    }
)


def load_config(source: str | Path | Mapping[str, Any], sets: Sequence[str] = ()) -> ExperimentConfig:
    """Read an experiment from a YAML file, from a mapping with the content of one, or by name: "quickstart" ships.

    ``sets`` are settings over it, as in ``["run.concurrency=4", "matrix.seed=[1, 2]"]``. Everything that is wrong is
    reported in one ``ConfigError``, each with its line. Files it names are looked for beside the file (of a mapping:
    in the current folder).
    """
    accepted = f"the path of a YAML file, a mapping with the content of one, or {' or '.join(SHIPPED_EXPERIMENTS)}"
    check_type(source, (str, Path, Mapping), "the configuration", accepted)
    check_several(sets, "sets", '"run.concurrency=4"')
    for setting in sets:
        check_type(setting, str, "one of sets", "a string: path.to.key=value")
    return read_config(source, sets, said_with="sets:")


def read_config(
    source: str | Path | Mapping[str, Any],
    sets: Sequence[str] = (),
    values: Sequence[OptionValue] = (),
    *,
    said_with: str = "--set",
) -> ExperimentConfig:
    """Do the same for the command line: ``values`` are those of its options, and mistakes name ``--set``."""
    if isinstance(source, Mapping):
        document, folder = mapping_document(source), Path()
    else:
        place = config_place(source)
        document, folder = read_document(place), place.parent
    apply_overrides(document, sets, values, said_with=said_with)
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


def config_place(source: str | Path) -> Path:
    """Return the file of an experiment; one that ships goes before a file of its name, which is ./NAME."""
    return shipped_experiment(source) if isinstance(source, str) and source in SHIPPED_EXPERIMENTS else Path(source)


def as_config(config: ExperimentConfig | str | Path | Mapping[str, Any]) -> ExperimentConfig:
    """Return a configuration, read if it is not one yet."""
    return config if isinstance(config, ExperimentConfig) else load_config(config)


def _placed(document: Document, mistakes: Sequence[tuple[Keys, str]]) -> list[Mistake]:
    return [Mistake(document.place(keys), _said(document, keys), text) for keys, text in mistakes]


def _said(document: Document, keys: Keys) -> Keys:
    """Return a path without the place in a list of one that was written as a single value."""
    if keys and isinstance(keys[-1], int) and keys not in document.lines:
        return keys[:-1]
    return keys
