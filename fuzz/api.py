#!/usr/bin/env python3
"""Holds the running server against its own OpenAPI document, by schemathesis.

Starts the server on a database of its own with a telephone that is always busy, and asks everything
that the document offers, first with a tenant's key and then with an organization's. Ends with 0 when
every answer was as the document says.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "demo"))

from proxy import Proxy  # noqa: E402
from stage import DemoFailure, Program, Server, free_port  # noqa: E402

# A deleted organization can still be read: what was freed is used, and has to be.
LEFT_OUT = "use_after_free"


@dataclass
class Provisioned:
    """What requests need to succeed."""

    tenant_key: str
    organization_key: str
    organization: str
    assistant: str
    number: str


def main() -> int:
    parser = argparse.ArgumentParser(description="Holds the server against its OpenAPI document.")
    parser.add_argument("--binary", type=Path, required=True, help="the built `callwright`")
    parser.add_argument("--schemathesis", type=Path, required=True, help="the program `schemathesis`")
    parser.add_argument("--examples", type=int, default=25, help="requests of each kind to an operation")
    parser.add_argument("--seed", type=int, default=1, help="where chance begins")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="callwright-fuzz-"))
    # Started by root, the database runs as another user, who must get through to its folder.
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    moments: queue.Queue = queue.Queue()
    binary, phone_port = options.binary.resolve(), free_port()
    listen = ["--listen", f"127.0.0.1:{phone_port}", "--busy", "--json"]
    phone = Program("phone", [str(binary), "phone", *listen], dict(os.environ), folder / "phone.log", moments)
    trusted = {"CALLWRIGHT__HTTP__TRUSTED_PROXIES": "127.0.0.0/8"}
    server = Server(binary, folder / "data", folder / "server.log", 4, moments, trusted)
    failed = True
    try:
        server.wait_until_ready(60)
        have = provision(server, phone_port)
        proxy = Proxy(int(server.url.rpartition(":")[2]))
        codes = [
            fuzz(options, folder, level, key, have, proxy.port)
            for level, key in (("tenant", have.tenant_key), ("organization", have.organization_key))
        ]
        failed = any(codes)
    except (DemoFailure, OSError, ValueError, KeyError, subprocess.SubprocessError) as failure:
        print(f"fuzz: {failure}", file=sys.stderr)
    finally:
        phone.end(5)
        failed = server.program.end(25) != 0 or failed
        shutil.rmtree(folder / "data", ignore_errors=True)
    if failed:
        print(f"fuzz: failed; the server's log is {folder / 'server.log'}", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


def provision(server: Server, phone_port: int) -> Provisioned:
    """Sets up a tenant with an organization that can place calls."""
    tenant = server.operate("tenant", "create", "--name", "Fuzz")["id"]
    named = ("--name", "Clinic", "--email", "desk@clinic.example")
    organization = server.operate("organization", "create", "--tenant", tenant, *named)["id"]
    address = ("--name", "busy", "--address", f"127.0.0.1:{phone_port}", "--transport", "udp")
    trunk = server.operate("trunk", "create", "--tenant", tenant, *address)["id"]
    owner = ("--organization", organization)
    number = server.operate("number", "create", *owner, "--trunk", trunk, "--number", "+12025550100")["id"]
    file = HERE.parent / "demo" / "assistant.toml"
    assistant = server.operate("assistant", "create", *owner, "--file", str(file))["id"]
    key = ("key", "create", "--tenant", tenant, "--name", "fuzz")
    return Provisioned(
        tenant_key=server.operate(*key)["key"],
        organization_key=server.operate(*key, *owner)["key"],
        organization=organization,
        assistant=assistant,
        number=number,
    )


def fuzz(options: argparse.Namespace, folder: Path, level: str, key: str, have: Provisioned, port: int) -> int:
    """One run of schemathesis; returns its exit code."""
    print(f"fuzz: with a key of an {level}" if level[0] in "aeiou" else f"fuzz: with a key of a {level}", flush=True)
    base = f"http://127.0.0.1:{port}"
    # By its address, the document's own endpoint would be left out.
    document = folder / "openapi.json"
    with urllib.request.urlopen(f"{base}/api/openapi.json", timeout=10) as served:
        document.write_bytes(served.read())
    configuration = folder / f"{level}.toml"
    configuration.write_text(configured(have))
    command = [
        *(str(options.schemathesis.absolute()), "--config-file", str(configuration), "run"),
        *(str(document), "--url", base, "--checks", "all", "--exclude-checks", LEFT_OUT),
        *("--max-examples", str(options.examples), "--seed", str(options.seed)),
        *("--continue-on-failure", "--generation-database", "none", "--warnings", "off"),
    ]
    environment = {**os.environ, "CALLWRIGHT_KEY": key, "CALLWRIGHT_KEPT": have.organization, "NO_COLOR": "1"}
    return subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL).returncode


def configured(have: Provisioned) -> str:
    """The configuration of schemathesis: the key, and the ids of what is there beside made-up ones."""
    known = {
        "organization": ([have.organization], ["query.organizationId"]),
        "assistant": ([have.assistant], ["body.assistantId"]),
        "number": ([have.number], ["body.phoneNumberId"]),
    }
    lines = [
        f"hooks = {json.dumps(str(HERE / 'hooks.py'))}",
        # NUL characters are refused everywhere; JSON Schema has no words for that.
        "[generation]", "allow-x00 = false",
        # A body that is too large is refused as such, before its fields are looked at.
        "[checks.negative_data_rejection]",
        'expected-statuses = ["400", "401", "403", "404", "405", "406", "413", "415", "422", "429", "5xx"]',
        "[auth.openapi.apiKey]", 'bearer = "${CALLWRIGHT_KEY}"',
    ]
    for name, (values, _) in known.items():
        lines += [f"[dictionaries.{name}]", f"values = {json.dumps(values)}"]
    lines.append("[parameters]")
    for name, (_, places) in known.items():
        lines += [f'"{place}" = {{ dictionary = "{name}", probability = 0.7 }}' for place in places]
    # Not for DELETE: the others need it.
    lines += [
        "[[operations]]", 'include-path-regex = "^/api/organization/"', 'exclude-method = "DELETE"',
        "[operations.parameters]", '"path.id" = { dictionary = "organization", probability = 0.7 }',
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
