"""Everything that an operator sets up before the first call, through the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lines import CALLER, Line
from screen import Screen
from stage import Server

ASSISTANT = Path(__file__).resolve().with_name("assistant.toml")


@dataclass
class Provisioned:
    """What calls are placed with."""

    key: str
    secret: str
    assistant: str
    numbers: dict[str, str]


def provision(server: Server, screen: Screen, lines: tuple[Line, ...], ports: dict[str, int], file: Path) -> Provisioned:
    """Sets up a tenant with one organization, and a trunk with a number for each telephone."""

    def made(what: str, *arguments: str) -> str:
        created = server.operate(*arguments)
        screen.row(what.split()[0], f"{created['id']}  {what.partition(' ')[2]}")
        return created["id"]

    tenant = made("tenant Demo", "tenant", "create", "--name", "Demo")
    organization = made(
        "organization Callwright Clinic",
        *("organization", "create", "--tenant", tenant),
        *("--name", "Callwright Clinic", "--email", "desk@clinic.example", "--timezone", "America/New_York"),
    )
    numbers = {}
    for index, line in enumerate(lines):
        address = f"127.0.0.1:{ports[line.name]}"
        trunk = made(
            f"trunk to {line.name}'s telephone, sip:{address}",
            *("trunk", "create", "--tenant", tenant, "--name", line.name),
            *("--address", address, "--transport", "udp"),
        )
        own = f"{CALLER[:-1]}{index}"
        numbers[line.name] = made(
            f"number {own}, through {line.name}'s trunk",
            *("number", "create", "--organization", organization, "--trunk", trunk, "--number", own),
        )
    assistant = made(
        f"assistant {file.name}",
        *("assistant", "create", "--organization", organization, "--file", str(file)),
    )
    owner = ("--tenant", tenant, "--organization", organization)
    key = server.operate("key", "create", *owner, "--name", "demo")
    screen.row("key", f"{key['id']}  level {key['level']}, {key['key'][:10]}…")
    secret = server.operate("webhook-secret", "show", "--organization", organization)["secret"]
    screen.row("webhook secret", f"{secret[:10]}…  verifies the callbacks")
    return Provisioned(key=key["key"], secret=secret, assistant=assistant, numbers=numbers)
