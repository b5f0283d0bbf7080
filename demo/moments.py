"""Puts what the server and the telephones tell into words."""

from __future__ import annotations


def of_server(event: dict) -> tuple[str, str] | None:
    """Who did what, from a line of the server's log; none when it does not matter here."""
    message = event.get("message", "")
    if message == "call dialled":
        return "server", "dialled: INVITE sent"
    if message == "call ringing":
        return "server", f"hears it ring ({event.get('sip.code')})"
    if message == "call answered":
        return "server", "connected: audio flows both ways"
    if message == "assistant said":
        return "assistant", f"“{event.get('text')}”" + (" (interrupted)" if event.get("interrupted") else "")
    if message == "callee said":
        return "customer", f"“{event.get('text')}”"
    if message == "callee spoke":
        return "customer", f"spoke for {float(event.get('seconds', 0)):.1f} s"
    if message == "assistant pressed":
        return "assistant", f"pressed {event.get('keys')}"
    if message == "callee pressed":
        return "customer", f"pressed {event.get('key')}"
    if message == "call ended":
        return "server", f"recorded the end: {event.get('status')}, {event.get('reason')}"
    return None


def of_phone(event: dict) -> tuple[str, str] | None:
    """Who did what, from an event of a telephone; none when it does not matter here."""
    kind = event.get("event")
    if kind == "incoming":
        return "phone", f"call from {event.get('from')}"
    if kind == "ringing":
        return "phone", "rings"
    if kind == "answered":
        return "phone", "picked up"
    if kind == "refused":
        busy = " Busy Here" if event.get("code") == 486 else ""
        return "phone", f"refuses with {event.get('code')}{busy}"
    if kind == "cancelled":
        return "phone", "stops ringing: the caller gave up"
    if kind == "said":
        # Told when it is over, and so perhaps after the assistant's next words.
        words = str(event.get("what")).strip('"')
        return "callee", f"has said “{words}”"
    if kind == "pressed-by-us":
        return "callee", f"pressed {event.get('key')}"
    if kind == "hung-up":
        return "phone", "hung up" if event.get("byUs") else "the caller hung up"
    if kind in ("failed", "media-timed-out"):
        return "phone", f"{kind}: {event.get('why', '')}"
    return None
