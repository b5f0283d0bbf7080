"""The processes behind the demo: free ports, the server, the phones, and their orderly end."""

from __future__ import annotations

import json
import os
import queue
import random
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from pathlib import Path


class DemoFailure(Exception):
    """Something did not go as it must."""


def free_port() -> int:
    """A port of 127.0.0.1 that is free for both TCP and UDP."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp:
            tcp.bind(("127.0.0.1", 0))
            port = tcp.getsockname()[1]
            if is_free_for_udp(port):
                return port


def free_block(length: int) -> tuple[int, int]:
    """A block of UDP ports for media: first (even) and last."""
    # Below the usual ephemeral ports, and seldom the same twice, for demos side by side.
    blocks = list(range(20_000, 30_000, length))
    random.shuffle(blocks)
    for first in blocks:
        if all(is_free_for_udp(port) for port in range(first, first + length)):
            return first, first + length - 1
    raise DemoFailure("no block of UDP ports is free")


def is_free_for_udp(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        try:
            udp.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Program:
    """A child process whose lines are kept in a file, and handed on as moments when they are JSON."""

    def __init__(
        self, name: str, command: list[str], environment: dict[str, str], log: Path, moments: queue.Queue
    ) -> None:
        self.name = name
        self.tail: deque[str] = deque(maxlen=40)
        self._moments = moments
        # A session of its own: an interrupt at the terminal reaches the demo alone, which then ends
        # its programs in order.
        self._process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, args=(log,), daemon=True)
        self._reader.start()

    def _read(self, log: Path) -> None:
        with open(log, "ab") as file:
            for line in self._process.stdout:
                file.write(line)
                file.flush()
                text = line.decode(errors="replace").rstrip()
                self.tail.append(text)
                try:
                    event = json.loads(text)
                except ValueError:
                    continue
                if isinstance(event, dict):
                    event.update(event.pop("fields", {}))
                    event["arrived"] = time.monotonic()
                    self._moments.put((self.name, event))

    def exit_code(self) -> int | None:
        return self._process.poll()

    def ask_to_end(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def end(self, patience: float) -> int | None:
        """Asks to end, waits, and insists; returns the exit code when it ended by itself."""
        self.ask_to_end()
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            code = None
        self._reader.join(2)
        return code


class Server:
    """The server under demonstration, and the operator's command line beside it."""

    def __init__(
        self,
        binary: Path,
        data: Path,
        log: Path,
        ring_limit: int,
        moments: queue.Queue,
        settings: dict[str, str] | None = None,
    ) -> None:
        first, last = free_block(40)
        self._binary = binary
        self.url = f"http://127.0.0.1:{free_port()}"
        ours = {name: value for name, value in os.environ.items() if not name.startswith("CALLWRIGHT__")}
        # The demo shows the embedded database, whatever this shell is set up for.
        ours.pop("DATABASE_URL", None)
        self._environment = {
            **ours,
            "CALLWRIGHT__DATA_DIR": str(data),
            "CALLWRIGHT__HTTP__LISTEN": self.url[len("http://"):],
            "CALLWRIGHT__SIP__LISTEN": f"127.0.0.1:{free_port()}",
            "CALLWRIGHT__MEDIA__PORTS": f"{first}-{last}",
            "CALLWRIGHT__CALLS__RING_LIMIT": str(ring_limit),
            "CALLWRIGHT__CALLS__DRAIN_LIMIT": "3",
            "CALLWRIGHT__CALLBACKS__ALLOWED_NETWORKS": "127.0.0.0/8",
            "CALLWRIGHT__LOG__FORMAT": "json",
            # What is said on a call is logged only for those who ask.
            "CALLWRIGHT__LOG__LEVEL": "info,rsipstack=warn,callwright::turns=debug",
            **(settings or {}),
        }
        self.program = Program("server", [str(binary), "serve"], self._environment, log, moments)

    def wait_until_ready(self, patience: float) -> float:
        """Waits for `/readyz`; returns how long it took."""
        began = time.monotonic()
        while time.monotonic() - began < patience:
            if self.program.exit_code() is not None:
                raise DemoFailure(f"the server ended by itself ({self.program.exit_code()})")
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=2):
                    return time.monotonic() - began
            except OSError:
                time.sleep(0.05)
        raise DemoFailure(f"the server was not ready within {patience:.0f} s")

    def operate(self, *arguments: str) -> dict:
        """Runs one of the operator's commands and returns its one JSON object."""
        command = [str(self._binary), *arguments, "--json"]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise DemoFailure(f"`callwright {' '.join(arguments)}` failed: {done.stderr.strip()}")
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise DemoFailure(f"`callwright {' '.join(arguments)}` printed no JSON: {done.stdout}") from None

    def request(self, method: str, path: str, key: str, body: dict | None = None) -> tuple[int, dict]:
        """One request of the HTTP interface: its status and JSON body."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read() or b"{}")
