"""The three telephones that the demo calls, and what must come of each call."""

from __future__ import annotations

from dataclasses import dataclass, field

CALLER = "+12025550100"
RING_LIMIT = 4
"""Seconds until the server gives an unanswered call up; an hour would be too long for a demo."""


@dataclass(frozen=True)
class Line:
    """A telephone, how it behaves, and how a call to it must end."""

    name: str
    number: str
    title: str
    behaviour: tuple[str, ...]
    status: str
    reasons: tuple[str, ...]
    request: dict = field(default_factory=dict)

    def rings(self) -> bool:
        return self.status != "busy"


ANSWERED = Line(
    name="Ada",
    number="+12025550142",
    title="A call that is answered",
    behaviour=("--answer-after", "2", "--say", "Yes, I will be there.", "--press", "1"),
    status="completed",
    reasons=("assistant-ended-call",),
    request={"customerName": "Ada", "dynamicVariables": {"appointment": "on Tuesday at ten"}},
)
BUSY = Line(
    name="Ben",
    number="+12025550143",
    title="A call to a busy telephone",
    behaviour=("--busy",),
    status="busy",
    reasons=("customer-busy",),
)
UNANSWERED = Line(
    name="Cleo",
    number="+12025550144",
    title=f"A call that nobody answers (given up after {RING_LIMIT} s)",
    behaviour=("--never-answer",),
    status="no-answer",
    reasons=("no-answer",),
)
LINES = (ANSWERED, BUSY, UNANSWERED)
