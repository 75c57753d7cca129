"""An experiment's configuration: the model, its cells, and how it is read from a file."""

from samsim.experiments.config_file import load_config
from samsim.experiments.experiment import ExperimentConfig
from samsim.experiments.matrix import Cell
from samsim.experiments.mistakes import ConfigMistakes, Mistake
from samsim.experiments.overrides import OptionValue

__all__ = ["Cell", "ConfigMistakes", "ExperimentConfig", "Mistake", "OptionValue", "load_config"]
