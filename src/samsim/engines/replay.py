"""Record and replay: one JSON line per call, from which a run can be repeated exactly without any engine.

A trace line is the record of a call (the agent, the messages sent, every attempt with its raw reply,
tokens, cost and times) plus the identity of the request and the engine's output. It is written when
the call ends, so traces never pile up in memory, and a crash loses nothing but an incomplete last line.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, get_args

from pydantic import Field, ValidationError
from pydantic_core import to_jsonable_python

from samsim.engines.interface import Engine, EngineReply, EngineRequest, Message
from samsim.engines.wrapped import WrappedEngine
from samsim.errors import ConfigError, EngineError, InputError
from samsim.json_text import read_json
from samsim.schemas.calls import AttemptRecord, FailureKind, MessageRecord, Usage
from samsim.schemas.results import CallRecord, MemoryRecord
from samsim.validation_words import in_words

# Added after the engine is done; a replay derives the first two from the output again.
_NOT_THE_ENGINES = {"rationales", "rejected", "cell_digest", "line_digest"}


class TraceLine(CallRecord):
    """One recorded call. ``order`` counts the lines of a trace, or of a sample in a run's trace;
    ``request_hash`` is the hash of the rendered prompt; ``cut`` is what exceeded the schema's limits in the answer.
    ``memory`` is what the episodic memory did for the sample, in the line of its last call in a run's trace;
    a run also adds ``cell_digest`` and ``line_digest``."""

    uid: str
    order: int
    repeat: int = 0
    seed: int | None = None
    request_hash: str
    kept_usage: Usage | None = None
    cut: list[str] = Field(default_factory=list)
    output: Any = None
    memory: MemoryRecord | None = None
    cell_digest: str | None = None
    line_digest: str | None = None


class TraceWriter:
    """A trace file, flushed after each line; several engines may share one."""

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        self.path = path
        self._order = 0
        try:
            self._file: BinaryIO = path.open("wb" if overwrite else "xb")
        except FileExistsError:
            raise ConfigError(f"{path} already exists. Move it away or give the trace another name.") from None
        except OSError as error:
            raise ConfigError(f"Cannot write the trace {path}: {error.strerror}. Check the folder.") from error

    def write(self, engine_name: str, request: EngineRequest, reply: EngineReply) -> None:
        """Append one call."""
        if self._file.closed:
            raise EngineError(f"The trace {self.path} is closed. Open the engine again, with another trace.")
        line = trace_line(engine_name, request, reply, self._order)
        self._order += 1
        try:
            self._file.write(trace_bytes(line))
            self._file.flush()
        except OSError as error:
            raise EngineError(f"Cannot write to the trace {self.path}: {error.strerror}. Check the disk.") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class RecordingEngine(WrappedEngine):
    """Writes every request and its reply to a trace. It does not close the trace."""

    def __init__(self, engine: Engine, trace: TraceWriter) -> None:
        super().__init__(engine)
        self._trace = trace

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer with the wrapped engine and record the call."""
        reply = await super().complete(request)
        self._trace.write(self.name, request, reply)
        return reply


