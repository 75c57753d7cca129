"""An experiment on disk: its runs by cell name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from samsim.arguments import check_place, check_type
from samsim.errors import InputError, unknown_key
from samsim.experiments.artefacts import RUN_COLUMNS, Run, find_runs, is_run_folder, read_run
from samsim.notebook import DataFrame, Row, data_frame
from samsim.plurals import how_many
from samsim.schemas.runs import LIMITED, Manifest


class Experiment(Mapping[str, Run]):
    """The runs of an experiment by cell name: ``experiment["cr_v2-C1"]["ko-030"]`` is a sample.

    Iterating over it gives the names, as with any mapping; ``values()`` are the runs, and ``run`` is the only one.
    ``folder`` is where they are. The one that ``run_experiment`` returns has the cells that were started.
    """

    def __init__(self, folder: Path, runs: Iterable[Run]) -> None:
        self.folder = folder
        self._runs = {run.name: run for run in runs}

    @property
    def cells(self) -> tuple[Manifest, ...]:
        """The manifests of the runs, in order."""
        return tuple(run.manifest for run in self.values())

    @property
    def cell_folders(self) -> tuple[Path, ...]:
        """The folders of the runs, in order."""
        return tuple(run.path for run in self.values())

    @property
    def run(self) -> Run:
        """The only run; where there are several, or none, an ``InputError``."""
        if len(self) != 1:
            named = f": {', '.join(self)}" if self else ""
            raise InputError(
                f"{self.folder} has {how_many(len(self), 'run')}{named}. Choose one by its name: experiment[NAME]."
            )
        return next(iter(self.values()))

    @property
    def stopped(self) -> str | None:
        """Why the experiment was stopped; None if it was not, or only by the ``limit`` of the user."""
        return next(filter(None, map(why_it_ends, self.cells)), None)

    @property
    def errors(self) -> int:
        """How many samples failed in all runs together."""
        return sum(manifest.errors for manifest in self.cells)

    @property
    def partial(self) -> int:
        """How many samples are partial in all runs together."""
        return sum(manifest.partial for manifest in self.cells)

    @property
    def bad_rows(self) -> int:
        """How many rows of the data could not be read."""
        data = self.cells[0].data if self.cells else {}
        return sum(record.bad_rows for record in data.values())

    def __getitem__(self, name: str) -> Run:
        """Return the run of that cell; an unknown name raises an ``InputError`` that is also a ``KeyError``."""
        try:
            return self._runs[name]
        except KeyError:
            raise unknown_key(f"{self.folder} has no run {name!r}.", str(name), list(self._runs)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def to_rows(self) -> list[Row]:
        """Return the rows of every run, with the name of the run as ``run``."""
        return [{"run": name, **row} for name, run in self.items() for row in run.to_rows()]

    def to_dataframe(self) -> DataFrame:
        """Return the rows of ``to_rows`` as a pandas data frame."""
        return data_frame(self.to_rows(), ("run", *RUN_COLUMNS))

    def __repr__(self) -> str:
        return f"<Experiment of {len(self)} run{'' if len(self) == 1 else 's'}: {', '.join(self)}; {self.folder}>"

    def _repr_html_(self) -> str:
        from samsim.experiments.run_html import experiment_html  # only needed in notebooks

        return experiment_html(self)


RunSource: TypeAlias = str | Path | Run | Experiment
"""A run or an experiment, or its folder."""


def load_run(path: str | Path) -> Run | Experiment:
    """Read a run or a whole experiment back from the folder that ``samsim run`` or ``run_experiment`` wrote.

    The folder of a run gives a ``Run``; an experiment of one cell has no other folder. The folder above the runs of an
    experiment of several cells gives an ``Experiment``, also where only one of them was started.
    """
    check_place(path, "path", "the folder of a run or of an experiment")
    folder = Path(path)
    # A folder that is neither gets the error message about a run folder.
    if is_run_folder(folder) or not folder.is_dir() or not any(map(is_run_folder, folder.iterdir())):
        return read_run(folder)
    return Experiment(folder, find_runs([folder]))


def load_experiment(path: str | Path) -> Experiment:
    """Read an experiment back as ``run_experiment`` returned it: an ``Experiment``, also of one cell.

    ``path`` is the folder that ``samsim run`` or ``run_experiment`` wrote.
    """
    found = load_run(path)
    return found if isinstance(found, Experiment) else Experiment(found.path, [found])


def folders_of(sources: Iterable[RunSource], several: str) -> list[Path]:
    """Return the folders of runs and experiments; an ``Experiment`` gives one folder per run.

    ``several`` describes how to pass more than one, for the error message.
    """
    accepted = f"a run, an experiment or the folder of one; several as {several}"
    check_type(sources, Iterable, "runs", accepted)
    found: list[Path] = []
    for source in sources:
        check_type(source, (str, Path, Run, Experiment), "a run", accepted)
        if isinstance(source, Experiment):
            found += source.cell_folders
        else:
            found.append(source.path if isinstance(source, Run) else Path(source))
    return found


def why_it_ends(manifest: Manifest) -> str | None:
    """Return why no further cell may be started after this one; None if the next one may."""
    if manifest.status == "stopped" and manifest.stop_reason != LIMITED:
        return manifest.stop_reason
    if manifest.cell.kind == "memory_building" and manifest.errors == manifest.done:
        return f"every sample of {manifest.cell.cell_id} failed, so there is no memory to evaluate with"
    return None
