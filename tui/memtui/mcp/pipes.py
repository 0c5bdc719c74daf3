"""The server's two pipes: one JSON-RPC message a line, and nothing else on stdout.

The library's own transport drops a line that it cannot read, and its reader cannot be stopped while it waits.
Here such a line is answered as far as possible, and daemon threads wait on the pipes, so that the process
ends when it is told to.
"""

from __future__ import annotations

import asyncio
import math
import os
import queue
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from memtui.mcp.messages import Message, read_message, request_id, too_long

LINE_LIMIT = 16 << 20
"""Bytes of the longest message that is read; of a longer one not even its id is known."""

_LAST_ANSWERS = 5.0
"""Seconds that requests may still take when the client has nothing more to say."""

_CHUNK = 1 << 16
_AHEAD = 8

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


def claim_stdio() -> tuple[int, int]:
    """Take stdin and stdout for the protocol; returns descriptors that nobody else knows.

    From then on, whoever prints does it to stderr, and whoever reads (a child process, too) finds nothing.
    """
    inward, outward = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.dup2(nothing, 1)
    os.close(nothing)
    return inward, outward


def split_lines(chunks: Iterator[bytes], limit: int = LINE_LIMIT) -> Iterator[bytes | None]:
    """The lines of a stream, each without its line feed; None in the place of one that is too long."""
    line = bytearray()
    lost = False
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            line += part
            yield None if lost or len(line) > limit else bytes(line)
            line.clear()
            lost = False
        line += rest
        if len(line) > limit:
            lost = True
            line.clear()
    if lost or line:
        yield None if lost else bytes(line)


@asynccontextmanager
async def serving(inward: int, outward: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The streams of messages between a client and the server.

    They end when the client has closed its side and every request of it is answered. When the client does not
    listen any more, what goes on in the body is cancelled.

    Args:
        inward: the descriptor to read from.
        outward: the one to write to.
    """
    incoming_sender, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, outgoing_receiver = anyio.create_memory_object_stream[SessionMessage](math.inf)
    pipes = _Pipes(incoming_sender, outgoing.clone(), outgoing_receiver)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pipes.read, inward)
        tasks.start_soon(pipes.write, outward, tasks.cancel_scope)
        yield incoming, outgoing
        # Whatever is still to be written is written before the group ends.
        await pipes.close()


class _Pipes:
    def __init__(
        self,
        incoming: MemoryObjectSendStream[SessionMessage | Exception],
        own_answers: Outgoing,
        outgoing: MemoryObjectReceiveStream[SessionMessage],
    ) -> None:
        self._incoming = incoming
        self._own_answers = own_answers
        self._outgoing = outgoing
        self._unanswered: set[int | str] = set()
        self._settled = anyio.Event()
        self._reading = anyio.CancelScope()

    async def close(self) -> None:
        """The server has ended: read no more, and let the writer come to its end."""
        self._reading.cancel()
        await self._own_answers.aclose()

    async def read(self, fd: int) -> None:
        """Hand on what the client says, until it has said all and all is answered."""
        with self._reading, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async with self._incoming:
                async for line in _lines(fd):
                    await self._take(line)
                with anyio.move_on_after(_LAST_ANSWERS):
                    while self._unanswered:
                        self._settled = anyio.Event()
                        await self._settled.wait()

    async def _take(self, line: bytes | None) -> None:
        if line is None:
            await self._refuse(too_long(LINE_LIMIT))
            return
        message = read_message(line)
        if isinstance(message, JSONRPCError):
            await self._refuse(message)
        elif message is not None:
            self._note(message)
            await self._incoming.send(SessionMessage(message))

    async def _refuse(self, answer: JSONRPCError) -> None:
        await self._own_answers.send(SessionMessage(answer))

    def _note(self, message: Message) -> None:
        """Remember a request until it is answered; one that the client takes back never is."""
        if isinstance(message, JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle(request_id((message.params or {}).get("requestId")))

    def _settle(self, answered: int | str | None) -> None:
        if answered is not None:
            self._unanswered.discard(answered)
            self._settled.set()

    async def write(self, fd: int, everything: anyio.CancelScope) -> None:
        """Write what the server says; when nobody listens, end everything."""
        put = _writer(fd)
        async with self._outgoing:
            async for session_message in self._outgoing:
                message = session_message.message
                try:
                    await put(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                except OSError:
                    everything.cancel()
                    return
                if isinstance(message, JSONRPCResponse | JSONRPCError):
                    self._settle(message.id)
        await put(b"")


async def _lines(fd: int) -> AsyncIterator[bytes | None]:
    """The lines that a thread reads, a few ahead of what is taken."""
    loop = asyncio.get_running_loop()
    read_ones: asyncio.Queue[tuple[bytes | None, ...]] = asyncio.Queue()
    room = threading.Semaphore(_AHEAD)

    def read() -> None:
        with suppress(RuntimeError):  # the loop is closed: the server is on its way out
            with suppress(OSError):
                for line in split_lines(iter(lambda: os.read(fd, _CHUNK), b"")):
                    room.acquire()
                    loop.call_soon_threadsafe(read_ones.put_nowait, (line,))
            loop.call_soon_threadsafe(read_ones.put_nowait, ())

    threading.Thread(target=read, name="memtui-mcp-read", daemon=True).start()
    while item := await read_ones.get():
        room.release()
        yield item[0]


def _writer(fd: int) -> Callable[[bytes], Awaitable[None]]:
    """A function that has a thread write, and waits until it is done; the thread ends with an empty text."""
    waiting: queue.SimpleQueue[tuple[bytes, Future[None]]] = queue.SimpleQueue()

    def write() -> None:
        while True:
            data, done = waiting.get()
            if not done.set_running_or_notify_cancel():
                continue
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(fd, rest) :]
            except OSError as error:
                done.set_exception(error)
            else:
                done.set_result(None)
            if not data:
                return

    threading.Thread(target=write, name="memtui-mcp-write", daemon=True).start()

    async def put(data: bytes) -> None:
        done: Future[None] = Future()
        waiting.put((data, done))
        await asyncio.wrap_future(done)

    return put
