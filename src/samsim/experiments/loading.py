"""Load the data of an experiment, and check that no text has two roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from samsim.data.gold import load_annotated
from samsim.data.registry import LoadedSamples
from samsim.data.roles import Role, check_roles
from samsim.data.samples import Sample
from samsim.data.sources import DataSource
from samsim.errors import InputError
from samsim.experiments.execution import Gold
from samsim.schemas.runs import DataRecord


@dataclass(frozen=True, slots=True)
class RoleData:
    """The samples of one role and their gold."""

    loaded: LoadedSamples
    gold: Gold

    @property
    def samples(self) -> Sequence[Sample]:
        """The texts to analyze, in order."""
        return self.loaded.samples

    @property
    def record(self) -> DataRecord:
        """The data's record for the manifest."""
        return DataRecord(
            source=self.loaded.source.describe(),
            samples=len(self.loaded.samples),
            rows=self.loaded.total_rows,
            bad_rows=len(self.loaded.problems),
            sha256=self.loaded.sha256,
            gold_fields=sorted(self.gold.fields),
        )


def load_roles(sources: Mapping[Role, DataSource]) -> dict[Role, RoleData]:
    """Load the data of every role; raise if a role has no text, or a text has two roles."""
    data = {role: _load(source) for role, source in sources.items()}
    for role, role_data in data.items():
        if not role_data.samples:
            raise InputError(
                f"data.{role} ({role_data.loaded.source.describe()}) has no usable text. "
                "Check it with samsim data validate."
            )
    check_roles({role: role_data.samples for role, role_data in data.items()})
    return data


def _load(source: DataSource) -> RoleData:
    read = load_annotated(source)
    return RoleData(read.texts, Gold(by_uid=read.gold, fields=read.fields))
