"""The index of a JSONL store, saved in a file and rebuilt whenever it does not match the journal."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

from pydantic import ValidationError

from samsim.json_text import read_json
from samsim.memory.index_groups import Groups, GroupsState
from samsim.memory.jsonl.journal import Record
from samsim.schemas.memory_v1_1 import InputSignatureV1_1

# Increase the number when tokenization or grouping changes.
_MAGIC = b"samsim episode index 1\n"
_LENGTH = struct.Struct("<I")
_ARRAYS = ("flat_tokens", "set_starts", "signature_of", "set_of", "of_episode")


def pack_snapshot(groups: Groups, upto: Record) -> bytes:
    """Return the bytes of a snapshot of ``groups``, which cover the episodes up to ``upto``."""
    state = groups.state()
    arrays = {name: getattr(state, name) for name in _ARRAYS}
    header = {
        "upto": list(upto),
        "signatures": [signature.model_dump(mode="json") for signature in state.signatures],
        "vocabulary": state.vocabulary,
        "lengths": {name: len(values) for name, values in arrays.items()},
    }
    described = json.dumps(header, ensure_ascii=False).encode("utf-8")
    parts = [_MAGIC, _LENGTH.pack(len(described)), described]
    parts += [values.astype("<u4").tobytes() for values in arrays.values()]
    body = b"".join(parts)
    return body + _LENGTH.pack(zlib.crc32(body))


def read_snapshot(path: Path) -> tuple[Groups, Record] | None:
    """Return a snapshot's groups and the last record they cover, or None if it is missing, torn or incompatible."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    body = memoryview(data)[: -_LENGTH.size]
    if not data.startswith(_MAGIC) or _LENGTH.pack(zlib.crc32(body)) != data[-_LENGTH.size :]:
        return None
    try:
        return _unpacked(data)
    except (ValueError, KeyError, TypeError, struct.error, ValidationError):
        return None


def _unpacked(data: bytes) -> tuple[Groups, Record]:
    import numpy as np

    start = len(_MAGIC) + _LENGTH.size
    end = start + _LENGTH.unpack_from(data, len(_MAGIC))[0]
    header = read_json(data[start:end])
    arrays = {}
    for name in _ARRAYS:
        count = header["lengths"][name]
        if not isinstance(count, int) or not 0 <= count <= len(data):
            raise ValueError(f"{name} cannot have {count} numbers")
        arrays[name] = np.frombuffer(data, dtype="<u4", count=count, offset=end).astype(np.intp)
        end += 4 * count
    signatures = [InputSignatureV1_1.model_validate(signature) for signature in header["signatures"]]
    state = GroupsState(signatures=signatures, vocabulary=header["vocabulary"], **arrays)
    if not _fits_together(state):
        raise ValueError("the parts of the snapshot do not fit together")
    return Groups.restored(state), Record(*header["upto"])


def _fits_together(state: GroupsState) -> bool:
    """Return whether every number refers to something that exists; the checksum only proves that no byte changed."""
    import numpy as np

    words, starts, groups = state.vocabulary, state.set_starts, len(state.set_of)
    below = (
        (state.flat_tokens, len(words)),
        (starts, len(state.flat_tokens)),
        (state.signature_of, len(state.signatures)),
        (state.set_of, len(starts)),
        (state.of_episode, groups),
    )
    return (
        isinstance(words, list)
        and all(isinstance(word, str) for word in words)
        and len(state.signature_of) == groups
        and all(bool(np.all(numbers < limit)) for numbers, limit in below)
        and bool(np.all(np.diff(starts, prepend=-1) > 0))
        and bool(np.all(np.bincount(state.of_episode, minlength=groups) > 0))
    )
