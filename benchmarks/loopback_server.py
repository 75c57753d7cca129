"""A chat-completions server with almost no cost of its own: canned answers after a fixed delay.

    python benchmarks/loopback_server.py --delay-ms 200

Prints its address, then serves until its standard input is closed. It speaks just enough HTTP for a
client that keeps connections alive, so a measurement shows the client and not the server.
The three perspectives disagree about the polarity of one aspect, so every sample is reviewed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from typing import Any

ASPECT = "screen"
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = re.compile(rb"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)
_ASKED = re.compile(rb"(Extract|Propose) [a-z ]+ as Agent ([ABC]) ")


def _triplet(polarity: str) -> dict[str, Any]:
    return {
        "aspect_term": ASPECT,
        "aspect_ref": ASPECT,
        "polarity": polarity,
        "opinion_term": "fine",
        "evidence": "fine",
        "span": None,
        "confidence": 0.8,
        "rationale": "canned",
    }


def _action(agent: str, tuple_id: str) -> dict[str, Any]:
    return {
        "action_type": "KEEP",
        "target_tuple_ids": [tuple_id],
        "new_value": None,
        "reason_code": "CONTRAST_CLAUSE",
        "actor": agent,
    }


def _response(answer: dict[str, Any]) -> bytes:
    payload = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": json.dumps(answer)}}],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 120},
    }
    payload["choices"][0]["finish_reason"] = "stop"  # type: ignore[index]
    body = json.dumps(payload).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def canned_responses() -> dict[tuple[bytes, bytes], bytes]:
    """Return the responses by stage and agent."""
    polarities = {"A": "positive", "B": "negative", "C": "positive"}
    responses = {}
    for agent, polarity in polarities.items():
        triplets = {"triplets": [_triplet(polarity)]}
        actions = {"review_actions": [_action(agent, tuple_id) for tuple_id in ("t0", "t1", "t2")]}
        responses[b"Extract", agent.encode()] = _response(triplets)
        responses[b"Propose", agent.encode()] = _response(actions)
    return responses


class CannedProtocol(asyncio.Protocol):
    """One connection: a request is answered after the delay, then the next one is read."""

    def __init__(self, responses: dict[tuple[bytes, bytes], bytes], delay_s: float) -> None:
        self._responses = responses
        self._delay_s = delay_s
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the transport of a new client."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Collect a request and answer it once it is complete."""
        self._received += data
        head, end, body = self._received.partition(_END_OF_HEAD)
        length = _LENGTH.search(head)
        if not end or length is None or len(body) < int(length.group(1)):
            return
        self._received = b""
        # The task is at the end of the prompt; the system message may name agents as well.
        asked = _ASKED.findall(body)
        response = self._responses[asked[-1]]
        if self._delay_s:
            asyncio.get_running_loop().call_later(self._delay_s, self._send, response)
        else:
            self._send(response)

    def _send(self, response: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(response)


async def serve(delay_s: float) -> None:
    """Serve on a free loopback port until standard input ends."""
    loop = asyncio.get_running_loop()
    responses = canned_responses()
    server = await loop.create_server(lambda: CannedProtocol(responses, delay_s), "127.0.0.1", 0, backlog=1024)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay-ms", type=float, default=0.0, help="how long every answer takes")
    asyncio.run(serve(parser.parse_args().delay_ms / 1000.0))


if __name__ == "__main__":
    main()
