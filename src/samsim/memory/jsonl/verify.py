"""The full check of a JSONL store: every record, every line, every episode."""

from __future__ import annotations

from samsim.errors import SamsimError
from samsim.memory.jsonl.files import StoreFiles
from samsim.memory.jsonl.journal import START, Record
from samsim.memory.store import VerifyReport, canonical_bytes, check_principle, episode_id_of, parse_line

_MOST_PROBLEMS = 20


def verify_files(files: StoreFiles) -> VerifyReport:
    """Check everything that the journal covers; each problem names its episode."""
    last = files.last()
    problems: list[str] = []
    previous, sound, seq = START, 0, 1
    while seq <= last.seq and len(problems) < _MOST_PROBLEMS:
        found = len(problems)
        try:
            for record, line in files.lines(seq, last.seq):
                problems += _problems_of(previous, record, line)
                previous, seq = record, record.seq + 1
                sound += len(problems) == found
                found = len(problems)
        except SamsimError:
            problems.append(f"{episode_id_of(seq)}: its line or its journal record is damaged")
            previous = files.record(seq) or START
            seq += 1
    notices = [f"bytes of a crashed writer are in {file.name}" for file in files.quarantined()]
    if waiting := files.unjournalled_bytes():
        notices.append(f"{waiting} bytes after the last episode belong to a running or crashed writer")
    return VerifyReport(sound, last.seq, tuple(problems[:_MOST_PROBLEMS]), tuple(notices))


def _problems_of(previous: Record, record: Record, line: bytes) -> list[str]:
    name = episode_id_of(record.seq)
    if previous.seq == record.seq - 1 and previous.follow(line + b"\n") != record:
        return [f"{name}: its journal record does not follow the previous one"]
    try:
        entry = parse_line(line)
        check_principle(entry)
    except SamsimError as error:
        return [f"{name}: {error}"]
    if entry.episode_id != name:
        return [f"{name}: its line has the id {entry.episode_id}"]
    # Parsing has already checked for forbidden fields.
    return (
        [] if canonical_bytes(entry.model_dump(mode="json")) == line else [f"{name}: its line is not in canonical form"]
    )