class ReplayEngine:
    """Answers every request as it was answered in a trace; a request that was not recorded fails.

    Only the offsets of the lines are held in memory. Equal requests (the same text under the same uid
    twice) get their answers in the recorded order, and start over when the run is repeated.
    """

    def __init__(self, path: Path, name: str = "replay") -> None:
        self.path = path
        self.name = name
        self._file: BinaryIO | None = None
        self._places: dict[bytes, list[int]] = defaultdict(list)
        self._answered: dict[bytes, int] = defaultdict(int)
        for place, line in self._read_all():
            self._places[_key_of_line(line)].append(place)

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Return the recorded reply, or a ``not_recorded`` failure whose attempt describes the request."""
        key = _key_of_request(request)
        places = self._places.get(key)
        if not places:
            return _not_recorded(self.path, request)
        turn = self._answered[key]
        self._answered[key] = turn + 1
        return _as_reply(self._line_at(places[turn % len(places)]))

    async def aclose(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read_all(self) -> Iterator[tuple[int, TraceLine]]:
        """Yield every complete line with its offset; a killed run may leave an incomplete last line."""
        place = 0
        for number, raw in enumerate(self._opened(), start=1):
            if not raw.endswith(b"\n"):
                return
            if raw.strip():
                yield place, self._parsed(raw, f"line {number}")
            place += len(raw)

    def _line_at(self, place: int) -> TraceLine:
        file = self._opened()
        file.seek(place)
        return self._parsed(file.readline(), f"the line at byte {place}")

    def _parsed(self, raw: bytes, where: str) -> TraceLine:
        try:
            return TraceLine.model_validate(read_json(raw, recorded=True))
        except ValidationError as error:
            reason = in_words(error, "line", most=1)
        except ValueError as error:
            reason = f"not JSON: {error}"
        raise InputError(f"{self.path}, {where} is not a recorded call ({reason}). Give a trace that samsim wrote.")

    def _opened(self) -> BinaryIO:
        if self._file is None:
            try:
                self._file = self.path.open("rb")
            except OSError as error:
                raise InputError(f"Cannot read the trace {self.path}: {error.strerror}. Check the path.") from error
        return self._file


def trace_line(engine_name: str, request: EngineRequest, reply: EngineReply, order: int) -> TraceLine:
    """Return the trace line of one call."""
    return TraceLine(
        uid=request.uid,
        order=order,
        repeat=request.repeat,
        seed=request.seed,
        agent=request.agent,
        stage=request.stage,
        engine=engine_name,
        prompt_hash=request.prompt_hash,
        request_hash=_request_hash(request),
        mode=reply.mode,
        cached=reply.cached,
        problem=reply.failure,
        messages=[MessageRecord(role=message.role, content=message.content) for message in reply.messages],
        attempts=list(reply.attempts),
        kept_usage=reply.kept_usage,
        cut=list(reply.cut),
        output=to_jsonable_python(reply.output),
    )


def trace_bytes(line: TraceLine) -> bytes:
    """Return a trace line as JSON. The json module also encodes what pydantic cannot: NaN, half a surrogate pair."""
    unused = {"memory"} if line.memory is None else set()
    facts = line.model_dump(exclude=_NOT_THE_ENGINES | unused)
    try:
        return json.dumps(facts, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(facts).encode() + b"\n"


def _as_reply(line: TraceLine) -> EngineReply:
    return EngineReply(
        output=line.output,
        failure=_failure_of(line),
        mode=line.mode,
        cached=line.cached,
        messages=tuple(Message(message.role, message.content) for message in line.messages),
        attempts=tuple(line.attempts),
        kept_usage=line.kept_usage,
        cut=tuple(line.cut),
    )


def _failure_of(line: TraceLine) -> FailureKind | None:
    known: dict[str, FailureKind] = {kind: kind for kind in get_args(FailureKind)}
    if line.problem is not None and line.problem not in known:
        raise EngineError(f"The trace has a failure that this version does not know: {line.problem}. Update samsim.")
    return None if line.problem is None else known[line.problem]


def _not_recorded(path: Path, request: EngineRequest) -> EngineReply:
    what = (
        f"{path} has no reply for sample {request.uid}, agent {request.agent}, {request.stage}, "
        f"repeat {request.repeat}, with this prompt. Replay with the input, config and version that were recorded."
    )
    return EngineReply(
        output=None,
        failure="not_recorded",
        attempts=(AttemptRecord(kind="first", outcome="not_recorded", raw=what),),
    )


def _request_hash(request: EngineRequest) -> str:
    digest = hashlib.sha256()
    for message in request.messages():
        for part in (message.role, message.content):
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


def _key_of_request(request: EngineRequest) -> bytes:
    return _key(request.uid, request.agent, request.stage, request.repeat, request.seed, _request_hash(request))


def _key_of_line(line: TraceLine) -> bytes:
    return _key(line.uid, line.agent, line.stage, line.repeat, line.seed, line.request_hash)


def _key(*facts: object) -> bytes:
    """Return a 128-bit hash: short, to keep the index of a long trace small, and long enough not to collide."""
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass")).digest()[:16]
