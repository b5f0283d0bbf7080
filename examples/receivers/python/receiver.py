#!/usr/bin/env python3
"""Receives Callwright's call-completed callbacks. Needs Python 3.9 or later and no package.

    WEBHOOK_SECRET=whsec_… python3 receiver.py

WEBHOOK_SECRET       the organization's secret: callwright webhook-secret show --organization ID
HOST, PORT           where it listens; 127.0.0.1 and 8000 (0 takes any free port) unless set
CALLWRIGHT_URL,      when both are set, each result is confirmed with Get Outbound Call Status before it is
CALLWRIGHT_API_KEY   acted upon; the key is an organization key of the call's organization
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 5 * 60  # seconds between their clock and ours; older requests may be replayed ones
BODY_MAX = 1024 * 1024  # bytes
REMEMBERED = 100_000  # calls

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
API = os.environ.get("CALLWRIGHT_URL", "").rstrip("/")
KEY = os.environ.get("CALLWRIGHT_API_KEY", "")


class Refused(Exception):
    """The request does not come from Callwright."""


def verify(headers, body: bytes) -> None:
    """Checks the signature (Standard Webhooks) over the raw body, before anything reads it."""
    message = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not message or not (timestamp.isdecimal() and len(timestamp) <= 12):
        raise Refused("webhook-id or webhook-timestamp is missing or malformed")
    if abs(time.time() - int(timestamp)) > TOLERANCE:
        raise Refused("webhook-timestamp is too far from now")
    signed = b".".join((message.encode(), timestamp.encode(), body))
    expected = b"v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest())
    # While a secret is being rotated there are two signatures; ours has to be among them.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not any([hmac.compare_digest(expected, one) for one in given]):
        raise Refused("webhook-signature does not match")


class Inbox:
    """Takes each call once. Keep this in your database: there it outlives a restart."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: "OrderedDict[str, None]" = OrderedDict()
        self.waiting: "queue.Queue[dict]" = queue.Queue()

    def put(self, event: dict) -> None:
        call = event["outboundCallId"]
        with self._lock:
            if call in self._seen:
                return  # a duplicate: it was confirmed, or is about to be
            self._seen[call] = None
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        self.waiting.put(event)


INBOX = Inbox()


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds that a sender may be silent

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self.answer(411)
        if len(length) > 9 or int(length) > BODY_MAX:
            return self.answer(413)
        body = self.rfile.read(int(length))
        try:
            verify(self.headers, body)
            event = json.loads(body)
            if event["event"] == "call.completed":
                INBOX.put(event)
        except Refused as reason:
            print(f"refused: {reason}", file=sys.stderr, flush=True)
            return self.answer(401)
        except (ValueError, KeyError, TypeError):
            return self.answer(400)
        # Answered before any work is done: after 10 seconds the same callback would come again.
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


def confirmed(event: dict) -> "dict | None":
    """What the service itself says of the call: None when it does not know it."""
    if not (API and KEY):
        return event
    path = f"/api/outbound/{urllib.parse.quote(event['outboundCallId'], safe='')}/status"
    request = urllib.request.Request(API + path, headers={"Authorization": f"Bearer {KEY}"})
    while True:
        wait = "30"
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            # 429 and 503 say how long to wait; every request before that would prolong a 429.
            wait, problem = error.headers.get("Retry-After", wait), error
        except (OSError, ValueError) as error:
            problem = error
        wait = int(wait) if wait.isdecimal() else 30
        print(f"not confirmed yet, again in {wait} s: {problem}", file=sys.stderr, flush=True)
        time.sleep(wait)


def work() -> None:
    """Acts on one call after the other."""
    while True:
        event = INBOX.waiting.get()
        call = confirmed(event)
        if call is None:
            print(f"ignored: unknown call {event['outboundCallId']}", file=sys.stderr, flush=True)
            continue
        # Here your own work begins.
        details = call["callDetails"] or {}
        known = {"outboundCallId": call["outboundCallId"], "status": call["status"]}
        print(json.dumps({**known, "endedReason": details.get("endedReason")}), flush=True)


def main() -> None:
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000")))
    with ThreadingHTTPServer(address, Receiver) as server:
        threading.Thread(target=work, daemon=True).start()
        host, port = server.server_address[:2]
        print(f"listening on http://{host}:{port}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
