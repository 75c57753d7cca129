"""Where the numbers come from: the runs with their settings, and the checks of the measures."""

from __future__ import annotations

from samsim.reports.codes import FAMILY, SANITY, named
from samsim.reports.collecting import Collected, data_of
from samsim.reports.numbers import NOTHING, whole
from samsim.reports.tables.model import Column, Row, Table, Text, name_column
from samsim.schemas.code_names import RUN_STATUS


def runs_table(collected: Collected) -> Table:
    """Return the settings of each run."""
    headings: tuple[Text, ...] = (
        ("protocol", "프로토콜"),
        ("condition", "조건"),
        ("engine", "엔진"),
        ("seed", "시드"),
        ("repeat", "반복"),
        ("data", "데이터"),
        ("done", "완료"),
        ("failed", "실패"),
        ("partial", "일부만 완료(partial)"),
        ("status", "상태"),
        ("started", "시작"),
        ("config", "설정"),
        ("version", "버전"),
        ("revision", "리비전"),
    )
    rows = []
    for run in collected.runs:
        found, record = run.run.manifest, data_of(run.run)
        cell = found.cell
        data = NOTHING if record is None else f"{record.source} ({record.samples:,}, {record.sha256[:8]})"
        rows.append(
            Row(
                (
                    run.name,
                    cell.protocol,
                    cell.condition,
                    cell.engine,
                    NOTHING if cell.seed is None else str(cell.seed),
                    str(cell.repeat),
                    data,
                    whole(found.done),
                    whole(found.errors),
                    whole(found.partial),
                    named(RUN_STATUS, found.status),
                    found.started[:19].replace("T", " "),
                    found.config_hash[:8],
                    found.versions.get("samsim", NOTHING),
                    (found.git_revision or NOTHING)[:8],
                )
            )
        )
    columns = (name_column(), *(Column(heading, numeric=False) for heading in headings))
    return Table("runs", ("Runs", "실행"), columns, tuple(rows))


def sanity_table(collected: Collected, *, only_failed: bool = False) -> Table:
    """Return every check of the measures, or only the failed ones, with its result."""
    columns = (
        name_column(),
        Column(("check", "점검"), numeric=False),
        Column(("measure", "지표"), numeric=False),
        Column(("samples", "샘플")),
        Column(("value", "값")),
        Column(("expected", "기댓값")),
        Column(("outcome", "결과"), numeric=False),
    )
    rows = []
    for run in collected.runs:
        for check in run.metrics.sanity:
            if only_failed and check.ok:
                continue
            family: Text = NOTHING if check.family is None else named(FAMILY, check.family)
            outcome: Text = ("passed", "통과") if check.ok else ("failed", "실패")
            values = whole(check.samples), f"{check.value:.4g}", f"{check.expected:.4g}"
            cells = (run.name, named(SANITY, check.name), family, *values, outcome)
            rows.append(Row(cells, "plain" if check.ok else "failed"))
    key = "sanity-failed" if only_failed else "sanity"
    return Table(key, ("Checks of the measures", "지표 점검"), columns, tuple(rows))


def failed_checks(collected: Collected) -> int:
    """Return how many checks failed."""
    return sum(not check.ok for run in collected.runs for check in run.metrics.sanity)
