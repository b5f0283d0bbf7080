"""A listed proxy in front of the server, which gives each request a client address of its own.

The rate limit counts addresses and has no off switch; every load tool has to come through such a
proxy. One request to a connection: the head is rewritten, all else goes through as it comes.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import itertools
import threading

CLIENTS = ipaddress.ip_network("198.18.0.0/15")
"""The addresses that are handed out: set aside for benchmarks (RFC 2544)."""

OURS = (b"x-forwarded-for:", b"connection:", b"proxy-connection:", b"keep-alive:")
"""Header lines that are between the client and this proxy."""

HEAD_MAX = 1 << 20


class Proxy:
    """Listens on a free port of 127.0.0.1, in a thread of its own, until the process ends."""

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._clients = itertools.cycle(range(1, CLIENTS.num_addresses - 1))
        self._listening = threading.Event()
        # The loop itself would forget a connection that waits for nobody but its own other half.
        self._open: set[asyncio.Task] = set()
        self.port = 0
        threading.Thread(target=lambda: asyncio.run(self._listen()), daemon=True).start()
        if not self._listening.wait(10):
            raise OSError("the proxy does not listen")

    async def _listen(self) -> None:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HEAD_MAX)
        self.port = server.sockets[0].getsockname()[1]
        self._listening.set()
        await server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(asyncio.current_task())
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            server_reader, server_writer = await asyncio.open_connection(*self._server)
            server_writer.write(self._rewritten(head))
            request = asyncio.create_task(copy(reader, server_writer))
            # The server closes after its answer, whether it has read all of the request or not.
            await copy(server_reader, writer)
            request.cancel()
            server_writer.close()
        writer.close()
        self._open.discard(asyncio.current_task())

    def _rewritten(self, head: bytes) -> bytes:
        request, *lines = head[: -len(b"\r\n\r\n")].split(b"\r\n")
        kept = [line for line in lines if not line.lower().startswith(OURS)]
        client = str(CLIENTS[next(self._clients)]).encode()
        added = [b"X-Forwarded-For: " + client, b"Connection: close"]
        return b"\r\n".join([request, *kept, *added]) + b"\r\n\r\n"


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hands bytes on until there are no more."""
    with contextlib.suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
