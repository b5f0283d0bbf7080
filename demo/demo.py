#!/usr/bin/env python3
"""Callwright's demo: one answered, one busy and one unanswered call, shown as they happen.

Starts the server on its embedded database, three telephones and a callback receiver, all on this
machine; ends with exit code 0 when everything went as it must, and with 1 when anything did not.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import call
import provider
import record
from lines import ANSWERED, BUSY, RING_LIMIT, UNANSWERED
from provisioning import ASSISTANT, Provisioned, provision
from receiver import Callback, Receiver
from recording import Recording
from screen import Screen
from stage import DemoFailure, Program, Server, free_port

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FAILURES = (DemoFailure, OSError, ValueError, KeyError, subprocess.SubprocessError)


class Stage:
    """All that runs for the demo."""

    def __init__(self, options: argparse.Namespace, screen: Screen) -> None:
        self.screen = screen
        self.lines = (provider.line() if options.realtime else ANSWERED, BUSY, UNANSWERED)
        self.happenings: queue.Queue = queue.Queue()
        self.folder = Path(tempfile.mkdtemp(prefix="callwright-demo-"))
        # Started by root, the database runs as another user, who must get through to its folder.
        self.folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
        self.recordings = self.folder / "recordings"
        self.recordings.mkdir()
        self.receiver = Receiver(self.happenings)
        self.ports: dict[str, int] = {}
        self.phones: list[Program] = []
        self.server: Server | None = None
        self.assistant = provider.assistant(options, self.folder) if options.realtime else ASSISTANT
        self._settings = provider.settings(options)
        self._binary = options.binary.resolve()

    def open(self) -> Server:
        """Starts everything and waits until calls can be placed."""
        for line in self.lines:
            self.ports[line.name] = free_port()
            command = [str(self._binary), "phone", "--listen", f"127.0.0.1:{self.ports[line.name]}", "--json"]
            command += ["--record", str(self.recordings), *line.behaviour]
            log = self.folder / f"phone-{line.name}.log"
            self.phones.append(Program("phone", command, dict(os.environ), log, self.happenings))
        log = self.folder / "server.log"
        self.server = Server(self._binary, self.folder / "data", log, RING_LIMIT, self.happenings, self._settings)
        took = self.server.wait_until_ready(60)
        self._wait_for_phones(10)
        self.screen.row("server", f"{self.server.url}, ready in {took:.1f} s on a database of its own")
        self.screen.row("callbacks", self.receiver.url)
        self.screen.row("folder", str(self.folder))
        return self.server

    def _wait_for_phones(self, patience: float) -> None:
        """Waits until each telephone has told that it takes calls."""
        limit = time.monotonic() + patience
        listening = 0
        while listening < len(self.phones):
            for phone in self.phones:
                if phone.exit_code() is not None:
                    raise DemoFailure("a telephone could not start: " + " ".join(phone.tail))
            try:
                who, event = self.happenings.get(timeout=0.2)
            except queue.Empty:
                if time.monotonic() > limit:
                    raise DemoFailure(f"a telephone did not listen within {patience:.0f} s") from None
                continue
            listening += who == "phone" and event.get("event") == "listening"

    def close(self) -> int | None:
        """Ends everything in order and removes the database; returns the server's exit code."""
        # The end is bounded, and must not be cut off halfway by an impatient second interrupt.
        for number in INTERRUPTS:
            signal.signal(number, signal.SIG_IGN)
        for phone in self.phones:
            phone.ask_to_end()
        for phone in self.phones:
            phone.end(5)
        code = self.server.program.end(25) if self.server else None
        self.receiver.close()
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        return code


def main() -> int:
    parser = argparse.ArgumentParser(description="Callwright's demo: three calls on this machine.")
    parser.add_argument("--binary", type=Path, required=True, help="the built `callwright`")
    parser.add_argument("--keep", action="store_true", help="go on serving afterwards, until Ctrl-C")
    provider.options(parser)
    options = parser.parse_args()
    for number in INTERRUPTS:
        signal.signal(number, interrupt)
    screen = Screen()
    screen.title("Callwright · a demo on this machine, no account and no network needed")
    stage = Stage(options, screen)
    try:
        have = run(stage)
        if options.keep:
            keep(stage, have)
    except KeyboardInterrupt:
        screen.bad("interrupted")
        stage.close()
        return 130
    except FAILURES as failure:
        return fail(stage, failure)
    screen.blank()
    if stage.close() != 0:
        return fail(stage, DemoFailure("the server did not end in order when asked to"))
    screen.good(f"Everything went as it must. The recordings stay in {stage.recordings}")
    return 0


