"""The record of a finished call: transcript, summaries, recording, as the interface gives them."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from pathlib import Path

from provisioning import Provisioned
from recording import Recording
from screen import Screen
from stage import DemoFailure, Server

PATIENCE = 30
"""Seconds until a record must be complete."""


def fetch(server: Server, have: Provisioned, call: str) -> dict:
    """Asks for the call until its record is complete."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        code, record = server.request("GET", f"/api/calls/{call}", have.key)
        if code != 200:
            raise DemoFailure(f"GET /api/calls/{call} answered {code} {record}")
        if record["transcriptUrl"] and record["recordingUrl"] and record["callSummary"]:
            return record
        time.sleep(0.2)
    raise DemoFailure(f"the record of the call was not complete after {PATIENCE} s: {record}")


def show(screen: Screen, record: dict, folder: Path) -> None:
    """Shows a record, and fails when a link does not lead to what it promises."""
    screen.blank()
    screen.row("record", f"GET /api/calls/{record['id']}")
    for label, field in (
        ("summary", "callSummary"),
        ("résumé", "callSummaryFr"),
        ("intent", "userPrimaryIntent"),
        ("sentiment", "userSentiment"),
        ("outcome", "callOutcome"),
    ):
        screen.row(f"  {label}", record[field] or "– (no language model is configured)")
    screen.row("  transcript", "")
    screen.block(download(record["transcriptUrl"]).decode())
    path = folder / f"{record['id']}.wav"
    path.write_bytes(download(record["recordingUrl"]))
    sound = Recording.read(path)
    screen.row("  recording", f"{sound.seconds:.1f} s, both sides; the link works for an hour:")
    screen.block(record["recordingUrl"])
    screen.row("", f"|{sound.shape}|")
    refused = record["recordingUrl"].replace("signature=", "signature=A")
    if (code := status(refused)) != 403:
        raise DemoFailure(f"a link with another signature answered {code}")


def download(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code
