"""Configurations for the tests, and what ``read_config`` says about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from samsim.experiments.config import ConfigMistakes, ExperimentConfig, Mistake, read_config

# Every section with every kind of key, so that each of them can be misspelt.
RICH = """\
name: rich
description: every section
data:
  evaluation:
    name: reviews
    language: ko
    limit: 5
  memory: reviews_memory
engines:
  default:
    kind: openai_compatible
    model: gpt-4.1-mini
    temperature: 0
    requests_per_minute: 100
    price_per_million: {input: 1, output: 2}
  reviewers:
    model: gpt-4.1
  review_C:
    kind: embedded
pipeline:
  taxonomy: nikl2022
  conflict_mode: primary
  enable_review: true
  debate:
    rounds: 1
    ev_threshold: 0.4
episodic_memory:
  conditions: "1.2"
  topk: 2
  gate: true
  prohibit_dangerous: false
  opfb_scope: store
  require_same_language: false
  require_structure_overlap: false
  visibility: epoch:4
  build_condition: C2
repeats: 2
matrix:
  protocol: [cr_v1, cr_v2]
  condition:
    - C1
    - C2_frozen
  seed: [1, 2]
run:
  out: elsewhere
  concurrency: 4
  workers: 1
  max_cost: 2.5
  max_error_rate: 0.2
  cache: false
"""

# One mistake of each kind: a name, a value, a whole, a key, an item of a list.
FIVE = """\
name: five
data:
  evaluation: revews
protocol: cr_v3
engines:
  default:
    kind: openai_compatible
    temperature: 0
pipeline:
  conflict_mod: primary
matrix:
  condition: [C1, C2_evalonly]
"""


def write(folder: Path, content: str, name: str = "experiment.yaml") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def loaded(folder: Path, content: str, sets: Sequence[str] = ()) -> ExperimentConfig:
    return read_config(write(folder, content), sets)


def mistakes(folder: Path, content: str, sets: Sequence[str] = ()) -> tuple[Mistake, ...]:
    with pytest.raises(ConfigMistakes) as caught:
        loaded(folder, content, sets)
    return caught.value.mistakes


def only_mistake(folder: Path, content: str, sets: Sequence[str] = ()) -> Mistake:
    (found,) = mistakes(folder, content, sets)
    return found
