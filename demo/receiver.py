"""A callback receiver as a customer would write one: it checks the signature (Standard Webhooks)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import json
import queue
import threading
import time
from dataclasses import dataclass

TOLERANCE = 300
"""How far, in seconds, a callback's timestamp may be from now."""


@dataclass
class Callback:
    """One callback as it came."""

    headers: dict[str, str]
    body: bytes
    arrived: float
    problem: str | None

    @property
    def call(self) -> str:
        return self.headers.get("webhook-id", "")

    def json(self) -> dict:
        return json.loads(self.body)


def check(secret: str, headers: dict[str, str], body: bytes, now: float) -> str | None:
    """Says what is wrong with a callback's signature, if anything."""
    identity, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    if not identity or not timestamp.isdigit():
        return "webhook-id or webhook-timestamp is missing"
    if abs(now - int(timestamp)) > TOLERANCE:
        return "the timestamp is too far from now"
    key = base64.b64decode(secret[len("whsec_"):])
    signed = f"{identity}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected, signature) for signature in signatures):
        return "no signature matches"
    return None


class Receiver:
    """Takes callbacks on a port of this machine and hands them on as moments."""

    def __init__(self, moments: queue.Queue) -> None:
        self.secret = ""
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                problem = check(receiver.secret, headers, body, time.time())
                self.send_response(204 if problem is None else 401)
                self.end_headers()
                moments.put(("callback", Callback(headers, body, time.monotonic(), problem)))

            def log_message(self, *_: object) -> None:
                """Says nothing: the demo shows what came."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/callbacks"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
