"""The configuration of an experiment: the model, its cells, and reading it from a file."""

from samsim.experiments.config.file import as_config, config_place, load_config, read_config
from samsim.experiments.config.matrix import Cell
from samsim.experiments.config.mistakes import ConfigMistakes, Mistake
from samsim.experiments.config.model import ExperimentConfig
from samsim.experiments.config.set_options import OptionValue

__all__ = [
    "Cell",
    "ConfigMistakes",
    "ExperimentConfig",
    "Mistake",
    "OptionValue",
    "as_config",
    "config_place",
    "load_config",
    "read_config",
]
