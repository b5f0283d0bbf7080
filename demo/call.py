"""One call: placed, shown as it happens, and checked."""

from __future__ import annotations

import json
import queue
import time
from dataclasses import dataclass
from pathlib import Path

import moments
from lines import Line
from provisioning import Provisioned
from receiver import Callback
from screen import Screen
from stage import DemoFailure, Server

PATIENCE = 40
"""Seconds that one call may take."""
POLL = 0.4
"""Seconds between two looks at the status."""


@dataclass
class Told:
    """What a finished call left behind."""

    call: str
    status: dict
    callback: Callback
    recording: Path | None


def request_of(line: Line, have: Provisioned, callback_url: str) -> dict:
    """The body of `POST /api/outbound`."""
    return {
        "phoneNumber": line.number,
        "assistantId": have.assistant,
        "phoneNumberId": have.numbers[line.name],
        **line.request,
        "callbackUrl": callback_url,
    }


def place(
    line: Line, have: Provisioned, server: Server, callback_url: str, happenings: queue.Queue, screen: Screen
) -> Told:
    """Places a call and follows it until its status is final and its callback has arrived."""
    while not happenings.empty():
        happenings.get_nowait()
    began = time.monotonic()
    code, created = server.request("POST", "/api/outbound", have.key, request_of(line, have, callback_url))
    if code != 201 or created.get("status") != "calling":
        raise DemoFailure(f"the call to {line.name} was not placed: {code} {json.dumps(created)}")
    call = created["outboundCallId"]
    answer = f"{code} {created['status']} · outboundCallId {call}"
    screen.moment(time.monotonic() - began, "you", f"POST /api/outbound → {answer}")
    status: dict = {}
    callback, recording, over = None, None, False
    # What the call does first is shown before the first look at its status.
    next_poll = began + POLL / 2
    while not (callback and over and status.get("callDetails")):
        now = time.monotonic()
        if now - began > PATIENCE:
            raise DemoFailure(f"the call to {line.name} was not over after {PATIENCE} s")
        if server.program.exit_code() is not None:
            raise DemoFailure("the server ended by itself")
        if now >= next_poll and not status.get("callDetails"):
            status = poll(server, have, call, status, began, screen)
            next_poll = time.monotonic() + POLL
        try:
            who, event = happenings.get(timeout=0.05)
        except queue.Empty:
            continue
        if who == "callback":
            callback = event
            body = event.json()
            screen.moment(event.arrived - began, "callback", f"{body['event']} arrived: {body['status']}")
            continue
        show(who, event, began, screen)
        if who == "phone" and event.get("event") == "recorded":
            recording = Path(event["path"])
        over = over or (who == "phone" and event.get("event") == "over")
    check(line, call, status, callback)
    return Told(call, status, callback, recording)


def show(who: str, event: dict, began: float, screen: Screen) -> None:
    """Shows an event, if it says something to people."""
    told = moments.of_server(event) if who == "server" else moments.of_phone(event)
    if told:
        screen.moment(event["arrived"] - began, *told)


def poll(server: Server, have: Provisioned, call: str, before: dict, began: float, screen: Screen) -> dict:
    """Asks for the status and shows the answer when it is another one."""
    code, status = server.request("GET", f"/api/outbound/{call}/status", have.key)
    if code != 200:
        raise DemoFailure(f"GET /api/outbound/{call}/status answered {code} {status}")
    if status != before:
        known = {name: value for name, value in status.items() if name in ("status", "callDetails")}
        screen.moment(time.monotonic() - began, "status", f"GET …/status → {code} {json.dumps(known)}")
    return status


def check(line: Line, call: str, status: dict, callback: Callback) -> None:
    """Fails unless status and callback say what must have happened, and the signature holds."""
    if callback.problem:
        raise DemoFailure(f"the callback's signature does not hold: {callback.problem}")
    body = callback.json()
    nobody = {"no-answer": 0}.get(line.status)
    for where, got, expected in (
        ("status", status["status"], line.status),
        ("webhook-id", callback.call, call),
        ("callback event", body["event"], "call.completed"),
        ("callback outboundCallId", body["outboundCallId"], call),
        ("callback status", body["status"], line.status),
        ("callback endedReason", body["callDetails"]["endedReason"], status["callDetails"]["endedReason"]),
        ("callback dynamicVariables", body["dynamicVariables"], line.request.get("dynamicVariables")),
    ):
        if got != expected:
            raise DemoFailure(f"{where} of the call to {line.name} is {got!r} instead of {expected!r}")
    reason = status["callDetails"]["endedReason"]
    if reason not in line.reasons:
        raise DemoFailure(f"the call to {line.name} ended for {reason!r} instead of {' or '.join(line.reasons)}")
    duration = body["callDetails"]["duration"]
    talked = line.status == "completed"
    if duration != nobody if not talked else not duration:
        raise DemoFailure(f"the callback's duration is {duration!r}")
