"""What the demo shows: plain text, in columns, coloured only on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import threading

INDENT = 2
LABEL = 11
COLOURS = {
    "you": "1",
    "server": "36",
    "assistant": "32",
    "phone": "33",
    "callee": "33",
    "customer": "33",
    "status": "34",
    "callback": "35",
}


class Screen:
    """Writes whole lines, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._width = max(60, min(100, shutil.get_terminal_size((96, 24)).columns))
        self._colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        # A terminal that cannot show a sign gets a question mark, not a broken demo.
        sys.stdout.reconfigure(errors="replace", line_buffering=True)

    def title(self, text: str) -> None:
        self._write(self._paint(text, "1"))
        self._write("─" * self._width)

    def section(self, text: str) -> None:
        self._write("")
        self._write(self._paint(text, "1"))

    def blank(self) -> None:
        self._write("")

    def row(self, label: str, text: str) -> None:
        """A named fact."""
        self._entry(" " * INDENT + f"{label:<15} ", text)

    def moment(self, seconds: float, who: str, text: str) -> None:
        """Something that happened, so long after the beginning of a call."""
        label = self._paint(f"{who:<{LABEL}}", COLOURS.get(who, "0"))
        self._entry(f"{seconds:7.2f} s  {label}", text, hidden=len(label) - LABEL)

    def block(self, text: str) -> None:
        """Lines to be shown, or copied, as they are."""
        for line in text.splitlines():
            self._write(" " * (INDENT + 2) + line)

    def good(self, text: str) -> None:
        self._write(self._paint(f"✓ {text}", "32"))

    def bad(self, text: str) -> None:
        self._write(self._paint(f"✗ {text}", "31"))

    def _entry(self, lead: str, text: str, hidden: int = 0) -> None:
        room = max(20, self._width - (len(lead) - hidden))
        first, *rest = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
        lines = [lead + first] + [" " * (len(lead) - hidden) + line for line in rest]
        self._write("\n".join(lines))

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def _write(self, text: str) -> None:
        with self._lock:
            print(text)