def run(stage: Stage) -> Provisioned:
    """The demo itself."""
    screen, began = stage.screen, time.monotonic()
    screen.section("Starting")
    server = stage.open()
    screen.section("Setting up, as an operator does")
    have = provision(server, screen, stage.lines, stage.ports, stage.assistant)
    stage.receiver.secret = have.secret
    for line in stage.lines:
        screen.section(f"{line.title}: {line.name}, {line.number}")
        told = call.place(line, have, server, stage.receiver.url, stage.happenings, screen)
        show_callback(screen, told.callback)
        if line.status == "completed":
            show_heard(screen, told.recording)
            record.show(screen, record.fetch(server, have, told.call), stage.recordings)
    screen.blank()
    took = time.monotonic() - began
    screen.good(f"Three calls, three final statuses, three signed callbacks, one record in {took:.0f} s.")
    return have


def show_callback(screen: Screen, callback: Callback) -> None:
    screen.blank()
    screen.row("callback", "its signature was verified with the organization's secret")
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        screen.row(f"  {name[len('webhook-'):]}", callback.headers[name])
    screen.block(json.dumps(callback.json(), indent=2, ensure_ascii=False))


def show_heard(screen: Screen, path: Path | None) -> None:
    """Shows what the telephone heard, and fails when that was not the assistant."""
    if path is None:
        raise DemoFailure("the telephone recorded nothing")
    heard = Recording.read(path)
    screen.blank()
    screen.row("heard", f"by the telephone: {heard.path}")
    level = f"{heard.voiced_seconds:.1f} s speech at {heard.loudness:.0f} dBFS"
    screen.row("", f"{heard.seconds:.1f} s, of which {level}")
    screen.row("", f"|{heard.shape}|")
    if heard.voiced_seconds < 4 or heard.loudness < -35:
        raise DemoFailure("the telephone did not hear the assistant")


def keep(stage: Stage, have: Provisioned) -> None:
    """Goes on serving, and shows what happens, until an interrupt."""
    screen, server = stage.screen, stage.server
    body = json.dumps(call.request_of(stage.lines[0], have, stage.receiver.url))
    bearer = f"Authorization: Bearer {have.key}"
    screen.section("Serving until Ctrl-C. Place a call of your own:")
    screen.block(
        f"curl -sS {server.url}/api/outbound -H {shlex.quote(bearer)} \\\n"
        f"  -H 'Content-Type: application/json' -d {shlex.quote(body)}"
    )
    screen.blank()
    screen.row("", "and ask for its status (put the outboundCallId in):")
    screen.block(f"curl -sS {server.url}/api/outbound/OUTBOUND_CALL_ID/status -H {shlex.quote(bearer)}")
    screen.blank()
    began = time.monotonic()
    with contextlib.suppress(KeyboardInterrupt):
        while server.program.exit_code() is None:
            try:
                who, event = stage.happenings.get(timeout=0.5)
            except queue.Empty:
                continue
            if who == "callback":
                verdict = event.problem or "the signature holds"
                text = f"{event.call} {event.json()['status']}, {verdict}"
                screen.moment(event.arrived - began, "callback", text)
            else:
                call.show(who, event, began, screen)
        raise DemoFailure("the server ended by itself")


def fail(stage: Stage, failure: Exception) -> int:
    """Ends everything, says why, and shows the end of the server's log."""
    stage.close()
    stage.screen.blank()
    stage.screen.bad(str(failure) or repr(failure))
    if stage.server:
        stage.screen.section(f"The end of {stage.folder / 'server.log'}")
        stage.screen.block("\n".join(stage.server.program.tail))
    return 1


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
