"""Running many samples concurrently: bounded, in order, with only a window of them in memory."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from samsim.arguments import check_number

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

# How many samples may be started ahead of the oldest unfinished one, per unit of concurrency: one slow
# sample must not stall the others, and memory must not grow with the number of samples.
_WINDOW = 4
# How many results may wait for the caller before the stream pauses.
_AHEAD = 64
STREAM_THREAD = "samsim-stream"


async def in_order(
    items: Iterable[ItemT], work: Callable[[ItemT], Awaitable[ResultT]], concurrency: int
) -> AsyncGenerator[ResultT, None]:
    """Run ``work`` on up to ``concurrency`` items at a time; yield the results in the items' order."""
    check_number(concurrency, "concurrency", least=1, whole=True)
    allowed = asyncio.Semaphore(concurrency)
    waiting: deque[asyncio.Task[ResultT]] = deque()

    async def limited(item: ItemT) -> ResultT:
        async with allowed:
            return await work(item)

    broken: Exception | None = None
    source = iter(items)
    try:
        while True:
            try:
                item = next(source)
            except StopIteration:
                break
            except Exception as error:  # deliver what was started before the source failed
                broken = error
                break
            waiting.append(asyncio.ensure_future(limited(item)))
            if len(waiting) >= concurrency * _WINDOW:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()
        if broken is not None:
            raise broken
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


def run_to_end(coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run a coroutine from synchronous code, even if an event loop is already running, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)

    async def once() -> AsyncGenerator[ResultT, None]:
        yield await coroutine

    (result,) = iterate(once)
    return result


def iterate(make: Callable[[], AsyncGenerator[ResultT, None]]) -> Iterator[ResultT]:
    """Iterate over an async stream from synchronous code, even if an event loop is already running.

    The stream runs in its own thread, so requests continue while the caller uses a result. Leaving the
    loop early cancels running requests.
    """
    finished: queue.Queue[_Step[ResultT]] = queue.Queue()
    room = threading.Semaphore(_AHEAD)
    started: Future[Callable[[], object]] = Future()
    thread = threading.Thread(target=_forward, args=(make, finished, room, started), name=STREAM_THREAD, daemon=True)
    thread.start()
    cancel = started.result()
    try:
        while True:
            step = finished.get()
            room.release()
            if step.error is not None:
                raise step.error
            if step.last:
                return
            yield from step.results
    finally:
        cancel()
        room.release()
        thread.join()


@dataclass(frozen=True, slots=True)
class _Step(Generic[ResultT]):
    """An item from the stream's thread: a result, the end, or an error."""

    results: tuple[ResultT, ...] = ()
    last: bool = False
    error: BaseException | None = None


def _forward(
    make: Callable[[], AsyncGenerator[ResultT, None]],
    finished: queue.Queue[_Step[ResultT]],
    room: threading.Semaphore,
    started: Future[Callable[[], object]],
) -> None:
    async def pump() -> None:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        started.set_result(lambda: None if loop.is_closed() or task is None else _cancel(loop, task))
        async with aclosing(make()) as stream:
            async for result in stream:
                finished.put(_Step(results=(result,)))
                if not room.acquire(blocking=False):
                    await asyncio.to_thread(room.acquire)

    try:
        asyncio.run(pump())
    except asyncio.CancelledError:
        finished.put(_Step(last=True))
    except BaseException as error:  # raised again in the thread that iterates
        finished.put(_Step(error=error))
    else:
        finished.put(_Step(last=True))


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[object]) -> None:
    with suppress(RuntimeError):  # the loop has ended in the meantime
        loop.call_soon_threadsafe(task.cancel)
